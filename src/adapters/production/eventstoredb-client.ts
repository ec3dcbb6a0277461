/**
 * EventStoreDB's client as this program may use it. Its rules, each learnt from the client's source or measured on a server:
 * - Appends carry credentials per call: that takes the unary path. The other one (`batchAppend`) shares its pending appends over the whole
 *   process and loses answers and rejections when a connection fails.
 * - A server allows 100 open calls per connection and the next one hangs, without error: every call takes one of 90 places.
 * - Leaving a read early does not close its call: every read is cancelled. Reads have no deadline: they are timed here.
 * - An append starts in a turn of its own: begun between a failure and the client's own reconnect it would throw inside the client, unhandled.
 */
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM as NONE,
  START as BEGIN,
  streamNameFilter,
} from '@eventstore/db-client';
import type { AllStreamRecordedEvent, AllStreamSubscription, StreamingRead } from '@eventstore/db-client';
import { NO_STREAM, type EventMetadata, type JsonObject, type RecordedEvent, type SealedEvent } from '../../core/event';
import { offsetOf, positionOf, START, type Position } from '../../core/position';
import { isStreamNotFound } from './eventstoredb-errors';
import { TimedOut, within } from '../../engine/within';
import { nextTurn, places } from './waiting';

export interface ClientOptions {
  /** `esdb://[user:password@]host:port?tls=false`. */
  readonly url: string;
  /** How long an append may take at the server, ms. */
  readonly appendDeadline: number;
  /** How long a read may go without its next event, ms. */
  readonly readTimeout: number;
}

/** An open subscription: the driver's stream, and what gives its place back. */
export interface OpenSubscription {
  readonly stream: AllStreamSubscription;
  readonly stop: () => Promise<void>;
}

export interface StoreClient {
  /** Rejects with the client's errors, or with TimedOut. `position` is null where the server gives none. */
  append(
    stream: string,
    expected: number,
    events: readonly SealedEvent[],
  ): Promise<{ readonly revision: number; readonly position: Position | null }>;
  /** A missing stream is empty. */
  readStream(stream: string, from: number, count?: number): Promise<readonly RecordedEvent[]>;
  /** At most `count` events at `from` (inclusive) or behind it. */
  readAll(from: Position, count: number): Promise<readonly RecordedEvent[]>;
  /** At most `count` events before `before` (exclusive; null: from the end), the last first. */
  readBackwards(before: Position | null, count: number): Promise<readonly RecordedEvent[]>;
  /** Events behind `after` whose stream name fits `streams`. */
  subscribe(
    after: Position,
    streams: string,
    buffer: number,
    checkpoint: (position: Position) => void,
  ): Promise<OpenSubscription>;
  close(): Promise<void>;
}

const OPEN_CALLS = 90;
/** The server reports its place every 32 × this many events that the filter drops. */
const CHECKPOINT_INTERVAL = 4;

type Found = Pick<AllStreamRecordedEvent, 'id' | 'type' | 'data' | 'metadata' | 'streamId' | 'revision' | 'position'>;

export const toRecorded = (event: Found): RecordedEvent => ({
  id: event.id,
  type: event.type,
  data: event.data as unknown as JsonObject,
  metadata: event.metadata as unknown as EventMetadata,
  stream: event.streamId,
  revision: Number(event.revision),
  position: positionOf(event.position.commit),
});

/** The client stringifies both itself; that it can has been checked before. */
const toEventData = ({ id, type, data, metadata }: SealedEvent) =>
  jsonEvent({
    id,
    type,
    data: data as Record<string, unknown>,
    metadata: metadata as unknown as Record<string, unknown>,
  });

const toOffset = (position: Position) => {
  if (position === START) return BEGIN;
  const offset = offsetOf(position);
  return { commit: offset, prepare: offset };
};

