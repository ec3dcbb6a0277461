/**
 * What to do next: the only place of policy. Pure and total: the same state, time and capacity give the same actions, and carrying out none,
 * some or all of them, once or again, is safe.
 */
import type { BreakerStats } from '../domain/campaign/breaker';
import type { Capacity, PolicyTimes } from './capacity';
import { untaken } from './cursor';
import { campaignRoom, firstShut, organizationRoom } from './gates';
import { inOrder, type Waiting } from './heap';
import type { CampaignState, InFlightCall, OrganizationState, RequestedCall } from './model';
import { firstShutForRequest } from './request-gates';
import { reviewCalls, type CallAction } from './review';

/** A contact to be called: its attempt number, the retry budget used before it, and why it is a retry. */
export interface Claim {
  /** null: a test call. */
  readonly campaign: number | null;
  readonly run: number;
  readonly row: number;
  readonly attempt: number;
  readonly retry: number;
  readonly reason: Waiting['reason'];
}

export type Action =
  /** Take a turn for these calls, then claim each, then place it. */
  | { readonly type: 'claim'; readonly claims: readonly Claim[] }
  | { readonly type: 'complete'; readonly campaign: number }
  | { readonly type: 'trip'; readonly campaign: number; readonly stats: BreakerStats; readonly resumes: number }
  | { readonly type: 'import'; readonly campaign: number }
  /** End contacts of a failed campaign that will not be called any more. */
  | { readonly type: 'cancel'; readonly campaign: number; readonly contacts: readonly Claim[] }
  /** End a test call that could not be claimed in time. */
  | { readonly type: 'fail_request'; readonly request: RequestedCall; readonly reason: string }
  | CallAction
  /** Ask again at this time (epoch ms), if no event comes first. */
  | { readonly type: 'wake'; readonly at: number };

/** Contacts canceled at once. */
const CANCELED_AT_ONCE = 50;

/** Contacts of a campaign that may be called now, in order: due retries and those given back, then fresh ones. */
function* candidates(campaign: CampaignState, now: number, held: Capacity['held']): Generator<Claim> {
  for (const { due, row, attempt, retry, reason } of inOrder(campaign.waiting)) {
    if (due > now) break;
    const run = campaign.firstRun + row;
    if (!held.has(run)) yield { campaign: campaign.id, run, row, attempt: attempt + 1, retry, reason };
  }
  for (const row of untaken(campaign.cursor, campaign.queued)) {
    const run = campaign.firstRun + row;
    if (!held.has(run)) yield { campaign: campaign.id, run, row, attempt: 1, retry: 0, reason: null };
  }
}

interface Contender {
  readonly campaign: CampaignState;
  readonly contacts: Generator<Claim>;
  room: number;
  /** Calls that it has, and gets. */
  calls: number;
  served: number;
}

/** Whoever has the fewest calls goes first; among equals, whoever was served least. */
const neediest = (contenders: readonly Contender[]): Contender | undefined =>
  contenders.reduce<Contender | undefined>((best, each) => {
    if (best === undefined || each.calls < best.calls) return each;
    return each.calls === best.calls && each.served < best.served ? each : best;
  }, undefined);

/** Claims of a turn, whatever they are for. */
const roomOfTurn = (org: OrganizationState, now: number, capacity: Capacity, times: PolicyTimes): number =>
  Math.min(organizationRoom(org, now, capacity), capacity.rate(null).room, times.claimsPerTurn, capacity.batch);

/** `most`: claims at most. */
const share = (
  org: OrganizationState,
  open: readonly CampaignState[],
  now: number,
  capacity: Capacity,
  most: number,
): readonly Claim[] => {
  let contenders: Contender[] = open.map((campaign) => ({
    campaign,
    contacts: candidates(campaign, now, capacity.held),
    room: Math.min(campaignRoom({ org, campaign, now, capacity }), capacity.rate(campaign.id).room),
    calls: campaign.inFlight,
    served: campaign.served,
  }));
  let room = most;
  const claims: Claim[] = [];
  for (let next = neediest(contenders); next !== undefined && room > 0; next = neediest(contenders)) {
    const contact = next.room > 0 ? next.contacts.next() : { done: true as const, value: undefined };
    if (contact.done === true) {
      const spent = next;
      contenders = contenders.filter((each) => each !== spent);
      continue;
    }
    claims.push(contact.value);
    next.room -= 1;
    next.calls += 1;
    next.served += 1;
    room -= 1;
  }
  return claims;
};

