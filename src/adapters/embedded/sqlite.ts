/**
 * The SQLite driver: the one built into Node where it is complete (22.16, 24 and newer), else the package with the same API and file
 * format, whose prebuilt binaries run on Node 20. No other file imports either.
 */
import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export type Database = DatabaseSyncInstance;
export type Statement = StatementSyncInstance;
type SqliteModule = {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly?: boolean }) => Database;
};

const load = createRequire(__filename);

/** Node 22 announces its module as experimental at every start; the part used here has not changed since, so nobody needs to read that. */
const loadBuiltIn = (): SqliteModule | null => {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    const builtIn = load('node:sqlite') as SqliteModule & { readonly StatementSync?: { readonly prototype: object } };
    // setReturnArrays came after the module itself
    return 'setReturnArrays' in (builtIn.StatementSync?.prototype ?? {}) ? builtIn : null;
  } catch {
    return null;
  } finally {
    process.emitWarning = emitWarning;
  }
};
const builtIn = loadBuiltIn();

/** What a thread without this module's loader passes to `require`. */
export const driver: string = builtIn !== null ? 'node:sqlite' : load.resolve('@photostructure/sqlite');
const { DatabaseSync } = builtIn ?? (load('@photostructure/sqlite') as SqliteModule);

/** Opens a database; waits up to 5 s for locks of others. Throws what SQLite says. */
export const openDatabase = (file: string, options: { readonly readOnly?: boolean } = {}): Database => {
  const db = new DatabaseSync(file, options);
  db.exec('PRAGMA busy_timeout=5000');
  return db;
};

/** Prepared statements by their text, as arrays of columns (twice as fast as objects). */
export const statements = (db: Database): ((sql: string) => Statement) => {
  const cache = new Map<string, Statement>();
  return (sql) => {
    let statement = cache.get(sql);
    if (statement === undefined) {
      if (cache.size >= 500) cache.clear();
      statement = db.prepare(sql);
      statement.setReturnArrays(true);
      cache.set(sql, statement);
    }
    return statement;
  };
};
