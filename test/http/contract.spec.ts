/**
 * The conformance table, second part: one row for each rule, limit, state and error of the contract, each exercised through HTTP against a started
 * server. contract-fields.spec.ts holds the fields of the resources; telephony.spec.ts the eight carrier variants.
 */
import { randomBytes } from 'node:crypto';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import {
  ARI,
  CONFIGS,
  definition,
  furnish,
  makeAgent,
  makeCampaign,
  makeConfig,
  upload,
  type Furnished,
} from './furnish';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

const unique = (): string => randomBytes(4).toString('hex');
const config = (more: Readonly<Record<string, unknown>> = {}, settings: Readonly<Record<string, unknown>> = {}) =>
  client.post(CONFIGS, { name: `C ${unique()}`, config: { ...ARI, ...settings }, ...more });
const campaign = (more: Readonly<Record<string, unknown>>) =>
  client.post('/api/v1/campaign/create', { ...ground.campaign, ...more });
const split = (...variants: readonly (readonly [number, number, number?])[]) => ({
  workflow_id: null,
  traffic_split: {
    variants: variants.map(([workflow_id, weight, workflow_definition_id]) => ({
      workflow_id,
      weight,
      workflow_definition_id,
    })),
  },
});
const list = async (csv: string) => campaign({ source_id: await upload(client, csv) });
const pbx = (timeout_seconds: unknown, api: object = {}) =>
  config(
    {},
    { external_pbx: { agent_api: { url: 'http://x', username: 'u', password: 'p', ...api }, timeout_seconds } },
  );
const runs = (query: string) => client.get(`/api/v1/workflow/${ground.agent}/runs?${query}`);
const onCampaign = async (...steps: readonly string[]): Promise<Answer> => {
  const id = await makeCampaign(client, ground);
  let last = await client.get(`/api/v1/campaign/${id}`);
  for (const step of steps) last = await client.post(`/api/v1/campaign/${id}/${step}`);
  return last;
};

type Row = readonly [rule: string, status: number, ask: () => Promise<Answer>, also?: (body: Answer['body']) => void];

const LIMITS: readonly Row[] = [
  [
    'a configuration’s name of 1 character',
    200,
    () => config({ name: String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000)) }),
  ],
  ['a configuration’s name of 64 characters', 200, () => config({ name: unique().padEnd(64, 'n') })],
  ['a configuration’s name of 65 characters', 422, () => config({ name: 'n'.repeat(65) })],
  ['a campaign’s name of 255 characters', 200, () => campaign({ name: '😀'.repeat(255) })],
  ['a campaign’s name of 256 characters', 422, () => campaign({ name: '😀'.repeat(256) })],
  ['workflow_id of 0', 422, () => campaign({ workflow_id: 0 })],
  ['max_concurrency of 1', 200, () => campaign({ max_concurrency: 1 })],
  ['max_concurrency of 0', 422, () => campaign({ max_concurrency: 0 })],
  ['rate_limit_per_second of 1', 200, () => campaign({ rate_limit_per_second: 1.0 })],
  ['rate_limit_per_second of 0', 422, () => campaign({ rate_limit_per_second: 0 })],
  [
    'limits above the organization’s are accepted with a warning',
    200,
    () => campaign({ max_concurrency: 101, rate_limit_per_second: 101 }),
    (b) => expect(b.warnings).toHaveLength(2),
  ],
  [
    'a split of 5 variants',
    200,
    async () => {
      const agents = await Promise.all([1, 2, 3, 4, 5].map(() => makeAgent(client, 'Hi.')));
      return campaign(split(...agents.map((a) => [a, 20] as const)));
    },
  ],
  ['a split of 6 variants', 422, () => campaign(split(...[1, 2, 3, 4, 5, 6].map((a) => [a, 16] as const)))],
  ['a split without variants', 422, () => campaign(split())],
  ['a weight of 0', 422, () => campaign(split([ground.agent, 0], [ground.agent + 1, 100]))],
  ['a weight of 101', 422, () => campaign(split([ground.agent, 101]))],
  ['a weight that is not whole', 422, () => campaign(split([ground.agent, 99.5]))],
  ['weights that do not total 100', 422, () => campaign(split([ground.agent, 60], [ground.agent + 1, 41]))],
  ['a pair twice', 422, () => campaign(split([ground.agent, 50], [ground.agent, 50]))],
  ['timeout_seconds of 1', 200, () => pbx(1)],
  ['timeout_seconds of 30', 200, () => pbx(30)],
  ['timeout_seconds of 0', 422, () => pbx(0)],
  ['timeout_seconds of 31', 422, () => pbx(31)],
  ['an empty agent API url', 422, () => pbx(8, { url: '' })],
  ['an empty agent API username', 422, () => pbx(8, { username: '' })],
  ['an empty agent API password', 422, () => pbx(8, { password: '' })],
  ['page number 0', 422, () => runs('page=0')],
  ['page size 1', 200, () => runs('limit=1')],
  ['page size 100', 200, () => runs('limit=100')],
  ['page size 101', 422, () => runs('limit=101')],
  ['a number with a space', 400, () => list('phone_number,name\n+1 4155550100,A\n')],
  ['a number with a comma', 400, () => list('phone_number,name\n"+1,4155550100",A\n')],
  ['a number with an ampersand', 400, () => list('phone_number,name\nPJSIP/a&PJSIP/b,A\n')],
  ['a number twice', 400, () => list('phone_number,name\n+14155550100,A\n+14155550100,B\n')],
];