const ofCampaign = (campaign: CampaignState, capacity: Capacity): Action | null => {
  const { id, status } = campaign;
  if (status === 'running' && campaign.tripped !== null)
    return capacity.busy('trip', id)
      ? null
      : { type: 'trip', campaign: id, stats: campaign.tripped, resumes: campaign.resumes };
  if ((status === 'running' || status === 'paused') && campaign.imported === 'waiting')
    return capacity.busy('import', id) ? null : { type: 'import', campaign: id };
  if (status === 'running' && campaign.imported === 'complete' && campaign.ended >= campaign.contacts)
    return capacity.busy('complete', id) ? null : { type: 'complete', campaign: id };
  if (status === 'failed' && !capacity.busy('cancel', id)) {
    const contacts: Claim[] = [];
    for (const contact of candidates(campaign, Infinity, capacity.held))
      if (contacts.push(contact) >= CANCELED_AT_ONCE) break;
    return contacts.length === 0 ? null : { type: 'cancel', campaign: id, contacts };
  }
  return null;
};

interface Requested {
  readonly claims: readonly Claim[];
  readonly failed: readonly Action[];
  /** When it is worth asking again. */
  readonly waits: readonly number[];
}

/** Test calls that wait: somebody sits at the phone, so they go before contacts, and are not made late. */
const requested = (org: OrganizationState, now: number, capacity: Capacity): Requested => {
  const claims: Claim[] = [];
  const failed: Action[] = [];
  const waits: number[] = [];
  for (const request of org.requests.values()) {
    const { run_id: run, attempt } = request.ref;
    if (org.calls.has(run) || capacity.held.has(run) || capacity.inHand(run)) continue;
    const gate = firstShutForRequest({ org, request, now, capacity });
    if (now >= request.until) {
      const reason = gate?.reason ?? 'nobody dialed it in time';
      if (!capacity.busy('fail_request', run)) failed.push({ type: 'fail_request', request, reason });
      continue;
    }
    if (gate === null) claims.push({ campaign: null, run, row: 0, attempt: attempt + 1, retry: 0, reason: null });
    waits.push(Math.min(gate?.until ?? request.until, request.until));
  }
  return { claims, failed, waits };
};

const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce<number | null>((first, at) => (at !== null && (first === null || at < first) ? at : first), null);

/**
 * The actions of one organization. `calls` are those to be looked over (all of them in a sweep, else none or the new ones): whoever's process
 * died, or whose carrier fell silent, is brought to an end by what `reviewCalls` says.
 */
export const nextActions = (
  org: OrganizationState,
  now: number,
  capacity: Capacity,
  times: PolicyTimes,
  calls: Iterable<InFlightCall> = org.calls.values(),
): readonly Action[] => {
  if (!capacity.owned) return [];
  const actions: Action[] = [...reviewCalls(org, calls, now, capacity, times)];
  const open: CampaignState[] = [];
  const tests = requested(org, now, capacity);
  actions.push(...tests.failed);
  const waits: (number | null)[] = [...tests.waits];
  for (const campaign of org.campaigns.values()) {
    const action = ofCampaign(campaign, capacity);
    if (action !== null) actions.push(action);
    if (campaign.status !== 'running') continue;
    const gate = firstShut({ org, campaign, now, capacity });
    if (gate === null) open.push(campaign);
    else if (gate.until !== null) waits.push(gate.until);
  }
  if ((open.length > 0 || tests.claims.length > 0) && capacity.turnFree) {
    const room = roomOfTurn(org, now, capacity, times);
    const first = tests.claims.slice(0, Math.max(0, room));
    const claims = [...first, ...share(org, open, now, capacity, room - first.length)];
    if (claims.length > 0) actions.push({ type: 'claim', claims });
  }
  const at = earliest(waits);
  if (at !== null) actions.push({ type: 'wake', at: Math.max(at, now + 1) });
  return actions;
};
