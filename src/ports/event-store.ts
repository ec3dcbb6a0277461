/**
 * The ledger: streams of events with optimistic concurrency, and one order over all of them.
 *
 * Promises of every adapter (held by test/contract/event-store.ts):
 * - An append is atomic, and durable before it is answered (fsync, or the engine's like).
 * - `expected` is always given: the revision of the stream's last event, or NO_STREAM (-1). Another revision is `conflict` with the actual one.
 * - The very same append (same ids, same `expected`) repeated is answered like the first time, and written once.
 * - `outcome_unknown` is answered only when the append may or may not be stored; the caller repeats that very append or reads the tail.
 * - Positions rise strictly in the order in which readers see events; an event once seen stays where it is. No reader ever sees a gap that is filled later.
 * - Appends answered `appended` are seen by every read begun afterwards.
 */
import type { Either } from 'fp-ts/Either';
import type { RecordedEvent, SealedEvent } from '../core/event';
import type { StreamCategory } from '../core/ids';
import type { Position } from '../core/position';

export type AppendFailure =
  | { readonly kind: 'conflict'; readonly stream: string; readonly expected: number; readonly actual: number }
  /** Nothing was stored; later it may work. */
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'outcome_unknown'; readonly message: string }
  /** It will never work: too large, no events, data that JSON can't carry, an id that is no UUID, a stream or type that is empty or begins with `$`. */
  | { readonly kind: 'refused'; readonly message: string };

export interface Appended {
  /** Revision of the last event of this append. */
  readonly revision: number;
  /** Position of the last event of this append. */
  readonly position: Position;
}

/** Consecutive events of the whole store that pass the filter. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here was looked at, whether it passed the filter or not: what a consumer stores as its checkpoint. */
  readonly position: Position;
  /** No more was stored when this batch was read. */
  readonly caughtUp: boolean;
}

export interface ReadAllOptions {
  /** Exclusive: events behind this position. */
  readonly after: Position;
  /** Events looked at, at most, per batch (default 1000). */
  readonly limit?: number;
  /** Categories of streams to pass; absent: all. */
  readonly categories?: readonly StreamCategory[];
}

export interface SubscribeOptions extends ReadAllOptions {
  /** Ends the iteration, also while it waits. */
  readonly signal: AbortSignal;
}

export interface EventStore {
  /** Events: at least one, under 1,000,000 bytes of data together. Never rejects. */
  append(stream: string, expected: number, events: readonly SealedEvent[]): Promise<Either<AppendFailure, Appended>>;
  /**
   * Events of one stream from `from` (inclusive, default 0) in order, `limit` at most (default: all); a missing stream is empty. Rejects when
   * the store is away.
   */
  readStream(stream: string, from?: number, limit?: number): Promise<readonly RecordedEvent[]>;
  /** One batch. Rejects when the store is away. */
  readAll(options: ReadAllOptions): Promise<EventBatch>;
  /**
   * History, then live, for ever: batches in order, with back-pressure (the next batch is fetched when it is asked for). The first `caughtUp`
   * batch may be empty, and so may be later ones, which tell how far it has looked. Away stores are waited for; it resubscribes by itself from the last batch handed out. Ends only by `signal`.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<EventBatch>;
  /** Position of the last event; START for an empty store. Rejects when the store is away. */
  head(): Promise<Position>;
  /** Resolves when the engine answers; rejects with the reason when not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
