/**
 * Read models in MongoDB: a collection per projection and version. Uses only what a standalone server has too: no transaction, no change
 * stream. Writes are guarded by position one by one, so that a batch that was cut off is simply written again.
 */
import { START, type Position } from '../../core/position';
import type { Application, Document, DocumentWrite, Query, ReadStore, StoredDocument } from '../../ports/read-store';
import { filterOf, indexKeys, NOT_GONE, pathOf, toDocument, toStored, type Row } from './mongo-documents';
import {
  duplicatesOf,
  inTime,
  OPERATION_TIMEOUT,
  isDuplicateKey,
  isNamespaceExists,
  mongoConnection,
  type AnyBulkWriteOperation,
} from './mongo-driver';

export interface MongoReadStoreOptions {
  /** Connection string; the database is the one it names, or `ledgerline`. */
  readonly url: string;
}

/** Names that begin with an underscore are not read models. */
const CHECKPOINTS = '_checkpoints';
const SETTINGS = '_settings';
const isReadModel = (name: string): boolean => /^[a-zA-Z0-9]\w*$/.test(name);

interface CheckpointRow {
  readonly _id: string;
  readonly position: string;
}
interface SettingRow {
  readonly _id: string;
  readonly value: string;
}

/** Documents per bulk write and per page. */
const BULK = 1000;
const PAGE = 500;
/** Bulks of a projection may take longer than what a request waits for. */
const BULK_TIMEOUT = 20_000;
const timeoutOf = (writes: readonly unknown[]): number => (writes.length < 100 ? OPERATION_TIMEOUT : BULK_TIMEOUT);

const rowOf = ({ key, document, position }: DocumentWrite): Row =>
  document === null ? { _id: key, position, gone: true } : { _id: key, position, document: toStored(document) };
const storedOf = (row: Row): StoredDocument => ({
  document: toDocument(row.document ?? {}),
  position: row.position as Position,
});

/** Of several writes under one key the newest takes effect; of two at one position the first. */
const newestPerKey = (writes: readonly DocumentWrite[]): readonly DocumentWrite[] => {
  const newest = new Map<string, DocumentWrite>();
  for (const write of writes) {
    const other = newest.get(write.key);
    if (other === undefined || other.position < write.position) newest.set(write.key, write);
  }
  return [...newest.values()];
};

const guarded = (write: DocumentWrite, upsert: boolean): AnyBulkWriteOperation<Row> => ({
  replaceOne: { filter: { _id: write.key, position: { $lt: write.position } }, replacement: rowOf(write), upsert },
});

