/** What the rules of a run need to remember: small, since thousands of runs are kept folded in memory. */
import type { CallRef, Outcome, RunEvent } from './events';

/**
 * `idle`: not in flight (never called, withdrawn, or waiting for a retry). `uncertain`: the request may have left.
 * `placed`, `ringing`, `answered`: the carrier has the call. `completed`: the contact's terminal event is written.
 */
export type Phase = 'idle' | 'claimed' | 'uncertain' | 'placed' | 'ringing' | 'answered' | 'completed';

export interface RunState {
  readonly phase: Phase;
  /** It is one call that was asked for, and belongs to no campaign. */
  readonly requested: boolean;
  /** Highest attempt number used, withdrawn ones included; 0: none. */
  readonly attempt: number;
  /** Retry budget used up before the next attempt, which must name the same in its `retry`. */
  readonly retry: number;
  /** The attempt in flight. */
  readonly call: CallRef | null;
  /** The last attempt that was over without being withdrawn. */
  readonly ended: CallRef | null;
  /** Whether the carrier's acceptance of the attempt in flight is written. */
  readonly accepted: boolean;
  /** Personal data is gone: no further call, nothing stored any more. */
  readonly erased: boolean;
  /** What the contact ended with. */
  readonly outcome: Outcome | null;
  /** Artifacts written: `<attempt>/<kind>`. */
  readonly artifacts: readonly string[];
}

export const initialRun: RunState = {
  phase: 'idle',
  requested: false,
  attempt: 0,
  retry: 0,
  call: null,
  ended: null,
  accepted: false,
  erased: false,
  outcome: null,
  artifacts: [],
};

/** Whether the carrier has, or may have, a call of this run. */
export const inFlight = (state: RunState): boolean => state.phase !== 'idle' && state.phase !== 'completed';

/** The reference alone, of data that extends one. */
export const refOf = (call: CallRef): CallRef => ({
  run_id: call.run_id,
  campaign_id: call.campaign_id,
  attempt: call.attempt,
  retry: call.retry,
  variant_id: call.variant_id,
  workflow_id: call.workflow_id,
  definition_id: call.definition_id,
  version_number: call.version_number,
});

export const artifactOf = (attempt: number, kind: string): string => `${attempt}/${kind}`;

const over = (state: RunState): RunState => ({
  ...state,
  phase: 'idle',
  call: null,
  ended: state.call,
  accepted: false,
});

export const evolveRun = (state: RunState, event: RunEvent): RunState => {
  switch (event.type) {
    case 'CallRequested':
      return { ...state, requested: true };
    case 'CallAttempted':
      return { ...state, phase: 'claimed', attempt: event.data.attempt, call: refOf(event.data), accepted: false };
    case 'CallWithdrawn':
      return { ...state, phase: 'idle', attempt: event.data.attempt, call: null, accepted: false };
    case 'CallUncertain':
      return { ...state, phase: 'uncertain' };
    case 'CallPlaced':
      return {
        ...state,
        accepted: true,
        phase: state.phase === 'claimed' || state.phase === 'uncertain' ? 'placed' : state.phase,
      };
    case 'CallRinging':
      return { ...state, phase: 'ringing' };
    case 'CallAnswered':
      return { ...state, phase: 'answered' };
    case 'CallEnded':
    case 'CallRefused':
      return over(state);
    case 'RetryScheduled':
      return { ...state, retry: event.data.retry + 1 };
    case 'RunCompleted':
      return { ...state, phase: 'completed', call: null, outcome: event.data.outcome };
    case 'TranscriptStored':
      return { ...state, artifacts: [...state.artifacts, artifactOf(event.data.attempt, 'transcript')] };
    case 'RecordingStored':
      return { ...state, artifacts: [...state.artifacts, artifactOf(event.data.attempt, event.data.track)] };
    case 'PersonalDataErased':
      return { ...state, erased: true };
  }
};
