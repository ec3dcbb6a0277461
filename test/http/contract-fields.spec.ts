/** The conformance table, first part: every field of every resource that the contract shows, read from real answers. */
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, furnish, makeAgent, makeConfig, type Furnished } from './furnish';
import { makeRun } from './make-run';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
const answers: Record<string, Answer['body']> = {};

beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
  const config = await client.post(CONFIGS, {
    name: 'Full',
    is_default_outbound: true,
    config: { ...ARI, external_pbx: { agent_api: { url: 'http://pbx', username: 'u', password: 'p' } } },
  });
  answers['telephony configuration'] = config.body;
  answers['setup checklist'] = config.body.setup_checklist;
  [answers['setup step']] = config.body.setup_checklist.steps;
  answers['external PBX'] = config.body.credentials.external_pbx;
  answers['agent API'] = config.body.credentials.external_pbx.agent_api;
  const cloudonix = await makeConfig(client, {
    provider: 'cloudonix',
    bearer_token: 't',
    domain_id: 'd',
    application_name: 'a',
  });
  const trunk = { name: 'T', settings: { region: 'UAE', sip_domain: 's' } };
  answers.trunk = (await client.post(`${CONFIGS}/${cloudonix}/trunks`, trunk)).body;
  answers.agent = (await client.get(`/api/v1/workflow/fetch/${ground.agent}`)).body;
  answers['agent count'] = (await client.get('/api/v1/workflow/count')).body;
  answers['upload'] = (await client.post('/api/v1/s3/presigned-upload-url', { file_name: 'a.csv', file_size: 1 })).body;
  const other = await makeAgent(client);
  const campaign = await client.post('/api/v1/campaign/create', {
    ...ground.campaign,
    workflow_id: null,
    traffic_split: {
      variants: [
        { workflow_id: ground.agent, weight: 60 },
        {
          workflow_id: other,
          workflow_definition_id: (await client.get(`/api/v1/workflow/fetch/${other}`)).body.current_definition_id,
          weight: 40,
        },
      ],
    },
    schedule_config: { timezone: 'Europe/Paris', slots: [{ day_of_week: 0, start_time: '09:00', end_time: '17:00' }] },
    circuit_breaker: {},
  });
  answers.campaign = campaign.body;
  answers['retry configuration'] = campaign.body.retry_config;
  answers['traffic split'] = campaign.body.traffic_split;
  [, answers.variant] = campaign.body.traffic_split.variants;
  answers['schedule'] = campaign.body.schedule_config;
  [answers['slot']] = campaign.body.schedule_config.slots;
  answers['circuit breaker'] = campaign.body.circuit_breaker;
  [answers['log entry']] = campaign.body.logs;
  const run = { org: client.org, campaign: campaign.body.id, agent: ground.agent, config: ground.config, run: 7000 };
  await makeRun(world, { ...run, phone: '+14155550150', outcome: 'completed', seconds: 5 });
  await world.caughtUp();
  answers['run list'] = (await client.get(`/api/v1/campaign/${campaign.body.id}/runs`)).body;
  [answers.run] = answers['run list'].runs;
  [answers['API key']] = (await client.get('/user/api-keys')).body;
  answers['phone number'] = (
    await client.post(`${CONFIGS}/${ground.config}/phone-numbers`, { address: '+14155550151' })
  ).body;
  answers['progress'] = (await client.get(`/api/v1/campaign/${campaign.body.id}/progress`)).body;
  answers['traffic statistics'] = (await client.get(`/api/v1/campaign/${campaign.body.id}/traffic-stats`)).body;
  [answers['variant statistics']] = answers['traffic statistics'].variants;
  answers['plain campaign'] = (await client.post('/api/v1/campaign/create', ground.campaign)).body;
});
afterAll(() => world.close());

const isDate = (v: unknown): boolean => typeof v === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(v);
const TYPES: Readonly<Record<string, (v: unknown) => boolean>> = {
  integer: Number.isInteger,
  number: (v) => typeof v === 'number',
  string: (v) => typeof v === 'string',
  boolean: (v) => typeof v === 'boolean',
  date: isDate,
  object: (v) => typeof v === 'object' && v !== null && !Array.isArray(v),
  array: Array.isArray,
  null: (v) => v === null,
};

