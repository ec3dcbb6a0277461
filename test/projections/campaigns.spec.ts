import { agents, type AgentDoc } from '../../projections/agents';
import { campaignDetail, progressView } from '../../projections/campaign_views';
import { campaignKey, campaigns, type CampaignDoc } from '../../projections/campaigns';
import { at, document, documents, expectValid, type Given } from './given-events';
import {
  agentCreated,
  attempted,
  call,
  CAMPAIGN,
  campaignCreated,
  campaignStarted,
  completed,
  contactsQueued,
  ended,
  onCampaign,
  onRun,
  ORG,
  split,
} from './stories';

const KEY = campaignKey(ORG, CAMPAIGN);
const campaign = (story: readonly Given[]): CampaignDoc => document(campaigns, KEY, story);
const ref = { campaign_id: CAMPAIGN };
const agentsById = (story: readonly Given[]): ReadonlyMap<number, AgentDoc> =>
  new Map([...documents(agents, story).values()].map((a) => [a.id, a]));

it('a created campaign is a draft that waits for its import', () => {
  const story = [campaignCreated()];
  expectValid(story);
  const doc = campaign(story);
  expect(doc).toMatchObject({
    state: 'draft',
    source_sync: { status: 'pending', last_synced_at: null, error: null },
    created_at: at(0),
    started_at: null,
    processed_rows: 0,
  });
  expect(doc.traffic_split).toEqual({ revision: 1, variants: split.variants });
  expect(JSON.stringify(doc)).not.toContain(split.seed);
});

it('states follow the events, and each change of state is in the log with its actor', () => {
  const story = [
    campaignCreated(),
    campaignStarted,
    onCampaign({ type: 'CampaignPaused', data: ref }, 'api-key:9'),
    onCampaign({ type: 'CampaignResumed', data: ref }),
    onCampaign(
      {
        type: 'CircuitBreakerTripped',
        data: {
          ...ref,
          failure_rate: 0.5,
          failure_count: 5,
          success_count: 5,
          threshold: 0.5,
          window_seconds: 120,
          recent_failures: [{ workflow_run_id: 100, reason: 'failed', ts: at(3) }],
        },
      },
      'dialer',
    ),
    onCampaign({ type: 'CampaignResumed', data: ref }),
    onCampaign({ type: 'CampaignCompleted', data: ref }, 'dialer'),
  ];
  expectValid(story);
  const states = story.map((_, i) => campaign(story.slice(0, i + 1)).state);
  expect(states).toEqual(['draft', 'running', 'paused', 'running', 'paused', 'running', 'completed']);
  const { logs, completed_at } = campaign(story);
  expect(completed_at).toBe(at(6));
  expect(logs.map((l) => [l.event, l.level, l.details['actor']])).toEqual([
    ['campaign_created', 'info', 'api-key:1'],
    ['campaign_started', 'info', 'api-key:1'],
    ['campaign_paused', 'info', 'api-key:9'],
    ['campaign_resumed', 'info', 'api-key:1'],
    ['circuit_breaker_tripped', 'warning', 'dialer'],
    ['campaign_resumed', 'info', 'api-key:1'],
    ['campaign_completed', 'info', 'dialer'],
  ]);
  expect(logs[4]?.ts).toBe(at(4));
  expect(logs[4]?.details).toMatchObject({
    failure_rate: 0.5,
    failure_count: 5,
    success_count: 5,
    threshold: 0.5,
    window_seconds: 120,
    recent_failures: [{ workflow_run_id: 100, reason: 'failed', ts: at(3) }],
  });
});

it('an import that fails is told in the progress, and the campaign has failed', () => {
  const doc = campaign([
    campaignCreated(),
    campaignStarted,
    onCampaign({ type: 'ImportFailed', data: { ...ref, error: 'another content' } }),
    onCampaign({ type: 'CampaignFailed', data: { ...ref, error: 'another content' } }),
  ]);
  expect(progressView(doc)).toMatchObject({
    state: 'failed',
    source_sync: { status: 'failed', last_synced_at: null, error: 'another content' },
    completed_at: null,
  });
  expect(doc.logs.map((l) => l.event)).toContain('source_sync_failed');
});

