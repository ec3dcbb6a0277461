/**
 * Embedded read models: JSON documents in one SQLite file, indexes on what json_extract finds in them. A thread of its own writes; reads are
 * made here, through a second connection that sees every committed write.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { START, type Position } from '../../core/position';
import type { Application, Document, DocumentWrite, ReadStore, StoredDocument } from '../../ports/read-store';
import {
  READ_STORE_PRAGMAS,
  readStoreHandler,
  VIEWS_FORMAT,
  type ReadStoreRequest,
  type TableApplication,
} from './read-store-writer';
import {
  addColumnSql,
  columnOf,
  createSql,
  indexSql,
  querySql,
  removedOf,
  tableOf,
  valueOf,
  whereSql,
  type Fields,
  type Sql,
} from './read-store-sql';
import { documentCache } from './document-cache';
import { openDatabase, statements } from './sqlite';
import { startWriter } from './writer-thread';

/** Documents fetched at once while streaming all of them. */
const PAGE = 500;
/** From this offset on a page is found in the index alone before its documents are read. */
const DEEP = 100;

export interface EmbeddedReadStoreOptions {
  /** Made when missing; the documents are in `views.db` in it. */
  readonly folder: string;
}

const tableApplication = ({ collection, writes, checkpoint }: Application, fields: Fields): TableApplication => ({
  collection,
  table: tableOf(collection),
  removed: removedOf(collection),
  columns: fields.map(columnOf),
  rows: writes.flatMap(({ key, position, document }) =>
    document === null
      ? [key, position, null, ...fields.map(() => null)]
      : [key, position, JSON.stringify(document), ...fields.map((field) => valueOf(document, field))],
  ),
  checkpoint: checkpoint ?? null,
});

/** Removes a file of another form, with its log. */
const dropOtherForms = async (file: string): Promise<void> => {
  const isOther = await stat(file).then(
    ({ size }) => {
      if (size === 0) return false;
      const db = openDatabase(file);
      try {
        return statements(db)('PRAGMA user_version').get()[0] !== VIEWS_FORMAT;
      } finally {
        db.close();
      }
    },
    () => false,
  );
  if (isOther) for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
};

const parse = (text: unknown): Document => JSON.parse(text as string) as Document;

