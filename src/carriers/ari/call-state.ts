/**
 * What the events of one channel prove, folded without regard to their order: every field only ever moves forward, so repeated,
 * reordered and late events change nothing that is already known. Pure.
 */
import type { AriEvent } from './wire';

/** Q.850 cause and SIP code as an event gave them. */
export interface HangupCause {
  readonly cause: number | null;
  readonly causeText: string | null;
  readonly techCause: number | null;
}

/** Everything seen of one channel so far. */
export interface CallState {
  /** Any event at all, or a look at the channel, proved that it exists or existed. */
  readonly seen: boolean;
  /** The furthest channel state: Down, Ringing, Up. */
  readonly reached: 'Down' | 'Ringing' | 'Up';
  /** When Up was first seen. */
  readonly upAt: string | null;
  readonly ringingAt: string | null;
  /** Entered the application after the answer. */
  readonly inStasis: boolean;
  /** The furthest Dial status; null: no Dial event at all. */
  readonly dialStatus: string | null;
  /** Early media was heard (Dial PROGRESS), whatever came after. */
  readonly progress: boolean;
  /** A hang-up request by the far end or the network. */
  readonly hangup: HangupCause | null;
  /** A hang-up request from inside (`soft`): its number is no Q.850 cause; 32 is somebody's DELETE. */
  readonly softHangup: number | null;
  readonly destroyed: (HangupCause & { readonly at: string | null }) | null;
  /** What machine detection found: AMDSTATUS as the dialplan handed it back (MACHINE, HUMAN, NOTSURE, HANGUP), or SILENCE. */
  readonly machine: string | null;
}

export const unseen: CallState = {
  seen: false,
  reached: 'Down',
  upAt: null,
  ringingAt: null,
  inStasis: false,
  dialStatus: null,
  progress: false,
  hangup: null,
  softHangup: null,
  destroyed: null,
  machine: null,
};

const dialRank = (status: string | null): number => {
  switch (status) {
    case null:
      return -1;
    case '':
      return 0;
    case 'PROCEEDING':
      return 1;
    case 'PROGRESS':
      return 2;
    case 'RINGING':
      return 3;
    default:
      return 4;
  }
};

const reachedRank = { Down: 0, Ringing: 1, Up: 2 } as const;

/** Folds a channel state, of an event or of a look at the channel. Unknown states prove the channel and nothing more. */
export const sawState = (call: CallState, state: string | null, at: string): CallState => {
  const reached = state === 'Up' || state === 'Ringing' ? state : 'Down';
  const seen = call.seen ? call : { ...call, seen: true };
  if (reachedRank[reached] <= reachedRank[call.reached]) return seen;
  return {
    ...seen,
    reached,
    upAt: reached === 'Up' ? at : seen.upAt,
    ringingAt: reached === 'Ringing' ? at : seen.ringingAt,
  };
};

const sawDial = (call: CallState, status: string, at: string): CallState => {
  const known =
    status === 'RINGING' ? sawState(call, 'Ringing', at) : status === 'ANSWER' ? sawState(call, 'Up', at) : call;
  const next = status === 'PROGRESS' && !known.progress ? { ...known, progress: true } : known;
  return dialRank(status) > dialRank(next.dialStatus) ? { ...next, dialStatus: status } : next;
};

/**
 * The verdict of AMD() by its AMDSTATUS and AMDCAUSE. To Asterisk a callee who says nothing for `initial_silence` is a MACHINE; a person who
 * waits for the caller to speak does just that, so silence alone is no evidence: such a call is neither hung up nor retried as a voicemail.
 * Without a cause the status stands.
 */
export const detectionVerdict = (status: string, cause: string | null): string =>
  status === 'MACHINE' && cause?.startsWith('INITIALSILENCE') === true ? 'SILENCE' : status;

const argumentOf = (event: AriEvent, name: string): string | null =>
  event.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;

const causeOf = (event: AriEvent): HangupCause => ({
  cause: event.cause,
  causeText: event.causeText,
  techCause: event.techCause,
});

/**
 * One event of this channel. `now` (ISO 8601) stands in where the event has no time. Whoever calls has matched the channel id exactly:
 * `<id>;2`, the other half of a Local channel, is another channel.
 */
export const evolveCall = (state: CallState, event: AriEvent, now: string): CallState => {
  const at = event.at ?? now;
  const call = sawState(state, event.state, at);
  switch (event.type) {
    case 'Dial':
      return sawDial(call, event.dialStatus ?? '', at);
    case 'StasisStart': {
      const status = argumentOf(event, 'amd');
      const machine = status === null ? null : detectionVerdict(status, argumentOf(event, 'cause'));
      return { ...call, inStasis: true, machine: call.machine ?? machine };
    }
    case 'ChannelHangupRequest':
      if (event.soft) return call.softHangup === null ? { ...call, softHangup: event.cause ?? 0 } : call;
      return typeof call.hangup?.cause !== 'number' ? { ...call, hangup: causeOf(event) } : call;
    case 'ChannelDestroyed':
      return call.destroyed === null ? { ...call, destroyed: { ...causeOf(event), at: event.at } } : call;
    default:
      return call;
  }
};