/** Connects lazily. */
export const mongoReadStore = ({ url }: MongoReadStoreOptions): ReadStore => {
  const { db, ping, close } = mongoConnection(url, (named) => named ?? 'ledgerline');
  const rows = (collection: string) => db.collection<Row>(collection);
  const checkpoints = db.collection<CheckpointRow>(CHECKPOINTS);
  const settings = db.collection<SettingRow>(SETTINGS);

  const write = async (collection: string, writes: readonly DocumentWrite[]): Promise<void> => {
    const all = newestPerKey(writes);
    for (let at = 0; at < all.length; at += BULK) {
      const some = all.slice(at, at + BULK);
      try {
        await inTime(
          rows(collection).bulkWrite(
            some.map((w) => guarded(w, true)),
            { ordered: false },
          ),
          timeoutOf(some),
        );
      } catch (error) {
        // The key was there with a position as new, or another writer made it meanwhile, perhaps with an older one: now it is only replaced.
        const again = duplicatesOf(error).map((i) => guarded(some[i] as DocumentWrite, false));
        await inTime(rows(collection).bulkWrite(again, { ordered: false }), timeoutOf(some));
      }
    }
  };

  const checkpoint = async (collection: string): Promise<Position> =>
    ((await inTime(checkpoints.findOne({ _id: collection })))?.position ?? START) as Position;

  /** true: it stood at `expected` and stands at `next` now. */
  const moveCheckpoint = async (collection: string, expected: Position, next: Position): Promise<boolean> => {
    if (expected === START) {
      try {
        await inTime(checkpoints.insertOne({ _id: collection, position: next }));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    const { matchedCount } = await inTime(
      checkpoints.updateOne({ _id: collection, position: expected }, { $set: { position: next } }),
    );
    return matchedCount === 1;
  };

  const applyOne = async ({ collection, writes, checkpoint: move }: Application): Promise<boolean> => {
    if (move === undefined) {
      await write(collection, writes);
      return true;
    }
    // A race lost before it began writes nothing; one lost meanwhile wrote what the winner's own documents are newer than.
    if ((await checkpoint(collection)) !== move.expected) return false;
    await write(collection, writes);
    return moveCheckpoint(collection, move.expected, move.next);
  };

  const page = async (
    collection: string,
    query: Query,
    mode: 'having' | 'lacking' | 'all',
  ): Promise<readonly Document[]> => {
    const path = query.sort === undefined ? null : pathOf(query.sort.field);
    const only = path === null || mode === 'all' ? [] : [{ [path]: mode === 'having' ? { $ne: null } : { $eq: null } }];
    const cursor = rows(collection)
      .find(filterOf(query.where, ...only), {
        projection: { _id: 0, document: 1 },
        allowDiskUse: true,
        maxTimeMS: OPERATION_TIMEOUT,
      })
      .sort(
        path === null || mode === 'lacking' ? { _id: 1 } : { [path]: query.sort?.descending === true ? -1 : 1, _id: 1 },
      )
      .skip(query.skip ?? 0);
    if (query.limit !== undefined) cursor.limit(query.limit);
    const found = await inTime(cursor.toArray());
    return found.map((row) => toDocument(row.document ?? {}));
  };

  /** Documents that lack the sort field come last, in both directions, which is not MongoDB's order: they are a query of their own. */
  const find = async (collection: string, query: Query): Promise<readonly Document[]> => {
    const { sort, skip = 0, limit } = query;
    if (limit === 0) return [];
    if (sort === undefined) return page(collection, query, 'all');
    const having = await page(collection, query, 'having');
    const missing = limit === undefined ? Infinity : limit - having.length;
    if (missing <= 0) return having;
    const path = pathOf(sort.field);
    const passed =
      having.length > 0 || skip === 0
        ? 0
        : skip - (await inTime(rows(collection).countDocuments(filterOf(query.where, { [path]: { $ne: null } }))));
    const lacking: Query = {
      where: query.where,
      sort,
      skip: passed,
      ...(limit === undefined ? {} : { limit: missing }),
    };
    return [...having, ...(await page(collection, lacking, 'lacking'))];
  };

  async function* all(collection: string) {
    for (let after: string | null = null; ;) {
      const cursor = rows(collection).find(after === null ? NOT_GONE : { $and: [NOT_GONE, { _id: { $gt: after } }] });
      const found: Row[] = await inTime(cursor.sort({ _id: 1 }).limit(PAGE).toArray());
      for (const row of found) yield { key: row._id, ...storedOf(row) };
      const last = found[PAGE - 1];
      if (last === undefined) return;
      after = last._id;
    }
  }

  return {
    ensure: async ({ name, indexes }) => {
      if (!isReadModel(name)) throw new Error(`'${name}' can't be the name of a collection`);
      await db.createCollection(name).catch((error: unknown) => {
        if (!isNamespaceExists(error)) throw error;
      });
      for (const index of indexes)
        await rows(name).createIndex(indexKeys(index), {
          // Stones have no fields and must not clash.
          ...(index.unique === true ? { unique: true, partialFilterExpression: { document: { $exists: true } } } : {}),
        });
    },
    drop: async (name) => {
      await inTime(checkpoints.deleteOne({ _id: name }));
      await rows(name).drop();
    },
    collections: async () => {
      const found = await inTime(db.listCollections({}, { nameOnly: true }).toArray());
      return found
        .map(({ name }) => name)
        .filter(isReadModel)
        .sort();
    },
    get: async (collection, key) => {
      const row = await inTime(rows(collection).findOne({ _id: key }));
      return row === null || row.gone === true ? null : storedOf(row);
    },
    getMany: async (collection, keys) => {
      const found = new Map<string, StoredDocument>();
      const wanted = [...new Set(keys)];
      for (let at = 0; at < wanted.length; at += BULK) {
        const some = wanted.slice(at, at + BULK);
        const cursor = rows(collection).find({ _id: { $in: some } }, { batchSize: BULK });
        for (const row of await inTime(cursor.toArray(), timeoutOf(some)))
          if (row.gone !== true) found.set(row._id, storedOf(row));
      }
      return found;
    },
    find,
    count: (collection, where) =>
      inTime(rows(collection).countDocuments(filterOf(where), { maxTimeMS: OPERATION_TIMEOUT })),
    all,
    write,
    apply: (applications) => Promise.all(applications.map(applyOne)),
    checkpoint,
    checkpoints: async () => {
      const found = await inTime(checkpoints.find().toArray());
      return new Map(found.map(({ _id, position }) => [_id, position as Position]));
    },
    setting: async (name) => (await inTime(settings.findOne({ _id: name })))?.value ?? null,
    setSetting: async (name, expected, next) => {
      if (expected !== null) {
        const moved = await inTime(settings.updateOne({ _id: name, value: expected }, { $set: { value: next } }));
        return moved.matchedCount === 1;
      }
      try {
        await inTime(settings.insertOne({ _id: name, value: next }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    ping,
    close,
  };
};
