/**
 * The embedded ledger: one SQLite file in WAL mode. A thread of its own writes, with group commit and a sync before each answer; reads are
 * made here, through a second connection that never waits for the writer.
 */
import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeft, left, right } from 'fp-ts/Either';
import { categoryOf } from '../../core/ids';
import { offsetOf, positionOf } from '../../core/position';
import type { Clock } from '../../ports/clock';
import type { EventBatch, EventStore, ReadAllOptions, SubscribeOptions } from '../../ports/event-store';
import { serializeAppend } from './append-rules';
import { systemClock } from './clock';
import { EVENT_COLUMNS, eventOf, packMetadata, type EventRow } from './event-row';
import { LEDGER_PRAGMAS, ledgerHandler, type AppendAnswer, type AppendRequest } from './event-store-writer';
import { recentEvents } from './recent-events';
import { openDatabase, statements } from './sqlite';
import { startWriter, type Written } from './writer-thread';

/** Waiting consumers look by themselves this often, ms: appends of this process are told, those of another are not. */
const LOOK_EVERY = 1000;
const DEFAULT_LIMIT = 1000;
const PROBE: AppendRequest = { stream: '', category: '', expected: -1, ids: [], types: [], data: [], metadata: [] };

export interface EmbeddedEventStoreOptions {
  /** Made when missing; the ledger is `ledger.db` in it. One process owns a folder: see own-folder.ts. */
  readonly folder: string;
  readonly clock?: Clock;
}

/** Opens the ledger, or begins one. Rejects when the file can't be opened. */
export const embeddedEventStore = async (options: EmbeddedEventStoreOptions): Promise<EventStore> => {
  const clock = options.clock ?? systemClock();
  const file = join(options.folder, 'ledger.db');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const writer = await startWriter(file, LEDGER_PRAGMAS, ledgerHandler);
  const db = openDatabase(file, { readOnly: true });
  const sql = statements(db);
  const recent = recentEvents();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  let lastWriteFailed = false;

  const storedHead = (): number => sql('SELECT coalesce(max(position), 0) FROM events').get()[0] as number;

  const readRows = (after: number, upTo: number, categories: readonly string[] | undefined): readonly EventRow[] => {
    const filter = categories === undefined ? '' : `AND category IN (${categories.map(() => '?').join(',')})`;
    return sql(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ${filter} ORDER BY position`,
    ).all(after, upTo, ...(categories ?? [])) as EventRow[];
  };

  const readBatch = ({ after, limit = DEFAULT_LIMIT, categories }: ReadAllOptions): EventBatch => {
    const from = Number(offsetOf(after));
    const remembered = recent.read(from, limit, categories === undefined ? null : new Set(categories));
    if (remembered !== null) return { ...remembered, position: positionOf(remembered.position) };
    const head = storedHead();
    if (from >= head) return { events: [], position: after, caughtUp: true };
    const upTo = Math.min(from + limit, head);
    return {
      events: readRows(from, upTo, categories).map(eventOf),
      position: positionOf(upTo),
      caughtUp: upTo === head,
    };
  };

  // Consumers that wait for news are told once per turn of the event loop, so that a commit of many appends reaches them as one batch.
  const waiting = new Set<() => void>();
  let telling = false;
  const tell = (): void => {
    if (telling || waiting.size === 0) return;
    telling = true;
    setImmediate(() => {
      telling = false;
      for (const wake of [...waiting]) wake();
    });
  };
  const newsOrTimeout = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        closing.signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = clock.after(LOOK_EVERY, wake);
      waiting.add(wake);
      signal.addEventListener('abort', wake);
      closing.signal.addEventListener('abort', wake);
    });

  async function* subscribe({ signal, ...read }: SubscribeOptions): AsyncGenerator<EventBatch> {
    setMaxListeners(0, signal);
    const isOver = (): boolean => signal.aborted || closing.signal.aborted;
    let after = read.after;
    let toldCaughtUp = false;
    while (!isOver()) {
      let batch: EventBatch | null = null;
      try {
        batch = readBatch({ ...read, after });
      } catch {
        // The file can't be read now: the same again later, from where we are.
      }
      if (batch !== null && (batch.position > after || (batch.caughtUp && !toldCaughtUp))) {
        after = batch.position;
        toldCaughtUp ||= batch.caughtUp;
        yield batch;
      }
      if (isOver()) return;
      if (batch === null || (batch.caughtUp && Number(offsetOf(after)) >= recent.head())) await newsOrTimeout(signal);
      else await new Promise<void>((done) => setImmediate(done));
    }
  }

  const write = async (request: AppendRequest): Promise<Written<AppendAnswer>> => {
    const written = await writer.write(request);
    lastWriteFailed = 'failed' in written && written.failed.transient;
    return written;
  };

  return {
    append: async (stream, expected, events) => {
      const texts = serializeAppend(stream, expected, events, packMetadata);
      if (isLeft(texts)) return left({ kind: 'refused', message: texts.left });
      const { data, metadata } = texts.right;
      const ids = events.map((e) => e.id);
      const types = events.map((e) => e.type);
      const written = await write({ stream, category: categoryOf(stream), expected, ids, types, data, metadata });
      if ('failed' in written) {
        const { message, stored, transient } = written.failed;
        if (!transient) return left({ kind: 'refused', message });
        return left({ kind: stored === 'no' ? 'unavailable' : 'outcome_unknown', message });
      }
      const answer = written.ok;
      if ('actual' in answer) return left({ kind: 'conflict', stream, expected, actual: answer.actual });
      if (!answer.repeated) {
        const before = answer.position - ids.length;
        for (let i = 0; i < ids.length; i++)
          recent.add([
            before + i + 1,
            stream,
            expected + i + 1,
            ids[i] as string,
            types[i] as string,
            data[i] as string,
            metadata[i] as string,
          ]);
        tell();
      }
      return right({ revision: answer.revision, position: positionOf(answer.position) });
    },
    readStream: async (stream, from = 0, limit = -1) =>
      (
        sql(`SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`).all(
          stream,
          from,
          limit,
        ) as EventRow[]
      ).map(eventOf),
    readAll: async (read) => readBatch(read),
    subscribe,
    head: async () => positionOf(storedHead()),
    ping: async () => {
      storedHead();
      if (!lastWriteFailed) return;
      const written = await write(PROBE);
      if ('failed' in written) throw new Error(written.failed.message);
    },
    close: async () => {
      if (closing.signal.aborted) return;
      closing.abort();
      await writer.close();
      db.close();
    },
  };
};
