/** The fold of the feed: one event after the other, deterministic, each organization on its own. */
import type { RecordedEvent, DomainEvent } from '../core/event';
import { upcast } from '../core/event-types';
import {
  categoryOf,
  organizationOf,
  PARTITIONS,
  partitionOf,
  type OrganizationId,
  type StreamCategory,
} from '../core/ids';
import { START } from '../core/position';
import type { AgentEvent } from '../domain/agent/events';
import type { CampaignEvent, ContactsEvent } from '../domain/campaign/events';
import type { DialingEvent } from '../domain/dialing/events';
import { eventCatalog } from '../domain/event-catalog';
import { NO_HASH } from '../engine/envelope';
import type { OrganizationEvent } from '../domain/organization/events';
import type { RunEvent } from '../domain/run/events';
import type { TelephonyEvent } from '../domain/telephony/events';
import { foldCampaign, foldContacts } from './campaign-fold';
import type { DialerState, OrganizationState } from './model';
import { foldAgent, foldOrganization, foldTelephony } from './resources-fold';
import { foldDialing, foldRun } from './run-fold';

/** What the dialer reads. */
export const DIALER_CATEGORIES: readonly StreamCategory[] = [
  'organization',
  'telephony',
  'agent',
  'campaign',
  'contacts',
  'run',
  'dialing',
];

/** In force until the organization's own are folded. */
const DEFAULT_LIMITS = { concurrent_calls: 100, calls_per_second: 100 };

export const newState = (): DialerState => ({
  organizations: new Map(),
  position: START,
  lastEvents: Array.from({ length: PARTITIONS }, () => START),
  restored: Array.from({ length: PARTITIONS }, () => START),
});

export const newOrganization = (id: OrganizationId): OrganizationState => ({
  id,
  limits: DEFAULT_LIMITS,
  dialingRevision: -1,
  dialingHash: NO_HASH,
  lastOwner: null,
  configurations: new Map(),
  agents: new Map(),
  campaigns: new Map(),
  requests: new Map(),
  calls: new Map(),
  references: new Map(),
  lingering: [],
});

/**
 * Folds one event; answers the organization that it touched, or null (an event that came with a snapshot, or of no organization).
 * Throws on an event that no version of this program wrote.
 */
export const fold = (state: DialerState, event: RecordedEvent): OrganizationState | null => {
  const id = organizationOf(event.stream);
  if (event.position > state.position) state.position = event.position;
  if (id === null) return null;
  const partition = partitionOf(id);
  if (event.position <= (state.restored[partition] ?? START)) return null;
  state.lastEvents[partition] = event.position;
  let org = state.organizations.get(id);
  if (org === undefined) state.organizations.set(id, (org = newOrganization(id)));
  const data = upcast(eventCatalog, event.type, event.data, event.metadata.schema);
  apply(org, event, { type: event.type, data });
  return org;
};

const apply = (org: OrganizationState, recorded: RecordedEvent, event: DomainEvent): void => {
  const at = Date.parse(recorded.metadata.at);
  switch (categoryOf(recorded.stream)) {
    case 'run':
      return foldRun(org, event as RunEvent, at);
    case 'dialing':
      return foldDialing(org, event as DialingEvent, { revision: recorded.revision, hash: recorded.metadata.hash }, at);
    case 'contacts':
      return foldContacts(org, event as ContactsEvent, recorded.metadata.hash);
    case 'campaign':
      return foldCampaign(org, event as CampaignEvent);
    case 'agent':
      return foldAgent(org, event as AgentEvent);
    case 'telephony':
      return foldTelephony(org, event as TelephonyEvent);
    case 'organization':
      return foldOrganization(org, event as OrganizationEvent);
    default:
      return;
  }
};
