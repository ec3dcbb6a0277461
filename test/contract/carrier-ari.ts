/**
 * What an ARI server does, request by request and event by event: the facts that the adapter stands on. The simulator and a real Asterisk
 * are put under the very same table, so that neither drifts from the other.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { WebSocket } from '../../src/carriers/websocket';
import { eventually } from './carrier-harness';

export interface AriPeer {
  readonly url: () => string;
  readonly user: string;
  readonly password: string;
  /** Seconds that a nominal second of a call takes. */
  readonly timeScale: number;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Seen {
  readonly type: string;
  readonly state: string;
  readonly dial?: string;
  readonly cause?: number;
  readonly tech?: number;
  readonly soft?: true;
  readonly args?: readonly string[];
}

interface WireEvent {
  readonly type: string;
  readonly channel?: { readonly id: string; readonly state: string };
  readonly peer?: { readonly id: string; readonly state: string };
  readonly dialstatus?: string;
  readonly cause?: number;
  readonly tech_cause?: number;
  readonly soft?: boolean;
  readonly args?: readonly string[];
}

const newId = (): string => randomBytes(16).toString('hex');

const seenOf = (event: WireEvent): Seen => ({
  type: event.type,
  state: (event.channel ?? event.peer)?.state ?? '',
  ...(event.dialstatus === undefined ? {} : { dial: event.dialstatus }),
  ...(event.cause === undefined ? {} : { cause: event.cause }),
  ...(event.tech_cause === undefined ? {} : { tech: event.tech_cause }),
  ...(event.soft === true ? { soft: true } : {}),
  ...(event.args === undefined ? {} : { args: event.args }),
});

/** Events that tell of a call; ChannelVarset and ChannelDialplan are noise. */
const telling = new Set([
  'Dial',
  'ChannelStateChange',
  'StasisStart',
  'StasisEnd',
  'ChannelHangupRequest',
  'ChannelDestroyed',
]);

/** The start may come in several orders: it is compared as a set, what follows in order. */
const opening = (events: readonly Seen[]): readonly Seen[] =>
  events.filter(
    (e) =>
      (e.type === 'Dial' && (e.dial === '' || e.dial === 'RINGING')) ||
      (e.type === 'ChannelStateChange' && e.state === 'Ringing'),
  );
const rest = (events: readonly Seen[]): readonly Seen[] => events.filter((event) => !opening(events).includes(event));

