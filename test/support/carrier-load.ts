/** What a carrier bore, from its own record of calls. */
import type { RecordedCall } from '../../src/demo/carrier-record';

/** A second, ms, less what a call may be under way longer than the one before it on a busy machine: the rate is kept where calls leave. */
export const SECOND = 950;

/** The most calls that arrived within any window of `ms`. */
export const densest = (calls: readonly RecordedCall[], ms: number): number => {
  let first = 0;
  let most = 0;
  calls.forEach((call, last) => {
    while (call.atMs - (calls[first]?.atMs ?? 0) >= ms) first += 1;
    most = Math.max(most, last - first + 1);
  });
  return most;
};

/** The most calls that were open at once. */
export const mostAtOnce = (calls: readonly RecordedCall[]): number => {
  const steps = calls.flatMap((c) => [
    { at: c.atMs, by: 1 },
    { at: c.endedMs ?? Infinity, by: -1 },
  ]);
  steps.sort((a, b) => a.at - b.at || a.by - b.by);
  let open = 0;
  return steps.reduce((most, step) => Math.max(most, (open += step.by)), 0);
};

/** The longest time without a new call between the first and the last one, ms. */
export const longestSilence = (calls: readonly RecordedCall[]): number =>
  calls.slice(1).reduce((longest, call, i) => Math.max(longest, call.atMs - (calls[i]?.atMs ?? call.atMs)), 0);
