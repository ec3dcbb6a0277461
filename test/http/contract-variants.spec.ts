/** The conformance table, third part: the variants of a configuration field by field, and rules of the contract that the other parts leave out. */
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, furnish, makeAgent, makeCampaign, upload, type Furnished } from './furnish';
import { makeRun } from './make-run';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

let count = 0;
const config = (settings: object): Promise<Answer> =>
  client.post(CONFIGS, { name: `Variant ${++count}`, config: settings });

/** Required fields; then the optional ones, which may be null or left out. */
const VARIANTS: readonly (readonly [provider: string, required: readonly string[], optional: readonly string[]])[] = [
  ['ari', ['ari_endpoint', 'app_name', 'app_password'], ['external_pbx']],
  ['cloudonix', ['bearer_token', 'domain_id'], ['application_name']],
  ['exotel', ['account_sid', 'api_key', 'api_token'], []],
  ['plivo', ['auth_id', 'auth_token'], ['application_id']],
  ['telnyx', ['api_key'], ['connection_id', 'webhook_public_key']],
  ['twilio', ['account_sid', 'auth_token'], []],
  ['vobiz', ['auth_id', 'auth_token'], ['application_id']],
  ['vonage', ['api_key', 'api_secret', 'application_id', 'private_key'], ['signature_secret']],
];
const complete = (provider: string, required: readonly string[]): Record<string, unknown> => ({
  provider,
  ...Object.fromEntries(required.map((field) => [field, field === 'ari_endpoint' ? 'http://x' : 'value'])),
});

describe.each(VARIANTS)('the variant %s', (provider, required, optional) => {
  it.each(required)('requires %s, as text', async (field) => {
    const without = Object.fromEntries(Object.entries(complete(provider, required)).filter(([name]) => name !== field));
    for (const [settings, type] of [
      [without, 'missing'],
      [{ ...without, [field]: 7 }, 'string_type'],
      [{ ...without, [field]: null }, 'string_type'],
    ] as const) {
      const answer = await config(settings);
      expect([answer.status, answer.body.detail.map((f: { loc: unknown; type: unknown }) => [f.loc, f.type])]).toEqual([
        422,
        [[['body', 'config', provider, field], type]],
      ]);
    }
  });

  it('needs nothing else', async () => {
    const applications = Object.fromEntries(
      optional.filter((field) => /^(application|connection)_/.test(field)).map((field) => [field, 'named']),
    );
    const nulls = Object.fromEntries(
      optional.filter((field) => !(field in applications)).map((field) => [field, null]),
    );
    expect((await config({ ...complete(provider, required), ...applications })).status).toBe(200);
    expect((await config({ ...complete(provider, required), ...applications, ...nulls })).status).toBe(200);
  });
});

const pbx = (more: object): Promise<Answer> =>
  config({ ...ARI, external_pbx: { agent_api: { url: 'https://p', username: 'u', password: 'p' }, ...more } });
const campaign = (more: object): Promise<Answer> =>
  client.post('/api/v1/campaign/create', { ...ground.campaign, ...more });
const twoAgents = async (): Promise<readonly [number, number]> => [
  await makeAgent(client, 'Hi.'),
  await makeAgent(client, 'Hi.'),
];
const split = (...pairs: readonly (readonly [number, number])[]) => ({
  traffic_split: { variants: pairs.map(([workflow_id, weight]) => ({ workflow_id, weight })) },
});

type Row = readonly [rule: string, status: number, ask: () => Promise<Answer>, also?: (body: Answer['body']) => void];