/** `field type|type` for each field; nothing else may be there. */
const FIELDS: Readonly<Record<string, string>> = {
  'telephony configuration': `id integer, name string, provider string, connectivity string, is_default_outbound boolean, inactive boolean,
    inactive_since date|null, inactive_reason string|null, credentials object, sip_connectivity object|null, setup_checklist object|null,
    supports_trunks boolean, trunks array, created_at date, updated_at date`,
  'setup checklist':
    'ready_for_outbound boolean, outbound_blocked_reason string|null, steps array, docs_url string|null',
  'setup step': 'key string, title string, description string, complete boolean, blocks_outbound boolean',
  'external PBX': 'type string, agent_api object, non_agent_api object|null, timeout_seconds integer',
  'agent API': 'url string, username string, password string, source string',
  trunk:
    'id integer, name string, enabled boolean, settings object, phone_number_count integer, created_at date, updated_at date',
  agent: `id integer, name string, status string, created_at date, workflow_definition object, current_definition_id integer,
    template_context_variables object, call_disposition_codes object, total_runs integer, workflow_configurations object,
    version_number integer, version_status string, workflow_uuid string`,
  'agent count': 'total integer, active integer, archived integer',
  upload: 'upload_url string, file_key string, expires_in integer',
  campaign: `id integer, name string, workflow_id integer, workflow_name string, state string, source_type string, source_id string,
    total_rows integer|null, processed_rows integer, failed_rows integer, created_at date, started_at date|null, completed_at date|null,
    retry_config object, traffic_split object, max_concurrency integer|null, rate_limit_per_second integer, schedule_config object,
    circuit_breaker object, executed_count integer, total_queued_count integer, parent_campaign_id integer|null,
    redialed_campaign_id integer|null, telephony_configuration_id integer|null, telephony_configuration_name string|null,
    logs array, warnings array`,
  'retry configuration': `enabled boolean, max_retries integer, retry_delay_seconds integer, retry_on_busy boolean,
    retry_on_no_answer boolean, retry_on_voicemail boolean`,
  'traffic split': 'revision integer, variants array',
  variant: `id string, workflow_id integer, workflow_name string, workflow_definition_id integer, version_number integer, weight integer`,
  schedule: 'enabled boolean, timezone string, slots array',
  slot: 'day_of_week integer, start_time string, end_time string',
  'circuit breaker': 'enabled boolean, failure_threshold number, window_seconds integer, min_calls_in_window integer',
  'log entry': 'ts date, level string, event string, message string, details object|null',
  'run list': 'runs array, total_count integer, page integer, limit integer, total_pages integer',
  run: `id integer, workflow_id integer, workflow_name string, version_number integer, name string, mode string, created_at date,
    is_completed boolean, state string, campaign_id integer, transcript_url null, recording_url null, user_recording_url null,
    bot_recording_url null, transcript_public_url null, recording_public_url null, user_recording_public_url null,
    bot_recording_public_url null, public_access_token null, cost_info object, usage_info object, definition_id integer,
    initial_context object, gathered_context object, call_type string, logs object, annotations null`,
  'API key': `id integer, name string, key_prefix string, scopes array, is_active boolean, created_at date, last_used_at date|null,
    archived_at date|null`,
  'phone number': `id integer, telephony_configuration_id integer, address string, address_normalized string, address_type string,
    country_code string|null, label string|null, inbound_workflow_id integer|null, inbound_workflow_name string|null,
    telephony_trunk_id integer|null, is_active boolean, is_default_caller_id boolean, extra_metadata object, created_at date,
    updated_at date, provider_sync object|null`,
  progress: `campaign_id integer, state string, total_rows integer, processed_rows integer, failed_calls integer,
    progress_percentage number, calls_in_flight integer, contacts_ended integer, source_sync object, rate_limit integer,
    started_at date|null, completed_at date|null`,
  'traffic statistics': 'total_attempts integer, variants array',
  'variant statistics': `id string, workflow_id integer, workflow_name string, workflow_definition_id integer|null,
    version_number integer|null, target_weight integer|null, attempts integer, completed integer, actual_percentage number,
    states object, outcomes object, definitions array`,
};

const rows = Object.entries(FIELDS).flatMap(([resource, text]) =>
  text.split(',').map((entry) => {
    const [field = '', types = ''] = entry.trim().split(/\s+/);
    return [resource, field, types] as const;
  }),
);

describe('the fields of the contract', () => {
  it('are many', () => expect(rows.length).toBeGreaterThan(150));

  it.each(rows)('%s.%s is %s', (resource, field, types) => {
    const value = answers[resource][field] as unknown;
    expect([value, types.split('|').some((type) => TYPES[type]?.(value) === true)]).toEqual([value, true]);
  });

  it.each(Object.keys(FIELDS))('%s has no other field', (resource) => {
    const named = rows.filter(([r]) => r === resource).map(([, field]) => field);
    expect(Object.keys(answers[resource]).sort()).toEqual([...named].sort());
  });

  it.each<[string, string, unknown]>([
    ['telephony configuration', 'connectivity', 'sip'],
    ['telephony configuration', 'inactive', false],
    ['external PBX', 'timeout_seconds', 8],
    ['external PBX', 'type', 'vicidial'],
    ['agent API', 'source', 'ledgerline'],
    ['upload', 'expires_in', 900],
    ['campaign', 'state', 'draft'],
    ['campaign', 'source_type', 'csv'],
    ['campaign', 'rate_limit_per_second', 1],
    ['campaign', 'executed_count', 0],
    ['campaign', 'total_queued_count', 0],
    ['plain campaign', 'traffic_split', null],
    ['plain campaign', 'schedule_config', null],
    [
      'plain campaign',
      'circuit_breaker',
      { enabled: false, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 5 },
    ],
    [
      'plain campaign',
      'retry_config',
      {
        enabled: true,
        max_retries: 1,
        retry_delay_seconds: 120,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: false,
      },
    ],
    ['circuit breaker', 'enabled', true],
    ['traffic split', 'revision', 1],
    ['trunk', 'phone_number_count', 0],
    ['agent', 'status', 'active'],
    ['agent', 'version_status', 'published'],
  ])('%s.%s is what the contract says when nothing else was said', (resource, field, value) => {
    expect(answers[resource][field]).toEqual(value);
  });
});
