/**
 * The rules of one contact's run: one call at a time, each attempt number once, the first terminal news wins, and nothing after the end
 * but artifacts and erasure. News repeated, late or out of order yields no event.
 */
import { left, right, type Either } from 'fp-ts/Either';
import type { DecideContext, Decider } from '../../core/decider';
import { conflict, type Failure } from '../../core/failure';
import { decideRetry } from '../campaign/retry';
import type { RunCommand } from './commands';
import type { CallRef, RunEvent } from './events';
import { artifactOf, evolveRun, inFlight, initialRun, refOf, type RunState } from './state';

type Decision = Either<Failure, readonly RunEvent[]>;
type CommandOf<T extends RunCommand['type']> = Extract<RunCommand, { type: T }>;

const nothing: Decision = right([]);
const only = (...events: readonly RunEvent[]): Decision => right(events);

const attemptCall = ({ call }: CommandOf<'AttemptCall'>, state: RunState): Decision => {
  if (state.phase === 'completed') return left(conflict(`run ${call.run_id} is completed`));
  if (inFlight(state)) return left(conflict(`attempt ${state.attempt} of run ${call.run_id} is not over`));
  if (state.erased) return left(conflict(`the contact of run ${call.run_id} was erased`));
  if (call.attempt !== state.attempt + 1 || call.retry !== state.retry)
    return left(
      conflict(
        `the next attempt of run ${call.run_id} is ${state.attempt + 1} with ${state.retry} retries used, ` +
          `not ${call.attempt} with ${call.retry}`,
      ),
    );
  return only({ type: 'CallAttempted', data: call });
};

const requestCall = ({ call }: CommandOf<'RequestCall'>, state: RunState): Decision => {
  if (state.requested) return nothing;
  return state.attempt === 0 && state.phase === 'idle'
    ? only({ type: 'CallRequested', data: call })
    : left(conflict(`run ${call.run_id} is that of a contact already`));
};

const failRequest = ({ call, reason }: CommandOf<'FailRequest'>, state: RunState): Decision =>
  state.requested && state.phase === 'idle'
    ? only({ type: 'RunCompleted', data: { ...refOf(call), attempt: 0, retry: 0, outcome: 'failed', reason } })
    : nothing;

const withdrawCall = ({ call, reason }: CommandOf<'WithdrawCall'>, state: RunState): Decision => {
  const claimed = state.phase === 'claimed' && call.attempt === state.attempt;
  const neverClaimed = state.phase === 'idle' && call.attempt === state.attempt + 1;
  if (!claimed && !neverClaimed) return nothing;
  const ref = claimed && state.call !== null ? state.call : refOf(call);
  const withdrawn: RunEvent = { type: 'CallWithdrawn', data: { ...ref, reason } };
  return state.erased ? only(withdrawn, canceled(ref, state)) : only(withdrawn);
};

/** The end of a contact that is not called any more. Told of its last real attempt, or of attempt 0 when there was none. */
const canceled = (call: CallRef, state: RunState): RunEvent => ({
  type: 'RunCompleted',
  data: { ...(state.ended ?? { ...refOf(call), attempt: 0, retry: 0 }), outcome: 'canceled' },
});

const endCall = (command: CommandOf<'RecordEnded'>, call: CallRef, state: RunState, now: number): Decision => {
  const { outcome } = command;
  const ended: RunEvent = {
    type: 'CallEnded',
    data: {
      ...call,
      outcome,
      occurred_at: command.at,
      duration_seconds: command.durationSeconds,
      evidence: command.evidence,
    },
  };
  const retry = state.erased ? null : decideRetry(command.retry, outcome, call.retry);
  if (retry === null) return only(ended, { type: 'RunCompleted', data: { ...call, outcome } });
  const due_at = new Date(now + retry.delaySeconds * 1000).toISOString();
  return only(ended, { type: 'RetryScheduled', data: { ...call, due_at, reason: retry.reason } });
};

