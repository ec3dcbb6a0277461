/**
 * Campaigns: settings, state, source, log of changes, and counters over their contacts' runs. One document each.
 * A deleted campaign has none.
 */
import type { JsonObject } from '../src/core/event';
import type {
  BreakerConfig,
  CampaignEvent,
  ContactsEvent,
  RetryConfig,
  ScheduleConfig,
  Variant,
} from '../src/domain/campaign/events';
import type { RunEvent } from '../src/domain/run/events';
import type { Projected, Projection } from '../src/engine/projection';
import { campaignAudit } from './campaign_audit';
import { appendLog, logOf, type LogEntry } from './campaign_log';

export type CampaignState = 'draft' | 'running' | 'paused' | 'completed' | 'failed';

export interface CampaignDoc {
  readonly organization: number;
  readonly id: number;
  readonly name: string;
  readonly state: CampaignState;
  readonly workflow_id: number;
  readonly traffic_split: { readonly revision: number; readonly variants: readonly Variant[] } | null;
  readonly source_type: 'csv';
  readonly source_id: string;
  readonly total_rows: number;
  readonly retry_config: RetryConfig;
  readonly max_concurrency: number | null;
  readonly rate_limit_per_second: number;
  readonly schedule_config: ScheduleConfig | null;
  readonly circuit_breaker: BreakerConfig | null;
  readonly telephony_configuration_id: number;
  readonly parent_campaign_id: number | null;
  readonly redialed_campaign_id: number | null;
  /** Run id of the first contact; null before the start. */
  readonly first_run_id: number | null;
  readonly source_sync: {
    readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
    readonly last_synced_at: string | null;
    readonly error: string | null;
  };
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly logs: readonly LogEntry[];
  /** Contacts attempted. */
  readonly processed_rows: number;
  /** Contacts that ended busy, no-answer or failed. */
  readonly failed_rows: number;
  /** Attempts. */
  readonly executed_count: number;
  readonly contacts_queued: number;
  readonly retries_scheduled: number;
  /** Contacts with their terminal event. */
  readonly contacts_ended: number;
  /** Runs whose call is not over; as many as calls are in flight. */
  readonly in_flight: readonly number[];
  /** Position and stream revision of the last event that changed the campaign itself, not its counters. */
  readonly etag: string;
  readonly revision: number;
}

export const campaignKey = (org: number, id: number): string => `${org}/${id}`;

type OwnEvent = Projected<CampaignEvent>;
type CallEvent = Projected<RunEvent>;
type Created = Extract<OwnEvent, { type: 'CampaignCreated' }>;

const splitOf = (split: Created['data']['traffic_split']): CampaignDoc['traffic_split'] =>
  split && { revision: split.revision, variants: split.variants };

const created = (event: Created): CampaignDoc => ({
  organization: event.org,
  id: event.data.campaign_id,
  name: event.data.name,
  state: 'draft',
  workflow_id: event.data.workflow_id,
  traffic_split: splitOf(event.data.traffic_split),
  source_type: event.data.source_type,
  source_id: event.data.source_id,
  total_rows: event.data.total_rows,
  retry_config: event.data.retry_config,
  max_concurrency: event.data.max_concurrency,
  rate_limit_per_second: event.data.rate_limit_per_second,
  schedule_config: event.data.schedule_config,
  circuit_breaker: event.data.circuit_breaker,
  telephony_configuration_id: event.data.telephony_configuration_id,
  parent_campaign_id: event.data.parent_campaign_id,
  redialed_campaign_id: null,
  first_run_id: null,
  source_sync: { status: 'pending', last_synced_at: null, error: null },
  created_at: event.at,
  started_at: null,
  completed_at: null,
  logs: [logOf(event)],
  processed_rows: 0,
  failed_rows: 0,
  executed_count: 0,
  contacts_queued: 0,
  retries_scheduled: 0,
  contacts_ended: 0,
  in_flight: [],
  etag: event.position,
  revision: event.revision,
});

