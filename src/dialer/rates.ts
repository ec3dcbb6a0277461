/** The rates of one organization: its own and its campaigns', with what is claimed and not sent yet. */
import type { Clock } from '../ports/clock';
import type { RateRoom } from './capacity';
import {
  emptyBucket,
  newLimiter,
  nextSendAt,
  rateChanged,
  sendsWithin,
  takeSend,
  type RateLimiter,
  type RateOptions,
} from './rate';

/**
 * Claims of a campaign that may wait to be sent, at most, however high its rate: a ledger slower than the rate would still be writing them when the
 * first are too old to be sent, and all that work would be withdrawn again.
 */
const MOST_UNSENT = 128;

interface Metered {
  readonly limiter: RateLimiter;
  rate: number;
  /** Claimed and not sent. */
  unsent: number;
}

export interface Rates {
  /** Sets the rate in force; a change acts at once, and is answered with true. `campaign` null: the organization's. */
  setRate(campaign: number | null, rate: number): boolean;
  room(campaign: number | null): RateRoom;
  /** A claim of the campaign (null: a test call, here and below) waits to be sent, or no longer does. */
  waits(campaign: number | null): void;
  waitsNoLonger(campaign: number | null): void;
  /** When a call of the campaign may be sent, monotonic ms; `ahead` sends of it were handed to the carrier and not written yet. */
  nextAt(campaign: number | null, ahead: number): number;
  /** Takes a send of the campaign and of the organization; false: not now. */
  take(campaign: number | null): boolean;
  /** Nothing is sent for so long from now. */
  empty(ms: number): void;
  /** Forgets campaigns that are not among these and have nothing waiting. */
  keepOnly(campaigns: ReadonlyMap<number, unknown>): void;
}

export const organizationRates = (clock: Clock, options: RateOptions, horizonMs: number): Rates => {
  let emptyUntil = clock.monotonic() + options.windowMs;
  const metered = new Map<number | null, Metered>();
  const of = (campaign: number | null): Metered => {
    let found = metered.get(campaign);
    if (found === undefined) metered.set(campaign, (found = { limiter: newLimiter(emptyUntil), rate: 0, unsent: 0 }));
    return found;
  };
  /** What a call must find room in: its campaign's rate and the organization's. */
  const both = (campaign: number | null): readonly Metered[] =>
    campaign === null ? [of(null)] : [of(campaign), of(null)];
  const room = (campaign: number | null): RateRoom => {
    const { limiter, rate, unsent } = of(campaign);
    const now = clock.monotonic();
    const sends = Math.min(MOST_UNSENT, sendsWithin(limiter, now, rate, horizonMs, options));
    // A new turn is worth its append when half of what may be sent is not claimed yet.
    if (sends > unsent * 2) return { room: sends - unsent, waitMs: 0 };
    const wait = unsent > 0 ? horizonMs / 2 : nextSendAt(limiter, now, rate, options) - now - horizonMs;
    return { room: 0, waitMs: Math.max(1, Math.min(wait, 60_000)) };
  };
  return {
    setRate: (campaign, rate) => {
      const known = of(campaign);
      if (known.rate === rate) return false;
      rateChanged(known.limiter, clock.monotonic(), rate, options);
      known.rate = rate;
      return true;
    },
    room,
    waits: (campaign) => {
      for (const each of both(campaign)) each.unsent += 1;
    },
    waitsNoLonger: (campaign) => {
      for (const each of both(campaign)) each.unsent -= 1;
    },
    nextAt: (campaign, ahead) => {
      const now = clock.monotonic();
      return both(campaign).reduce((at, { limiter, rate }) => {
        const next = nextSendAt(limiter, now, rate, options);
        const free = ahead === 0 || sendsWithin(limiter, now, rate, 0, options) > ahead;
        return Math.max(at, free ? next : Math.max(next, now + 1));
      }, 0);
    },
    take: (campaign) => {
      const now = clock.monotonic();
      const all = both(campaign);
      if (all.some(({ limiter, rate }) => nextSendAt(limiter, now, rate, options) > now)) return false;
      return all.every(({ limiter, rate }) => takeSend(limiter, now, rate, options));
    },
    empty: (ms) => {
      emptyUntil = Math.max(emptyUntil, clock.monotonic() + ms);
      for (const { limiter } of metered.values()) emptyBucket(limiter, emptyUntil);
    },
    keepOnly: (campaigns) => {
      for (const [id, { unsent }] of metered) if (id !== null && unsent === 0 && !campaigns.has(id)) metered.delete(id);
    },
  };
};
