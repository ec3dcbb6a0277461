/**
 * The peer's log: the embedded ledger under the rules of EventStoreDB. Explicit revisions and repeated ids follow the ledger's own rules, which
 * are the same; `any` and `stream_exists`, names in `$`, log offsets as positions, and scavenged records are made here.
 */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { EventMetadata, JsonObject, RecordedEvent, SealedEvent } from '../../../src/core/event';
import { offsetOf, positionOf } from '../../../src/core/position';
import type { EventStore } from '../../../src/ports/event-store';

/** An event as the protocol shows it. `position` is a log offset. */
export interface LogEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
}

export type Expected = number | 'any' | 'stream_exists';

export type LogFailure =
  | { readonly kind: 'wrong_version'; readonly actual: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'failed'; readonly message: string };

export interface Slice {
  readonly events: readonly LogEvent[];
  /** Ordinal of the last record looked at. */
  readonly last: number;
  readonly caughtUp: boolean;
}

export interface Log {
  append(
    stream: string,
    expected: Expected,
    events: readonly Pick<LogEvent, 'id' | 'type' | 'data' | 'metadata'>[],
  ): Promise<Either<LogFailure, { readonly revision: number; readonly position: bigint }>>;
  stream(name: string): Promise<readonly LogEvent[]>;
  /** Surviving records behind the ordinal. */
  behind(ordinal: number, limit: number): Promise<Slice>;
  /** Surviving records before the ordinal, the last first. */
  before(ordinal: number, limit: number): Promise<readonly LogEvent[]>;
  /** Ordinal of the last record; 0: none. */
  head(): Promise<number>;
  /** Takes records away as a scavenge does: the others keep revision and position. */
  scavenge(gone: (event: LogEvent) => boolean): Promise<number>;
  /** Resolves at the next append, or when the signal comes. */
  news(signal: AbortSignal): Promise<void>;
}

export const MAX_APPEND_BYTES = 1_048_576;

/** Offsets rise and are not contiguous, as those of a log are. */
const FIRST = 1_000n;
const STRIDE = 137n;
export const offsetAt = (ordinal: number): bigint => FIRST + STRIDE * BigInt(ordinal);
/** Null: an offset where no record begins. */
export const ordinalAt = (offset: bigint): number | null =>
  (offset - FIRST) % STRIDE === 0n && offset > FIRST ? Number((offset - FIRST) / STRIDE) : null;

/** The ledger below refuses names in `$`, the protocol does not. */
const stored = (name: string): string => (/^[$%]/.test(name) ? `%${name}` : name);
const shown = (name: string): string => (name.startsWith('%') ? name.slice(1) : name);

const toLogEvent = (event: RecordedEvent): LogEvent => ({
  id: event.id,
  type: shown(event.type),
  data: event.data,
  metadata: event.metadata,
  stream: shown(event.stream),
  revision: event.revision,
  position: offsetAt(Number(offsetOf(event.position))),
});

export const peerLog = (store: EventStore): Log => {
  const gone = new Set<bigint>();
  const waiting = new Set<() => void>();
  /** Ids written since the start, for `any`: forgotten by a restart, as the server's are. */
  const written = new Map<string, { readonly stream: string; readonly revision: number; readonly position: bigint }>();

  const survives = (event: LogEvent): boolean => !gone.has(event.position);
  const read = async (after: number, limit: number) => store.readAll({ after: positionOf(after), limit });

  const log: Log = {
    append: async (stream, expected, events) => {
      const bytes = events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event.data)), 0);
      if (bytes > MAX_APPEND_BYTES) return left({ kind: 'too_large' });
      let revision: number;
      if (typeof expected === 'number') revision = expected;
      else {
        const known = events.map((event) => written.get(event.id));
        const last = known.at(-1);
        if (last !== undefined && known.every((k) => k?.stream === stream)) return right(last);
        revision = (await store.readStream(stored(stream))).at(-1)?.revision ?? -1;
        if (expected === 'stream_exists' && revision < 0) return left({ kind: 'wrong_version', actual: -1 });
      }
      if (events.length === 0) {
        const tail = (await store.readStream(stored(stream))).at(-1);
        if ((tail?.revision ?? -1) !== revision) return left({ kind: 'wrong_version', actual: tail?.revision ?? -1 });
        return right({
          revision: Math.max(revision, 0),
          position: tail === undefined ? 0n : toLogEvent(tail).position,
        });
      }
      const sealed = events.map((event): SealedEvent => ({
        id: event.id,
        type: stored(event.type),
        data: event.data as JsonObject,
        metadata: event.metadata as EventMetadata,
      }));
      const answer = await store.append(stored(stream), revision, sealed);
      if (isLeft(answer)) {
        const failure = answer.left;
        if (failure.kind !== 'conflict') return left({ kind: 'failed', message: failure.message });
        if (typeof expected !== 'number') return log.append(stream, expected, events);
        return left({ kind: 'wrong_version', actual: failure.actual });
      }
      const done = { revision: answer.right.revision, position: offsetAt(Number(offsetOf(answer.right.position))) };
      for (const event of events) written.set(event.id, { stream, ...done });
      for (const wake of [...waiting]) wake();
      return right(done);
    },
    stream: async (name) => (await store.readStream(stored(name))).map(toLogEvent).filter(survives),
    behind: async (ordinal, limit) => {
      const batch = await read(ordinal, limit);
      return {
        events: batch.events.map(toLogEvent).filter(survives),
        last: Number(offsetOf(batch.position)),
        caughtUp: batch.caughtUp,
      };
    },
    before: async (ordinal, limit) => {
      const events: LogEvent[] = [];
      for (let end = ordinal; end > 1 && events.length < limit;) {
        const begin = Math.max(1, end - 500);
        const batch = await read(begin - 1, end - begin);
        events.push(...batch.events.map(toLogEvent).filter(survives).reverse());
        end = begin;
      }
      return events.slice(0, limit);
    },
    head: async () => Number(offsetOf(await store.head())),
    scavenge: async (isGone) => {
      let count = 0;
      for (let at = 0; ;) {
        const slice = await log.behind(at, 1000);
        for (const event of slice.events)
          if (isGone(event)) {
            gone.add(event.position);
            count += 1;
          }
        if (slice.caughtUp) return count;
        at = slice.last;
      }
    },
    news: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        if (signal.aborted) return resolve();
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      }),
  };
  return log;
};
