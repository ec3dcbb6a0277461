/** What requests get while an engine is away. */
import { left } from 'fp-ts/Either';
import { TimedOut } from '../../src/engine/within';
import { guarded } from '../../src/http/engines';
import type { EventStore } from '../../src/ports/event-store';
import type { ReadStore } from '../../src/ports/read-store';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, furnish, makeCampaign, type Furnished } from './furnish';

/** The same port, whose calls reject while `away` says so. */
const failing = <T extends object>(port: T, away: () => boolean, spared: readonly string[] = []): T =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || spared.includes(String(name))) return member;
      return (...args: never[]): unknown =>
        away() ? Promise.reject(new Error('connection refused')) : Reflect.apply(member, target, args);
    },
  });

let readsAway = false;
let runsAway = false;
let eventsAway = false;
let world: HttpWorld;
let client: Client;
let ground: Furnished;
let campaign: number;
beforeAll(async () => {
  world = await startHttp(
    { onlyProcess: false },
    {
      wrapReads: (reads: ReadStore) => ({
        ...failing(reads, () => readsAway, ['close']),
        find: (collection, query) =>
          readsAway || (runsAway && collection.startsWith('runs'))
            ? Promise.reject(new Error('connection refused'))
            : reads.find(collection, query),
      }),
      wrapEvents: (events: EventStore) => ({
        ...failing(events, () => eventsAway, ['close', 'subscribe']),
        append: async (...args) =>
          eventsAway ? left({ kind: 'unavailable', message: 'connection refused' }) : events.append(...args),
        readStream: (...args) =>
          eventsAway ? Promise.reject(new Error('connection refused')) : events.readStream(...args),
        readAll: (...args) => events.readAll(...args),
        subscribe: (...args) => events.subscribe(...args),
        head: () => (eventsAway ? Promise.reject(new Error('connection refused')) : events.head()),
        ping: () => (eventsAway ? Promise.reject(new Error('connection refused')) : events.ping()),
        close: () => events.close(),
      }),
    },
  );
  client = await world.client();
  ground = await furnish(client);
  campaign = await makeCampaign(client, ground);
});
afterEach(() => {
  readsAway = false;
  runsAway = false;
  eventsAway = false;
});
afterAll(() => world.close());

describe('while the read store is away', () => {
  it('a report whose runs cannot be read is 503, not an answer that breaks off', async () => {
    runsAway = true;
    const report = await client.get(`/api/v1/campaign/${campaign}/report`);
    expect([report.status, report.body.detail]).toEqual([503, 'The read store is not answering; try again']);
  });

  it('commands are stored and answered from the ledger, GETs are 503', async () => {
    readsAway = true;
    const config = await client.post(CONFIGS, { name: 'Meanwhile', config: ARI });
    expect([config.status, config.body.name, config.body.setup_checklist.ready_for_outbound]).toEqual([
      200,
      'Meanwhile',
      true,
    ]);
    const agent = await client.post('/api/v1/workflow/create/definition', {
      name: 'A',
      workflow_definition: definition('Hi.'),
    });
    expect([agent.status, agent.body.total_runs, agent.body.version_number]).toEqual([200, null, 1]);
    const started = await client.post(`/api/v1/campaign/${campaign}/start`);
    expect([started.status, started.body.state]).toEqual([200, 'running']);
    const read = await client.get(CONFIGS);
    expect([read.status, read.body.detail, read.headers.get('retry-after')]).toEqual([
      503,
      expect.stringContaining('read store'),
      '1',
    ]);
    expect((await client.get('/ready')).body.engines.read_store).toEqual({
      ok: false,
      reason: 'connection refused',
      since: expect.stringMatching(/^20\d\d-/),
    });
    readsAway = false;
    await world.caughtUp();
    expect((await client.get(`${CONFIGS}/${config.body.id}`)).body).toEqual(config.body);
    expect((await client.get(`/api/v1/campaign/${campaign}`)).body.state).toBe('running');
  });

  it('a key that was archived meanwhile stays dead', async () => {
    const { id, api_key } = (await client.post('/api/v1/user/api-keys', { name: 'dying' })).body;
    const other = world.clientWith(api_key);
    expect((await other.get(CONFIGS)).status).toBe(200);
    readsAway = true;
    expect((await client.delete(`/api/v1/user/api-keys/${id}`)).status).toBe(503);
    expect((await other.post(`/api/v1/campaign/${campaign}/pause`)).status).toBe(401);
    expect((await world.clientWith('llk_unknown').get(CONFIGS)).status).toBe(503);
  });
});

describe('while the event store is away', () => {
  it('commands are 503 and nothing is half done, GETs are answered', async () => {
    const before = await world.head();
    eventsAway = true;
    const refused = await client.post(CONFIGS, { name: 'Never', config: ARI });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await client.post(`/api/v1/campaign/${campaign}/pause`)).status).toBe(503);
    expect((await client.post(CONFIGS, { name: 'Never', config: ARI }, { 'Idempotency-Key': 'k' })).status).toBe(503);
    expect((await client.get(CONFIGS)).status).toBe(200);
    const ready = await client.get('/ready');
    expect([ready.status, ready.body.engines.event_store.ok]).toEqual([503, false]);
    eventsAway = false;
    expect(await world.head()).toBe(before);
    expect((await client.post(CONFIGS, { name: 'Never', config: ARI }, { 'Idempotency-Key': 'k' })).status).toBe(200);
    expect((await client.post(CONFIGS, { name: 'Now', config: ARI }, { 'Idempotency-Key': 'k' })).status).toBe(422);
  });
});

describe('a mistake of ours', () => {
  it('is a 500 that says nothing but that, and is logged with the request id', async () => {
    const { default: pino } = await import('pino');
    const lines: string[] = [];
    const broken = await startHttp(
      { languageModel: null as never },
      { log: pino({}, { write: (line: string) => void lines.push(line) }) },
    );
    const caller = await broken.client();
    const answer = await caller.post('/api/v1/s3/presigned-upload-url', { file_name: 'a.csv', file_size: 1 });
    expect(answer.status).toBe(200);
    const objects = broken.platform.objects as { signUpload: unknown };
    objects.signUpload = () => {
      throw new TypeError('secret inner state');
    };
    const failed = await caller.post('/api/v1/s3/presigned-upload-url', { file_name: 'a.csv', file_size: 1 });
    expect([failed.status, failed.body]).toEqual([500, { detail: 'Internal Server Error' }]);
    const id = failed.headers.get('x-request-id');
    expect(lines.some((line) => line.includes(String(id)) && line.includes('secret inner state'))).toBe(true);
    await broken.close();
  });
});

it('a change may have been stored only where the call itself was given up, not where an adapter gave up a read of its own', async () => {
  const port = {
    silent: () => new Promise<void>(() => undefined),
    timedOut: () => Promise.reject(new TimedOut('a read: no answer within 1 ms')),
  };
  const guard = guarded(port, 'The event store', { stored: 'maybe', withinMs: 20 });
  await expect(guard.silent()).rejects.toMatchObject({ failure: { kind: 'unavailable', stored: 'maybe' } });
  await expect(guard.timedOut()).rejects.toMatchObject({ failure: { kind: 'unavailable', stored: 'no' } });
});