const changed = (event: Exclude<OwnEvent, Created>, doc: CampaignDoc): Partial<CampaignDoc> => {
  switch (event.type) {
    case 'CampaignStarted':
      return {
        state: 'running',
        started_at: event.at,
        first_run_id: event.data.first_run_id,
        source_sync: { status: 'in_progress', last_synced_at: null, error: null },
      };
    case 'ImportCompleted':
      return { source_sync: { status: 'completed', last_synced_at: event.at, error: null } };
    case 'ImportFailed':
      return { state: 'failed', source_sync: { ...doc.source_sync, status: 'failed', error: event.data.error } };
    case 'CampaignChanged': {
      const { campaign_id: _id, ...settings } = event.data;
      return settings;
    }
    case 'TrafficSplitRevised':
      return { traffic_split: splitOf(event.data.traffic_split), workflow_id: event.data.workflow_id };
    case 'CampaignPaused':
    case 'CircuitBreakerTripped':
      return { state: 'paused' };
    case 'CampaignResumed':
      return { state: 'running' };
    case 'CampaignCompleted':
      return { state: 'completed', completed_at: event.at };
    case 'CampaignFailed':
      return { state: 'failed' };
    case 'CampaignRedialed':
      return { redialed_campaign_id: event.data.redialed_campaign_id };
    default:
      return {};
  }
};

const landed = (doc: CampaignDoc, run: number): CampaignDoc =>
  doc.in_flight.includes(run) ? { ...doc, in_flight: doc.in_flight.filter((r) => r !== run) } : doc;

const counted = (doc: CampaignDoc, event: CallEvent): CampaignDoc => {
  const { run_id, retry } = event.data;
  switch (event.type) {
    case 'CallAttempted':
      return {
        ...doc,
        executed_count: doc.executed_count + 1,
        processed_rows: doc.processed_rows + (retry === 0 ? 1 : 0),
        in_flight: [...doc.in_flight, run_id],
      };
    case 'CallWithdrawn':
      // Either a claim is given back, or a turn whose claim never came is closed: then nothing was counted.
      return doc.in_flight.includes(run_id)
        ? {
            ...landed(doc, run_id),
            executed_count: doc.executed_count - 1,
            processed_rows: doc.processed_rows - (retry === 0 ? 1 : 0),
          }
        : doc;
    case 'CallEnded':
    case 'CallRefused':
      return landed(doc, run_id);
    case 'RetryScheduled':
      return { ...doc, retries_scheduled: doc.retries_scheduled + 1 };
    case 'RunCompleted': {
      const failed = ['busy', 'no_answer', 'failed', 'uncertain'].includes(event.data.outcome);
      return { ...doc, contacts_ended: doc.contacts_ended + 1, failed_rows: doc.failed_rows + (failed ? 1 : 0) };
    }
    default:
      return doc;
  }
};

export const campaigns: Projection<CampaignDoc> = {
  name: 'campaigns',
  version: 1,
  categories: ['campaign', 'contacts', 'run'],
  types: [
    'CampaignCreated',
    'CampaignStarted',
    'ImportCompleted',
    'ImportFailed',
    'CampaignChanged',
    'TrafficSplitRevised',
    'CampaignPaused',
    'CampaignResumed',
    'CircuitBreakerTripped',
    'CampaignCompleted',
    'CampaignFailed',
    'CampaignRedialed',
    'CampaignDeleted',
    'ContactsQueued',
    'CallAttempted',
    'CallWithdrawn',
    'CallRefused',
    'CallEnded',
    'RetryScheduled',
    'RunCompleted',
  ],
  opens: [],
  audit: campaignAudit,
  indexes: [{ fields: ['organization', 'created_at'] }],
  keys: (event) => {
    // A test call belongs to no campaign.
    const { campaign_id } = event.data as { campaign_id?: number | null } & JsonObject;
    return typeof campaign_id === 'number' ? [campaignKey(event.org, campaign_id)] : [];
  },
  evolve: (doc, recorded) => {
    const event = recorded as unknown as OwnEvent | CallEvent | Projected<ContactsEvent>;
    if (event.type === 'CampaignCreated') return created(event);
    // Calls may still end, and artifacts arrive, after the campaign was deleted.
    if (doc === null) return null;
    switch (event.type) {
      case 'CampaignDeleted':
        return null;
      case 'ContactsQueued':
        return { ...doc, contacts_queued: doc.contacts_queued + event.data.contacts.length };
      case 'CampaignStarted':
      case 'ImportCompleted':
      case 'ImportFailed':
      case 'CampaignChanged':
      case 'TrafficSplitRevised':
      case 'CampaignPaused':
      case 'CampaignResumed':
      case 'CircuitBreakerTripped':
      case 'CampaignCompleted':
      case 'CampaignFailed':
      case 'CampaignRedialed':
        return {
          ...doc,
          ...changed(event, doc),
          logs: appendLog(doc.logs, logOf(event)),
          etag: event.position,
          revision: event.revision,
        };
      default:
        return counted(doc, event);
    }
  },
};
