import type { CampaignEvent } from '../../../src/domain/campaign/events';
import { RETRY_WHEN_OMITTED } from '../../../src/domain/campaign/retry';

export type DataOf<T extends CampaignEvent['type']> = Extract<CampaignEvent, { type: T }>['data'];

export const campaign = (changes: Partial<DataOf<'CampaignCreated'>> = {}): DataOf<'CampaignCreated'> => ({
  campaign_id: 5,
  name: 'Spring',
  retry_config: RETRY_WHEN_OMITTED,
  max_concurrency: null,
  rate_limit_per_second: 1,
  schedule_config: null,
  circuit_breaker: null,
  source_type: 'csv',
  source_id: 'campaigns/1/list.csv',
  source_sha256: 'ab'.repeat(32),
  total_rows: 500,
  workflow_id: 7,
  traffic_split: null,
  telephony_configuration_id: 2,
  e164_only: true,
  parent_campaign_id: null,
  ...changes,
});

const ref = { campaign_id: 5 };
export const created = (changes: Partial<DataOf<'CampaignCreated'>> = {}): CampaignEvent => ({
  type: 'CampaignCreated',
  data: campaign(changes),
});
export const started: CampaignEvent = {
  type: 'CampaignStarted',
  data: { ...ref, first_run_id: 1000, contacts: 500 },
};
export const imported: CampaignEvent = { type: 'ImportCompleted', data: { ...ref, contacts: 500, batches: 1 } };
export const importFailed: CampaignEvent = { type: 'ImportFailed', data: { ...ref, error: 'changed' } };
export const paused: CampaignEvent = { type: 'CampaignPaused', data: ref };
export const resumed: CampaignEvent = { type: 'CampaignResumed', data: ref };
export const completed: CampaignEvent = { type: 'CampaignCompleted', data: ref };
export const failed: CampaignEvent = { type: 'CampaignFailed', data: { ...ref, error: 'changed' } };
export const deleted: CampaignEvent = { type: 'CampaignDeleted', data: ref };
export const STATS = {
  failure_rate: 0.6,
  failure_count: 3,
  success_count: 2,
  threshold: 0.5,
  window_seconds: 120,
  recent_failures: [],
};
export const tripped: CampaignEvent = { type: 'CircuitBreakerTripped', data: { ...ref, ...STATS } };

/** Histories that end in each state. */
export const IN_STATE = {
  draft: [created()],
  running: [created(), started],
  paused: [created(), started, paused],
  completed: [created(), started, imported, completed],
  failed: [created(), started, importFailed, failed],
} as const;