it('counts contacts and attempts', () => {
  const busy = call(100);
  const retry = call(100, { attempt: 2, retry: 1 });
  const refused = call(101);
  const story = [
    campaignCreated(),
    campaignStarted,
    contactsQueued(0, 2),
    contactsQueued(1, 1),
    onCampaign({ type: 'ImportCompleted', data: { ...ref, contacts: 3, batches: 2 } }),
    attempted(busy),
    attempted(refused),
    attempted(call(102)),
    ended(busy, 'busy'),
    onRun(100, { type: 'RetryScheduled', data: { ...busy, due_at: at(20), reason: 'busy' } }),
    onRun(101, { type: 'CallRefused', data: { ...refused, code: 'E', message: 'no' } }),
    completed(refused, 'failed'),
    attempted(retry, { retry_reason: 'busy' }),
    ended(retry, 'completed', 12),
    completed(retry, 'completed'),
  ];
  expectValid(story, ['CallAttempted']);
  const doc = campaign(story);
  expect(doc.in_flight).toEqual([102]);
  expect(progressView(doc)).toEqual({
    campaign_id: CAMPAIGN,
    state: 'running',
    total_rows: 3,
    processed_rows: 3,
    failed_calls: 1,
    progress_percentage: 100,
    calls_in_flight: 1,
    contacts_ended: 2,
    source_sync: { status: 'completed', last_synced_at: at(4), error: null },
    rate_limit: 5,
    started_at: at(1),
    completed_at: null,
  });
  const shown = campaignDetail(doc, { agents: new Map(), telephonyConfiguration: null, warnings: [] });
  expect(shown).toMatchObject({ executed_count: 4, total_queued_count: 4, processed_rows: 3, failed_rows: 1 });
});

it('a withdrawn claim is given back, a turn whose claim never came changes nothing', () => {
  const first = call(100);
  const before = campaign([campaignCreated(), campaignStarted]);
  const doc = campaign([
    campaignCreated(),
    campaignStarted,
    attempted(first),
    onRun(100, { type: 'CallWithdrawn', data: { ...first, reason: 'paused' } }),
    onRun(100, { type: 'CallWithdrawn', data: { ...call(100, { attempt: 2 }), reason: 'late' } }),
  ]);
  expect(doc).toEqual(before);
});

it.each([
  ['busy', 1],
  ['no_answer', 1],
  ['failed', 1],
  ['uncertain', 1],
  ['voicemail', 0],
  ['completed', 0],
  ['canceled', 0],
] as const)('a contact that ended %s counts %i as failed', (outcome, failed) => {
  const doc = campaign([campaignCreated(), completed(call(100), outcome)]);
  expect([doc.failed_rows, doc.contacts_ended]).toEqual([failed, 1]);
});

it('a change of settings and a revised split show, and move revision and etag; counters do not', () => {
  const story = [
    campaignCreated(),
    onCampaign({ type: 'CampaignChanged', data: { ...ref, max_concurrency: 9, name: 'Summer' } }),
    onCampaign({
      type: 'TrafficSplitRevised',
      data: { ...ref, traffic_split: { ...split, revision: 2 }, workflow_id: 4 },
    }),
  ];
  expectValid(story);
  const doc = campaign(story);
  expect(doc).toMatchObject({ name: 'Summer', max_concurrency: 9, workflow_id: 4, revision: 2 });
  expect(doc.traffic_split?.revision).toBe(2);
  expect(doc.logs[1]?.details).toMatchObject({ fields: ['max_concurrency', 'name'] });
  const called = campaign([...story, attempted(call(100))]);
  expect([called.etag, called.revision]).toEqual([doc.etag, doc.revision]);
});

it('a deleted campaign has no document, whatever its calls still tell', () => {
  const story = [
    campaignCreated(),
    attempted(call(100)),
    onCampaign({ type: 'CampaignDeleted', data: ref }),
    ended(call(100), 'failed'),
  ];
  expect(documents(campaigns, story).size).toBe(0);
});

it('a test call belongs to no campaign', () => {
  expect(documents(campaigns, [attempted(call(100, { campaign_id: null }))]).size).toBe(0);
});

it('the log keeps its newest 500 entries', () => {
  const pauses = Array.from({ length: 600 }, (_, i) =>
    onCampaign({ type: i % 2 === 0 ? 'CampaignPaused' : 'CampaignResumed', data: ref }),
  );
  const { logs } = campaign([campaignCreated(), ...pauses]);
  expect(logs).toHaveLength(500);
  expect(logs.at(-1)?.ts).toBe(at(600));
});

it('shows names of agents and versions, and what a campaign without breaker and split reads as', () => {
  const story = [agentCreated(3, 'Sales', 31), agentCreated(4, 'Support', 41), campaignCreated()];
  const names = { agents: agentsById(story), telephonyConfiguration: 'Main', warnings: ['w'] };
  const shown = campaignDetail(campaign(story), names);
  expect(shown).toMatchObject({
    workflow_name: 'Sales',
    telephony_configuration_id: 11,
    telephony_configuration_name: 'Main',
    circuit_breaker: { enabled: false, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 5 },
    schedule_config: null,
    warnings: ['w'],
  });
  expect(shown.traffic_split?.variants).toEqual([
    { id: '3:31', workflow_id: 3, workflow_name: 'Sales', workflow_definition_id: 31, version_number: 1, weight: 60 },
    {
      id: '4:latest',
      workflow_id: 4,
      workflow_name: 'Support',
      workflow_definition_id: null,
      version_number: null,
      weight: 40,
    },
  ]);
  const plain = campaign([campaignCreated({ traffic_split: null })]);
  const unnamed = campaignDetail(plain, { agents: new Map(), telephonyConfiguration: null, warnings: [] });
  expect([unnamed.traffic_split, unnamed.workflow_name]).toEqual([null, 'Unknown']);
});
