/** What the parts of the loop share: the fold, this process's own doings beside it, and its surroundings. */
import type { OrganizationId } from '../core/ids';
import type { Platform } from '../engine/platform';
import type { Clock } from '../ports/clock';
import type { Connections } from './connections';
import type { DialerState, OrganizationState } from './model';
import type { News } from './news';
import type { Settings } from './options';
import { organizationRates, type Rates } from './rates';

/** A contact between this process's decision to call it and the carrier's answer. */
export interface InHand {
  readonly campaign: number | null;
  /** Monotonic ms at which its turn was decided. */
  readonly startedAt: number;
  sent: boolean;
  /** Given back or answered: it counts nowhere any more, whatever the same contact's next claim does. */
  over: boolean;
}

export const newOrganizationShell = (id: OrganizationId, clock: Clock, settings: Settings): OrganizationShell => ({
  id,
  held: new Map(),
  inHand: new Map(),
  turnTaking: false,
  turnNotBefore: 0,
  batch: settings.times.claimsPerTurn,
  tail: null,
  busy: new Set(),
  placing: new Set(),
  seen: new Map(),
  asked: new Map(),
  gone: new Set(),
  rates: organizationRates(clock, settings.rate, settings.horizonMs),
  rotation: new Map(),
});

/** A contact is taken in hand, until `letGo`. */
export const takeInHand = (own: OrganizationShell, run: number, campaign: number | null, startedAt: number): InHand => {
  const hand: InHand = { campaign, startedAt, sent: false, over: false };
  own.inHand.set(run, hand);
  own.rates.waits(campaign);
  return hand;
};

export const markSent = (own: OrganizationShell, hand: InHand): void => {
  hand.sent = true;
  own.rates.waitsNoLonger(hand.campaign);
};

/** The same contact may be in hand anew by then: that is another matter. */
export const letGo = (own: OrganizationShell, run: number, hand: InHand): void => {
  if (hand.over) return;
  hand.over = true;
  if (!hand.sent) own.rates.waitsNoLonger(hand.campaign);
  if (own.inHand.get(run) === hand) own.inHand.delete(run);
};

/** A call that a connection of this process tells news of. */
export interface FollowedCall {
  readonly org: OrganizationId;
  readonly run: number;
  readonly attempt: number;
  readonly campaign: number | null;
  readonly reference: string;
  readonly provider: string;
}

/** One organization, beside its fold. */
export interface OrganizationShell {
  readonly id: OrganizationId;
  /** Claims of own turns not yet folded: run → campaign. */
  readonly held: Map<number, number | null>;
  readonly inHand: Map<number, InHand>;
  turnTaking: boolean;
  /** Earliest monotonic ms of the next turn, after one that failed. */
  turnNotBefore: number;
  /** Claims per turn: grows with every call sent in time, halved when one was not. */
  batch: number;
  /** The last own turn, while the feed is behind it. */
  tail: { readonly revision: number; readonly hash: string } | null;
  /** `<kind>/<id>` of actions under way. */
  readonly busy: Set<string>;
  /** Place requests written and not answered. */
  readonly placing: Set<Promise<unknown>>;
  readonly seen: Map<number, { readonly state: string; readonly at: number }>;
  readonly asked: Map<string, number>;
  readonly gone: Set<string>;
  readonly rates: Rates;
  /** How many calls each configuration's caller numbers were used for. */
  readonly rotation: Map<number, number>;
}

export interface Shell {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly owner: string;
  readonly state: DialerState;
  readonly connections: Connections;
  readonly news: News;
  /** By carrier reference. */
  readonly following: Map<string, FollowedCall>;
  readonly org: (id: OrganizationId) => OrganizationShell;
  readonly owns: (id: OrganizationId) => boolean;
  /** Decide anew for this organization, soon. */
  readonly poke: (id: OrganizationId) => void;
  /** No new claims. */
  readonly stopping: () => boolean;
  /** Ended: nothing is tried again. */
  readonly signal: AbortSignal;
}

/** Drops what this process remembers of calls, campaigns and configurations that are over. */
export const forgetWhatIsOver = (shell: Shell, org: OrganizationState): void => {
  const own = shell.org(org.id);
  for (const run of own.seen.keys()) if (!org.calls.has(run)) own.seen.delete(run);
  const lingering = new Set(org.lingering.map(({ reference }) => reference));
  for (const reference of own.asked.keys())
    if (!org.references.has(reference) && !lingering.has(reference)) own.asked.delete(reference);
  for (const reference of own.gone) if (!lingering.has(reference)) own.gone.delete(reference);
  own.rates.keepOnly(org.campaigns);
  for (const [id, config] of org.configurations)
    if (config.deleted && ![...org.calls.values()].some((call) => call.claim?.configuration === id))
      shell.connections.drop(org.id, id);
};
