/**
 * The gates between a contact and a call, in order. Each says whether it is open, why not, and until when if that is known. The policy asks
 * them before it claims, the shell asks the first ones again in the step that writes a place request, `explain` shows them all.
 */
import { isOpen, nextOpening } from '../domain/campaign/schedule';
import type { Capacity } from './capacity';
import { untaken } from './cursor';
import { inOrder } from './heap';
import type { CampaignState, OrganizationState } from './model';
import { variantsOf, versionFor } from './versions';

export type GateName =
  | 'ownership'
  | 'running'
  | 'schedule'
  | 'breaker'
  | 'agent'
  | 'carrier'
  | 'due'
  | 'organization_concurrency'
  | 'campaign_concurrency'
  | 'rate';

export interface Gate {
  readonly gate: GateName;
  readonly open: boolean;
  /** Why it is shut, for people; null when open. */
  readonly reason: string | null;
  /** Epoch ms at which it is worth asking again; null: an event will tell. */
  readonly until: number | null;
}

export interface GateInput {
  readonly org: OrganizationState;
  readonly campaign: CampaignState;
  readonly now: number;
  readonly capacity: Capacity;
}
type GateOf = (input: GateInput) => Gate;

export const open = (gate: GateName): Gate => ({ gate, open: true, reason: null, until: null });
export const shut = (gate: GateName, reason: string, until: number | null = null): Gate => ({
  gate,
  open: false,
  reason,
  until,
});

const ownership: GateOf = ({ capacity }) =>
  capacity.owned ? open('ownership') : shut('ownership', 'another process dials for this organization');

const running: GateOf = ({ campaign }) =>
  campaign.status === 'running' ? open('running') : shut('running', `the campaign is ${campaign.status}`);

const schedule: GateOf = ({ campaign, now }) =>
  isOpen(campaign.settings.schedule_config, now)
    ? open('schedule')
    : shut('schedule', 'outside the calling window', nextOpening(campaign.settings.schedule_config, now));

const breaker: GateOf = ({ campaign }) =>
  campaign.tripped === null ? open('breaker') : shut('breaker', 'too many calls failed; the campaign is being paused');

const agent: GateOf = ({ org, campaign }) => {
  for (const variant of variantsOf(campaign)) {
    if (versionFor(org, variant) !== null) continue;
    const known = org.agents.get(variant.workflow_id);
    return known?.archived === true
      ? shut('agent', `agent ${variant.workflow_id} is archived`)
      : shut('agent', `agent ${variant.workflow_id} has no such version to call with`);
  }
  return open('agent');
};

/** Whether a configuration's carrier takes calls. */
export const carrierOf = (org: OrganizationState, configuration: number, capacity: Capacity): Gate => {
  const config = org.configurations.get(configuration);
  if (config === undefined || config.deleted) return shut('carrier', 'the telephony configuration was deleted');
  if (config.inactive !== null) return shut('carrier', `the telephony configuration is inactive: ${config.inactive}`);
  const readiness = capacity.carrier(configuration);
  return readiness.ready ? open('carrier') : shut('carrier', readiness.reason, readiness.until);
};
const carrier: GateOf = ({ org, campaign, capacity }) => carrierOf(org, campaign.configuration, capacity);

const due: GateOf = ({ campaign, now, capacity }) => {
  let next: number | null = null;
  for (const waiting of inOrder(campaign.waiting)) {
    if (capacity.held.has(campaign.firstRun + waiting.row)) continue;
    if (waiting.due <= now) return open('due');
    next = waiting.due;
    break;
  }
  for (const row of untaken(campaign.cursor, campaign.queued))
    if (!capacity.held.has(campaign.firstRun + row)) return open('due');
  if (next !== null) return shut('due', 'the next retry is not due yet', next);
  return campaign.imported === 'waiting'
    ? shut('due', 'no further contact is imported yet')
    : shut('due', 'every contact is in a call or over');
};

