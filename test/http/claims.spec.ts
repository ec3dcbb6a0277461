/** Values that only one holder may have although each holder has a stream of its own: trigger paths of agents, numbers of carrier accounts. */
import { isLeft } from 'fp-ts/Either';
import { systemClock } from '../../src/adapters/embedded/clock';
import { RESERVED_MS } from '../../src/domain/reservation/decider';
import { reservations } from '../../src/http/reservations';
import { executor } from '../../src/engine/execute';
import { eventCatalog } from '../../src/domain/event-catalog';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition } from './furnish';

const AGENTS = '/api/v1/workflow';
/** How far the platform's clock is ahead of the real one, ms. */
let ahead = 0;
const real = systemClock();
const clock = {
  now: () => real.now() + ahead,
  monotonic: () => real.monotonic(),
  after: (ms: number, run: () => void) => real.after(ms, run),
};

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp({}, { clock });
  client = await world.client();
});
afterAll(() => world.close());

const withPath = (trigger_path: string) => ({
  ...definition(),
  nodes: [
    ...definition().nodes,
    { id: 't', type: 'trigger', position: { x: 0, y: 0 }, data: { name: 'API', enabled: true, trigger_path } },
  ],
});
const create = (by: Client, workflow_definition: object): Promise<Answer> =>
  by.post(`${AGENTS}/create/definition`, { name: 'Agent', workflow_definition });
const statuses = (answers: readonly Answer[], status: number): number =>
  answers.filter((a) => a.status === status).length;

describe('a trigger path', () => {
  it('goes to one of 50 agents created at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(client, withPath('raced'))));
    expect([statuses(answers, 200), statuses(answers, 409)]).toEqual([1, 49]);
    const refused = answers.find((a) => a.status === 409);
    expect(refused?.body.detail).toMatchObject({ is_valid: false, errors: [{ id: 't', field: 'data.trigger_path' }] });
    expect((await client.get(`${AGENTS}/count`)).body.total).toBe(1);
  });

  it('goes to one of many agents that are changed to it at once, and to none of those that are created meanwhile', async () => {
    const agents = await Promise.all(Array.from({ length: 10 }, () => create(client, definition())));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 4 === 3
          ? create(client, withPath('wanted'))
          : client.put(`${AGENTS}/${agents[i % 10]?.body.id}`, { workflow_definition: withPath('wanted') }),
      ),
    );
    expect(answers.every((a) => a.status === 200 || a.status === 409)).toBe(true);
    const holders = new Set(answers.filter((a) => a.status === 200).map((a) => a.body.id));
    expect(holders.size).toBe(1);
  });

  it('is free again when its agent gives it up, in the draft and in what is published', async () => {
    const holder = (await create(client, withPath('given-up'))).body.id;
    expect((await create(client, withPath('given-up'))).status).toBe(409);
    await client.put(`${AGENTS}/${holder}`, { workflow_definition: withPath('another') });
    expect((await create(client, withPath('given-up'))).status).toBe(409);
    expect((await client.post(`${AGENTS}/${holder}/publish`, {})).status).toBe(200);
    expect((await create(client, withPath('given-up'))).status).toBe(200);
    await client.put(`${AGENTS}/${holder}`, { workflow_definition: withPath('given-up') }).then((back) => {
      expect(back.status).toBe(409);
    });
  });

  it('of a draft is free again when the draft drops it', async () => {
    const holder = (await create(client, definition())).body.id;
    await client.put(`${AGENTS}/${holder}`, { workflow_definition: withPath('drafted') });
    expect((await create(client, withPath('drafted'))).status).toBe(409);
    await client.put(`${AGENTS}/${holder}`, { workflow_definition: definition() });
    expect((await create(client, withPath('drafted'))).status).toBe(200);
  });

  it('stays with an agent that two requests change at once, one of which drops it', async () => {
    for (let round = 0; round < 10; round++) {
      const path = `contested-${round}`;
      const holder = (await create(client, withPath(path))).body.id;
      const put = (workflow_definition: object) => client.put(`${AGENTS}/${holder}`, { workflow_definition });
      await Promise.all([put(definition()), put(withPath(path)), put(definition()), put(withPath(path))]);
      // Published version 1 has it whatever the draft became.
      expect((await create(client, withPath(path))).status).toBe(409);
    }
  });

  it('is another one in another organization', async () => {
    const stranger = await world.client();
    expect((await create(stranger, withPath('raced'))).status).toBe(200);
  });

  it('goes to one of 40 writers in two processes', async () => {
    const processes = [
      world.platform.execute,
      executor({ store: world.platform.events, clock, catalog: eventCatalog }),
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        reservations({ ...world.platform, execute: processes[i % 2] as (typeof processes)[0] }).reserve(
          { kind: 'trigger_path', within: client.org, value: 'two-processes', isHeld: async () => false },
          { organization: client.org, holder: 1000 + i },
        ),
      ),
    );
    expect(answers.filter((a) => !isLeft(a))).toHaveLength(1);
  });

  it('that a process reserved and then died is free after a minute, not before', async () => {
    // Another process on the same ledger: it reserves and never comes to its append.
    const other = executor({ store: world.platform.events, clock, catalog: eventCatalog });
    const { reserve } = reservations({ ...world.platform, execute: other });
    const isHeld = async (): Promise<boolean> => false;
    const value = { kind: 'trigger_path', within: client.org, value: 'orphaned', isHeld } as const;
    expect(isLeft(await reserve(value, { organization: client.org, holder: 999_999 }))).toBe(false);
    expect((await create(client, withPath('orphaned'))).status).toBe(409);
    ahead += RESERVED_MS;
    expect((await create(client, withPath('orphaned'))).status).toBe(200);
    expect((await create(client, withPath('raced'))).status).toBe(409);
    ahead += 10 * RESERVED_MS;
    expect((await create(client, withPath('orphaned'))).status).toBe(409);
  });
});

