/** Many writers at once, over real connections: what may be there once is there once, and whoever came too late is told so. */
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition } from './furnish';

const WRITERS = 200;

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

const parallel = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** How many answers had each status. */
const tally = (answers: readonly Answer[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const configurations = async (of: Client): Promise<readonly { name: string; is_default_outbound: boolean }[]> =>
  (await of.get(CONFIGS)).body.configurations;

const typesOf = async (stream: string): Promise<readonly string[]> =>
  (await world.platform.events.readStream(stream)).map((e) => e.type);

describe('200 writers at once', () => {
  it('make one telephony configuration of a name; 199 are told that it is taken', async () => {
    const answers = await parallel(WRITERS, () => client.post(CONFIGS, { name: 'Only one', config: ARI }));
    expect(tally(answers)).toEqual({ 200: 1, 409: WRITERS - 1 });
    for (const { body } of answers.filter((a) => a.status === 409)) expect(body.detail).toContain("'Only one'");
    expect((await configurations(client)).map((c) => c.name)).toEqual(['Only one']);
    expect(await typesOf(`telephony-${client.org}`)).toEqual(['ConfigCreated']);
  });

  it('rename configurations to one name: one of them gets it', async () => {
    const own = await world.client();
    const made = await parallel(20, (i) => own.post(CONFIGS, { name: `Before ${i}`, config: ARI }));
    const answers = await parallel(WRITERS, (i) =>
      own.put(`${CONFIGS}/${made[i % 20]?.body.id}`, { name: 'The one name' }),
    );
    // Renaming it again to what it is called already is no change, and good.
    expect(tally(answers)).toEqual({ 200: WRITERS / 20, 409: WRITERS - WRITERS / 20 });
    expect((await configurations(own)).filter((c) => c.name === 'The one name')).toHaveLength(1);
  });

  it('that each create a default or set one leave exactly one', async () => {
    const own = await world.client();
    const ground = await parallel(10, (i) => own.post(CONFIGS, { name: `Ground ${i}`, config: ARI }));
    const answers = await parallel(WRITERS, (i) => {
      const at = `${CONFIGS}/${ground[i % 10]?.body.id}`;
      if (i % 3 === 0) return own.post(CONFIGS, { name: `Default ${i}`, is_default_outbound: true, config: ARI });
      return i % 3 === 1 ? own.post(`${at}/set-default-outbound`) : own.put(at, { is_default_outbound: true });
    });
    expect(tally(answers)).toEqual({ 200: WRITERS });
    const shown = await configurations(own);
    expect(shown.filter((c) => c.is_default_outbound)).toHaveLength(1);
    // The log tells the same: each change names the default before it, so there never were two.
    let current: unknown = null;
    for (const { type, data } of await world.platform.events.readStream(`telephony-${own.org}`)) {
      if (type !== 'DefaultOutboundChanged') continue;
      expect(data['previous_telephony_configuration_id']).toBe(current);
      current = data['telephony_configuration_id'];
    }
    expect(current).not.toBeNull();
  });

  it('add one phone number to an organization once', async () => {
    const own = await world.client();
    const { id } = (await own.post(CONFIGS, { name: 'Numbers', config: ARI })).body;
    const answers = await parallel(WRITERS, () =>
      own.post(`${CONFIGS}/${id}/phone-numbers`, { address: '+14155550123' }),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: WRITERS - 1 });
  });
});

describe('one Idempotency-Key', () => {
  it.each<[string, string, object]>([
    ['a configuration', CONFIGS, { name: 'Fifty at once', config: ARI }],
    ['an agent', '/api/v1/workflow/create/definition', { name: 'A', workflow_definition: definition() }],
  ])('in 50 requests at once makes %s once and answers all alike', async (_what, path, body) => {
    const own = await world.client();
    const answers = await parallel(50, () => own.post(path, body, { 'Idempotency-Key': 'the-same' }));
    expect(tally(answers)).toEqual({ 200: 50 });
    expect(new Set(answers.map((a) => a.text)).size).toBe(1);
    expect(new Set(answers.map((a) => a.headers.get('etag'))).size).toBe(1);
    expect(answers.filter((a) => a.headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const made = path === CONFIGS ? await configurations(own) : (await own.get('/api/v1/workflow/fetch')).body;
    expect(made).toHaveLength(1);
  });

  it('in 50 requests at once with different bodies makes one of them and refuses the others', async () => {
    const own = await world.client();
    const answers = await parallel(50, (i) =>
      own.post(CONFIGS, { name: `Body ${i}`, config: ARI }, { 'Idempotency-Key': 'different' }),
    );
    expect(tally(answers)).toEqual({ 200: 1, 422: 49 });
    expect(await configurations(own)).toHaveLength(1);
  });
});
