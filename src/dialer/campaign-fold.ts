/** A campaign's own events, and its contacts as they are queued. */
import type { CampaignEvent, ContactsEvent, Settings } from '../domain/campaign/events';
import { emptyWindow } from '../domain/campaign/breaker';
import { NO_HASH } from '../engine/envelope';
import { newCursor, untaken } from './cursor';
import { emptyHeap } from './heap';
import type { CampaignState, OrganizationState } from './model';

type Created = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

const settingsOf = (data: Settings): Settings => ({
  name: data.name,
  retry_config: data.retry_config,
  max_concurrency: data.max_concurrency,
  rate_limit_per_second: data.rate_limit_per_second,
  schedule_config: data.schedule_config,
  circuit_breaker: data.circuit_breaker,
});

const created = (data: Created): CampaignState => ({
  id: data.campaign_id,
  status: 'draft',
  settings: settingsOf(data),
  split: data.traffic_split,
  workflow: data.workflow_id,
  configuration: data.telephony_configuration_id,
  sourceKey: data.redial?.list_key ?? data.source_id,
  sourceSha256: data.redial?.list_sha256 ?? data.source_sha256,
  e164Only: data.e164_only,
  redialOf: data.redial === undefined ? null : data.parent_campaign_id,
  firstRun: 0,
  contacts: data.total_rows,
  imported: 'waiting',
  batches: [],
  contactsHash: NO_HASH,
  queued: 0,
  cursor: newCursor(),
  waiting: emptyHeap(),
  inFlight: 0,
  served: 0,
  ended: 0,
  breaker: emptyWindow,
  tripped: null,
  resumes: 0,
});

/** Contacts that were queued and have not been called for the last time, nor are being called now. */
export const unfinished = (campaign: CampaignState): boolean =>
  campaign.waiting.size > 0 || !untaken(campaign.cursor, campaign.queued).next().done;

/** What nobody will ask for again leaves the memory. */
export const dropIfOver = (org: OrganizationState, campaign: CampaignState): void => {
  const over =
    campaign.status === 'completed' ||
    (campaign.status === 'failed' && !unfinished(campaign) && campaign.ended >= campaign.queued);
  if (over && campaign.inFlight === 0) org.campaigns.delete(campaign.id);
};

const resetBreaker = (campaign: CampaignState): void => {
  campaign.breaker = emptyWindow;
  campaign.tripped = null;
};

export const foldCampaign = (org: OrganizationState, event: CampaignEvent): void => {
  if (event.type === 'CampaignCreated') {
    org.campaigns.set(event.data.campaign_id, created(event.data));
    return;
  }
  const campaign = org.campaigns.get(event.data.campaign_id);
  if (campaign === undefined) return;
  switch (event.type) {
    case 'CampaignStarted':
      campaign.status = 'running';
      campaign.firstRun = event.data.first_run_id;
      campaign.contacts = event.data.contacts;
      return;
    case 'ImportCompleted':
      campaign.imported = 'complete';
      campaign.contacts = event.data.contacts;
      return;
    case 'ImportFailed':
      campaign.imported = 'failed';
      campaign.status = 'failed';
      return dropIfOver(org, campaign);
    case 'CampaignChanged': {
      campaign.settings = settingsOf({ ...campaign.settings, ...event.data });
      if (campaign.settings.circuit_breaker?.enabled !== true) resetBreaker(campaign);
      return;
    }
    case 'TrafficSplitRevised':
      campaign.split = event.data.traffic_split;
      campaign.workflow = event.data.workflow_id;
      return;
    case 'CampaignPaused':
    case 'CircuitBreakerTripped':
      campaign.status = 'paused';
      return;
    case 'CampaignResumed':
      campaign.status = 'running';
      campaign.resumes += 1;
      return resetBreaker(campaign);
    case 'CampaignCompleted':
      campaign.status = 'completed';
      return dropIfOver(org, campaign);
    case 'CampaignFailed':
      campaign.status = 'failed';
      return dropIfOver(org, campaign);
    case 'CampaignDeleted':
      // Contacts of a failed one are still canceled, each with an end of its own.
      if (campaign.status === 'failed') return dropIfOver(org, campaign);
      org.campaigns.delete(campaign.id);
      return;
    case 'CampaignRedialed':
      return;
  }
};

export const foldContacts = (org: OrganizationState, event: ContactsEvent, hash: string): void => {
  const campaign = org.campaigns.get(event.data.campaign_id);
  if (campaign === undefined) return;
  campaign.contactsHash = hash;
  campaign.batches.push(campaign.queued);
  campaign.queued += event.data.contacts.length;
};
