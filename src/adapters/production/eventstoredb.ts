/** The ledger on EventStoreDB (20 and later, KurrentDB too). */
import { left, right } from 'fp-ts/Either';
import { NO_STREAM, type RecordedEvent, type SealedEvent } from '../../core/event';
import { START, type Position } from '../../core/position';
import type { Logger } from '../../engine/telemetry';
import type { EventStore } from '../../ports/event-store';
import { storeClient } from './eventstoredb-client';
import { appendVerdict, describeError } from './eventstoredb-errors';
import { PAGE, passes, readPage } from './eventstoredb-pages';
import { resubscribing } from './eventstoredb-subscription';
import { TimedOut, within } from '../../engine/within';
import { backoff } from './waiting';

export interface EventStoreDbOptions {
  /** Connection string: `esdb://[user:password@]host:port[?tls=false]`. */
  readonly url: string;
  readonly log: Logger;
  /** How long one append may take at the server, ms (default 4000). */
  readonly appendDeadline?: number;
  /** How long a read may go without its next event, ms (default 4000). */
  readonly readTimeout?: number;
  /** How long an append that failed is begun again, ms (default 1000). */
  readonly retryFor?: number;
  /** How often an idle subscription looks at the store itself, ms (default 2000). */
  readonly sweepEvery?: number;
}

/** The server's own limit is 1,048,576 bytes of data per append; metadata is bounded here because not every version counts it. */
const MAX_DATA = 1_000_000;
const MAX_METADATA = 1_000_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Why an append would never work, or would do what the ledger must not; null when it may go. */
const refusal = (stream: string, expected: number, events: readonly SealedEvent[]): string | null => {
  if (events.length === 0) return 'an append needs at least one event';
  if (stream === '' || stream.startsWith('$')) return `'${stream}' can't be the name of a stream`;
  if (!Number.isSafeInteger(expected) || expected < NO_STREAM) return `${expected} is no revision`;
  let data = 0;
  let metadata = 0;
  for (const event of events) {
    if (event.type === '' || event.type.startsWith('$')) return `'${event.type}' can't be the type of an event`;
    if (!UUID.test(event.id)) return `'${event.id}' is no event id (a lower-case UUID)`;
    try {
      // Data that can't be written as JSON would be an unhandled rejection inside the client.
      data += Buffer.byteLength(JSON.stringify(event.data));
      metadata += Buffer.byteLength(JSON.stringify(event.metadata));
    } catch (error) {
      return `event ${event.type} can't be written as JSON: ${(error as Error).message}`;
    }
  }
  if (data >= MAX_DATA) return `${data} bytes of data in one append; it takes less than ${MAX_DATA}`;
  if (metadata >= MAX_METADATA)
    return `${metadata} bytes of metadata in one append; it takes less than ${MAX_METADATA}`;
  return null;
};

/** Connects lazily: the first call makes the connection, later ones make it again after a failure. */
export const eventStoreDb = (options: EventStoreDbOptions): EventStore => {
  const client = storeClient({
    url: options.url,
    appendDeadline: options.appendDeadline ?? 4000,
    readTimeout: options.readTimeout ?? 4000,
  });
  const closing = new AbortController();

  /** Servers before 22.6 give no position with an append that was a repetition: it is read. */
  const positionAt = async (stream: string, revision: number): Promise<Position> => {
    const found = (await client.readStream(stream, revision, 1))[0];
    if (found === undefined) throw new Error(`no event ${revision} in ${stream}`);
    return found.position;
  };

  const append: EventStore['append'] = async (stream, expected, events) => {
    const fault = refusal(stream, expected, events);
    if (fault !== null) return left({ kind: 'refused', message: fault });
    const until = performance.now() + (options.retryFor ?? 1000);
    const retry = backoff(20, 300);
    let maybeStored = false;
    for (;;) {
      let message: string;
      try {
        const { revision, position } = await client.append(stream, expected, events);
        return right({ revision, position: position ?? (await positionAt(stream, revision)) });
      } catch (error) {
        message = `the event store: ${describeError(error)}`;
        const verdict = appendVerdict(error);
        if (verdict.kind === 'conflict') return left({ kind: 'conflict', stream, expected, actual: verdict.actual });
        if (verdict.kind === 'refused') return left({ kind: 'refused', message });
        if (verdict.kind === 'outcome_unknown') maybeStored = true;
      }
      if (performance.now() >= until || closing.signal.aborted)
        return left({ kind: maybeStored ? 'outcome_unknown' : 'unavailable', message });
      // The very same call again: ids and expected revision are fixed, so it is written once.
      await retry.wait(closing.signal);
    }
  };

  const head = async (): Promise<Position> => {
    const own = passes(undefined);
    let before: Position | null = null;
    for (let count = 16; ; count = Math.min(count * 4, PAGE)) {
      const found: readonly RecordedEvent[] = await client.readBackwards(before, count);
      const last = found.find(own);
      if (last !== undefined) return last.position;
      if (found.length < count) return START;
      before = found.at(-1)?.position ?? START;
    }
  };

  return {
    append,
    readStream: (stream, from = 0, limit) => rejecting(client.readStream(stream, from, limit)),
    readAll: (read) => rejecting(readPage(client, read)),
    subscribe: (subscribe) =>
      resubscribing(
        { client, log: options.log, sweepEvery: options.sweepEvery ?? 2000, closing: closing.signal },
        subscribe,
      ),
    head: () => rejecting(head()),
    ping: () => rejecting(within(2000, 'ping', client.readBackwards(null, 1)).then(() => undefined)),
    close: async () => {
      closing.abort();
      await client.close();
    },
  };
};

/** Rejections with a text for people. */
const rejecting = async <A>(promise: Promise<A>): Promise<A> => {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof TimedOut ? error : new Error(`the event store: ${describeError(error)}`, { cause: error });
  }
};
