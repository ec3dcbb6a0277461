/** What a campaign's settings ask for and will not get. */
import type { Limits } from '../organization/events';
import type { Settings } from './events';

/**
 * Texts for `warnings`, computed anew on every read: limits and numbers change without the campaign. `callerIds`: active numbers of its telephony
 * configuration.
 */
export const warnings = (
  settings: Pick<Settings, 'max_concurrency' | 'rate_limit_per_second'>,
  limits: Limits,
  callerIds: number,
): readonly string[] => {
  const { max_concurrency: concurrency, rate_limit_per_second: rate } = settings;
  const texts: string[] = [];
  if (concurrency !== null && concurrency > limits.concurrent_calls)
    texts.push(
      `max_concurrency (${concurrency}) is above the organization's limit; at most ${limits.concurrent_calls} calls are made at the same time.`,
    );
  if (rate > limits.calls_per_second)
    texts.push(
      `rate_limit_per_second (${rate}) is above the organization's limit; at most ${limits.calls_per_second} calls are started per second.`,
    );
  if (concurrency !== null && callerIds > 0 && concurrency > callerIds)
    texts.push(
      `max_concurrency (${concurrency}) is above the ${callerIds} caller ID(s) configured. Caller IDs rotate and may be reused on simultaneous calls.`,
    );
  return texts;
};