/** Opens the read models' file, or begins one. Rejects when it can't be opened. */
export const embeddedReadStore = async (options: EmbeddedReadStoreOptions): Promise<ReadStore> => {
  const file = join(options.folder, 'views.db');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await dropOtherForms(file);
  const writer = await startWriter(file, READ_STORE_PRAGMAS, readStoreHandler);
  const db = openDatabase(file, { readOnly: true });
  const sql = statements(db);
  const cache = documentCache();
  /** Collections and the fields that have columns. */
  const known = new Map<string, Fields>();

  const rows = ({ text, values }: Sql): unknown[][] => sql(text).all(...values) as unknown[][];
  /** Null for a collection that nobody made; it reads as an empty one. */
  const fieldsOf = (collection: string): Fields | null => {
    const found = known.get(collection);
    if (found !== undefined) return found;
    const row = sql('SELECT fields FROM collections WHERE name = ?').get(collection) as [string] | undefined;
    if (row === undefined) return null;
    const fields = JSON.parse(row[0]) as Fields;
    known.set(collection, fields);
    return fields;
  };
  const request = async (asked: ReadStoreRequest): Promise<readonly boolean[]> => {
    const written = await writer.write(asked);
    if ('failed' in written) throw new Error(written.failed.message);
    return written.ok;
  };
  const apply = async (applications: readonly Application[]): Promise<readonly boolean[]> => {
    if (applications.length === 0) return [];
    const asked: ReadStoreRequest = {
      kind: 'apply',
      applications: applications.map((a) => tableApplication(a, fieldsOf(a.collection) ?? [])),
    };
    const written = applications.map((a) => cache.writing(a.collection, a.writes));
    try {
      return await request(asked);
    } finally {
      for (const done of written) done();
    }
  };

  const rowOf = (collection: string, key: string): [Position, string] | undefined =>
    sql(`SELECT position, document FROM ${tableOf(collection)} WHERE key = ?`).get(key) as
      [Position, string] | undefined;
  const storedOf = ([position, document]: [Position, string]): StoredDocument => ({
    position,
    document: parse(document),
  });

  return {
    ensure: async ({ name, indexes }) => {
      const before = fieldsOf(name);
      const fields = [...new Set([...(before ?? []), ...indexes.flatMap((index) => index.fields)])];
      const added = before === null ? [] : fields.slice(before.length);
      const steps = [
        createSql(name, fields),
        `CREATE TABLE IF NOT EXISTS ${removedOf(name)} (key TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL) WITHOUT ROWID`,
        ...added.flatMap((field) => addColumnSql(name, field)),
        `INSERT INTO collections VALUES ('${name}', '${JSON.stringify(fields)}') ON CONFLICT DO UPDATE SET fields = excluded.fields`,
        ...indexes.map((index) => indexSql(name, index)),
      ];
      // Before the thread hears of it: writes asked for from now on come after it there, and must know the columns.
      known.set(name, fields);
      try {
        await request({ kind: 'execute', sql: steps });
      } catch (error) {
        known.delete(name);
        throw error;
      }
    },
    drop: async (name) => {
      known.delete(name);
      cache.drop(name);
      await request({
        kind: 'execute',
        sql: [
          `DROP TABLE IF EXISTS ${tableOf(name)}`,
          `DROP TABLE IF EXISTS ${removedOf(name)}`,
          `DELETE FROM collections WHERE name = '${name}'`,
          `DELETE FROM checkpoints WHERE collection = '${name}'`,
        ],
      });
      known.delete(name);
      cache.drop(name);
    },
    collections: async () =>
      rows({ text: 'SELECT name FROM collections ORDER BY name', values: [] }).map(([n]) => n as string),
    get: async (collection, key) => {
      const kept = cache.get(collection, key);
      if (kept !== undefined) return kept;
      if (fieldsOf(collection) === null) return null;
      const row = rowOf(collection, key);
      if (row === undefined) return null;
      const stored = storedOf(row);
      cache.keep(collection, key, stored, row[1].length);
      return stored;
    },
    getMany: async (collection, keys) => {
      const found = new Map<string, StoredDocument>();
      if (fieldsOf(collection) === null) return found;
      for (const key of keys) {
        const row = rowOf(collection, key);
        if (row !== undefined) found.set(key, storedOf(row));
      }
      return found;
    },
    find: async (collection, query) => {
      const fields = fieldsOf(collection);
      if (fields === null) return [];
      if ((query.skip ?? 0) < DEEP) return rows(querySql(collection, query, fields, 'document')).map(([d]) => parse(d));
      const document = sql(`SELECT document FROM ${tableOf(collection)} WHERE rowid = ?`);
      return rows(querySql(collection, query, fields, 'rowid')).map(([rowid]) => parse(document.get(rowid)[0]));
    },
    count: async (collection, conditions) => {
      const fields = fieldsOf(collection);
      if (fields === null) return 0;
      const where = whereSql(conditions, fields);
      return sql(`SELECT count(*) FROM ${tableOf(collection)} ${where.text}`).get(...where.values)[0] as number;
    },
    all: async function* (collection) {
      let after = '';
      while (fieldsOf(collection) !== null) {
        const page = sql(
          `SELECT key, position, document FROM ${tableOf(collection)} WHERE key > ? ORDER BY key LIMIT ${PAGE}`,
        ).all(after) as [string, Position, string][];
        for (const [key, position, document] of page) yield { key, position, document: parse(document) };
        const last = page[PAGE - 1];
        if (last === undefined) return;
        after = last[0];
      }
    },
    write: async (collection, writes: readonly DocumentWrite[]) => {
      if (writes.length > 0) await apply([{ collection, writes }]);
    },
    apply,
    checkpoint: async (collection) => {
      const row = sql('SELECT position FROM checkpoints WHERE collection = ?').get(collection) as
        [Position] | undefined;
      return row?.[0] ?? START;
    },
    checkpoints: async () =>
      new Map(
        rows({ text: 'SELECT collection, position FROM checkpoints', values: [] }).map(([c, p]) => [
          c as string,
          p as Position,
        ]),
      ),
    setting: async (name) => {
      const row = sql('SELECT value FROM settings WHERE name = ?').get(name) as [string] | undefined;
      return row?.[0] ?? null;
    },
    setSetting: async (name, expected, next) => (await request({ kind: 'set', name, expected, next }))[0] === true,
    ping: async () => {
      sql('SELECT 1 FROM collections LIMIT 1').get();
    },
    close: async () => {
      await writer.close();
      if (db.isOpen) db.close();
    },
  };
};
