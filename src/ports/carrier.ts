/**
 * What a carrier must do for the dialer.
 *
 * Promises of every adapter (held by test/contract/carrier.ts):
 * - A place request is sent at most once for one reference, and never repeated by the adapter, whatever happens.
 * - `mayPlace` is asked synchronously in the very step that writes the request: false means that nothing was sent.
 * - `unknown` is answered whenever the request may have reached the carrier without a readable answer.
 * - News of a call is monotone per reference (ringing, answered, ended; each at most once; nothing after `ended`),
 *   whatever the carrier repeats, reorders or loses.
 * - `ended` carries the outcome by the carrier's own classification rule; `uncertain` where the verdict cannot be known.
 */

/** What became of a call. `uncertain`: it may or may not have reached the person; it is never dialed again. */
export type CallOutcome = 'completed' | 'busy' | 'no_answer' | 'voicemail' | 'failed' | 'canceled' | 'uncertain';

/** One call to place. */
export interface PlaceCall {
  /** Our own reference of the attempt: 32 lower-case hex digits, new for every attempt. */
  readonly reference: string;
  /** Where to call: E.164, or what else the carrier takes (extension, SIP URI, dial string). */
  readonly to: string;
  /** The number shown to the person called; null: the carrier decides. */
  readonly callerId: string | null;
  /** How long it may ring, whole seconds. */
  readonly ringSeconds: number;
  /** How long an answered call may last, whole seconds. */
  readonly talkSeconds: number;
  /** Whether to tell answering machines from persons (where the carrier can). */
  readonly detectMachine: boolean;
  /** Values handed to the carrier with the call, for whoever reads its records: run id, attempt. No personal data. */
  readonly tags: Readonly<Record<string, string>>;
}

/** How the carrier answered a place request. */
export type PlaceResult =
  /** The carrier has the call. */
  | { readonly kind: 'placed'; readonly carrierCallId: string | null }
  /** `mayPlace` said no; nothing was sent. */
  | { readonly kind: 'withheld' }
  /** The carrier refused this call (bad destination, unreachable endpoint): nothing rings, the attempt failed. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /**
   * The carrier refused for a reason that is not about the number (credentials, rate, booting): nothing rings, the
   * contact and its budget are given back and nothing more is placed before `retryAfterMs` has passed.
   */
  | { readonly kind: 'not_now'; readonly code: string; readonly message: string; readonly retryAfterMs: number }
  /** The request may have left and no answer is known. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Raw evidence behind an outcome, kept in the ledger for whoever must explain it. */
export interface CallEvidence {
  readonly cause?: number;
  readonly cause_txt?: string;
  readonly tech_cause?: number;
  readonly state?: string;
  readonly dial_status?: string;
  readonly detail?: string;
}

/** What happened to a call, as the carrier told it. `at`: ISO 8601, the carrier's clock where it gives one. */
export type CallNews =
  | { readonly kind: 'ringing'; readonly reference: string; readonly at: string }
  | {
      readonly kind: 'answered';
      readonly reference: string;
      readonly at: string;
      readonly answeredBy: 'human' | 'machine' | null;
    }
  | {
      readonly kind: 'ended';
      readonly reference: string;
      readonly at: string;
      readonly outcome: CallOutcome;
      /** Seconds from answer to end; null when it was never answered, or before this connection adopted it. */
      readonly durationSeconds: number | null;
      readonly evidence: CallEvidence | null;
    };

/** Whether calls can be placed now. `blocked` is the carrier gate of the dialer, `reason` is shown to people. */
export type CarrierReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: string; /** epoch ms, if known */ readonly until: number | null };

/** What the carrier says of one of our references. `unreachable`: it gave no answer that proves anything. */
export type AskResult =
  | { readonly kind: 'alive'; readonly answered: boolean }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** A call that the ledger knows as not over, handed to a fresh connection (after a start, a takeover). */
export interface KnownCall {
  readonly reference: string;
  /** The carrier is known to have had it: if it has it no more, it is over. */
  readonly placed: boolean;
  /** Its answer was told, and with it who answered: there is nothing left to detect. */
  readonly answered: boolean;
  readonly talkSeconds: number;
  readonly detectMachine: boolean;
  /** When the claim was made, epoch ms. */
  readonly claimedAt: number;
  readonly ringSeconds: number;
}

/** A live connection to one carrier account. */
export interface CarrierConnection {
  readiness(): CarrierReadiness;
  /** Sends one place request. `mayPlace` is called synchronously right before the request is written. Never rejects. */
  place(call: PlaceCall, mayPlace: () => boolean): Promise<PlaceResult>;
  /** Asks to end the call; the outcome comes as news. Never rejects; true: the carrier took it or the call is over already. */
  hangUp(reference: string): Promise<boolean>;
  /** Asks whether the call lives. Never rejects. A call that this connection follows is `gone` only after its `ended` was told. */
  ask(reference: string): Promise<AskResult>;
  /** Calls of before this connection whose news it must follow from now on (and reconcile, see the header). */
  adopt(calls: readonly KnownCall[]): void;
  /** Place requests written and not answered yet. */
  placing(): number;
  close(): Promise<void>;
}

/** Settings of one connection. `credentials` are the variant's fields of the configuration, readable. */
export interface CarrierAccount {
  readonly organizationId: number;
  readonly configurationId: number;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Random id of this installation (data folder or cluster); part of names made at the carrier. */
  readonly installation: string;
}

/** What a connection tells its owner. Both are called from the event loop, never re-entrantly from a call made by the owner. */
export interface CarrierListener {
  readonly news: (news: CallNews) => void;
  /** `readiness()` changed. */
  readonly readinessChanged: () => void;
}

/** One carrier variant. */
export interface Carrier {
  /** The value of `config.provider`. */
  readonly provider: string;
  connect(account: CarrierAccount, listener: CarrierListener): CarrierConnection;
}
