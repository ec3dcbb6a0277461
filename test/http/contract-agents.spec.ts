/** The conformance table, fourth part: agents, versions and their runs, where a stranger's requests differ from the usual ones. */
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { definition, furnish, makeAgent, type Furnished } from './furnish';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

const AGENTS = '/api/v1/workflow';
const NOBODY = 999_999;
const create = (workflow_definition: unknown): Promise<Answer> =>
  client.post(`${AGENTS}/create/definition`, { name: 'Agent', workflow_definition });
const withNode = (node: object) => ({ ...definition(), nodes: [...definition().nodes, node] });
const withData = (more: object) => definition('Hi.', more as Record<string, unknown>);
/** Creates the agent, saves over it, publishes where there is anything to publish. */
const saved = async (first: object, save: (made: Answer) => object): Promise<Answer> => {
  const made = await create(first);
  return client.put(`${AGENTS}/${made.body.id}`, save(made));
};
const etagOf = async (agent: number): Promise<string> =>
  (await client.get(`${AGENTS}/fetch/${agent}`)).headers.get('etag') ?? '';
const errors = (body: Answer['body']) =>
  body.detail.errors.map((e: { kind: string; id: unknown; field: unknown }) => [e.kind, e.id, e.field]);
const qa = { id: 'q', type: 'qa', data: { name: 'QA', qa_use_workflow_llm: false, qa_api_key: 'sk-0123456789' } };
const trigger = { id: 't', type: 'trigger', data: { name: 'API', trigger_path: '' } };
const period = (value: object): string =>
  `${AGENTS}/${ground.agent}/runs?filters=${encodeURIComponent(JSON.stringify([{ attribute: 'dateRange', type: 'dateRange', value }]))}`;

type Row = readonly [what: string, status: number, ask: () => Promise<Answer>, also?: (body: Answer['body']) => void];

