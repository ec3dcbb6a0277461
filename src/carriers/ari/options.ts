/** Settings of the ARI adapter that are not part of a configuration. */

/** Times in milliseconds. The defaults follow what was measured on Asterisk 22; tests shorten them. */
export interface AriTiming {
  /** How long a place request may stay unanswered before its result is unknown. */
  readonly placeTimeoutMs: number;
  /** The same for every other request. */
  readonly requestTimeoutMs: number;
  readonly pingMs: number;
  readonly reconnectMinMs: number;
  /** The longest pause between two tries to open the events socket: so long may a server be back before the next call. */
  readonly reconnectMaxMs: number;
  /** Between the two "no such channel" that prove that a request without an answer placed nothing that lives. */
  readonly askGapMs: number;
  /** How long the end of a call may trail behind the "no such channel" of a look. */
  readonly eventGraceMs: number;
  /** How long after the ring timeout a call without an end is looked for. */
  readonly ringGraceMs: number;
  /** How long after a hang-up request, or after leaving the application, a call without an end is looked for. */
  readonly endGraceMs: number;
  /** How often an answered call is looked for. */
  readonly upCheckMs: number;
  /** How long machine detection may take before its result is read. */
  readonly detectionMs: number;
  /** Beyond ring and talk time, until the server's own limit ends the call. */
  readonly talkMarginMs: number;
  /** How long nothing is placed after refused credentials, and the longest pause before the events socket tries them again. */
  readonly credentialsRetryMs: number;
  /** How long nothing is placed after "booting" and after a connection that could not be made. */
  readonly bootRetryMs: number;
  /** How long to leave the application to another client that took it. */
  readonly replacedRetryMs: number;
}

export const defaultTiming: AriTiming = {
  placeTimeoutMs: 5_000,
  requestTimeoutMs: 5_000,
  pingMs: 5_000,
  reconnectMinMs: 250,
  reconnectMaxMs: 5_000,
  askGapMs: 5_000,
  eventGraceMs: 1_000,
  ringGraceMs: 5_000,
  endGraceMs: 2_000,
  upCheckMs: 30_000,
  detectionMs: 8_000,
  talkMarginMs: 5_000,
  credentialsRetryMs: 30_000,
  bootRetryMs: 2_000,
  replacedRetryMs: 30_000,
};

/** Told of what nobody asked for; never holds a phone number or a credential. */
export type AriLog = (message: string, fields: Readonly<Record<string, string | number>>) => void;

export interface AriOptions {
  /** The dialplan context that runs `AMD()` and comes back by `Stasis(${APP},amd=${AMDSTATUS},cause=${AMDCAUSE})`; null: no machine detection. */
  readonly amdContext: string | null;
  /**
   * The dialplan context whose hangup handler stores `${CHANNEL(state)}/${HANGUPCAUSE}` in the global variable `R_<channel id>`: a witness
   * that outlives a lost events socket. Null or absent: none.
   */
  readonly hangupContext?: string | null;
  readonly timing?: Partial<AriTiming>;
  readonly log?: AriLog;
}

/** The ARI variant's fields of a configuration that this adapter uses. */
export interface AriCredentials {
  readonly endpoint: string;
  readonly user: string;
  readonly password: string;
  readonly template: string;
}