const RULES: readonly Row[] = [
  [
    'a new configuration has no phone numbers',
    200,
    async () => client.get(`${CONFIGS}/${await makeConfig(client)}/phone-numbers`),
    (b) => expect(b).toEqual({ phone_numbers: [] }),
  ],
  [
    'creating a default unsets the one before',
    200,
    async () => {
      const first = await config({ is_default_outbound: true });
      await config({ is_default_outbound: true });
      return client.get(`${CONFIGS}/${first.body.id}`);
    },
    (b) => expect(b.is_default_outbound).toBe(false),
  ],
  [
    'from_numbers of a create request are ignored',
    200,
    () =>
      client.post(CONFIGS, {
        name: unique(),
        config: { provider: 'exotel', account_sid: 'a', api_key: 'k', api_token: 't', from_numbers: ['+14155550100'] },
      }),
    (b) => expect(b.credentials).not.toHaveProperty('from_numbers'),
  ],
  [
    'it cannot be ready while a blocking step is incomplete',
    200,
    () => client.post(CONFIGS, { name: unique(), config: { provider: 'twilio', account_sid: 'a', auth_token: 't' } }),
    (b) => {
      const { ready_for_outbound, outbound_blocked_reason, steps } = b.setup_checklist;
      const blocking = steps.filter(
        (s: { blocks_outbound: boolean; complete: boolean }) => s.blocks_outbound && !s.complete,
      );
      expect([ready_for_outbound, outbound_blocked_reason]).toEqual([false, blocking[0].description]);
    },
  ],
  ['a name is unique within the organization', 409, async () => config({ name: (await config()).body.name })],
  ['unknown fields are ignored', 200, () => config({ surprise: true }, { surprise: [1] })],
  [
    'dial_string_template defaults to PJSIP/{number}',
    200,
    () => config(),
    (b) => expect(b.credentials.dial_string_template).toBe('PJSIP/{number}'),
  ],
  ['ws_client_name defaults to empty text', 200, () => config(), (b) => expect(b.credentials.ws_client_name).toBe('')],
  [
    'ari_endpoint, app_name and app_password are required',
    422,
    () => client.post(CONFIGS, { name: unique(), config: { provider: 'ari' } }),
    (b) => expect(b.detail).toHaveLength(3),
  ],
  [
    'an omitted configuration is the default',
    200,
    async () => {
      const id = (await config({ is_default_outbound: true })).body.id;
      const made = await campaign({ telephony_configuration_id: null });
      expect(made.body.telephony_configuration_id).toBe(id);
      return made;
    },
  ],
  [
    'retry_config {} is enabled, 2 retries, 120 s, all on',
    200,
    () => campaign({ retry_config: {} }),
    (b) =>
      expect(b.retry_config).toEqual({
        enabled: true,
        max_retries: 2,
        retry_delay_seconds: 120,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: true,
      }),
  ],
  [
    'a slot may end at 24:00',
    200,
    () => campaign({ schedule_config: { slots: [{ day_of_week: 6, start_time: '00:00', end_time: '24:00' }] } }),
  ],
  [
    'a slot may not begin at 24:00',
    422,
    () => campaign({ schedule_config: { slots: [{ day_of_week: 6, start_time: '24:00', end_time: '24:00' }] } }),
  ],
  [
    'an agent and a split exclude each other',
    422,
    () => campaign({ traffic_split: split([ground.agent, 100]).traffic_split }),
  ],
  ['neither agent nor split', 422, () => campaign({ workflow_id: null })],
  ['a split’s agents belong to the caller', 400, () => campaign(split([999999, 100]))],
  [
    'a pinned version may be published',
    200,
    async () => {
      const { current_definition_id } = (await client.get(`/api/v1/workflow/fetch/${ground.agent}`)).body;
      return campaign(split([ground.agent, 100, current_definition_id]));
    },
    (b) => expect(b.traffic_split.variants[0].version_number).toBe(1),
  ],
  [
    'a pinned version may not be a draft',
    400,
    async () => {
      const agent = await makeAgent(client);
      await client.put(`/api/v1/workflow/${agent}`, { workflow_definition: definition('Draft.') });
      const [draft] = (await client.get(`/api/v1/workflow/${agent}/versions?status=draft`)).body;
      return campaign(split([agent, 100, draft.id]));
    },
  ],
  [
    'the CSV supplies the variables of every selected version',
    400,
    async () => campaign(split([ground.agent, 50], [await makeAgent(client, 'In {{city}}.'), 50])),
  ],
  [
    'an archived agent cannot be selected',
    400,
    async () => {
      const agent = await makeAgent(client, 'Hi.');
      await client.put(`/api/v1/workflow/${agent}/status`, { status: 'archived' });
      return campaign({ workflow_id: agent });
    },
  ],
  [
    'a reordered split is the same split',
    200,
    async () => {
      const other = await makeAgent(client, 'Hi.');
      const { id } = (await campaign(split([ground.agent, 60], [other, 40]))).body;
      return client.patch(`/api/v1/campaign/${id}`, split([other, 40], [ground.agent, 60]));
    },
    (b) => expect(b.traffic_split.revision).toBe(1),
  ],
  [
    'a changed split has the next revision',
    200,
    async () => {
      const other = await makeAgent(client, 'Hi.');
      const { id } = (await campaign(split([ground.agent, 60], [other, 40]))).body;
      return client.patch(`/api/v1/campaign/${id}`, split([ground.agent, 50], [other, 50]));
    },
    (b) => expect(b.traffic_split.revision).toBe(2),
  ],
  [
    'the first split of a plain campaign has revision 1',
    200,
    async () => client.patch(`/api/v1/campaign/${await makeCampaign(client, ground)}`, split([ground.agent, 100])),
    (b) => expect(b.traffic_split.revision).toBe(1),
  ],
  [
    'the seed of a split is never shown',
    200,
    () => campaign(split([ground.agent, 100])),
    (b) => expect(b.traffic_split).not.toHaveProperty('seed'),
  ],
  [
    'max_concurrency: null clears it',
    200,
    async () => {
      const id = await makeCampaign(client, ground, { max_concurrency: 5 });
      return client.patch(`/api/v1/campaign/${id}`, { max_concurrency: null, name: null });
    },
    (b) => expect(b.max_concurrency).toBeNull(),
  ],
  [
    'PATCH {} changes nothing',
    200,
    async () => client.patch(`/api/v1/campaign/${await makeCampaign(client, ground)}`, {}),
  ],
  ['phone_number is required', 400, () => list('name\nAnn\n')],
  [
    'an ARI configuration takes extensions, SIP URIs and dial strings',
    200,
    () => list('phone_number,name\n100,A\nsip:b@example.com,B\nLocal/1@out,C\n'),
  ],
  [
    'the template takes use_case and activity_description alone',
    502,
    () => client.post('/api/v1/workflow/create/template', { use_case: 'u', activity_description: 'a' }),
  ],
  [
    'total is active and archived',
    200,
    () => client.get('/api/v1/workflow/count'),
    (b) => expect(b.total).toBe(b.active + b.archived),
  ],
  ['a step by step upload', 200, () => list('phone_number,name\n+14155550100,A\n')],
];

