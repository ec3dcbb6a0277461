/** A request that another one overtakes between two of its steps: what it is answered fits what is stored. */
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, makeAgent, makeConfig } from './furnish';

/** Done once, right before the next append of an event of that type. */
let before: { readonly type: string; readonly act: () => Promise<unknown> } | null = null;
/** Done once, right before the next read of a document of that collection. */
let beforeRead: { readonly of: string; readonly act: () => Promise<unknown> } | null = null;
let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp(
    {},
    {
      wrapEvents: (events) => ({
        ...events,
        append: async (stream, expected, batch) => {
          const due = before !== null && batch.some((e) => e.type === before?.type) ? before : null;
          if (due !== null) {
            before = null;
            await due.act();
          }
          return events.append(stream, expected, batch);
        },
      }),
      wrapReads: (reads) => ({
        ...reads,
        get: async (collection, key) => {
          const due = beforeRead !== null && collection.startsWith(beforeRead.of) ? beforeRead : null;
          if (due !== null) {
            beforeRead = null;
            await due.act();
          }
          return reads.get(collection, key);
        },
      }),
    },
  );
  client = await world.client();
});
afterAll(() => world.close());

const withDraft = async (): Promise<string> => {
  const at = `/api/v1/workflow/${await makeAgent(client)}`;
  await client.put(at, { workflow_definition: definition('Changed.') });
  return at;
};

it('a key whose claim was overtaken is free again', async () => {
  const at = await withDraft();
  before = { type: 'RequestClaimed', act: () => client.post(`${at}/publish`, {}) };
  const headers = { 'Idempotency-Key': 'overtaken' };
  const refused = await client.post(`${at}/publish`, { version_name: 'One' }, headers);
  expect([refused.status, before]).toEqual([400, null]);
  await client.put(at, { workflow_definition: definition('Changed again.') });
  const other = await client.post(`${at}/publish`, { version_name: 'Two' }, headers);
  expect([other.status, other.body.version_number]).toEqual([200, 3]);
  expect((await client.post(`${at}/publish`, { version_name: 'Two' }, headers)).body).toEqual(other.body);
});

it('a draft that is published before its creation is answered is shown as what it has become', async () => {
  const at = `/api/v1/workflow/${await makeAgent(client)}`;
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => client.post(`${at}/${i % 2 === 0 ? 'create-draft' : 'publish'}`, {})),
  );
  const drafts = answers.filter((_, i) => i % 2 === 0);
  expect(drafts.map((a) => a.status)).toEqual(drafts.map(() => 200));
  expect(answers.filter((a) => a.status !== 200 && a.body.detail !== 'There is no draft to publish.')).toEqual([]);
});

describe('what another request removes before the answer', () => {
  const removes = (path: () => string): void => {
    beforeRead = {
      of: 'telephony_configs',
      act: async () => expect((await client.delete(path())).status).toBe(200),
    };
  };

  it('is shown as the request left it', async () => {
    const id = await makeConfig(client);
    const numbers = `${CONFIGS}/${id}/phone-numbers`;
    const number = (await client.post(numbers, { address: '+14155550142' })).body;
    removes(() => `${numbers}/${number.id}`);
    const labelled = await client.post(`${numbers}/${number.id}/set-default-caller`);
    expect([labelled.status, labelled.body, beforeRead]).toEqual([
      200,
      expect.objectContaining({ id: number.id, is_default_caller_id: true }),
      null,
    ]);
    expect((await client.get(`${numbers}/${number.id}`)).status).toBe(404);
  });

  it('is shown where there was nothing to do, and the key has its answer', async () => {
    const at = `${CONFIGS}/${await makeConfig(client, ARI, { is_default_outbound: true })}`;
    removes(() => at);
    const headers = { 'Idempotency-Key': 'removed-meanwhile' };
    const first = await client.post(`${at}/reactivate`, undefined, headers);
    expect([first.status, first.body.is_default_outbound, beforeRead]).toEqual([200, true, null]);
    const again = await client.post(`${at}/reactivate`, undefined, headers);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
    expect((await client.post(`${at}/reactivate`)).status).toBe(404);
  });
});
