/** The same request again, and the same resource changed by several at once. */
import { createHash } from 'node:crypto';
import { requestStream } from '../../src/core/ids';
import { requestDecider } from '../../src/domain/request/decider';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, furnish, makeCampaign, makeConfig, type Furnished } from './furnish';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

let keys = 0;
const newKey = () => ({ 'Idempotency-Key': `key-${++keys}` });
const count = <T>(values: readonly T[], value: T): number => values.filter((v) => v === value).length;

describe('an Idempotency-Key', () => {
  it('answers a repeat like the first time, and makes nothing twice', async () => {
    const headers = newKey();
    const body = { name: 'Once', config: ARI };
    const first = await client.post(CONFIGS, body, headers);
    const before = await world.head();
    const again = await client.post(CONFIGS, body, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect([first, again].map((a) => a.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await world.head()).toBe(before);
  });

  it('is 422 with another body, and free with another path, method or organization', async () => {
    const headers = newKey();
    expect((await client.post(CONFIGS, { name: 'Body one', config: ARI }, headers)).status).toBe(200);
    const before = await world.head();
    const other = await client.post(CONFIGS, { name: 'Body two', config: ARI }, headers);
    expect(other.status).toBe(422);
    expect(other.body.detail[0].loc).toEqual(['header', 'idempotency-key']);
    expect(await world.head()).toBe(before);
    expect((await client.post('/api/v1/user/api-keys', { name: 'k' }, headers)).status).toBe(200);
    const stranger = await world.client();
    expect((await stranger.post(CONFIGS, { name: 'Body two', config: ARI }, headers)).status).toBe(200);
  });

  it('stays free when the request is refused', async () => {
    const headers = newKey();
    await client.post(CONFIGS, { name: 'In the way', config: ARI });
    const before = await world.head();
    expect((await client.post(CONFIGS, { name: 'In the way', config: ARI }, headers)).status).toBe(409);
    expect((await client.post(CONFIGS, { name: '' }, headers)).status).toBe(422);
    expect(await world.head()).toBe(before);
    expect((await client.post(CONFIGS, { name: 'Not in the way', config: ARI }, headers)).status).toBe(200);
  });

  it('makes one resource of many requests at once', async () => {
    const headers = newKey();
    const body = { name: 'Parallel', config: ARI };
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post(CONFIGS, body, headers)));
    expect(answers.map((a) => a.status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((a) => a.body.id)).size).toBe(1);
  });

  it('carries on where a crash left a claim without an answer', async () => {
    // A store that takes no answers of requests for a while: what is left is what a process leaves that dies before it answers.
    let broken = true;
    const dying = await startHttp(
      {},
      {
        wrapEvents: (events) => ({
          ...events,
          append: (stream, expected, batch) =>
            broken && batch.some((e) => e.type === 'RequestAnswered')
              ? Promise.reject(new Error('died'))
              : events.append(stream, expected, batch),
        }),
      },
    );
    try {
      const caller = await dying.client();
      const headers = newKey();
      const body = { name: 'Crashed', config: ARI };
      await caller.post(CONFIGS, body, headers).catch(() => undefined);
      const stream = requestStream(
        caller.org,
        createHash('sha256').update(`POST ${CONFIGS} ${headers['Idempotency-Key']}`).digest('hex').slice(0, 32),
      );
      const { state } = await dying.platform.execute.load(requestDecider, stream);
      expect(state).toMatchObject({ answer: null, reserved: [expect.any(Number)] });
      const { configurations } = (await caller.get(CONFIGS)).body;
      const id = (state?.reserved as number[])[0];
      expect(configurations).toEqual([expect.objectContaining({ name: 'Crashed', id })]);
      broken = false;
      for (let i = 0; i < 2; i++)
        expect(await caller.post(CONFIGS, body, headers)).toMatchObject({ status: 200, body: { id, name: 'Crashed' } });
      expect((await caller.get(CONFIGS)).body.configurations).toHaveLength(1);
    } finally {
      await dying.close();
    }
  });

  it('starts a campaign once and remembers its first answer', async () => {
    const id = await makeCampaign(client, ground);
    const headers = newKey();
    const started = await client.post(`/api/v1/campaign/${id}/start`, undefined, headers);
    expect([started.status, started.body.state]).toEqual([200, 'running']);
    await client.post(`/api/v1/campaign/${id}/pause`);
    const again = await client.post(`/api/v1/campaign/${id}/start`, undefined, headers);
    expect([again.status, again.body.state]).toEqual([200, 'running']);
    expect((await client.get(`/api/v1/campaign/${id}`)).body.state).toBe('paused');
  });

  it('creates agent and campaign once', async () => {
    const agentKey = newKey();
    const agent = { name: 'Twice', workflow_definition: definition() };
    const agents = [
      await client.post('/api/v1/workflow/create/definition', agent, agentKey),
      await client.post('/api/v1/workflow/create/definition', agent, agentKey),
    ];
    expect(agents[1]?.body).toEqual(agents[0]?.body);
    const campaignKey = newKey();
    const campaigns = [0, 1].map(() => client.post('/api/v1/campaign/create', ground.campaign, campaignKey));
    const [one, two] = await Promise.all(campaigns);
    expect(two?.body).toEqual(one?.body);
  });

  it('tells a new API key once', async () => {
    const headers = newKey();
    const first = await client.post('/api/v1/user/api-keys', { name: 'secret' }, headers);
    const again = await client.post('/api/v1/user/api-keys', { name: 'secret' }, headers);
    const { api_key, ...rest } = first.body;
    expect(api_key).toMatch(/^llk_/);
    expect(again.body).toEqual(rest);
  });

  it('remembers an upload URL', async () => {
    const headers = newKey();
    const body = { file_name: 'c.csv', file_size: 5 };
    const first = await client.post('/api/v1/s3/presigned-upload-url', body, headers);
    expect((await client.post('/api/v1/s3/presigned-upload-url', body, headers)).body).toEqual(first.body);
  });

  it.each(['x'.repeat(256), 'two words'])('that is none is 422', async (key) => {
    expect((await client.post(CONFIGS, { name: 'x', config: ARI }, { 'Idempotency-Key': key })).status).toBe(422);
  });

  it('that is none is told with the faults of the body', async () => {
    const { body } = await client.post(CONFIGS, { config: ARI }, { 'Idempotency-Key': 'two words' });
    expect(body.detail.map((f: { loc: unknown; input: unknown }) => [f.loc, typeof f.input])).toEqual([
      [['header', 'idempotency-key'], 'string'],
      [['body', 'name'], 'object'],
    ]);
  });
});