/** Calls that hold a slot: in flight, claimed by turns not yet seen in the feed, closed but perhaps alive. Of a campaign, or (null) of all. */
export const slotsUsed = (
  org: OrganizationState,
  campaign: CampaignState | null,
  now: number,
  capacity: Capacity,
): number => {
  let used = campaign === null ? org.calls.size : campaign.inFlight;
  for (const [run, id] of capacity.held)
    if ((campaign === null || id === campaign.id) && !org.calls.has(run)) used += 1;
  for (const each of org.lingering)
    if (each.until > now && !capacity.gone.has(each.reference) && (campaign === null || each.campaign === campaign.id))
      used += 1;
  return used;
};

/** When the next slot of a call that could not be asked about comes free. */
const lingeringUntil = (org: OrganizationState, now: number): number | null =>
  org.lingering.reduce<number | null>(
    (first, { until }) => (until > now && (first === null || until < first) ? until : first),
    null,
  );

/** Free slots of the organization; below 0 when its limit was lowered. */
export const organizationRoom = (org: OrganizationState, now: number, capacity: Capacity): number =>
  org.limits.concurrent_calls - slotsUsed(org, null, now, capacity);

/** Free slots of the campaign's own limit; Infinity without one. */
export const campaignRoom = ({ org, campaign, now, capacity }: GateInput): number =>
  campaign.settings.max_concurrency === null
    ? Infinity
    : campaign.settings.max_concurrency - slotsUsed(org, campaign, now, capacity);

type Shared = Pick<GateInput, 'org' | 'now' | 'capacity'>;

export const organizationConcurrency = ({ org, now, capacity }: Shared): Gate =>
  organizationRoom(org, now, capacity) > 0
    ? open('organization_concurrency')
    : shut(
        'organization_concurrency',
        `the organization's ${org.limits.concurrent_calls} concurrent calls are in use`,
        lingeringUntil(org, now),
      );

const campaignConcurrency: GateOf = (input) =>
  campaignRoom(input) > 0
    ? open('campaign_concurrency')
    : shut(
        'campaign_concurrency',
        `the campaign's ${input.campaign.settings.max_concurrency ?? 0} concurrent calls are in use`,
        lingeringUntil(input.org, input.now),
      );

export const organizationRate = ({ now, capacity }: Shared): Gate => {
  const shared = capacity.rate(null);
  return shared.room > 0
    ? open('rate')
    : shut('rate', "the organization's calls per second are used up", now + shared.waitMs);
};

const rate: GateOf = (input) => {
  const own = input.capacity.rate(input.campaign.id);
  if (own.room <= 0) return shut('rate', "the campaign's calls per second are used up", input.now + own.waitMs);
  return organizationRate(input);
};

/** All gates of a campaign, in the order in which they are asked. */
export const gates: readonly GateOf[] = [
  ownership,
  running,
  schedule,
  breaker,
  agent,
  carrier,
  due,
  organizationConcurrency,
  campaignConcurrency,
  rate,
];

/** The first gate that is shut; null: a call may be claimed. */
export const firstShut = (input: GateInput): Gate | null => {
  for (const gate of gates) {
    const answer = gate(input);
    if (!answer.open) return answer;
  }
  return null;
};

const askedAgain: readonly GateOf[] = [ownership, running, schedule, breaker, agent, carrier];

/**
 * Asked in the step that writes a place request, for a claim that holds its slot already: the first gate shut since the claim was made.
 * A limit that was lowered below the slots in use keeps further calls back. The rate is asked, and its token taken, by the caller.
 */
export const shutSinceClaim = (input: GateInput): Gate | null => {
  for (const gate of askedAgain) {
    const answer = gate(input);
    if (!answer.open) return answer;
  }
  if (organizationRoom(input.org, input.now, input.capacity) < 0)
    return shut('organization_concurrency', 'the limit was lowered');
  if (campaignRoom(input) < 0) return shut('campaign_concurrency', 'the limit was lowered');
  return null;
};
