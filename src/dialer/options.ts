/** What createDialer takes, with the defaults. */
import type { Carrier } from '../ports/carrier';
import type { Feed } from '../ports/feed';
import type { Leases } from '../ports/leases';
import { defaultTimes, type PolicyTimes } from './capacity';
import { defaultRate, type RateOptions } from './rate';

export interface DialerOptions {
  readonly feed: Feed;
  readonly leases: Leases;
  /** By `provider`. */
  readonly carriers: ReadonlyMap<string, Carrier>;
  /** Random id of this start (default: a new one). Never one that was used before. */
  readonly owner?: string;
  /** How long a call may ring, seconds (default 45). */
  readonly ringSeconds?: number;
  readonly uncertainLimitMs?: number;
  readonly times?: Partial<PolicyTimes>;
  readonly rate?: Partial<RateOptions>;
  /** Between looks at calls that nobody seems to look after, ms (default 500). */
  readonly sweepMs?: number;
  /** Claims are made for about what the rate lets through in this time, ms (default 250). */
  readonly horizonMs?: number;
  /** Between snapshots, ms (default 10,000); they are skipped when little happened. */
  readonly snapshotMs?: number;
  /** Events folded that make a snapshot worth writing (default 2,000). */
  readonly snapshotEvents?: number;
  /** How long `stop` waits for what is under way, ms (default 5,000). */
  readonly stopMs?: number;
  /** Events per batch of the feed (default 200: a batch of contacts is half a megabyte). */
  readonly feedLimit?: number;
}

export interface Settings {
  readonly ringSeconds: number;
  readonly times: PolicyTimes;
  readonly rate: RateOptions;
  readonly sweepMs: number;
  readonly horizonMs: number;
  readonly snapshotMs: number;
  readonly snapshotEvents: number;
  readonly stopMs: number;
  readonly feedLimit: number;
}

export const settingsOf = (o: DialerOptions): Settings => ({
  ringSeconds: o.ringSeconds ?? 45,
  times: {
    ...defaultTimes,
    ...(o.uncertainLimitMs === undefined ? {} : { uncertainLimitMs: o.uncertainLimitMs }),
    ...o.times,
  },
  rate: { ...defaultRate, ...o.rate },
  sweepMs: o.sweepMs ?? 500,
  horizonMs: o.horizonMs ?? 250,
  snapshotMs: o.snapshotMs ?? 10_000,
  snapshotEvents: o.snapshotEvents ?? 2000,
  stopMs: o.stopMs ?? 5000,
  feedLimit: o.feedLimit ?? 200,
});