const testCall = (more: object = {}): Promise<Answer> =>
  client.post('/api/v1/telephony/initiate-call', {
    workflow_id: ground.agent,
    telephony_configuration_id: ground.config,
    phone_number: '+14155550100',
    ...more,
  });

const CALLS: readonly Row[] = [
  [
    'a test call needs an agent and a number only where there is a configuration',
    200,
    () => testCall({ telephony_configuration_id: ground.config }),
    (b) => expect(b.message).toBe(`Call initiated successfully with run name ${b.workflow_run_name}`),
  ],
  [
    'a test call is a run of its agent without a campaign',
    200,
    async () => {
      const { workflow_run_id } = (await testCall()).body;
      return client.get(`/api/v1/workflow/${ground.agent}/runs/${workflow_run_id}`);
    },
    (b) => expect([b.campaign_id, b.call_type, b.name]).toEqual([null, 'outbound', expect.stringMatching(/^WR-TEL-/)]),
  ],
  [
    'a test call over a configuration that is not there',
    400,
    () => testCall({ telephony_configuration_id: 999999 }),
    (b) => expect(b.detail).toBe('telephony_configuration_not_found'),
  ],
  [
    'a test call of an agent that is not there',
    404,
    () => testCall({ workflow_id: 999999 }),
    (b) => expect(b).toEqual({ detail: 'Workflow not found' }),
  ],
  ['a test call without an agent', 422, () => testCall({ workflow_id: null })],
  ['a test call without a number', 400, () => testCall({ phone_number: null })],
  [
    'a test call that shows a number which is not the configuration’s',
    400,
    () => testCall({ from_phone_number_id: 999999 }),
    (b) => expect(b.detail).toBe('from_phone_number_not_found'),
  ],
  [
    'a redial without any reason',
    422,
    async () =>
      client.post(`/api/v1/campaign/${await makeCampaign(client, ground)}/redial`, {
        retry_on_busy: false,
        retry_on_no_answer: false,
        retry_on_voicemail: false,
      }),
    (b) =>
      expect(b.detail[0].msg).toBe(
        'Value error, At least one of retry_on_voicemail, retry_on_no_answer, retry_on_busy must be true',
      ),
  ],
  [
    'a redial of a campaign that is not completed',
    400,
    async () => client.post(`/api/v1/campaign/${await makeCampaign(client, ground)}/redial`, {}),
    (b) => expect(b.detail).toBe('Only completed campaigns can be redialed (current state: draft)'),
  ],
];