const storeArtifact = (call: CallRef, kind: string, state: RunState, stored: RunEvent): Decision => {
  if (call.attempt < 1 || call.attempt > state.attempt)
    return left(conflict(`run ${call.run_id} has no attempt ${call.attempt}`));
  if (state.erased) return left(conflict(`the personal data of run ${call.run_id} was erased`));
  return state.artifacts.includes(artifactOf(call.attempt, kind)) ? nothing : only(stored);
};

const erase = ({ call, request }: CommandOf<'ErasePersonalData'>, state: RunState): Decision => {
  if (state.erased) return nothing;
  const erased: RunEvent = {
    type: 'PersonalDataErased',
    data: { ...(state.call ?? state.ended ?? { ...refOf(call), attempt: 0, retry: 0 }), request },
  };
  return state.phase === 'idle' ? only(canceled(call, state), erased) : only(erased);
};

const decide = (command: RunCommand, state: RunState, { now }: DecideContext): Decision => {
  switch (command.type) {
    case 'RequestCall':
      return requestCall(command, state);
    case 'FailRequest':
      return failRequest(command, state);
    case 'AttemptCall':
      return attemptCall(command, state);
    case 'WithdrawCall':
      return withdrawCall(command, state);
    case 'CancelRun':
      return state.phase === 'idle' ? only(canceled(command.call, state)) : nothing;
    case 'StoreTranscript': {
      const data = { ...refOf(command.call), key: command.key };
      return storeArtifact(command.call, 'transcript', state, { type: 'TranscriptStored', data });
    }
    case 'StoreRecording': {
      const data = { ...refOf(command.call), key: command.key, track: command.track };
      return storeArtifact(command.call, command.track, state, { type: 'RecordingStored', data });
    }
    case 'ErasePersonalData':
      return erase(command, state);
    case 'RecordPlaced':
    case 'RecordRefused':
    case 'RecordUncertain':
    case 'RecordRinging':
    case 'RecordAnswered':
    case 'RecordEnded':
      return state.call === null || state.call.attempt !== command.attempt
        ? nothing
        : decideNews(command, state.call, state, now);
  }
};

type News = Extract<RunCommand, { attempt: number }>;

/** News of the attempt in flight: each only forward along claimed, uncertain, placed, ringing, answered, over. */
const decideNews = (news: News, call: CallRef, state: RunState, now: number): Decision => {
  const { phase } = state;
  const unanswered = phase === 'claimed' || phase === 'uncertain';
  switch (news.type) {
    case 'RecordPlaced':
      // Ringing may be told before the place request is answered; the carrier's id is still worth keeping then.
      return state.accepted
        ? nothing
        : only({ type: 'CallPlaced', data: { ...call, carrier_call_id: news.carrierCallId } });
    case 'RecordRefused':
      // A call that was accepted or seen alive is not refused any more: its end will be told.
      return unanswered
        ? only(
            { type: 'CallRefused', data: { ...call, code: news.code, message: news.message } },
            { type: 'RunCompleted', data: { ...call, outcome: 'failed' } },
          )
        : nothing;
    case 'RecordUncertain':
      return phase === 'claimed' ? only({ type: 'CallUncertain', data: { ...call, reason: news.reason } }) : nothing;
    case 'RecordRinging':
      return unanswered || phase === 'placed'
        ? only({ type: 'CallRinging', data: { ...call, occurred_at: news.at } })
        : nothing;
    case 'RecordAnswered':
      return phase === 'answered'
        ? nothing
        : only({ type: 'CallAnswered', data: { ...call, occurred_at: news.at, answered_by: news.answeredBy } });
    case 'RecordEnded':
      return endCall(news, call, state, now);
  }
};

export const runDecider: Decider<RunState, RunCommand, RunEvent> = {
  name: 'run',
  initial: initialRun,
  decide,
  evolve: evolveRun,
};
