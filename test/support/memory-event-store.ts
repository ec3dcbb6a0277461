/** The ledger in memory, for simulations on a virtual clock: no thread, no file, every wait is the clock's. Held by the port's contract suite. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { serializeAppend } from '../../src/adapters/embedded/append-rules';
import type { RecordedEvent, SealedEvent } from '../../src/core/event';
import { categoryOf } from '../../src/core/ids';
import { offsetOf, positionOf } from '../../src/core/position';
import type { Clock } from '../../src/ports/clock';
import type {
  Appended,
  AppendFailure,
  EventBatch,
  EventStore,
  ReadAllOptions,
  SubscribeOptions,
} from '../../src/ports/event-store';

/** What becomes of one append: `lost_answer` is stored, `unknown` is not, both answer `outcome_unknown`. */
export type AppendFate = 'ok' | 'unavailable' | 'lost_answer' | 'unknown';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** ms until an append is stored, and again until it is answered; default 0: at once. */
  readonly latency?: () => number;
  readonly fate?: (stream: string) => AppendFate;
  /** Whether reads work now. */
  readonly readable?: () => boolean;
}

const LIMIT = 1000;

export const memoryEventStore = (
  options: MemoryStoreOptions,
): EventStore & { readonly all: readonly RecordedEvent[] } => {
  const { clock } = options;
  const all: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  const waiting = new Set<() => void>();
  const closing = new AbortController();

  const later = async (): Promise<void> => {
    const ms = options.latency?.() ?? 0;
    if (ms > 0) await new Promise<void>((done) => clock.after(ms, done));
  };
  const reads = (): void => {
    if (options.readable?.() === false) throw new Error('the store is away');
  };

  const store = (stream: string, expected: number, events: readonly SealedEvent[]): Either<AppendFailure, Appended> => {
    const known = streams.get(stream) ?? [];
    const actual = known.length - 1;
    const repeated = events.every((event, i) => known[expected + 1 + i]?.id === event.id);
    if (events.length > 0 && repeated) {
      const last = known[expected + events.length] as RecordedEvent;
      return right({ revision: last.revision, position: last.position });
    }
    if (expected !== actual) return left({ kind: 'conflict', stream, expected, actual });
    for (const event of events) {
      const stored = JSON.parse(JSON.stringify(event)) as SealedEvent;
      const recorded = { ...stored, stream, revision: known.length, position: positionOf(all.length + 1) };
      known.push(recorded);
      all.push(recorded);
    }
    streams.set(stream, known);
    for (const wake of [...waiting]) wake();
    const last = known.at(-1) as RecordedEvent;
    return right({ revision: last.revision, position: last.position });
  };

  const readBatch = ({ after, limit = LIMIT, categories }: ReadAllOptions): EventBatch => {
    reads();
    const from = Number(offsetOf(after));
    const looked = all.slice(from, from + limit);
    const wanted = categories === undefined ? null : new Set(categories);
    return {
      events: wanted === null ? looked : looked.filter((e) => wanted.has(categoryOf(e.stream))),
      position: looked.at(-1)?.position ?? after,
      caughtUp: from + looked.length >= all.length,
    };
  };

  async function* subscribe({ signal, ...read }: SubscribeOptions): AsyncGenerator<EventBatch> {
    let after = read.after;
    let told = false;
    while (!signal.aborted && !closing.signal.aborted) {
      let batch: EventBatch | null = null;
      try {
        batch = readBatch({ ...read, after });
      } catch {
        // Away: looked for again below.
      }
      if (batch !== null && (batch.position > after || (batch.caughtUp && !told))) {
        after = batch.position;
        told ||= batch.caughtUp;
        yield batch;
        continue;
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          timer.cancel();
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          closing.signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = clock.after(1000, wake);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
        closing.signal.addEventListener('abort', wake);
      });
    }
  }

  return {
    all,
    append: async (stream, expected, events) => {
      await later();
      const fate = options.fate?.(stream) ?? 'ok';
      if (fate === 'unavailable') return left({ kind: 'unavailable', message: 'the store is away' });
      if (fate === 'unknown') return left({ kind: 'outcome_unknown', message: 'no answer' });
      const checked = serializeAppend(stream, expected, events, (metadata) => JSON.stringify(metadata));
      if (isLeft(checked)) return left({ kind: 'refused', message: checked.left });
      const answer = store(stream, expected, events);
      await later();
      return fate === 'lost_answer' ? left({ kind: 'outcome_unknown', message: 'the answer was lost' }) : answer;
    },
    readStream: async (stream, from = 0, limit = Infinity) => {
      await later();
      reads();
      return (streams.get(stream) ?? []).slice(from, from + limit);
    },
    readAll: async (read) => readBatch(read),
    subscribe,
    head: async () => {
      reads();
      return positionOf(all.length);
    },
    ping: async () => reads(),
    close: async () => closing.abort(),
  };
};
