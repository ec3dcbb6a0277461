/** The stream that carries the ledger's events to the dialers: its name, its limits, its messages. */
import type { RecordedEvent } from '../../core/event';
import { categoryOf, organizationOf, partitionOf } from '../../core/ids';
import { parsePosition, type Position } from '../../core/position';
import { nanos, RetentionPolicy, StorageType, type JetStreamManager } from './nats-driver';

/** Subjects begin with it and the stream is named after it; another one separates installations on one server. */
export const DEFAULT_NAME = 'ledger';
export const streamOf = (name: string): string => name.toUpperCase();

/** `ledger.<partition>.<category>`; events that belong to no organization are in partition `none`. */
export const subjectOf = (name: string, event: RecordedEvent): string => {
  const org = organizationOf(event.stream);
  return `${name}.${org === null ? 'none' : partitionOf(org)}.${categoryOf(event.stream)}`;
};

/**
 * What the bus carries: the event, and the position of the one before it in the ledger, over all partitions. A reader whose cursor is at or behind
 * `before` has missed nothing; positions of one partition alone could not say so to a reader that hands out all of them in one order.
 */
export interface Message {
  readonly position: Position;
  readonly before: Position;
  /** Null where the event is too large for the bus: the reader fetches it. */
  readonly event: RecordedEvent | null;
}

/** Room for subject and headers in what the server counts, bytes. */
const HEADERS = 1024;

/** `maxPayload`: what the server takes per message, bytes (its usual limit is 1 MiB). */
export const encode = (event: RecordedEvent, before: Position, maxPayload: number): Uint8Array => {
  const { position } = event;
  const whole = Buffer.from(JSON.stringify({ position, before, event }));
  return whole.length + HEADERS <= maxPayload ? whole : Buffer.from(JSON.stringify({ position, before, event: null }));
};

/** Null for what is no message of ours. */
export const decode = (data: Uint8Array): Message | null => {
  try {
    const { position, before, event } = JSON.parse(Buffer.from(data).toString('utf8')) as Record<string, unknown>;
    if (parsePosition(String(position)) === null || parsePosition(String(before)) === null) return null;
    const carried = (event ?? null) as RecordedEvent | null;
    if (carried !== null && carried.position !== position) return null;
    return { position: position as Position, before: before as Position, event: carried };
  } catch {
    return null;
  }
};

const MINUTE = 60_000;

/** Makes the stream where it is missing. Its history is short: whoever needs more reads the ledger. */
export const ensureStream = async (jsm: JetStreamManager, name: string): Promise<void> => {
  const stream = streamOf(name);
  try {
    await jsm.streams.info(stream);
  } catch {
    await jsm.streams.add({
      name: stream,
      subjects: [`${name}.>`],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(30 * MINUTE),
      max_bytes: 512 * 1024 * 1024,
      duplicate_window: nanos(2 * MINUTE),
    });
  }
};
