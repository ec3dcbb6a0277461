/**
 * The circuit breaker's window: outcomes of the last `window_seconds`, of which too many failures pause the campaign.
 *
 * An outcome leaves the window at `time <= now - window`. Outcomes are kept as counts per distinct time, exact to the millisecond as long as
 * there are at most 1,024 distinct times in the window. Beyond that, times are rounded up to a step that doubles as needed: an outcome then
 * counts for longer by less than that step, which is under 1/256 of the window. So a window takes a few kilobytes, at 1,000 calls/s
 * over 600 s too, and a snapshot of it is plain JSON.
 */
import type { BreakerConfig, CampaignEvent } from './events';

export type BreakerStats = Omit<Extract<CampaignEvent, { type: 'CircuitBreakerTripped' }>['data'], 'campaign_id'>;

/** What is counted of one time (epoch ms). */
type Count = readonly [time: number, failures: number, successes: number];

export interface BreakerWindow {
  /** Milliseconds to which times are rounded up. */
  readonly step: number;
  /** Ascending by time, distinct. */
  readonly counts: readonly Count[];
  /** The last failures, newest first, at most 20. */
  readonly recent: BreakerStats['recent_failures'];
}

const MAX_COUNTS = 1024;
const MAX_RECENT = 20;

/** A window without outcomes: at the start, and after a resume. */
export const emptyWindow: BreakerWindow = { step: 1, counts: [], recent: [] };

/** Adds to `counts`, which is the caller's own copy. */
const add = (counts: Count[], time: number, failures: number, successes: number): void => {
  let at = counts.length;
  while (at > 0 && (counts[at - 1] as Count)[0] > time) at--;
  const before = counts[at - 1];
  if (before?.[0] === time) counts[at - 1] = [time, before[1] + failures, before[2] + successes];
  else if (at === counts.length) counts.push([time, failures, successes]);
  else counts.splice(at, 0, [time, failures, successes]);
};

const roundUp = (time: number, step: number): number => Math.ceil(time / step) * step;

const coarsen = (counts: readonly Count[], step: number): Count[] => {
  const out: Count[] = [];
  for (const [time, failures, successes] of counts) {
    const rounded = roundUp(time, step);
    const last = out.at(-1);
    if (last?.[0] === rounded) out[out.length - 1] = [rounded, last[1] + failures, last[2] + successes];
    else out.push([rounded, failures, successes]);
  }
  return out;
};

/**
 * The window after an outcome at `at` (epoch ms). `reason` says why it failed, for the trip's report; null is a success. A disabled
 * breaker, or none (null), records nothing.
 */
export const record = (
  window: BreakerWindow,
  outcome: { readonly runId: number; readonly reason: string | null },
  at: number,
  config: BreakerConfig | null,
): BreakerWindow => {
  if (config === null || !config.enabled) return window;
  const failed = outcome.reason !== null;
  const cutoff = at - config.window_seconds * 1000;
  let kept = 0;
  while (kept < window.counts.length && (window.counts[kept] as Count)[0] <= cutoff) kept++;
  let counts = window.counts.slice(kept);
  let step = counts.length === 0 ? 1 : window.step;
  add(counts, roundUp(at, step), failed ? 1 : 0, failed ? 0 : 1);
  while (counts.length > MAX_COUNTS) {
    step *= 2;
    counts = coarsen(counts, step);
  }
  const failure = { workflow_run_id: outcome.runId, reason: outcome.reason ?? '', ts: new Date(at).toISOString() };
  return { step, counts, recent: failed ? [failure, ...window.recent].slice(0, MAX_RECENT) : window.recent };
};

/**
 * What the window holds at `now` when that is enough to trip: at least `min_calls_in_window` outcomes, and a share of failures of at least
 * `failure_threshold`. Else null.
 */
export const isTripped = (window: BreakerWindow, now: number, config: BreakerConfig | null): BreakerStats | null => {
  if (config === null || !config.enabled) return null;
  const cutoff = now - config.window_seconds * 1000;
  let failures = 0;
  let successes = 0;
  for (let i = window.counts.length - 1; i >= 0; i--) {
    const [time, f, s] = window.counts[i] as Count;
    if (time <= cutoff) break;
    failures += f;
    successes += s;
  }
  const total = failures + successes;
  if (total < config.min_calls_in_window || failures / total < config.failure_threshold) return null;
  return {
    failure_rate: failures / total,
    failure_count: failures,
    success_count: successes,
    threshold: config.failure_threshold,
    window_seconds: config.window_seconds,
    recent_failures: window.recent.filter(({ ts }) => Date.parse(ts) > cutoff),
  };
};