const STATES: readonly Row[] = [
  ['(none) → draft', 200, () => onCampaign(), (b) => expect([b.state, b.started_at]).toEqual(['draft', null])],
  [
    'draft → running',
    200,
    () => onCampaign('start'),
    (b) => expect([b.state, typeof b.started_at]).toEqual(['running', 'string']),
  ],
  ['running → paused', 200, () => onCampaign('start', 'pause'), (b) => expect(b.state).toBe('paused')],
  [
    'paused → running by resume',
    200,
    () => onCampaign('start', 'pause', 'resume'),
    (b) => expect(b.state).toBe('running'),
  ],
  [
    'paused → running by start',
    200,
    () => onCampaign('start', 'pause', 'start'),
    (b) => expect(b.state).toBe('running'),
  ],
  ['draft cannot be paused', 400, () => onCampaign('pause'), (b) => expect(b.detail).toContain('draft')],
  ['draft cannot be resumed', 400, () => onCampaign('resume'), (b) => expect(b.detail).toContain('draft')],
  ['running cannot be started', 400, () => onCampaign('start', 'start'), (b) => expect(b.detail).toContain('running')],
  ['running cannot be resumed', 400, () => onCampaign('start', 'resume'), (b) => expect(b.detail).toContain('running')],
  [
    'paused cannot be paused',
    400,
    () => onCampaign('start', 'pause', 'pause'),
    (b) => expect(b.detail).toContain('paused'),
  ],
  [
    'every change of state is in the log',
    200,
    () => onCampaign('start', 'pause', 'resume'),
    (b) => expect(b.logs.length).toBeGreaterThanOrEqual(4),
  ],
  [
    'active → archived',
    200,
    async () => client.put(`/api/v1/workflow/${await makeAgent(client)}/status`, { status: 'archived' }),
    (b) => expect([b.status, b.version_number]).toEqual(['archived', 1]),
  ],
  [
    'archived → active',
    200,
    async () => {
      const path = `/api/v1/workflow/${await makeAgent(client)}/status`;
      await client.put(path, { status: 'archived' });
      return client.put(path, { status: 'active' });
    },
    (b) => expect(b.status).toBe('active'),
  ],
  [
    'a campaign of an archived agent cannot start',
    400,
    async () => {
      const agent = await makeAgent(client, 'Hi.');
      const id = await makeCampaign(client, ground, { workflow_id: agent });
      await client.delete(`/api/v1/workflow/${agent}`);
      return client.post(`/api/v1/campaign/${id}/start`);
    },
  ],
];

