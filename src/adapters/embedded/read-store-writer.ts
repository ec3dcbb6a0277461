/** What the read models' writer thread does. Self-contained: it is sent to the thread as text (see writer-thread.ts). */
import type { MakeHandler } from './writer-thread';

/** Names of tables come quoted, SQL comes ready. */
export interface TableApplication {
  readonly collection: string;
  readonly table: string;
  readonly removed: string;
  /** Columns of the indexed fields. */
  readonly columns: readonly string[];
  /** A row after the other: key, position, document (JSON; null removes), then the indexed fields. */
  readonly rows: readonly (string | number | null)[];
  readonly checkpoint: { readonly expected: string; readonly next: string } | null;
}
export type ReadStoreRequest =
  | { readonly kind: 'apply'; readonly applications: readonly TableApplication[] }
  | { readonly kind: 'execute'; readonly sql: readonly string[] }
  | { readonly kind: 'set'; readonly name: string; readonly expected: string | null; readonly next: string };
/** One truth for each application, or for the whole request. */
export type ReadStoreAnswer = readonly boolean[];

/** Form of the file; one of another form is begun anew, since everything in it is folded from the ledger. */
export const VIEWS_FORMAT = 2;

export const READ_STORE_PRAGMAS: readonly string[] = [
  'PRAGMA journal_mode=WAL',
  // What a crash takes is folded again from the ledger: the checkpoint goes with it, in the same file.
  'PRAGMA synchronous=NORMAL',
  'PRAGMA wal_autocheckpoint=4000',
  'PRAGMA journal_size_limit=67108864',
  'PRAGMA cache_size=-32000',
  `PRAGMA user_version=${VIEWS_FORMAT}`,
  // fields: JSON, those that have a column of their own
  'CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, fields TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS checkpoints (collection TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
];

export const readStoreHandler: MakeHandler<ReadStoreRequest, ReadStoreAnswer> = (db) => {
  type Prepared = ReturnType<typeof db.prepare>;
  interface Table {
    readonly find: Prepared;
    readonly insert: Prepared;
    readonly touch: Prepared;
    readonly update: Prepared;
    readonly remove: Prepared;
    readonly bury: Prepared;
    readonly buried: Prepared;
    /** Whether anything was ever removed from it. */
    hasGraves: boolean;
  }
  const tables = new Map<string, Table>();
  const zero = '0'.repeat(20);
  const readCheckpoint = db.prepare('SELECT position FROM checkpoints WHERE collection = ?');
  const writeCheckpoint = db.prepare(
    'INSERT INTO checkpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
  );
  const readSetting = db.prepare('SELECT value FROM settings WHERE name = ?');
  const writeSetting = db.prepare(
    'INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );

  const tableOf = ({ table, removed, columns }: TableApplication): Table => {
    const name = `${table} ${columns.join()}`;
    let found = tables.get(name);
    if (found === undefined) {
      const more = columns.map((column) => `, ${column}`).join('');
      const find = db.prepare(`SELECT rowid, position${more} FROM ${table} WHERE key = ?`);
      find.setReturnArrays(true);
      found = {
        find,
        insert: db.prepare(
          `INSERT INTO ${table} (key, position, document${more}) VALUES (?, ?, ?${', ?'.repeat(columns.length)})`,
        ),
        // Without the indexed columns, so that no index is touched where none of them changed.
        touch: db.prepare(`UPDATE ${table} SET position = ?, document = ? WHERE rowid = ?`),
        update: db.prepare(
          `UPDATE ${table} SET position = ?, document = ?${columns.map((c) => `, ${c} = ?`).join('')} WHERE rowid = ?`,
        ),
        remove: db.prepare(`DELETE FROM ${table} WHERE key = ? AND position < ?`),
        bury: db.prepare(
          `INSERT INTO ${removed} VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position WHERE position < excluded.position`,
        ),
        buried: db.prepare(`SELECT 1 FROM ${removed} WHERE key = ? AND position >= ?`),
        hasGraves: db.prepare(`SELECT 1 FROM ${removed} LIMIT 1`).get() !== undefined,
      };
      tables.set(name, found);
    }
    return found;
  };

  const apply = (application: TableApplication): boolean => {
    const { collection, columns, rows, checkpoint } = application;
    if (checkpoint !== null) {
      const row = readCheckpoint.get(collection) as { position: string } | undefined;
      if ((row?.position ?? zero) !== checkpoint.expected) return false;
    }
    const to = tableOf(application);
    const width = 3 + columns.length;
    for (let at = 0; at < rows.length; at += width) {
      const key = rows[at] as string;
      const position = rows[at + 1] as string;
      const document = rows[at + 2];
      if (document === null) {
        to.hasGraves = true;
        to.remove.run(key, position);
        to.bury.run(key, position);
        continue;
      }
      const stored = to.find.get(key) as [number, string, ...unknown[]] | undefined;
      if (stored === undefined) {
        if (to.hasGraves && to.buried.get(key, position) !== undefined) continue;
        to.insert.run(...rows.slice(at, at + width));
      } else if (stored[1] < position) {
        let isSame = true;
        for (let c = 0; c < columns.length; c++) isSame &&= stored[2 + c] === rows[at + 3 + c];
        if (isSame) to.touch.run(position, document, stored[0]);
        else to.update.run(...rows.slice(at + 1, at + width), stored[0]);
      }
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
