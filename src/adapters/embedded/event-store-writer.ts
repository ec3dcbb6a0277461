/** What the ledger's writer thread does with an append. Self-contained: it is sent to the thread as text (see writer-thread.ts). */
import type { MakeHandler } from './writer-thread';

/** An append as it goes to the thread: columns of its events, texts as they are stored. Without events it only proves that a write works. */
export interface AppendRequest {
  readonly stream: string;
  readonly category: string;
  readonly expected: number;
  readonly ids: readonly string[];
  readonly types: readonly string[];
  readonly data: readonly string[];
  readonly metadata: readonly string[];
}

/** `position` and `revision` of the last event; `repeated`: it was there already. */
export type AppendAnswer =
  { readonly revision: number; readonly position: number; readonly repeated: boolean } | { readonly actual: number };

/** Positions count from 1 without gaps: one writer, and no event is ever deleted. */
export const LEDGER_PRAGMAS: readonly string[] = [
  'PRAGMA journal_mode=WAL',
  // Each commit is synced before it is answered; the package's own default in WAL mode is not to.
  'PRAGMA synchronous=FULL',
  'PRAGMA wal_autocheckpoint=2000',
  'PRAGMA journal_size_limit=67108864',
  `CREATE TABLE IF NOT EXISTS events (
     position INTEGER PRIMARY KEY,
     stream TEXT NOT NULL,
     revision INTEGER NOT NULL,
     id TEXT NOT NULL,
     category TEXT NOT NULL,
     type TEXT NOT NULL,
     data TEXT NOT NULL,
     metadata TEXT NOT NULL,
     UNIQUE (stream, revision))`,
];

export const ledgerHandler: MakeHandler<AppendRequest, AppendAnswer> = (db) => {
  const head = db.prepare('SELECT coalesce(max(position), 0) AS position FROM events');
  const tail = db.prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1');
  const stored = db.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY revision',
  );
  const version = db.prepare('PRAGMA user_version');
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const maxRemembered = 100_000;

  /** Last revisions of streams written lately, so that an append costs no read. */
  let revisions = new Map<string, number>();
  let position: number | null = null;

  const revisionOf = (stream: string): number => {
    const known = revisions.get(stream);
    if (known !== undefined) return known;
    const row = tail.get(stream) as { revision: number } | undefined;
    return row === undefined ? -1 : row.revision;
  };

  return {
    reset: () => {
      revisions = new Map();
      position = null;
    },
    run: ({ stream, category, expected, ids, types, data, metadata }) => {
      if (ids.length === 0) {
        const written = Number(Object.values(version.get() as object)[0]);
        db.exec(`PRAGMA user_version=${(written + 1) % 1_000_000}`);
        return { revision: -1, position: 0, repeated: true };
      }
      const actual = revisionOf(stream);
      if (actual !== expected) {
        const there = stored.all(stream, expected, expected + ids.length) as { id: string; position: number }[];
        const last = there[ids.length - 1];
        if (last !== undefined && ids.every((id, i) => there[i]?.id === id))
          return { revision: expected + ids.length, position: last.position, repeated: true };
        return { actual };
      }
      let at = position ?? (head.get() as { position: number }).position;
      let revision = actual;
      for (let i = 0; i < ids.length; i++)
        insert.run(++at, stream, ++revision, ids[i], category, types[i], data[i], metadata[i]);
      position = at;
      if (revisions.size >= maxRemembered) revisions = new Map();
      revisions.set(stream, revision);
      return { revision, position: at, repeated: false };
    },
  };
};