const ERRORS: readonly Row[] = [
  [
    '400 telephony_configuration_not_found',
    400,
    () => campaign({ telephony_configuration_id: 999999 }),
    (b) => expect(b.detail).toBe('telephony_configuration_not_found'),
  ],
  [
    '401 missing credentials',
    401,
    () => world.clientWith('').get(CONFIGS),
    (b) => expect(typeof b.detail).toBe('string'),
  ],
  ['401 invalid credentials', 401, () => world.clientWith('llk_nobody').get(CONFIGS)],
  [
    '401 archived key',
    401,
    async () => {
      const { id, api_key } = (await client.post('/user/api-keys', { name: 'x' })).body;
      await client.delete(`/user/api-keys/${id}`);
      return world.clientWith(api_key).get(CONFIGS);
    },
  ],
  [
    '403 insufficient permission',
    403,
    async () => (await world.client({ org: client.org, scopes: ['read'] })).post(CONFIGS, {}),
  ],
  ['403 another organization’s upload', 403, () => campaign({ source_id: 'campaigns/999999/a.csv' })],
  [
    '404 not found',
    404,
    () => client.get(`${CONFIGS}/999999`),
    (b) => expect(b).toEqual({ detail: 'Telephony configuration not found' }),
  ],
  [
    '422 missing required field',
    422,
    () => client.post(CONFIGS, { config: ARI }),
    (b) =>
      expect(b.detail).toEqual([
        {
          type: 'missing',
          loc: ['body', 'name'],
          msg: 'Field required',
          input: { config: { ...ARI, app_password: '********' } },
        },
      ]),
  ],
  [
    '422 value outside its bounds',
    422,
    () => campaign({ max_concurrency: 0 }),
    (b) =>
      expect(b.detail).toEqual([
        {
          type: 'greater_than_equal',
          loc: ['body', 'max_concurrency'],
          msg: 'Input should be greater than or equal to 1',
          input: 0,
          ctx: { ge: 1 },
        },
      ]),
  ],
  [
    '422 wrong type',
    422,
    () => campaign({ name: 5 }),
    (b) =>
      expect(b.detail).toEqual([
        { type: 'string_type', loc: ['body', 'name'], msg: 'Input should be a valid string', input: 5 },
      ]),
  ],
  [
    '422 pattern',
    422,
    () => campaign({ source_type: 'x' }),
    (b) =>
      expect(b.detail).toEqual([
        {
          type: 'string_pattern_mismatch',
          loc: ['body', 'source_type'],
          msg: "String should match pattern '^csv$'",
          input: 'x',
          ctx: { pattern: '^csv$' },
        },
      ]),
  ],
  [
    '422 a rule over the whole body',
    422,
    () => campaign({ workflow_id: null }),
    (b) =>
      expect(b.detail[0]).toMatchObject({
        type: 'value_error',
        loc: ['body'],
        msg: 'Value error, Provide exactly one of workflow_id or traffic_split',
        ctx: { error: {} },
      }),
  ],
  [
    '422 an unknown variant',
    422,
    () => client.post(CONFIGS, { name: 'x', config: { provider: 'x' } }),
    (b) =>
      expect(b.detail[0]).toMatchObject({
        type: 'union_tag_invalid',
        loc: ['body', 'config'],
        ctx: { discriminator: "'provider'", tag: 'x' },
      }),
  ],
  [
    '422 a fault inside a variant names it',
    422,
    () => client.post(CONFIGS, { name: 'x', config: { provider: 'twilio', account_sid: 'a' } }),
    (b) => expect(b.detail[0].loc).toEqual(['body', 'config', 'twilio', 'auth_token']),
  ],
];

for (const [part, rows] of Object.entries({
  limits: LIMITS,
  rules: RULES,
  calls: CALLS,
  states: STATES,
  errors: ERRORS,
}))
  describe(`the ${part} of the contract`, () => {
    for (const [rule, status, ask, also] of rows)
      it(`${rule}: ${status}`, async () => {
        const answer = await ask();
        // The text is compared with itself so that a failing row shows it.
        expect([answer.status, answer.text]).toEqual([status, answer.text]);
        also?.(answer.body);
      });
  });
