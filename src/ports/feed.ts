/**
 * The ordered feed of events to the dialer, by partition of organizations. The bus behind it is a doorbell: whatever it loses, repeats or
 * reorders, the consumer of this port gets every event of its categories exactly once, in order of position (repaired from the ledger).
 */
import type { StreamCategory } from '../core/ids';
import type { Position } from '../core/position';
import type { EventBatch } from './event-store';

export interface FeedOptions {
  readonly after: Position;
  readonly categories: readonly StreamCategory[];
  readonly limit?: number;
  readonly signal: AbortSignal;
}

export interface Feed {
  /** History, then live, for ever, with back-pressure, until `signal`. */
  subscribe(options: FeedOptions): AsyncIterable<EventBatch>;
  close(): Promise<void>;
}