describe('a number of a carrier account', () => {
  const twilio = (account_sid: string) => ({ provider: 'twilio', account_sid, auth_token: 'token-1234' });
  const config = async (by: Client, account: object): Promise<string> => {
    const made = await by.post(CONFIGS, { name: `C ${Math.random()}`, config: account });
    return `${CONFIGS}/${made.body.id}`;
  };
  const add = (by: Client, at: string, address: string): Promise<Answer> => by.post(`${at}/phone-numbers`, { address });

  it('goes to one of the organizations that add it at once', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => world.client()));
    const places = await Promise.all(clients.map((by) => config(by, twilio('AC-shared'))));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => add(clients[i % 8] as Client, places[i % 8] as string, '+14155550177')),
    );
    expect([statuses(answers, 200), statuses(answers, 409)]).toEqual([1, 39]);
    const lists = await Promise.all(clients.map((by, i) => by.get(`${places[i]}/phone-numbers`)));
    expect(lists.flatMap((list) => list.body.phone_numbers)).toHaveLength(1);
    const elsewhere = answers.find((a) => /another organization/.test(a.text));
    expect(elsewhere?.status).toBe(409);
    for (const { org } of clients) expect(elsewhere?.text).not.toContain(`organization ${org}`);
  });

  it('is free with another account, with another carrier, and on a PBX', async () => {
    const [one, two] = [await world.client(), await world.client()];
    expect((await add(one, await config(one, twilio('AC-mine')), '+14155550178')).status).toBe(200);
    expect((await add(two, await config(two, twilio('AC-yours')), '+14155550178')).status).toBe(200);
    const three = await world.client();
    const vonage = { provider: 'vonage', api_key: 'AC-mine', api_secret: 's', application_id: 'a', private_key: 'k' };
    expect((await add(three, await config(three, vonage), '+14155550178')).status).toBe(200);
    const four = await world.client();
    expect((await add(four, await config(four, ARI), '+14155550178')).status).toBe(200);
  });

  it('is free again when it is removed, when its configuration is deleted, and when that moves to another account', async () => {
    const [one, two] = [await world.client(), await world.client()];
    const there = await config(two, twilio('AC-again'));
    const addThere = () => add(two, there, '+14155550179');
    const here = await config(one, twilio('AC-again'));
    const added = await add(one, here, '+14155550179');
    const before = await world.head();
    expect((await addThere()).status).toBe(409);
    expect(await world.head()).toBe(before);

    await one.delete(`${here}/phone-numbers/${added.body.id}`);
    const moved = await addThere();
    expect(moved.status).toBe(200);
    expect((await add(one, here, '+14155550179')).status).toBe(409);
    await two.delete(`${there}/phone-numbers/${moved.body.id}`);

    expect((await add(one, here, '+14155550179')).status).toBe(200);
    expect((await one.put(here, { config: twilio('AC-elsewhere') })).status).toBe(200);
    const third = await addThere();
    expect(third.status).toBe(200);
    const back = await one.put(here, { config: twilio('AC-again') });
    expect([back.status, back.body.detail]).toEqual([409, expect.stringContaining('+14155550179')]);
    await two.delete(there);
    expect((await one.put(here, { config: twilio('AC-again') })).status).toBe(200);
  });

  it('is not told by the ledger: names of streams are keyed hashes', async () => {
    const streams: string[] = [];
    for await (const { events, caughtUp } of world.platform.events.subscribe({
      after: '0'.repeat(20) as never,
      categories: ['reservation'],
      signal: AbortSignal.timeout(10_000),
    })) {
      streams.push(...events.map((e) => e.stream));
      if (caughtUp) break;
    }
    expect(streams.length).toBeGreaterThan(10);
    for (const stream of streams) expect(stream).toMatch(/^reservation-(all|\d+)_[0-9a-f]{32}$/);
  });
});
