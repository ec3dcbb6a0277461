/** States and capacities for the policy's tests: a ledger in a list, folded, and a process that stands as the test says. */
import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '../../src/core/event';
import {
  agentStream,
  campaignStream,
  contactsStream,
  dialingStream,
  organizationStream,
  runStream,
  telephonyStream,
} from '../../src/core/ids';
import { positionOf } from '../../src/core/position';
import type { Capacity } from '../../src/dialer/capacity';
import type { OrganizationState } from '../../src/dialer/model';
import { fold, newState } from '../../src/dialer/state';
import type { Settings } from '../../src/domain/campaign/events';
import type { Outcome } from '../../src/domain/run/events';

export const ORG = 7;
export const CONFIG = 3;
export const AGENT = 5;
/** 2026-03-02T12:00:00Z, a Monday. */
export const NOW = Date.UTC(2026, 2, 2, 12);

export const RETRY = {
  enabled: true,
  max_retries: 1,
  retry_delay_seconds: 30,
  retry_on_busy: true,
  retry_on_no_answer: true,
  retry_on_voicemail: true,
};

const ref = (run: number, attempt: number, retry: number, campaign: number | null) => ({
  run_id: run,
  campaign_id: campaign,
  attempt,
  retry,
  variant_id: `${AGENT}:latest`,
  workflow_id: AGENT,
  definition_id: 50,
  version_number: 1,
});

export interface Ledger {
  readonly events: RecordedEvent[];
  at(ms: number): Ledger;
  add(stream: string, type: string, data: object): Ledger;
  /** Organization, configuration and agent. */
  basics(limits?: { concurrent_calls: number; calls_per_second: number }): Ledger;
  /** Created, started and imported, so many contacts from `firstRun` on. */
  campaign(id: number, firstRun: number, contacts: number, settings?: Partial<Settings>): Ledger;
  /** A test call that may be placed until then (default: a minute from now). */
  requested(run: number, until?: number, more?: object): Ledger;
  turn(campaign: number | null, owner: string, ...claims: readonly (readonly [run: number, attempt: number])[]): Ledger;
  claimed(campaign: number | null, run: number, attempt?: number, retry?: number): Ledger;
  placed(campaign: number | null, run: number, attempt?: number, retry?: number): Ledger;
  run(type: string, campaign: number | null, run: number, extra?: object, attempt?: number, retry?: number): Ledger;
  /** Ended, and over unless a retry is due. */
  ended(
    campaign: number | null,
    run: number,
    outcome: Outcome,
    retryDue?: number,
    attempt?: number,
    retry?: number,
  ): Ledger;
  fold(): OrganizationState;
}

export const referenceOf = (run: number, attempt: number): string => `${run}-${attempt}`.padStart(32, '0');

