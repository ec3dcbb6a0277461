/**
 * The rate of calls, as the carrier sees it. Two rules at once:
 * - a hard sliding log: never more than `rate` sends within any `windowMs` (a second and a margin for jitter on the way);
 * - smooth spacing by the generic cell rate algorithm (ITU-T I.371, virtual scheduling), with a small tolerance, so that the coarseness
 *   of timers costs no throughput.
 * All times are monotonic ms. Nothing is sent before `emptyUntil` (after a start or a takeover).
 */
export interface RateLimiter {
  /** Theoretical time of the next send. */
  next: number;
  emptyUntil: number;
  /** Times of the sends within the last window, oldest first. */
  log: number[];
  /** The log begins here; what lies before is forgotten. */
  head: number;
}

export interface RateOptions {
  /** ms in which no more than `rate` sends happen. */
  readonly windowMs: number;
  /** ms of spacing that a late timer may catch up. */
  readonly toleranceMs: number;
}

export const defaultRate: RateOptions = { windowMs: 1050, toleranceMs: 20 };

export const newLimiter = (emptyUntil: number): RateLimiter => ({ next: 0, emptyUntil, log: [], head: 0 });

/** Nothing is sent before `until`. */
export const emptyBucket = (limiter: RateLimiter, until: number): void => {
  limiter.emptyUntil = Math.max(limiter.emptyUntil, until);
};

const forget = (limiter: RateLimiter, now: number, { windowMs }: RateOptions): void => {
  while (limiter.head < limiter.log.length && now - (limiter.log[limiter.head] as number) > windowMs) limiter.head += 1;
  if (limiter.head > 1024 && limiter.head * 2 > limiter.log.length) {
    limiter.log = limiter.log.slice(limiter.head);
    limiter.head = 0;
  }
};

/** When the next send is allowed; at most `now`: at once. Infinity for a rate of 0. */
export const nextSendAt = (limiter: RateLimiter, now: number, rate: number, options: RateOptions): number => {
  if (!(rate > 0)) return Infinity;
  forget(limiter, now, options);
  // The send that must have left the window before another may enter it (just outside: the window includes both its ends).
  const blocking = limiter.log[limiter.log.length - Math.floor(Math.max(1, rate))];
  const logFree =
    blocking !== undefined && limiter.log.length - limiter.head >= rate
      ? blocking + options.windowMs + 0.001
      : -Infinity;
  return Math.max(limiter.next, limiter.emptyUntil, logFree);
};

/** Takes one send if it is allowed now. */
export const takeSend = (limiter: RateLimiter, now: number, rate: number, options: RateOptions): boolean => {
  if (nextSendAt(limiter, now, rate, options) > now) return false;
  limiter.next = Math.max(limiter.next, now - options.toleranceMs) + options.windowMs / rate;
  limiter.log.push(now);
  return true;
};

/** The rate changed: the spacing of the old one no longer binds beyond the new one's. */
export const rateChanged = (limiter: RateLimiter, now: number, rate: number, options: RateOptions): void => {
  if (rate > 0) limiter.next = Math.min(limiter.next, now + options.windowMs / rate);
};

/** About how many sends will be allowed up to `horizonMs` from now: what is worth claiming. */
export const sendsWithin = (
  limiter: RateLimiter,
  now: number,
  rate: number,
  horizonMs: number,
  options: RateOptions,
): number => {
  const first = nextSendAt(limiter, now, rate, options);
  const end = now + horizonMs;
  if (first > end) return 0;
  const spaced = 1 + Math.floor((end - Math.max(first, now - options.toleranceMs)) / (options.windowMs / rate));
  return Math.min(spaced, Math.ceil(rate));
};
