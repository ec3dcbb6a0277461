/** Settings of the carrier simulator. */

/** Chances (0 to 1) and delays of what may go wrong on the wire. */
export interface Faults {
  /** An event is thrown away. */
  readonly lost: number;
  /** An event is delivered twice. */
  readonly duplicated: number;
  /** An event is overtaken by those that follow it within some milliseconds. */
  readonly reordered: number;
  /** An event is delivered after `lateMs`, unscaled. */
  readonly late: number;
  readonly lateMs: number;
  /** A place request is answered 500 "Allocation failed". */
  readonly refused: number;
  /** A place request is answered 503; nothing is placed. */
  readonly unavailable: number;
  /** A place request is never answered: its call is made all the same, or is not. */
  readonly hangPlaced: number;
  readonly hangUnplaced: number;
  /** The connection is reset in the middle of a place request: its call is made all the same, or is not. */
  readonly resetPlaced: number;
  readonly resetUnplaced: number;
}

export const noFaults: Faults = {
  lost: 0,
  duplicated: 0,
  reordered: 0,
  late: 0,
  lateMs: 500,
  refused: 0,
  unavailable: 0,
  hangPlaced: 0,
  hangUnplaced: 0,
  resetPlaced: 0,
  resetUnplaced: 0,
};

export const faultPresets: Readonly<Record<string, Faults>> = {
  none: noFaults,
  lossy: {
    lost: 0.03,
    duplicated: 0.03,
    reordered: 0.06,
    late: 0.02,
    lateMs: 500,
    refused: 0.01,
    unavailable: 0.003,
    hangPlaced: 0.002,
    hangUnplaced: 0.002,
    resetPlaced: 0.002,
    resetUnplaced: 0.002,
  },
};

/** Shares of what becomes of a call in the seeded mode; the rest completes. */
export interface Mix {
  readonly completed: number;
  readonly busy: number;
  readonly noAnswer: number;
  readonly voicemail: number;
  readonly declined: number;
  readonly unavailable: number;
  readonly unallocated: number;
}

export const defaultMix: Mix = {
  completed: 0.6,
  busy: 0.12,
  noAnswer: 0.15,
  voicemail: 0.05,
  declined: 0.03,
  unavailable: 0.03,
  unallocated: 0.02,
};

export interface SimulatorOptions {
  /** 0: any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly seed?: number;
  /** `seeded`: outcomes by seed, number and how often it was called. `by-digit`: by the number's last digit. */
  readonly mode?: 'seeded' | 'by-digit';
  readonly mix?: Mix;
  /** Every duration of a call, timeouts included, is multiplied by this: at 0.01 a call of 2 s lasts 20 ms. */
  readonly timeScale?: number;
  /** In the seeded mode: mean seconds until the answer, and of talk. */
  readonly answerSeconds?: number;
  readonly talkSeconds?: number;
  readonly faults?: Partial<Faults>;
  readonly user?: string;
  readonly password?: string;
  /** A user who may read only (same password). */
  readonly readOnlyUser?: string;
  /** PJSIP endpoints that exist. `silent` always does: it never says a word. Any other is an allocation that fails. */
  readonly endpoints?: readonly string[];
  /** Contexts that run `AMD()` and come back to `Stasis(${APP})`. */
  readonly amdContexts?: readonly string[];
  /** Contexts whose hangup handler stores `<state>/<cause>` in the global variable `R_<channel id>`. */
  readonly hangupContexts?: readonly string[];
  /** An idle HTTP connection is closed after so long. */
  readonly idleMs?: number;
  /** Every place request and every end is appended here as a line of JSON. */
  readonly recordFile?: string;
}

export type SimulatorSettings = Required<Omit<SimulatorOptions, 'recordFile' | 'faults'>> & {
  readonly faults: Faults;
  readonly recordFile: string | null;
};

export const settingsOf = (options: SimulatorOptions): SimulatorSettings => ({
  port: options.port ?? 0,
  host: options.host ?? '127.0.0.1',
  seed: options.seed ?? 1,
  mode: options.mode ?? 'seeded',
  mix: options.mix ?? defaultMix,
  timeScale: options.timeScale ?? 1,
  answerSeconds: options.answerSeconds ?? 4,
  talkSeconds: options.talkSeconds ?? 12,
  faults: { ...noFaults, ...options.faults },
  user: options.user ?? 'ledgerline',
  password: options.password ?? 'secret',
  readOnlyUser: options.readOnlyUser ?? 'reader',
  endpoints: options.endpoints ?? ['trunk'],
  amdContexts: options.amdContexts ?? ['amdback'],
  hangupContexts: options.hangupContexts ?? [],
  idleMs: options.idleMs ?? 15_000,
  recordFile: options.recordFile ?? null,
});