describe('If-Match', () => {
  it('lets a change pass on the state that was seen, and 412 on an older one', async () => {
    const id = await makeCampaign(client, ground);
    const path = `/api/v1/campaign/${id}`;
    const seen = (await client.get(path)).headers.get('etag') as string;
    expect(seen).toMatch(/^"\d{20}"$/);
    const changed = await client.patch(path, { name: 'New' }, { 'If-Match': seen });
    expect([changed.status, changed.body.name]).toEqual([200, 'New']);
    const before = await world.head();
    const late = await client.patch(path, { name: 'Newer' }, { 'If-Match': seen });
    expect(late.status).toBe(412);
    expect(await world.head()).toBe(before);
    const etag = changed.headers.get('etag') as string;
    expect((await client.patch(path, { name: 'Newest' }, { 'If-Match': `"0", ${etag}` })).status).toBe(200);
    expect((await client.patch(path, { name: 'Any' }, { 'If-Match': '*' })).status).toBe(200);
    expect((await client.patch('/api/v1/campaign/999999', {}, { 'If-Match': etag })).status).toBe(404);
  });

  it.each<[string, (etag: string) => string, number]>([
    ['among others', (etag) => `"x",${etag} , W/"y"`, 200],
    ['with a comma behind it', (etag) => `${etag},`, 200],
    ['any', () => '*', 200],
    ['empty, as if it were not there', () => '', 200],
    // RFC 9110 section 13.1.1: the comparison is the strong one.
    ['weak', (etag) => `W/${etag}`, 412],
    ['in a text that is none', (etag) => `'${etag}'`, 412],
    ['twice without a comma', (etag) => `${etag}${etag}`, 412],
    ['another one', () => '"0"', 412],
    ['garbage', () => 'garbage', 412],
  ])('that names the state %s', async (_name, header, status) => {
    const path = `/api/v1/campaign/${await makeCampaign(client, ground)}`;
    const etag = (await client.get(path)).headers.get('etag') as string;
    expect((await client.patch(path, { name: 'Seen' }, { 'If-Match': header(etag) })).status).toBe(status);
  });

  const CLOUDONIX = {
    provider: 'cloudonix',
    bearer_token: 'token-of-cloudonix',
    domain_id: 'deleted.example',
    application_name: 'ours',
  };
  interface Deletable {
    readonly at: string;
    readonly made: Answer;
    readonly change: Readonly<Record<string, string>>;
  }
  const made = async (path: string, body: unknown, change: Deletable['change']): Promise<Deletable> => {
    const answer = await client.post(path, body);
    return { at: `${path}/${answer.body.id}`, made: answer, change };
  };
  it.each<[string, () => Promise<Deletable>]>([
    ['a configuration', () => made(CONFIGS, { name: 'Deleted once', config: ARI }, { name: 'Kept' })],
    [
      'a number',
      async () =>
        made(`${CONFIGS}/${await makeConfig(client)}/phone-numbers`, { address: '+14155550167' }, { label: 'Kept' }),
    ],
    [
      'a trunk',
      async () =>
        made(
          `${CONFIGS}/${await makeConfig(client, CLOUDONIX)}/trunks`,
          { name: 'Trunk', settings: { region: 'India', sip_domain: 'deleted.example' } },
          { name: 'Kept' },
        ),
    ],
    [
      'a campaign',
      async () => {
        const at = `/api/v1/campaign/${await makeCampaign(client, ground)}`;
        return { at, made: await client.get(at), change: { name: 'Kept' } };
      },
    ],
  ])('holds for deleting %s', async (_what, make) => {
    const { at, made: first, change } = await make();
    const second = await client.request(at.includes('/campaign/') ? 'PATCH' : 'PUT', at, change);
    const remove = async (seen: Answer): Promise<number> =>
      (await client.request('DELETE', at, undefined, { 'If-Match': seen.headers.get('etag') ?? '' })).status;
    expect(first.headers.get('etag')).not.toBe(second.headers.get('etag'));
    expect([await remove(first), await remove(second)]).toEqual([412, 200]);
    expect((await client.request('DELETE', at)).status).toBe(404);
  });

  it('holds for configurations, numbers and agents, and never answers 304', async () => {
    const config = `${CONFIGS}/${await makeConfig(client)}`;
    const agent = `/api/v1/workflow/fetch/${ground.agent}`;
    for (const [read, write, body] of [
      [config, config, () => ({ name: `Renamed ${Math.random()}` })],
      [agent, `/api/v1/workflow/${ground.agent}`, () => ({ name: `Renamed ${Math.random()}` })],
    ] as const) {
      const etag = (await client.get(read)).headers.get('etag') as string;
      expect((await client.request('GET', read, undefined, { 'If-None-Match': etag })).status).toBe(200);
      expect((await client.put(write, body(), { 'If-Match': etag })).status).toBe(200);
      expect((await client.put(write, body(), { 'If-Match': etag })).status).toBe(412);
    }
    const number = await client.post(`${config}/phone-numbers`, { address: '+14155550166' });
    const etag = number.headers.get('etag') as string;
    const at = `${config}/phone-numbers/${number.body.id}`;
    expect((await client.put(at, { label: 'a' }, { 'If-Match': etag })).status).toBe(200);
    expect((await client.put(at, { label: 'b' }, { 'If-Match': etag })).status).toBe(412);
  });

  it('lets one of many changes at once pass', async () => {
    const id = await makeCampaign(client, ground);
    const etag = (await client.get(`/api/v1/campaign/${id}`)).headers.get('etag') as string;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        client.patch(`/api/v1/campaign/${id}`, { name: `Change ${i}` }, { 'If-Match': etag }),
      ),
    );
    const statuses = answers.map((a) => a.status);
    expect([count(statuses, 200), count(statuses, 412)]).toEqual([1, 9]);
  });
});

describe('many at once', () => {
  it('make one configuration of a name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client.post(CONFIGS, { name: 'Raced', config: ARI })),
    );
    const statuses = answers.map((a) => a.status);
    expect([count(statuses, 200), count(statuses, 409)]).toEqual([1, 49]);
  });

  it('leave one default', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        client.post(CONFIGS, { name: `Default ${i}`, is_default_outbound: true, config: ARI }),
      ),
    );
    expect(answers.every((a) => a.status === 200)).toBe(true);
    const { configurations } = (await client.get(CONFIGS)).body;
    expect(configurations.filter((c: { is_default_outbound: boolean }) => c.is_default_outbound)).toHaveLength(1);
  });

  it('start a campaign once', async () => {
    const id = await makeCampaign(client, ground);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.post(`/api/v1/campaign/${id}/start`)));
    const statuses = answers.map((a) => a.status);
    expect([count(statuses, 200), count(statuses, 400)]).toEqual([1, 9]);
  });
});
