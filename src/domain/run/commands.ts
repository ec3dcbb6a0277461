import type { RetryConfig } from '../campaign/events';
import type { CallRef, Outcome, RunEvent } from './events';

type DataOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>['data'];

/**
 * What may be asked of a run. Each names its attempt, so that a command repeated, late or out of order is recognised:
 * it then yields no event (or, for a claim that lost, a conflict).
 */
export type RunCommand =
  /** Asks for one call without a campaign, on a run of its own; repeated: nothing. */
  | { readonly type: 'RequestCall'; readonly call: DataOf<'CallRequested'> }
  /** A call that was asked for and is not in flight can't be made any more: RunCompleted (failed). In flight or completed: nothing. */
  | { readonly type: 'FailRequest'; readonly call: CallRef; readonly reason: string }
  /** Claim: fits only attempt = last + 1 of a contact that is not in flight and not completed. Anything else is a conflict. */
  | { readonly type: 'AttemptCall'; readonly call: DataOf<'CallAttempted'> }
  /** Gives a claim back (claimed, nothing sent), or burns the attempt number of a turn whose claim never came (attempt = last + 1). */
  | { readonly type: 'WithdrawCall'; readonly call: CallRef; readonly reason: string }
  | { readonly type: 'RecordPlaced'; readonly attempt: number; readonly carrierCallId: string | null }
  /** The carrier refused the call: CallRefused and RunCompleted (failed). */
  | { readonly type: 'RecordRefused'; readonly attempt: number; readonly code: string; readonly message: string }
  | { readonly type: 'RecordUncertain'; readonly attempt: number; readonly reason: string }
  | { readonly type: 'RecordRinging'; readonly attempt: number; readonly at: string }
  | {
      readonly type: 'RecordAnswered';
      readonly attempt: number;
      readonly at: string;
      readonly answeredBy: 'human' | 'machine' | null;
    }
  /** First terminal news wins: CallEnded and, by the campaign's retry rules, RetryScheduled or RunCompleted. `retry` null: no retries (test call). */
  | {
      readonly type: 'RecordEnded';
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly at: string;
      readonly durationSeconds: number | null;
      readonly evidence: DataOf<'CallEnded'>['evidence'];
      readonly retry: RetryConfig | null;
    }
  /** Ends a contact that is not in flight (erased, campaign failed): RunCompleted (canceled). In flight or completed: nothing. */
  | { readonly type: 'CancelRun'; readonly call: CallRef }
  /** Once per attempt (and track); also after the end. A conflict when the contact was erased: what was stored must go. */
  | { readonly type: 'StoreTranscript'; readonly call: CallRef; readonly key: string }
  | {
      readonly type: 'StoreRecording';
      readonly call: CallRef;
      readonly key: string;
      readonly track: DataOf<'RecordingStored'>['track'];
    }
  /** A contact not in flight ends as canceled with it; one in flight is never called again. */
  | {
      readonly type: 'ErasePersonalData';
      readonly call: CallRef;
      readonly request: DataOf<'PersonalDataErased'>['request'];
    };
