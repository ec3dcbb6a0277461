import type { Position } from './position';

/** A JSON value as the ledger stores it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A fact as a decider states it: past tense, immutable. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** The envelope around every event of the ledger. */
export interface EventMetadata {
  /** Organization id, or `system`. */
  readonly org: string;
  /** Who caused it: `api-key:<id>`, `dialer`, `carrier:<provider>`, `cli`, `system`. */
  readonly actor: string;
  /** The request or process that it all began with. */
  readonly correlation_id: string;
  /** The event or command that caused this one. */
  readonly causation_id: string;
  readonly command_id: string;
  /** Version of the shape of `data`. */
  readonly schema: number;
  /** When it was decided: ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** SHA-256 (hex) over the previous event's hash in the stream and this event; see engine/envelope.ts. */
  readonly hash: string;
}

/** An event ready to be appended: id and hash fixed, so that the very same append can be repeated. */
export interface SealedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/** An event as the ledger gives it back. */
export interface RecordedEvent extends SealedEvent {
  readonly stream: string;
  /** 0 for the first event of the stream. */
  readonly revision: number;
  readonly position: Position;
}

/** Revision of a stream that has no events. */
export const NO_STREAM = -1;