const ROWS: readonly Row[] = [
  [
    'a provider that there is not',
    422,
    () => config({ provider: 'x' }),
    (b) => expect(b.detail[0].type).toBe('union_tag_invalid'),
  ],
  ['a config without provider', 422, () => config({}), (b) => expect(b.detail[0].type).toBe('union_tag_not_found')],
  ['a configuration without config', 422, () => client.post(CONFIGS, { name: 'x' })],
  ['a configuration with an empty name', 422, () => client.post(CONFIGS, { name: '', config: ARI })],
  [
    'is_default_outbound as text',
    422,
    () => client.post(CONFIGS, { name: 'x', is_default_outbound: 'maybe', config: ARI }),
  ],
  ['another type of external PBX', 422, () => pbx({ type: 'other' })],
  ['an external PBX without agent API', 422, () => config({ ...ARI, external_pbx: {} })],
  ['an external PBX whose non-agent API is null', 200, () => pbx({ non_agent_api: null })],
  [
    'an external PBX with a non-agent API',
    200,
    () => pbx({ non_agent_api: { url: 'https://n', username: 'u', password: 'p' } }),
    (b) => expect(b.credentials.external_pbx.non_agent_api.source).toBe('ledgerline'),
  ],
  [
    'a dial string template of one’s own',
    200,
    () => config({ ...ARI, dial_string_template: 'Local/{number}@out' }),
    (b) => expect(b.credentials.dial_string_template).toBe('Local/{number}@out'),
  ],
  ['a dial string template without {number}', 422, () => config({ ...ARI, dial_string_template: 'PJSIP/trunk' })],
  ...['   ', '\t', '+1415555\u00000100', 'front\ndesk', '\u202a+14155550100\u202c'].map((address): Row => [
    `the number ${JSON.stringify(address)}`,
    422,
    () => client.post(`${CONFIGS}/${ground.config}/phone-numbers`, { address }),
    (b) => expect(b.detail).toMatchObject([{ type: 'value_error', loc: ['body', 'address'], input: address }]),
  ]),
  [
    'a change of a number that there is not, for an agent that there is not, names the number',
    404,
    () => client.put(`${CONFIGS}/${ground.config}/phone-numbers/999999`, { inbound_workflow_id: 999999 }),
    (b) => expect(b).toEqual({ detail: 'Phone number not found' }),
  ],
  [
    'a change of a number below a configuration that there is not names the configuration',
    404,
    () => client.put(`${CONFIGS}/999999/phone-numbers/1`, { inbound_workflow_id: 999999 }),
    (b) => expect(b).toEqual({ detail: 'Telephony configuration not found' }),
  ],
  ['a campaign with an empty name', 422, () => campaign({ name: '' })],
  ['a campaign of 1 character', 200, () => campaign({ name: 'x' })],
  ['a campaign without source', 422, () => campaign({ source_id: undefined })],
  [
    'a campaign whose source was never uploaded',
    400,
    () => campaign({ source_id: `campaigns/${client.org}/none.csv` }),
  ],
  [
    'weights of 1 and 99',
    200,
    async () => {
      const [a, b] = await twoAgents();
      return campaign({ workflow_id: null, ...split([a, 1], [b, 99]) });
    },
  ],
  [
    'a single variant of 100',
    200,
    async () => campaign({ workflow_id: null, ...split([(await twoAgents())[0], 100]) }),
  ],
  [
    'a variant without version uses the latest, and says so by null',
    200,
    async () => campaign({ workflow_id: null, ...split([(await twoAgents())[0], 100]) }),
    (b) =>
      expect([b.traffic_split.variants[0].workflow_definition_id, b.traffic_split.variants[0].id]).toEqual([
        null,
        expect.stringMatching(/:latest$/),
      ]),
  ],
  [
    'a list of a carrier takes no extension',
    400,
    async () => {
      const made = await config({ provider: 'twilio', account_sid: 'AC', auth_token: 't' });
      await client.post(`${CONFIGS}/${made.body.id}/phone-numbers`, { address: '+14155550100' });
      return campaign({
        telephony_configuration_id: made.body.id,
        source_id: await upload(client, 'phone_number,name\n100,Ann\n'),
      });
    },
    (b) => expect(b.detail).toMatch(/row.* 2/),
  ],
  [
    'an agent’s status that there is not',
    422,
    () => client.put(`/api/v1/workflow/${ground.agent}/status`, { status: 'draft' }),
  ],
  [
    'a template without use_case',
    422,
    () => client.post('/api/v1/workflow/create/template', { activity_description: 'a' }),
  ],
  ['an agent without definition', 422, () => client.post('/api/v1/workflow/create/definition', { name: 'x' })],
  [
    'an upload that is no CSV',
    422,
    () => client.post('/api/v1/s3/presigned-upload-url', { file_name: 'a.txt', file_size: 1 }),
  ],
  [
    'an upload of no bytes',
    422,
    () => client.post('/api/v1/s3/presigned-upload-url', { file_name: 'a.csv', file_size: 0 }),
  ],
  ['page size 0', 422, () => client.get(`/api/v1/workflow/${ground.agent}/runs?limit=0`)],
  ['a page that is no number', 422, () => client.get(`/api/v1/workflow/${ground.agent}/runs?page=one`)],
  [
    'sort by duration, ascending',
    200,
    () => client.get(`/api/v1/workflow/${ground.agent}/runs?sort_by=duration&sort_order=asc`),
  ],
  [
    'a running campaign’s split changes',
    200,
    async () => {
      const [a, b] = await twoAgents();
      const id = await makeCampaign(client, ground);
      await client.post(`/api/v1/campaign/${id}/start`);
      return client.patch(`/api/v1/campaign/${id}`, split([a, 50], [b, 50]));
    },
    (b) => expect([b.state, b.traffic_split.variants]).toEqual(['running', [expect.anything(), expect.anything()]]),
  ],
  [
    'a paused campaign’s split changes',
    200,
    async () => {
      const [a] = await twoAgents();
      const id = await makeCampaign(client, ground);
      await client.post(`/api/v1/campaign/${id}/start`);
      await client.post(`/api/v1/campaign/${id}/pause`);
      return client.patch(`/api/v1/campaign/${id}`, split([a, 100]));
    },
    (b) => expect([b.state, b.traffic_split.revision]).toEqual(['paused', 1]),
  ],
  [
    'traffic statistics keep variants that were removed',
    200,
    async () => {
      const [a, b] = await twoAgents();
      const id = (await campaign({ workflow_id: null, ...split([a, 50], [b, 50]) })).body.id;
      await makeRun(world, {
        org: client.org,
        campaign: id,
        agent: a,
        config: ground.config,
        run: 8800,
        phone: '+14155550100',
        outcome: 'busy',
      });
      await client.patch(`/api/v1/campaign/${id}`, split([b, 100]));
      await world.caughtUp();
      return client.get(`/api/v1/campaign/${id}/traffic-stats`);
    },
    (b) =>
      expect(
        b.variants.map((v: { target_weight: unknown; attempts: unknown }) => [v.target_weight, v.attempts]),
      ).toEqual([
        [100, 0],
        [null, 1],
      ]),
  ],
  [
    'an agent’s fetch holds definition, variables, configurations and run statistics',
    200,
    () => client.get(`/api/v1/workflow/fetch/${ground.agent}`),
    (b) =>
      expect([b.workflow_definition, b.template_context_variables, b.workflow_configurations, b.total_runs]).toEqual([
        definition(),
        {},
        {},
        expect.any(Number),
      ]),
  ],
  ['both paths of API keys', 200, () => client.get('/user/api-keys')],
  [
    'both headers may be there',
    200,
    () => client.request('GET', '/api/v1/workflow/count', undefined, { Authorization: 'Bearer nobody' }),
  ],
];

