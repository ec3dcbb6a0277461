/** One call as the connection follows it. */
import type { CallNews, CallOutcome } from '../../ports/carrier';
import type { CallState } from './call-state';
import { unseen } from './call-state';
import type { AriEvent } from './wire';
import type { CallContext, Verdict } from './classify';
import { classifyAbsent, classifyEnded, evidenceOf } from './classify';

/**
 * `sending`: the place request has no result yet. `confirmed`: the carrier had the call. `unknown`: the request may have left; whether
 * the call was ever made is not known (a call of another connection begins so, too).
 */
export type Placement = 'sending' | 'confirmed' | 'unknown';

/** Machine detection: not wanted or over; to be started at the answer; begun. */
export type Detection = 'off' | 'due' | 'running';

/** Mutable: owned by one connection's registry. */
export interface Call {
  readonly reference: string;
  readonly ringMs: number;
  readonly talkMs: number;
  /** Placed by another connection, perhaps with other settings. */
  readonly adopted: boolean;
  /** Monotonic ms of the place request (an adopted call: of its claim). */
  startedAt: number;
  state: CallState;
  placement: Placement;
  /** The events socket has been open since the request. */
  unbroken: boolean;
  hangUpAsked: boolean;
  detection: Detection;
  /** Monotonic ms at which detection was begun. */
  detectionSince: number;
  /** Monotonic ms of the first "no such channel" of a row of them. */
  absentSince: number | null;
  /** Monotonic ms at which it was first known to be up. */
  upSince: number | null;
  /** The talk limit on its way to the carrier, or taken by it. */
  limit: Promise<boolean> | null;
  told: { ringing: boolean; answered: boolean };
  timer: NodeJS.Timeout | null;
  timerAt: number;
  /** Resolves the place request's result early, when an event proves that the call exists. */
  proven: (() => void) | null;
  /** Events that wait until the result of the place request has been read. */
  held: AriEvent[] | null;
}

export const newCall = (
  fields: Pick<
    Call,
    'reference' | 'ringMs' | 'talkMs' | 'adopted' | 'startedAt' | 'placement' | 'unbroken' | 'detection'
  >,
): Call => ({
  ...fields,
  state: unseen,
  hangUpAsked: false,
  detectionSince: 0,
  absentSince: null,
  upSince: null,
  limit: null,
  told: { ringing: false, answered: false },
  timer: null,
  timerAt: Infinity,
  proven: null,
  held: null,
});

/** A ring timeout of ours may be told a little early by a clock that is not ours. */
const ringSlackMs = 500;

export const contextOf = (call: Call, now: number): CallContext => ({
  hangUpAsked: call.hangUpAsked,
  ringElapsed: now - call.startedAt >= call.ringMs - ringSlackMs,
  unbroken: call.unbroken,
});

const answeredBy = (state: CallState): 'human' | 'machine' | null =>
  state.machine === 'MACHINE' ? 'machine' : state.machine === 'HUMAN' ? 'human' : null;

/**
 * What is to be told of a living call now, each thing once: ringing until it is answered, answered as soon as it is up; where machine
 * detection is wanted, when it is over. Marks it as told.
 */
export const tellProgress = (call: Call): readonly CallNews[] => {
  const { reference, state, told } = call;
  if (state.reached === 'Up') {
    if (told.answered || call.detection !== 'off') return [];
    told.answered = true;
    return [{ kind: 'answered', reference, at: state.upAt ?? new Date().toISOString(), answeredBy: answeredBy(state) }];
  }
  if (state.reached !== 'Ringing' || told.ringing) return [];
  told.ringing = true;
  return [{ kind: 'ringing', reference, at: state.ringingAt ?? new Date().toISOString() }];
};

const seconds = (from: string | null, to: string): number | null =>
  from === null ? null : Math.max(0, Math.round(Date.parse(to) - Date.parse(from)) / 1000);

const endedNews = (call: Call, outcome: CallOutcome, detail: string): readonly CallNews[] => {
  const { reference, state } = call;
  const at = state.destroyed?.at ?? new Date().toISOString();
  const up = state.reached === 'Up';
  call.detection = 'off';
  return [
    ...(up ? tellProgress(call) : []),
    {
      kind: 'ended',
      reference,
      at,
      outcome,
      durationSeconds: up ? seconds(state.upAt, at) : null,
      evidence: evidenceOf(state, detail),
    },
  ];
};

/** The end was seen. */
export const tellEnded = (call: Call, now: number): readonly CallNews[] => {
  const { outcome, detail } = classifyEnded(call.state, contextOf(call, now));
  return endedNews(call, outcome, detail);
};

/** The verdict on a call that is gone, if its events give one. */
export const absentVerdict = (call: Call, now: number): Verdict | null =>
  classifyAbsent(call.state, contextOf(call, now));

/** It is gone, and its end was not seen. */
export const tellAbsent = (call: Call, verdict: Verdict | null, why: string): readonly CallNews[] =>
  verdict === null ? endedNews(call, 'uncertain', why) : endedNews(call, verdict.outcome, verdict.detail);
