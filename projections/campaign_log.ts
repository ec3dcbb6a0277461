/** The log inside a campaign: every change of state or settings, who made it and why. */
import type { JsonObject } from '../src/core/event';
import type { CampaignEvent } from '../src/domain/campaign/events';
import type { Projected } from '../src/engine/projection';

export interface LogEntry {
  readonly ts: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly event: string;
  readonly message: string;
  readonly details: JsonObject;
}

/** Entries kept; the oldest go first, so that a document stays small however often a campaign is paused. */
const KEPT = 500;

export const appendLog = (logs: readonly LogEntry[], entry: LogEntry): readonly LogEntry[] => [
  ...logs.slice(logs.length >= KEPT ? logs.length - KEPT + 1 : 0),
  entry,
];

type Told = readonly [level: LogEntry['level'], event: string, message: string, details?: JsonObject];

const percent = (ratio: number): string => `${Math.round(ratio * 1000) / 10} %`;

const skipped = (erased: number): string =>
  erased === 0 ? '' : `; ${erased} erased ${erased === 1 ? 'contact is' : 'contacts are'} skipped`;

const tell = (event: Projected<CampaignEvent>): Told => {
  switch (event.type) {
    case 'CampaignCreated':
      return [
        'info',
        'campaign_created',
        event.data.parent_campaign_id === null
          ? `Created with ${event.data.total_rows} contacts`
          : `Created as a redial of campaign ${event.data.parent_campaign_id}${skipped(event.data.redial?.erased ?? 0)}`,
        {
          total_rows: event.data.total_rows,
          state: 'draft',
          ...(event.data.redial === undefined ? {} : { skipped_erased: event.data.redial.erased }),
        },
      ];
    case 'CampaignStarted':
      return ['info', 'campaign_started', 'Started', { contacts: event.data.contacts, state: 'running' }];
    case 'ImportCompleted':
      return [
        'info',
        'source_sync_completed',
        `All ${event.data.contacts} contacts are queued`,
        { contacts: event.data.contacts },
      ];
    case 'ImportFailed':
      return [
        'error',
        'source_sync_failed',
        `The contact list could not be imported: ${event.data.error}`,
        { error: event.data.error, state: 'failed' },
      ];
    case 'CampaignChanged': {
      const { campaign_id: _id, ...settings } = event.data;
      const fields = Object.keys(settings);
      return ['info', 'campaign_changed', `Changed: ${fields.join(', ')}`, { fields, ...(settings as JsonObject) }];
    }
    case 'TrafficSplitRevised': {
      const { revision, variants } = event.data.traffic_split;
      return [
        'info',
        'traffic_split_revised',
        `Traffic split revision ${revision}: ${variants.map((v) => `${v.id} ${v.weight} %`).join(', ')}`,
        { revision, variants },
      ];
    }
    case 'CampaignPaused':
      return ['info', 'campaign_paused', 'Paused', { state: 'paused' }];
    case 'CampaignResumed':
      return ['info', 'campaign_resumed', 'Resumed', { state: 'running' }];
    case 'CircuitBreakerTripped': {
      const { campaign_id: _id, ...details } = event.data;
      return [
        'warning',
        'circuit_breaker_tripped',
        `Paused by the circuit breaker: ${percent(details.failure_rate)} of the calls of the last ` +
          `${details.window_seconds} s failed (threshold ${percent(details.threshold)})`,
        { ...details, state: 'paused' },
      ];
    }
    case 'CampaignCompleted':
      return ['info', 'campaign_completed', 'Every contact has ended', { state: 'completed' }];
    case 'CampaignFailed':
      return ['error', 'campaign_failed', event.data.error, { error: event.data.error, state: 'failed' }];
    case 'CampaignRedialed':
      return [
        'info',
        'campaign_redialed',
        `Redialed as campaign ${event.data.redialed_campaign_id}`,
        { redialed_campaign_id: event.data.redialed_campaign_id },
      ];
    case 'CampaignDeleted':
      return ['info', 'campaign_deleted', 'Deleted'];
  }
};

/** The entry for an event. `details` names the actor, and the state where it changed. */
export const logOf = (event: Projected<CampaignEvent>): LogEntry => {
  const [level, name, message, details] = tell(event);
  return { ts: event.at, level, event: name, message, details: { ...details, actor: event.actor } };
};
