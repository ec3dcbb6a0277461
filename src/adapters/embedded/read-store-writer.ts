/** What the read models' writer thread does. Self-contained: it is sent to the thread as text (see writer-thread.ts). */
import type { MakeHandler } from './writer-thread';

/** Names of tables come quoted, SQL comes ready. */
export interface TableApplication {
  readonly collection: string;
  readonly table: string;
  readonly removed: string;
  readonly keys: readonly string[];
  readonly positions: readonly string[];
  /** JSON; null removes. */
  readonly documents: readonly (string | null)[];
  readonly checkpoint: { readonly expected: string; readonly next: string } | null;
}
export type ReadStoreRequest =
  | { readonly kind: 'apply'; readonly applications: readonly TableApplication[] }
  | { readonly kind: 'execute'; readonly sql: readonly string[] }
  | { readonly kind: 'set'; readonly name: string; readonly expected: string | null; readonly next: string };
/** One truth for each application, or for the whole request. */
export type ReadStoreAnswer = readonly boolean[];

export const READ_STORE_PRAGMAS: readonly string[] = [
  'PRAGMA journal_mode=WAL',
  // What a crash takes is folded again from the ledger: the checkpoint goes with it, in the same file.
  'PRAGMA synchronous=NORMAL',
  'PRAGMA wal_autocheckpoint=4000',
  'PRAGMA journal_size_limit=67108864',
  'PRAGMA cache_size=-32000',
  'CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS checkpoints (collection TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
];

export const readStoreHandler: MakeHandler<ReadStoreRequest, ReadStoreAnswer> = (db) => {
  type Tables = Record<'upsert' | 'fresh' | 'remove' | 'bury', ReturnType<typeof db.prepare>> & { graves: boolean };
  const tables = new Map<string, Tables>();
  const zero = '0'.repeat(20);
  const readCheckpoint = db.prepare('SELECT position FROM checkpoints WHERE collection = ?');
  const writeCheckpoint = db.prepare(
    'INSERT INTO checkpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
  );
  const readSetting = db.prepare('SELECT value FROM settings WHERE name = ?');
  const writeSetting = db.prepare(
    'INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );

  const tablesOf = ({ table, removed }: TableApplication): Tables => {
    let found = tables.get(table);
    if (found === undefined) {
      const upsert = `ON CONFLICT (key) DO UPDATE SET position = excluded.position, document = excluded.document WHERE ${table}.position < excluded.position`;
      found = {
        upsert: db.prepare(`INSERT INTO ${table} (key, position, document) VALUES (?, ?, ?) ${upsert}`),
        fresh: db.prepare(
          `INSERT INTO ${table} (key, position, document) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM ${removed} WHERE key = ?1 AND position >= ?2) ${upsert}`,
        ),
        remove: db.prepare(`DELETE FROM ${table} WHERE key = ? AND position < ?`),
        bury: db.prepare(
          `INSERT INTO ${removed} VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position WHERE position < excluded.position`,
        ),
        graves: db.prepare(`SELECT 1 FROM ${removed} LIMIT 1`).get() !== undefined,
      };
      tables.set(table, found);
    }
    return found;
  };

  const apply = (application: TableApplication): boolean => {
    const { collection, keys, positions, documents, checkpoint } = application;
    if (checkpoint !== null) {
      const row = readCheckpoint.get(collection) as { position: string } | undefined;
      if ((row?.position ?? zero) !== checkpoint.expected) return false;
    }
    const to = tablesOf(application);
    for (let i = 0; i < keys.length; i++) {
      const document = documents[i];
      if (document === null) {
        to.graves = true;
        to.remove.run(keys[i], positions[i]);
        to.bury.run(keys[i], positions[i]);
      } else (to.graves ? to.fresh : to.upsert).run(keys[i], positions[i], document);
    }
    if (checkpoint !== null) writeCheckpoint.run(collection, checkpoint.next);
    return true;
  };

  return {
    reset: () => tables.clear(),
    run: (request) => {
      if (request.kind === 'apply') return request.applications.map(apply);
      if (request.kind === 'execute') {
        tables.clear();
        for (const sql of request.sql) db.exec(sql);
        return [true];
      }
      const row = readSetting.get(request.name) as { value: string } | undefined;
      if ((row?.value ?? null) !== request.expected) return [false];
      writeSetting.run(request.name, request.next);
      return [true];
    },
  };
};
