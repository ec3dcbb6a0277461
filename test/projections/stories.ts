/** Events that several suites begin with. */
import type { Sealed } from '../../src/core/event-types';
import { agentStream, campaignStream, contactsStream, runStream } from '../../src/core/ids';
import type { AgentEvent } from '../../src/domain/agent/events';
import type {
  CampaignEvent,
  ContactData,
  ContactsEvent,
  Settings,
  TrafficSplit,
} from '../../src/domain/campaign/events';
import type { CallRef, Outcome, RunEvent } from '../../src/domain/run/events';
import { happened, type Given } from './given-events';

export const ORG = 7;
export const CAMPAIGN = 40;

export const settings: Settings = {
  name: 'Spring',
  retry_config: {
    enabled: true,
    max_retries: 2,
    retry_delay_seconds: 60,
    retry_on_busy: true,
    retry_on_no_answer: true,
    retry_on_voicemail: false,
  },
  max_concurrency: null,
  rate_limit_per_second: 5,
  schedule_config: null,
  circuit_breaker: null,
};

export const split: TrafficSplit = {
  seed: '00112233445566778899aabbccddeeff',
  revision: 1,
  variants: [
    { id: '3:31', workflow_id: 3, workflow_definition_id: 31, weight: 60 },
    { id: '4:latest', workflow_id: 4, workflow_definition_id: null, weight: 40 },
  ],
};

type CampaignCreated = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

export const onCampaign = (event: CampaignEvent, actor?: string): Given =>
  happened(campaignStream(ORG, CAMPAIGN), event, actor);

export const campaignCreated = (changes: Partial<CampaignCreated> = {}): Given =>
  onCampaign({
    type: 'CampaignCreated',
    data: {
      campaign_id: CAMPAIGN,
      ...settings,
      source_type: 'csv',
      source_id: `campaigns/${ORG}/spring.csv`,
      source_sha256: 'a'.repeat(64),
      total_rows: 3,
      workflow_id: 3,
      traffic_split: split,
      telephony_configuration_id: 11,
      e164_only: true,
      parent_campaign_id: null,
      ...changes,
    },
  });

export const campaignStarted: Given = onCampaign({
  type: 'CampaignStarted',
  data: { campaign_id: CAMPAIGN, first_run_id: 100, contacts: 3 },
});

export const contactsQueued = (batch: number, contacts: number): Given =>
  happened(contactsStream(ORG, CAMPAIGN), {
    type: 'ContactsQueued',
    data: {
      campaign_id: CAMPAIGN,
      batch,
      first_run_id: 100 + batch,
      page: 'page',
      contacts: Array.from({ length: contacts }, () => 'c2VhbGVk'),
    },
  } satisfies ContactsEvent);

export const call = (run: number, changes: Partial<CallRef> = {}): CallRef => ({
  run_id: run,
  campaign_id: CAMPAIGN,
  attempt: 1,
  retry: 0,
  variant_id: '3:31',
  workflow_id: 3,
  definition_id: 31,
  version_number: 2,
  ...changes,
});

export const onRun = (run: number, event: RunEvent, actor = 'dialer'): Given =>
  happened(runStream(ORG, run), event, actor);

export const contact: ContactData = {
  phone_number: '+14155550100',
  variables: { first_name: 'Ada', provider: 'from the list' },
};

/** As the runner hands it over: the contact's seal is open. */
export const attempted = (
  ref: CallRef,
  changes: Partial<Extract<RunEvent, { type: 'CallAttempted' }>['data']> = {},
  opened: ContactData | null = contact,
): Given =>
  onRun(ref.run_id, {
    type: 'CallAttempted',
    data: {
      ...ref,
      reference: String(ref.attempt).repeat(32),
      telephony_configuration_id: 11,
      provider: 'twilio',
      caller_phone_number_id: 51,
      split_revision: 1,
      weight: 60,
      ring_seconds: 30,
      talk_seconds: 300,
      row: ref.run_id - 100,
      retry_reason: null,
      contact: opened as unknown as Sealed,
      ...changes,
    },
  });

export const ended = (ref: CallRef, outcome: Outcome, duration: number | null = null): Given =>
  onRun(
    ref.run_id,
    {
      type: 'CallEnded',
      data: {
        ...ref,
        outcome,
        occurred_at: '2026-03-02T12:30:00.000Z',
        duration_seconds: duration,
        evidence: { cause: 16, cause_txt: 'Normal Clearing' },
      },
    },
    'carrier:twilio',
  );

export const completed = (ref: CallRef, outcome: Outcome): Given =>
  onRun(ref.run_id, { type: 'RunCompleted', data: { ...ref, outcome } });

export const agentCreated = (id: number, name: string, definition: number): Given =>
  happened(agentStream(ORG, id), {
    type: 'AgentCreated',
    data: {
      workflow_id: id,
      definition_id: definition,
      version_number: 1,
      name,
      workflow_uuid: `uuid-${id}`,
      content: {
        workflow_definition: { nodes: [], edges: [] },
        workflow_configurations: {},
        template_context_variables: {},
      },
    },
  } satisfies AgentEvent);