it.each(ROWS.map((row) => [row[0], row[1], row] as const))('%s is %i', async (_rule, status, row) => {
  const answer = await row[2]();
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  row[3]?.(answer.body);
});

it('an Idempotency-Key holds for a resource, by whichever of its paths', async () => {
  const headers = { 'Idempotency-Key': 'both-paths' };
  const made = await client.post('/user/api-keys', { name: 'both paths' }, headers);
  expect(made.body.api_key).toMatch(/^llk_/);
  const { api_key: _secret, ...record } = made.body;
  for (const path of ['/api/v1/user/api-keys', '/api/v1/user/api-keys/', '/user/api-keys/']) {
    const again = await client.post(path, { name: 'both paths' }, headers);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([record, 'true']);
  }
  const one = await client.post(`${CONFIGS}/${ground.config}/reactivate`, undefined, headers);
  const other = (await config(ARI)).body.id;
  const two = await client.post(`${CONFIGS}/${other}/reactivate/`, undefined, headers);
  expect([one.body.id, two.body.id]).toEqual([ground.config, other]);
});

it('campaigns are listed newest first, those of the same instant too', async () => {
  const made = await Promise.all(Array.from({ length: 24 }, (_, i) => campaign({ name: `At once ${i}` })));
  const { campaigns } = (await client.get('/api/v1/campaign')).body as Answer['body'];
  const listed = campaigns.slice(0, made.length) as readonly { readonly id: number; readonly created_at: string }[];
  expect(listed.map((c) => c.id).sort((a, b) => a - b)).toEqual(made.map((m) => m.body.id).sort((a, b) => a - b));
  const place = (c: (typeof listed)[number]): string => `${c.created_at} ${String(c.id).padStart(9, '0')}`;
  expect(listed.map(place)).toEqual(listed.map(place).sort().reverse());
});

it('an API key is told once', async () => {
  const made = await client.post('/user/api-keys', { name: 'once' });
  expect(made.body.api_key).toMatch(/^llk_/);
  for (const path of ['/user/api-keys', '/api/v1/user/api-keys?include_archived=true'])
    expect((await client.get(path)).text).not.toContain(made.body.api_key);
});
