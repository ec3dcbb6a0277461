/**
 * What became of a call, by the evidence of its events. Measured on Asterisk 22 (chan_pjsip) and 16: `ChannelDestroyed` alone decides for a
 * SIP channel, by its last state, Q.850 cause and SIP code; the Dial status decides only where the cause is 0 (Local channels), and
 * NOANSWER is never evidence, since a declined, unknown or cancelled call reads NOANSWER too. Pure.
 */
import type { CallEvidence, CallOutcome } from '../../ports/carrier';
import type { CallState, HangupCause } from './call-state';

/** What we know of a call besides its events. */
export interface CallContext {
  /** We asked to end it; recorded before the request left. */
  readonly hangUpAsked: boolean;
  /** The ring timeout has passed since it was placed. */
  readonly ringElapsed: boolean;
  /** The events socket has been open ever since it was placed. */
  readonly unbroken: boolean;
}

export interface Verdict {
  readonly outcome: CallOutcome;
  /** Why, in one word or two: number, configuration, transient, declined, ... */
  readonly detail: string;
}

const verdict = (outcome: CallOutcome, detail: string): Verdict => ({ outcome, detail });

const transient = verdict('failed', 'transient');
const configuration = verdict('failed', 'configuration');
const wrongNumber = verdict('failed', 'number');
const shutDown = verdict('failed', 'transient: the carrier was shut down');
const declined = verdict('failed', 'declined');
const noAnswer = verdict('no_answer', 'not answered');
const canceled = verdict('canceled', 'hung up before the answer');

/** Q.850 cause 19, "user alerting, no answer", is also what a trunk that never said a word ends with. */
const byCause19 = (call: CallState, techCause: number | null): Verdict => {
  if (techCause === 483) return verdict('failed', 'too many hops');
  return call.reached === 'Ringing' || call.progress || call.hangup !== null
    ? noAnswer
    : verdict('failed', 'transient: silent until the timeout');
};

const byRejection = (techCause: number | null): Verdict =>
  techCause === 401 || techCause === 403 || techCause === 407 ? configuration : declined;

const byInterworking = (techCause: number | null): Verdict => {
  switch (techCause) {
    case 487:
      return noAnswer;
    case 402:
      return configuration;
    case 429:
      return transient;
    case 607:
      return declined;
    default:
      return verdict('failed', 'interworking');
  }
};

/** A call that was not answered, by a cause other than 0. */
const byCause = (call: CallState, cause: number, techCause: number | null): Verdict => {
  switch (cause) {
    case 17:
      return verdict('busy', 'busy');
    case 19:
      return byCause19(call, techCause);
    case 18:
      return call.reached === 'Ringing' ? noAnswer : verdict('failed', 'transient: no response');
    case 16:
    case 20:
    case 31:
      return noAnswer;
    case 21:
      return byRejection(techCause);
    case 26:
      return verdict('canceled', 'answered elsewhere');
    case 127:
      return byInterworking(techCause);
    case 1:
    case 2:
    case 3:
    case 22:
    case 28:
      return wrongNumber;
    case 27:
    case 34:
    case 38:
    case 41:
    case 42:
    case 44:
    case 102:
      return transient;
    case 29:
    case 50:
    case 52:
    case 53:
    case 54:
    case 55:
    case 56:
    case 57:
    case 58:
    case 65:
    case 66:
    case 69:
    case 88:
      return configuration;
    default:
      return verdict('failed', `cause ${cause}`);
  }
};

/** Cause 0 before the answer: Local channels, and the ring timeout of Asterisk 16. */
const byDialStatus = (call: CallState, ringElapsed: boolean): Verdict => {
  switch (call.dialStatus) {
    case 'BUSY':
      return verdict('busy', 'busy');
    case 'CONGESTION':
    case 'CHANUNAVAIL':
      return transient;
    case 'RINGING':
    case 'PROGRESS':
      return ringElapsed ? noAnswer : verdict('failed', 'no cause');
    case null:
      return configuration;
    default:
      return verdict('failed', 'no cause');
  }
};

const answered = (call: CallState): Verdict => {
  if (call.machine === 'MACHINE') return verdict('voicemail', 'answering machine');
  return verdict('completed', call.inStasis ? 'answered' : 'answered and dropped: nobody was listening');
};

/** What the soft hang-up requests of Asterisk say: flags of its channels, no causes. */
const softDelete = 32;
const softShutdown = 4;

const byHangup = (call: CallState, hangup: HangupCause, context: CallContext): Verdict => {
  const cause = hangup.cause ?? 0;
  if (call.softHangup === softShutdown && cause === 0) return shutDown;
  if (cause === 16 && (context.hangUpAsked || call.softHangup === softDelete)) return canceled;
  return cause === 0 ? byDialStatus(call, context.ringElapsed) : byCause(call, cause, hangup.techCause);
};

/** The verdict of a call whose end was seen. */
export const classifyEnded = (call: CallState, context: CallContext): Verdict =>
  call.reached === 'Up' ? answered(call) : byHangup(call, call.destroyed ?? noCause, context);

const noCause: HangupCause = { cause: null, causeText: null, techCause: null };

/**
 * The verdict of a call that the carrier no longer has and whose end was not seen. A hang-up request of the far end carries the same
 * cause as the lost end; an unbroken socket and an elapsed ring timeout leave only the timeout, which has no other witness.
 * Null: the events prove nothing; it may have been answered and dropped while nobody listened.
 */
export const classifyAbsent = (call: CallState, context: CallContext): Verdict | null => {
  if (call.destroyed !== null || call.reached === 'Up') return classifyEnded(call, context);
  if (call.hangup !== null && call.hangup.cause !== null) return byHangup(call, call.hangup, context);
  if (call.softHangup === softDelete) return canceled;
  if (call.softHangup === softShutdown) return shutDown;
  if (!context.unbroken || !call.seen) return null;
  if (call.dialStatus === 'BUSY' || call.dialStatus === 'CONGESTION' || call.dialStatus === 'CHANUNAVAIL')
    return byDialStatus(call, context.ringElapsed);
  if (context.hangUpAsked) return canceled;
  return context.ringElapsed ? byCause19(call, null) : null;
};

/** The raw evidence, for the ledger. */
export const evidenceOf = (call: CallState, detail: string): CallEvidence => {
  const from = call.destroyed ?? call.hangup;
  return {
    ...(typeof from?.cause !== 'number' ? {} : { cause: from.cause }),
    ...(typeof from?.causeText !== 'string' ? {} : { cause_txt: from.causeText }),
    ...(typeof from?.techCause !== 'number' ? {} : { tech_cause: from.techCause }),
    ...(call.seen ? { state: call.reached } : {}),
    ...(call.dialStatus === null ? {} : { dial_status: call.dialStatus }),
    detail,
  };
};
