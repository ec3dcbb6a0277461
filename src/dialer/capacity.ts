/** What the policy must know besides the fold: how this process stands right now. The shell answers; a test answers with constants. */
import type { CarrierReadiness } from '../ports/carrier';

/** What a rate leaves. */
export interface RateRoom {
  /** Claims worth making now: what the rate lets through very soon, less what is claimed and not sent. */
  readonly room: number;
  /** ms until there is more; 0 when there is room. */
  readonly waitMs: number;
}

export interface Capacity {
  /** Random id of this process. */
  readonly owner: string;
  /** Whether this process holds the organization's partition. */
  readonly owned: boolean;
  /** Readiness of the connection to a telephony configuration's carrier. */
  readonly carrier: (configuration: number) => CarrierReadiness;
  /** Of one campaign; null: of the organization. */
  readonly rate: (campaign: number | null) => RateRoom;
  /** Claims of own turns that the feed has not shown yet: run → campaign (null: a test call). They hold slots. */
  readonly held: ReadonlyMap<number, number | null>;
  /** No turn of this process is being written. */
  readonly turnFree: boolean;
  /** References of closed calls that their carrier has since said to be gone. */
  readonly gone: ReadonlySet<string>;
  /** Claims that this process can make and send in time, as it found out; at least 1. */
  readonly batch: number;
  /** An action of this kind is under way and is not asked for again. */
  readonly busy: (kind: string, id: number) => boolean;
  /** This process is claiming, placing or following the call with a live connection. */
  readonly inHand: (run: number) => boolean;
  readonly followed: (reference: string) => boolean;
  /** ms since this process first saw the call in its phase, on the monotonic clock. */
  readonly seenFor: (run: number) => number;
  /** ms since the carrier was last asked about a reference; Infinity: never. */
  readonly askedFor: (reference: string) => number;
}

/** Times of the policy, ms. */
export interface PolicyTimes {
  /** A claim not sent by then is given back; nobody sends it later. */
  readonly claimMs: number;
  /** How long a turn, or claim, of another process may stay without its next event. More than `claimMs`. */
  readonly abandonedMs: number;
  /** How long an uncertain call waits for its carrier before it is closed. */
  readonly uncertainLimitMs: number;
  /** How long after its limits a call without news is asked about, and how often. */
  readonly askMs: number;
  /** How long an own place request may stay unanswered before the call counts as uncertain. */
  readonly answerMs: number;
  /** Claims of one turn, at most. */
  readonly claimsPerTurn: number;
}

export const defaultTimes: PolicyTimes = {
  claimMs: 1000,
  abandonedMs: 1500,
  uncertainLimitMs: 60_000,
  askMs: 10_000,
  answerMs: 60_000,
  claimsPerTurn: 250,
};
