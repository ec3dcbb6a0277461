/** A request that another one overtakes between two of its steps: what it is answered fits what is stored. */
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { definition, makeAgent } from './furnish';

/** Done once, right before the next append of an event of that type. */
let before: { readonly type: string; readonly act: () => Promise<unknown> } | null = null;
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