const ROWS: readonly Row[] = [
  [
    'saving what was read, its secrets masked, makes no draft',
    200,
    () => saved(withNode(qa), (made) => ({ workflow_definition: made.body.workflow_definition })),
    (b) => expect([b.version_number, b.version_status]).toEqual([1, 'published']),
  ],
  [
    'nor does saving the very secret again',
    200,
    () => saved(withNode(qa), () => ({ workflow_definition: withNode(qa) })),
    (b) => expect(b.version_number).toBe(1),
  ],
  [
    'another secret makes a draft',
    200,
    () =>
      saved(withNode(qa), () => ({
        workflow_definition: withNode({ ...qa, data: { ...qa.data, qa_api_key: 'sk-abcdefghij' } }),
      })),
    (b) => expect([b.version_number, b.workflow_definition.nodes[2].data.qa_api_key]).toEqual([2, '*********ghij']),
  ],
  [
    'configurations with a secret, saved again as they were read',
    200,
    async () => {
      const first = await saved(definition(), () => ({
        workflow_configurations: { model_overrides: { llm: { api_key: 'llm-0123456789', model: 'm' } } },
      }));
      await client.post(`${AGENTS}/${first.body.id}/publish`);
      const { workflow_configurations } = first.body;
      return client.put(`${AGENTS}/${first.body.id}`, { workflow_configurations });
    },
    (b) => expect([b.version_number, b.version_status]).toEqual([2, 'published']),
  ],
  [
    'a trigger without path, saved again, keeps the one that it got',
    200,
    () => saved(withNode(trigger), () => ({ workflow_definition: withNode(trigger) })),
    (b) => expect([b.version_number, b.version_status]).toEqual([1, 'published']),
  ],
  ['an update of nothing', 200, () => client.put(`${AGENTS}/${ground.agent}`, {})],
  [
    'an update of nulls',
    200,
    () => client.put(`${AGENTS}/${ground.agent}`, { name: null, workflow_definition: null }),
    (b) => expect(b.version_number).toBe(1),
  ],
  [
    'publishing with null for a body',
    200,
    async () => {
      const made = await saved(definition(), () => ({ workflow_definition: definition('Two.') }));
      return client.post(`${AGENTS}/${made.body.id}/publish`, 'null');
    },
    (b) => expect(b).toMatchObject({ version_number: 2, status: 'published' }),
  ],
  ['publishing with a list for a body', 422, () => client.post(`${AGENTS}/${ground.agent}/publish`, [])],
  [
    'fields that no node type knows are kept as they were sent, in their order',
    200,
    () => create({ zz: 1, ...withData({ unknown: { b: [1.5], a: null } }), aa: [] }),
    (b) =>
      expect(JSON.stringify(b.workflow_definition)).toBe(
        JSON.stringify({ zz: 1, ...withData({ unknown: { b: [1.5], a: null } }), aa: [] }),
      ),
  ],
  [
    'fields named like those of every object',
    200,
    () =>
      client.post(
        `${AGENTS}/create/definition`,
        `{"name":"P","workflow_definition":{"__proto__":{"a":1},${JSON.stringify(definition()).slice(1)}}`,
      ),
    (b) => expect(JSON.stringify(b.workflow_definition)).toContain('"__proto__":{"a":1}'),
  ],
  [
    'more faults than anybody reads are cut at a thousand',
    422,
    () => create({ nodes: [], edges: Array.from({ length: 20_000 }, () => ({})) }),
    (b) => expect(b.detail.errors).toHaveLength(1000),
  ],
  [
    'a definition that does not fit into one append',
    400,
    () => create({ ...definition(), note: 'x'.repeat(1_000_000) }),
    (b) => expect(b.detail).toMatch(/can't be stored.*1000000/),
  ],
  [
    'a variable to extract of no type',
    422,
    () => create(withData({ extraction_variables: [{ name: 'a', type: '' }] })),
    (b) => expect(errors(b)).toEqual([['node', 's', 'extraction_variables.0.type']]),
  ],
  [
    'an option that is left empty where none is needed',
    200,
    () => create(withData({ greeting_type: '', pre_call_fetch_mode: '' })),
  ],
  [
    'a list of no status',
    422,
    () => client.get(`${AGENTS}/fetch?status=`),
    (b) => expect(b.detail[0].loc).toEqual(['query', 'status']),
  ],
  [
    'an archived agent is archived again',
    200,
    async () => {
      const agent = await makeAgent(client);
      await client.delete(`${AGENTS}/${agent}`);
      return client.delete(`${AGENTS}/${agent}`);
    },
  ],
  [
    'archiving on the state that was seen',
    200,
    async () => {
      const agent = await makeAgent(client);
      return client.request('DELETE', `${AGENTS}/${agent}`, undefined, { 'If-Match': await etagOf(agent) });
    },
    (b) => expect(b.status).toBe('archived'),
  ],
  [
    'archiving on an older state',
    412,
    async () => {
      const agent = await makeAgent(client);
      const etag = await etagOf(agent);
      await client.put(`${AGENTS}/${agent}`, { name: 'Renamed' });
      return client.request('DELETE', `${AGENTS}/${agent}`, undefined, { 'If-Match': etag });
    },
  ],
  ['a period that ends on a day that there is not', 422, () => client.get(period({ to: '2026-02-30' }))],
  ['a period with words behind the date', 422, () => client.get(period({ from: '2026-01-01 (new year)' }))],
  ['a period beyond the year 9999', 422, () => client.get(period({ to: '9999-12-31T23:59:59-12:00' }))],
  [
    'a period without a zone',
    200,
    () => client.get(period({ from: '2026-01-01T00:00:00', to: '2026-01-01 00:00' })),
    (b) => expect(b.total_count).toBe(0),
  ],
];

it.each(ROWS.map((row) => [row[0], row[1], row] as const))('%s: %i', async (_what, status, row) => {
  const answer = await row[2]();
  // The text is compared with itself so that a failing row shows it.
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  row[3]?.(answer.body);
});

it.each<[string, string, unknown]>([
  ['GET', `fetch/${NOBODY}`, undefined],
  ['PUT', `${NOBODY}`, { name: 'x' }],
  ['PUT', `${NOBODY}/status`, { status: 'archived' }],
  ['DELETE', `${NOBODY}`, undefined],
  ['POST', `${NOBODY}/validate`, undefined],
  ['POST', `${NOBODY}/publish`, undefined],
  ['POST', `${NOBODY}/create-draft`, undefined],
  ['POST', `${NOBODY}/duplicate`, undefined],
  ['GET', `${NOBODY}/versions`, undefined],
  ['GET', `${NOBODY}/version-summaries`, undefined],
  ['PATCH', `${NOBODY}/versions/1/metadata`, {}],
  ['GET', `${NOBODY}/runs`, undefined],
  ['GET', `${NOBODY}/report`, undefined],
])('%s /workflow/%s names the agent that is not there', async (method, path, body) => {
  const answer = await client.request(method, `${AGENTS}/${path}`, body);
  expect([answer.status, answer.body]).toEqual([404, { detail: `Workflow with id ${NOBODY} not found` }]);
});