export const ledger = (): Ledger => {
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, number>();
  const firstRuns = new Map<number, number>();
  let now = NOW - 3_600_000;
  const self: Ledger = {
    events,
    at: (ms) => {
      now = ms;
      return self;
    },
    add: (stream, type, data) => {
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      events.push({
        id: randomUUID(),
        type,
        data: JSON.parse(JSON.stringify(data)),
        stream,
        revision,
        position: positionOf(events.length + 1),
        metadata: {
          org: String(ORG),
          actor: 'test',
          correlation_id: '',
          causation_id: '',
          command_id: '',
          schema: 1,
          at: new Date(now).toISOString(),
          hash: `${stream}@${revision}`,
        },
      });
      return self;
    },
    basics: (limits = { concurrent_calls: 100, calls_per_second: 100 }) =>
      self
        .add(organizationStream(ORG), 'OrganizationCreated', { organization_id: ORG, name: 'Acme', limits })
        .add(telephonyStream(ORG), 'ConfigCreated', {
          telephony_configuration_id: CONFIG,
          name: 'main',
          provider: 'ari',
          connectivity: 'api',
          is_default_outbound: true,
          credentials: { $sealed: 'AAAA', key: 'org/7/1', field: 'telephony.credentials' },
          account_fingerprint: null,
        })
        .add(agentStream(ORG, AGENT), 'AgentCreated', {
          workflow_id: AGENT,
          definition_id: 50,
          version_number: 1,
          name: 'Agent',
          workflow_uuid: randomUUID(),
          content: { workflow_definition: {}, workflow_configurations: {}, template_context_variables: {} },
        }),
    campaign: (id, firstRun, contacts, settings = {}) => {
      firstRuns.set(id, firstRun);
      return self
        .add(campaignStream(ORG, id), 'CampaignCreated', {
          campaign_id: id,
          name: `Campaign ${id}`,
          retry_config: RETRY,
          max_concurrency: null,
          rate_limit_per_second: 50,
          schedule_config: null,
          circuit_breaker: null,
          source_type: 'csv',
          source_id: 'key',
          source_sha256: '00',
          total_rows: contacts,
          workflow_id: AGENT,
          traffic_split: null,
          telephony_configuration_id: CONFIG,
          e164_only: true,
          parent_campaign_id: null,
          ...settings,
        })
        .add(campaignStream(ORG, id), 'CampaignStarted', { campaign_id: id, first_run_id: firstRun, contacts })
        .add(contactsStream(ORG, id), 'ContactsQueued', {
          campaign_id: id,
          batch: 0,
          first_run_id: firstRun,
          page: 'page',
          contacts: Array.from({ length: contacts }, () => 'AAAA'),
        })
        .add(campaignStream(ORG, id), 'ImportCompleted', { campaign_id: id, contacts, batches: 1 });
    },
    requested: (run, until = NOW + 60_000, more = {}) =>
      self.add(runStream(ORG, run), 'CallRequested', {
        ...ref(run, 0, 0, null),
        variant_id: `${AGENT}:50`,
        telephony_configuration_id: CONFIG,
        provider: 'ari',
        caller_phone_number_id: null,
        place_until: new Date(until).toISOString(),
        contact: { $sealed: 'AAAA', key: 'page/request/0', field: 'contact' },
        ...more,
      }),
    turn: (campaign, owner, ...claims) =>
      self.add(dialingStream(ORG), 'TurnTaken', {
        owner,
        claims: claims.map(([run, attempt]) => ({ campaign_id: campaign, run_id: run, attempt })),
      }),
    claimed: (campaign, run, attempt = 1, retry = 0) =>
      self.run(
        'CallAttempted',
        campaign,
        run,
        {
          reference: referenceOf(run, attempt),
          telephony_configuration_id: CONFIG,
          provider: 'ari',
          caller_phone_number_id: null,
          split_revision: 0,
          weight: 100,
          ring_seconds: 45,
          talk_seconds: 300,
          row: campaign === null ? 0 : run - (firstRuns.get(campaign) ?? 0),
          retry_reason: retry > 0 ? 'busy' : null,
          contact: { $sealed: 'AAAA', key: 'page/page/0', field: 'contact' },
        },
        attempt,
        retry,
      ),
    placed: (campaign, run, attempt = 1, retry = 0) =>
      self
        .claimed(campaign, run, attempt, retry)
        .run('CallPlaced', campaign, run, { carrier_call_id: null }, attempt, retry),
    run: (type, campaign, run, extra = {}, attempt = 1, retry = 0) =>
      self.add(runStream(ORG, run), type, { ...ref(run, attempt, retry, campaign), ...extra }),
    ended: (campaign, run, outcome, retryDue, attempt = 1, retry = 0) => {
      const over = { occurred_at: new Date(now).toISOString(), duration_seconds: null, evidence: null };
      self.run('CallEnded', campaign, run, { outcome, ...over }, attempt, retry);
      return retryDue === undefined
        ? self.run('RunCompleted', campaign, run, { outcome }, attempt, retry)
        : self.run(
            'RetryScheduled',
            campaign,
            run,
            { due_at: new Date(retryDue).toISOString(), reason: outcome },
            attempt,
            retry,
          );
    },
    fold: () => {
      const state = newState();
      for (const event of events) fold(state, event);
      return state.organizations.get(ORG) as OrganizationState;
    },
  };
  return self;
};

/** A process that may do anything, except for what the test says. */
export const capacity = (but: Partial<Capacity> = {}): Capacity => ({
  owner: 'me',
  owned: true,
  carrier: () => ({ ready: true }),
  rate: () => ({ room: 1000, waitMs: 0 }),
  held: new Map(),
  turnFree: true,
  batch: 1000,
  gone: new Set(),
  busy: () => false,
  inHand: () => false,
  followed: () => true,
  seenFor: () => 0,
  askedFor: () => Infinity,
  ...but,
});
