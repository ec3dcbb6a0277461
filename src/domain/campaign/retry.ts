/** Whether an attempt that ended is followed by another. */
import type { Outcome, RetryReason } from '../run/events';
import type { RetryConfig } from './events';

/** What a campaign does when `retry_config` was left out at creation. */
export const RETRY_WHEN_OMITTED: RetryConfig = {
  enabled: true,
  max_retries: 1,
  retry_delay_seconds: 120,
  retry_on_busy: true,
  retry_on_no_answer: true,
  retry_on_voicemail: false,
};

const wanted = (config: RetryConfig, reason: RetryReason): boolean =>
  reason === 'busy'
    ? config.retry_on_busy
    : reason === 'no_answer'
      ? config.retry_on_no_answer
      : config.retry_on_voicemail;

/**
 * The retry that follows an attempt with this outcome, or null. `retriesUsed`: the contact's budget used before that attempt (0 for a first
 * call). Only busy, no_answer and voicemail are ever retried; the delay is the same for every attempt. `config` null: no retries.
 */
export const decideRetry = (
  config: RetryConfig | null,
  outcome: Outcome,
  retriesUsed: number,
): { readonly delaySeconds: number; readonly reason: RetryReason } | null => {
  if (config === null || !config.enabled || retriesUsed >= config.max_retries) return null;
  if (outcome !== 'busy' && outcome !== 'no_answer' && outcome !== 'voicemail') return null;
  return wanted(config, outcome) ? { delaySeconds: config.retry_delay_seconds, reason: outcome } : null;
};