/** User and password of the connection string. A server without TLS ignores them, but only with them per call is the append path safe. */
const credentialsOf = (url: string): { readonly username: string; readonly password: string } => {
  const given = /^[^:]+:\/\/([^:@/]+):([^@]+)@/.exec(url);
  if (given !== null)
    return { username: decodeURIComponent(given[1] as string), password: decodeURIComponent(given[2] as string) };
  if (!/[?&]tls=false(&|$)/i.test(url))
    throw new Error(
      'the connection string of EventStoreDB names no user: esdb://user:password@host:2113, or ?tls=false',
    );
  return { username: 'ledgerline', password: 'none' };
};

/** The connection is given up after 15 s without an answer to a ping (the client's own default is 20 s). */
const withKeepAlive = (url: string): string =>
  /keepAliveTimeout=/i.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}keepAliveTimeout=5000`;

export const storeClient = (options: ClientOptions): StoreClient => {
  const credentials = credentialsOf(options.url);
  const client = EventStoreDBClient.connectionString(withKeepAlive(options.url));
  const calls = places(OPEN_CALLS);

  /** Reads to the end or to the error; the call is over when it answers. */
  const collect = async (open: () => StreamingRead<{ readonly event?: unknown }>): Promise<RecordedEvent[]> => {
    const giveBack = await calls.take(options.readTimeout);
    const stream = open();
    // One that stays: an error after the last event must not become an uncaught exception.
    stream.on('error', () => undefined);
    const idle = setTimeout(
      () => stream.destroy(new TimedOut(`the event store gave no event for ${options.readTimeout} ms`)),
      options.readTimeout,
    );
    try {
      const events: RecordedEvent[] = [];
      for await (const { event } of stream) {
        idle.refresh();
        if (event !== undefined) events.push(toRecorded(event as Found));
      }
      return events;
    } finally {
      clearTimeout(idle);
      await stream.cancel().catch(() => undefined);
      giveBack();
    }
  };

  return {
    append: async (stream, expected, events) => {
      const giveBack = await calls.take(options.appendDeadline);
      try {
        await nextTurn();
        const result = await within(
          options.appendDeadline + 500,
          'append',
          client.appendToStream(stream, events.map(toEventData), {
            expectedRevision: expected === NO_STREAM ? NONE : BigInt(expected),
            credentials,
            deadline: options.appendDeadline,
          }),
        );
        return {
          revision: Number(result.nextExpectedRevision),
          position: result.position === undefined ? null : positionOf(result.position.commit),
        };
      } finally {
        giveBack();
      }
    },
    readStream: async (stream, from, count) => {
      try {
        return await collect(() =>
          client.readStream(stream, {
            fromRevision: BigInt(from),
            credentials,
            ...(count === undefined ? {} : { maxCount: count }),
          }),
        );
      } catch (error) {
        if (isStreamNotFound(error)) return [];
        throw error;
      }
    },
    readAll: (from, count) =>
      collect(() => client.readAll({ fromPosition: toOffset(from), maxCount: count, credentials })),
    readBackwards: (before, count) =>
      collect(() =>
        client.readAll({
          fromPosition: before === null ? END : toOffset(before),
          direction: BACKWARDS,
          maxCount: count,
          credentials,
        }),
      ),
    subscribe: async (after, streams, buffer, checkpoint) => {
      const giveBack = await calls.take(options.readTimeout);
      const stream = client.subscribeToAll(
        {
          fromPosition: toOffset(after),
          filter: streamNameFilter({
            regex: streams,
            checkpointInterval: CHECKPOINT_INTERVAL,
            checkpointReached: (_subscription, position) => checkpoint(positionOf(position.commit)),
          }),
          credentials,
        },
        { highWaterMark: buffer },
      );
      stream.on('error', () => undefined);
      return {
        stream,
        stop: async () => {
          await stream.unsubscribe().catch(() => undefined);
          giveBack();
        },
      };
    },
    close: () => client.dispose(),
  };
};