export const ariPeerContract = (name: string, start: () => Promise<AriPeer>): void => {
  describe(`${name} as an ARI server`, () => {
    let peer: AriPeer;
    let agent: Agent;
    const sockets: WebSocket[] = [];
    let apps = 0;

    beforeAll(async () => {
      peer = await start();
    }, 120_000);
    beforeEach(() => {
      agent = new Agent({ keepAlive: true, maxSockets: 1 });
    });
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.terminate();
      agent.destroy();
    });
    afterAll(() => peer.stop());

    const seconds = (n: number): number => n * 1000 * peer.timeScale;
    const authorization = (password = peer.password): string =>
      `Basic ${Buffer.from(`${peer.user}:${password}`).toString('base64')}`;

    /** One connection for all, unless told otherwise. */
    const ask = (
      method: string,
      path: string,
      body?: unknown,
      more: { readonly password?: string; readonly alone?: boolean; readonly type?: string | null } = {},
    ): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
        const outgoing = httpRequest(
          `${peer.url()}/ari${path}`,
          {
            method,
            agent: more.alone === true ? new Agent({ keepAlive: false }) : agent,
            headers: {
              authorization: authorization(more.password),
              'content-length': Buffer.byteLength(text),
              ...(text === '' || more.type === null ? {} : { 'content-type': more.type ?? 'application/json' }),
            },
          },
          (incoming) => {
            const parts: Buffer[] = [];
            incoming.on('data', (part: Buffer) => parts.push(part));
            incoming.on('end', () => {
              const reply = Buffer.concat(parts).toString('utf8');
              const isJson = incoming.headers['content-type']?.includes('json') === true && reply !== '';
              resolve({ status: incoming.statusCode ?? 0, body: isJson ? (JSON.parse(reply) as unknown) : null });
            });
          },
        );
        outgoing.on('error', reject);
        outgoing.end(text);
      });

    const listen = async (
      app = `parity_${(apps += 1)}_${process.pid}`,
    ): Promise<{ app: string; events: WireEvent[]; socket: WebSocket }> => {
      const socket = new WebSocket(`${peer.url().replace('http', 'ws')}/ari/events?app=${app}`, {
        headers: { authorization: authorization() },
      });
      sockets.push(socket);
      const events: WireEvent[] = [];
      socket.on('message', (data) => events.push(JSON.parse((data as Buffer).toString('utf8')) as WireEvent));
      await new Promise((resolve, reject) => {
        socket.on('open', resolve);
        socket.on('error', reject);
      });
      return { app, events, socket };
    };

    const order = (app: string, digit: number, more: object = {}): object => ({
      endpoint: `PJSIP/+1555010${digit}@trunk`,
      app,
      appArgs: 'run=1,attempt=2',
      timeout: 5,
      variables: { 'TIMEOUT(absolute)': '30', APP: app },
      ...more,
    });

    const ended = (events: readonly WireEvent[], id: string): boolean =>
      events.some((event) => event.type === 'ChannelDestroyed' && event.channel?.id === id);
    const history = (events: readonly WireEvent[], id: string): readonly Seen[] =>
      events.filter((e) => telling.has(e.type) && (e.channel ?? e.peer)?.id === id).map(seenOf);
    const isUp = (events: readonly WireEvent[], id: string): boolean =>
      events.some((event) => event.type === 'StasisStart' && event.channel?.id === id);

    describe('to a place request', () => {
      it.each([
        ['no endpoint', { endpoint: undefined }, 400, { message: 'Endpoint must be specified' }],
        ['an endpoint without a technology', { endpoint: '5550100' }, 400, { message: 'Invalid endpoint specified' }],
        ['no app', { app: undefined }, 400, { message: 'Application or extension must be specified' }],
        ['an endpoint that does not exist', { endpoint: 'PJSIP/1@nowhere' }, 500, { error: 'Allocation failed' }],
        ['a technology that does not exist', { endpoint: 'NOPE/1' }, 500, { error: 'Allocation failed' }],
        ['a number without an endpoint', { endpoint: 'PJSIP/+15550100' }, 500, { error: 'Allocation failed' }],
      ])('with %s answers as measured', async (_what, change, status, body) => {
        expect(await ask('POST', `/channels/${newId()}`, { ...order('none', 6), ...change })).toEqual({ status, body });
      });

      it('with an id that is too long answers 400', async () => {
        const reply = await ask('POST', `/channels/${'a'.repeat(150)}`, order('none', 6));
        expect(reply).toEqual({ status: 400, body: { message: 'Uniqueid length exceeds maximum of 149' } });
      });

      it('that is no JSON answers 400', async () => {
        const reply = await ask('POST', `/channels/${newId()}`, '{"endpoint":');
        expect(reply).toEqual({ status: 400, body: { message: 'Error parsing request body' } });
      });

      it('with a wrong password answers 401', async () => {
        const reply = await ask('POST', `/channels/${newId()}`, order('none', 6), { password: 'wrong' });
        expect(reply).toMatchObject({ status: 401, body: { message: 'Authentication required' } });
      });

      it('whose JSON has no content type knows nothing of its body', async () => {
        const reply = await ask('POST', `/channels/${newId()}`, order('none', 6), { type: null });
        expect(reply).toEqual({ status: 400, body: { message: 'Endpoint must be specified' } });
      });

      it('that is fine answers 200 and a channel that is down', async () => {
        const { app } = await listen();
        const id = newId();
        const reply = await ask('POST', `/channels/${id}`, order(app, 6, { callerId: '"Acme, Inc" <+15550199>' }));
        expect(reply).toMatchObject({
          status: 200,
          body: {
            id,
            state: 'Down',
            caller: { name: 'Acme, Inc', number: '+15550199' },
            name: expect.stringMatching(/^PJSIP\/trunk-/) as string,
          },
        });
        expect(await ask('DELETE', `/channels/${id}?reason=normal`)).toEqual({ status: 204, body: null });
      });
    });

    describe('to ids that are in use', () => {
      const conflict = { status: 409, body: { message: 'Channel with given unique ID already exists' } };

      it('answers 409, to prefixes of them too, and takes them again after the end', async () => {
        const { app, events } = await listen();
        const id = newId();
        expect(await ask('POST', `/channels/${id}`, order(app, 6))).toMatchObject({ status: 200 });
        expect(await ask('POST', `/channels/${id}`, order(app, 6), { alone: true })).toEqual(conflict);
        expect(await ask('POST', `/channels/${id.slice(0, 20)}`, order(app, 6), { alone: true })).toEqual(conflict);
        expect(await ask('POST', `/channels/${id.toUpperCase()}`, order(app, 6), { alone: true })).toEqual(conflict);
        expect(await ask('GET', `/channels/${id.slice(0, 20)}`)).toMatchObject({ status: 404 });
        await ask('DELETE', `/channels/${id}?reason=normal`);
        await eventually('it is over', 5_000, () => ended(events, id));
        expect(await ask('POST', `/channels/${id}`, order(app, 9))).toMatchObject({ status: 200 });
      });

      it('answers 409 to every failed allocation on a connection that saw one, and 500 on others', async () => {
        const { app } = await listen();
        const id = newId();
        const failing = order(app, 6, { endpoint: 'PJSIP/1@nowhere' });
        expect(await ask('POST', `/channels/${newId()}`, failing)).toMatchObject({ status: 500 });
        expect(await ask('POST', `/channels/${id}`, order(app, 6))).toMatchObject({ status: 200 });
        expect(await ask('POST', `/channels/${id}`, order(app, 6))).toEqual(conflict);
        expect(await ask('POST', `/channels/${newId()}`, failing)).toEqual(conflict);
        expect(await ask('POST', `/channels/${newId()}`, failing, { alone: true })).toMatchObject({ status: 500 });
        await ask('DELETE', `/channels/${id}?reason=normal`);
      });
    });

    describe('to other requests', () => {
      it.each([
        ['GET', '/channels/none', 404, { message: 'Channel not found' }],
        ['DELETE', '/channels/none?reason=normal', 404, { message: 'Channel not found' }],
        ['GET', '/channels/none/variable?variable=A', 404, { message: 'Provided channel was not found' }],
        ['POST', '/channels/none/continue', 404, { message: 'Channel not found' }],
        ['GET', '/applications/none', 404, { message: 'Application not found' }],
        ['GET', '/nothing', 404, { message: 'Resource not found' }],
        ['GET', '/asterisk/variable?variable=R_none', 200, { value: '' }],
      ])('%s %s answers %i', async (method, path, status, body) => {
        expect(await ask(method, path)).toEqual({ status, body });
      });

      it('tells when it was started', async () => {
        expect(await ask('GET', '/asterisk/info?only=status')).toMatchObject({
          status: 200,
          body: { status: { startup_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+\d{4}$/) as string } },
        });
        expect(await ask('GET', '/asterisk/ping')).toMatchObject({ status: 200, body: { ping: 'pong' } });
      });

      it('refuses reasons that it does not know, and commands on a call that rings', async () => {
        const { app, events } = await listen();
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 6));
        await eventually('it rings', 5_000, () => history(events, id).some(({ state }) => state === 'Ringing'));
        expect(await ask('DELETE', `/channels/${id}?reason=bogus`)).toMatchObject({ status: 400 });
        expect(await ask('DELETE', `/channels/${id}?reason_code=normal`)).toMatchObject({ status: 400 });
        const outside = { status: 409, body: { message: 'Channel not in Stasis application' } };
        expect(await ask('POST', `/channels/${id}/continue`, { context: 'amdback' })).toEqual(outside);
        expect(await ask('POST', `/channels/${id}/variable`, { variable: 'TIMEOUT(absolute)', value: '3' })).toEqual(
          outside,
        );
        expect(await ask('GET', `/channels/${id}/variable?variable=NONE`)).toEqual({
          status: 404,
          body: { message: 'Provided variable was not found' },
        });
        await ask('DELETE', `/channels/${id}?reason=normal`);
      });
    });

    describe('its events', () => {
      const rings: readonly Seen[] = [
        { type: 'Dial', state: 'Down', dial: '' },
        { type: 'ChannelStateChange', state: 'Ringing' },
      ];
      const up: readonly Seen[] = [
        { type: 'ChannelStateChange', state: 'Up' },
        { type: 'Dial', state: 'Up', dial: 'ANSWER' },
        { type: 'StasisStart', state: 'Up', args: ['run=1', 'attempt=2'] },
      ];

      it.each<readonly [number, boolean, readonly Seen[]]>([
        [
          1,
          true,
          [
            ...up,
            { type: 'ChannelHangupRequest', state: 'Up', cause: 16 },
            { type: 'StasisEnd', state: 'Up' },
            { type: 'ChannelDestroyed', state: 'Up', cause: 16 },
          ],
        ],
        [
          5,
          false,
          [
            { type: 'ChannelHangupRequest', state: 'Down', cause: 17, tech: 486 },
            { type: 'Dial', state: 'Down', dial: 'BUSY' },
            { type: 'ChannelDestroyed', state: 'Down', cause: 17, tech: 486 },
          ],
        ],
        [6, true, [{ type: 'ChannelDestroyed', state: 'Ringing', cause: 19, tech: 480 }]],
        [
          8,
          true,
          [
            { type: 'ChannelHangupRequest', state: 'Ringing', cause: 21, tech: 403 },
            { type: 'Dial', state: 'Ringing', dial: 'NOANSWER' },
            { type: 'ChannelDestroyed', state: 'Ringing', cause: 21, tech: 403 },
          ],
        ],
        [
          9,
          false,
          [
            { type: 'ChannelHangupRequest', state: 'Down', cause: 1, tech: 404 },
            { type: 'Dial', state: 'Down', dial: 'NOANSWER' },
            { type: 'ChannelDestroyed', state: 'Down', cause: 1, tech: 404 },
          ],
        ],
      ])(
        'of a call to phone %i come as measured',
        async (digit, doesRing, expected) => {
          const { app, events } = await listen();
          const id = newId();
          await ask('POST', `/channels/${id}`, order(app, digit, { timeout: 3 }));
          await eventually('it is over', seconds(8) + 3_000, () => ended(events, id));
          const seen = history(events, id);
          expect(rest(seen)).toEqual(expected);
          expect(opening(seen)).toHaveLength(doesRing ? 3 : 1);
          expect(opening(seen)).toEqual(expect.arrayContaining(doesRing ? [...rings] : [rings[0]]));
        },
        20_000,
      );

      it.each<readonly [string, number, number | undefined, string | undefined]>([
        ['normal', 16, undefined, 'NOANSWER'],
        ['busy', 17, 486, 'BUSY'],
        ['congestion', 34, 503, 'CONGESTION'],
        ['timeout', 18, 408, 'NOANSWER'],
      ])('of a call hung up with reason %s while it rings come as measured', async (reason, cause, tech, dial) => {
        const { app, events } = await listen();
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 6));
        await eventually('it rings', 5_000, () => history(events, id).some((e) => e.type === 'ChannelStateChange'));
        await ask('DELETE', `/channels/${id}?reason=${reason}`);
        await eventually('it is over', 5_000, () => ended(events, id));
        expect(rest(history(events, id))).toEqual([
          { type: 'ChannelHangupRequest', state: 'Ringing', cause: 32, soft: true },
          { type: 'Dial', state: 'Ringing', dial },
          { type: 'ChannelDestroyed', state: 'Ringing', cause, ...(tech === undefined ? {} : { tech }) },
        ]);
      });

      it('of a call hung up after the answer come as measured', async () => {
        const { app, events } = await listen();
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 4));
        await eventually('it is up', 5_000, () => isUp(events, id));
        await ask('DELETE', `/channels/${id}?reason=normal`);
        await eventually('it is over', 5_000, () => ended(events, id));
        expect(rest(history(events, id))).toEqual([
          ...up,
          { type: 'ChannelHangupRequest', state: 'Up', cause: 32, soft: true },
          { type: 'StasisEnd', state: 'Up' },
          { type: 'ChannelDestroyed', state: 'Up', cause: 16 },
        ]);
      });

      it('of a call that reached its absolute timeout after the answer come as measured', async () => {
        const { app, events } = await listen();
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 4));
        await eventually('it is up', 5_000, () => isUp(events, id));
        expect(
          await ask('POST', `/channels/${id}/variable`, { variable: 'TIMEOUT(absolute)', value: '1' }),
        ).toMatchObject({ status: 204 });
        await eventually('it is over', 5_000, () => ended(events, id));
        expect(rest(history(events, id))).toEqual([
          ...up,
          { type: 'StasisEnd', state: 'Up' },
          { type: 'ChannelDestroyed', state: 'Up', cause: 0 },
        ]);
      });

      it('of machine detection come as measured', async () => {
        const { app, events } = await listen();
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 7));
        await eventually('it is up', 5_000, () => isUp(events, id));
        const there = { context: 'amdback', extension: 's', priority: 1 };
        expect(await ask('POST', `/channels/${id}/continue`, there)).toEqual({ status: 204, body: null });
        await eventually('it left', 5_000, () => events.some((e) => e.type === 'StasisEnd' && e.channel?.id === id));
        expect(await ask('POST', `/channels/${id}/continue`, there)).toMatchObject({ status: 409 });
        await eventually('it is back', 8_000, () => events.filter((e) => e.type === 'StasisStart').length === 2);
        expect(history(events, id).at(-1)).toEqual({
          type: 'StasisStart',
          state: 'Up',
          args: ['amd=MACHINE', 'cause=LONGGREETING-1500-1500'],
        });
        expect(await ask('GET', `/channels/${id}/variable?variable=AMDSTATUS`)).toEqual({
          status: 200,
          body: { value: 'MACHINE' },
        });
        await ask('DELETE', `/channels/${id}?reason=normal`);
      }, 20_000);

      it('of the kinds that the app does not want do not come', async () => {
        const { app, events } = await listen();
        const filter = { disallowed: [{ type: 'ChannelVarset' }] };
        expect(await ask('PUT', `/applications/${app}/eventFilter`, filter)).toMatchObject({
          status: 200,
          body: { name: app, channel_ids: [], events_disallowed: [{ type: 'ChannelVarset' }] },
        });
        const id = newId();
        await ask('POST', `/channels/${id}`, order(app, 1));
        await eventually('it is over', seconds(5) + 3_000, () => ended(events, id));
        expect(events.map(({ type }) => type)).not.toContain('ChannelVarset');
      }, 20_000);

      it('go to the second socket of an app, and the first is told', async () => {
        const first = await listen();
        const second = await listen(first.app);
        await eventually('the first is told', 5_000, () => first.events.some((e) => e.type === 'ApplicationReplaced'));
        const id = newId();
        await ask('POST', `/channels/${id}`, order(first.app, 9));
        await eventually('the second is told', 5_000, () => ended(second.events, id));
        expect(history(first.events, id)).toEqual([]);
      });
    });

    describe('while an app has no socket', () => {
      it('hangs up its calls at the answer, keeps those that were up, and replays nothing', async () => {
        const first = await listen();
        const before = newId();
        const during = newId();
        await ask('POST', `/channels/${before}`, order(first.app, 4));
        await eventually('it is up', 5_000, () => isUp(first.events, before));
        first.socket.terminate();
        await eventually('the app knows', 5_000, async () => {
          const reply = await ask('POST', `/channels/${during}`, order(first.app, 4));
          return reply.status === 200;
        });
        await eventually('it was dropped', 5_000, async () => (await ask('GET', `/channels/${during}`)).status === 404);
        expect(await ask('GET', `/applications/${first.app}`)).toMatchObject({
          status: 200,
          body: { channel_ids: [before] },
        });
        const again = await listen(first.app);
        expect(again.events).toEqual([]);
        await ask('DELETE', `/channels/${before}?reason=normal`);
        await eventually('its end is told', 5_000, () => ended(again.events, before));
        expect(history(again.events, during)).toEqual([]);
      }, 20_000);

      it('forgets an app without channels', async () => {
        const { app, socket } = await listen();
        expect(await ask('GET', `/applications/${app}`)).toMatchObject({ status: 200 });
        socket.terminate();
        await eventually(
          'it is forgotten',
          5_000,
          async () => (await ask('GET', `/applications/${app}`)).status === 404,
        );
      });
    });
  });
};
