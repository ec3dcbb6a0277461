import type { RetryConfig } from '../../../src/domain/campaign/events';
import type { CallRef, RunEvent } from '../../../src/domain/run/events';
import { refOf } from '../../../src/domain/run/state';

export type DataOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>['data'];

export const RUN = 31;

export const ref = (attempt = 1, retry = 0): CallRef => ({
  run_id: RUN,
  campaign_id: 5,
  attempt,
  retry,
  variant_id: '7:latest',
  workflow_id: 7,
  definition_id: 70,
  version_number: 3,
});

export const claim = (attempt = 1, retry = 0): DataOf<'CallAttempted'> => ({
  ...ref(attempt, retry),
  reference: attempt.toString(16).padStart(32, '0'),
  telephony_configuration_id: 2,
  provider: 'ari',
  caller_phone_number_id: null,
  split_revision: 0,
  weight: 100,
  ring_seconds: 30,
  talk_seconds: 300,
  row: 0,
  retry_reason: retry === 0 ? null : 'busy',
  contact: { $sealed: 'AAAA', key: 'page/p/0', field: 'contact' },
});

export const AT = '2026-03-02T12:00:00.000Z';

export const attempted = (attempt = 1, retry = 0): RunEvent => ({
  type: 'CallAttempted',
  data: claim(attempt, retry),
});
export const withdrawn = (attempt = 1, retry = 0, reason = 'shut out'): RunEvent => ({
  type: 'CallWithdrawn',
  data: { ...ref(attempt, retry), reason },
});
export const placed = (attempt = 1, retry = 0, carrier_call_id: string | null = 'c1'): RunEvent => ({
  type: 'CallPlaced',
  data: { ...ref(attempt, retry), carrier_call_id },
});
export const uncertain = (attempt = 1, retry = 0): RunEvent => ({
  type: 'CallUncertain',
  data: { ...ref(attempt, retry), reason: 'timeout' },
});
export const ringing = (attempt = 1, retry = 0): RunEvent => ({
  type: 'CallRinging',
  data: { ...ref(attempt, retry), occurred_at: AT },
});
export const answered = (attempt = 1, retry = 0): RunEvent => ({
  type: 'CallAnswered',
  data: { ...ref(attempt, retry), occurred_at: AT, answered_by: null },
});
export const ended = (outcome: DataOf<'CallEnded'>['outcome'], attempt = 1, retry = 0): RunEvent => ({
  type: 'CallEnded',
  data: { ...ref(attempt, retry), outcome, occurred_at: AT, duration_seconds: null, evidence: null },
});
export const retryScheduled = (
  due_at: string,
  reason: DataOf<'RetryScheduled'>['reason'],
  attempt = 1,
  retry = 0,
): RunEvent => ({
  type: 'RetryScheduled',
  data: { ...ref(attempt, retry), due_at, reason },
});
export const completed = (outcome: DataOf<'RunCompleted'>['outcome'], attempt = 1, retry = 0): RunEvent => ({
  type: 'RunCompleted',
  data: { ...ref(attempt, retry), outcome },
});

export const RETRY: RetryConfig = {
  enabled: true,
  max_retries: 2,
  retry_delay_seconds: 120,
  retry_on_busy: true,
  retry_on_no_answer: true,
  retry_on_voicemail: true,
};

export const recordEnded = (
  outcome: DataOf<'CallEnded'>['outcome'],
  attempt = 1,
  retry: RetryConfig | null = RETRY,
): { type: 'RecordEnded' } & {
  readonly attempt: number;
  readonly outcome: DataOf<'CallEnded'>['outcome'];
  readonly at: string;
  readonly durationSeconds: null;
  readonly evidence: null;
  readonly retry: RetryConfig | null;
} => ({ type: 'RecordEnded', attempt, outcome, at: AT, durationSeconds: null, evidence: null, retry });

export { refOf };
