/** The one file that imports MongoDB's driver: a connection with this program's settings, and what a failed write means. */
import { MongoBulkWriteError, MongoClient, MongoServerError, type Db } from 'mongodb';
import { within } from '../../engine/within';

export type { AnyBulkWriteOperation, Collection, Db, Document as MongoDocument, Filter } from 'mongodb';

export interface MongoConnection {
  readonly db: Db;
  /** Resolves when the server answers within 2 s. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** An operation that the server does not answer is given up after this many ms, so that a request can be answered. */
export const OPERATION_TIMEOUT = 5000;

/**
 * Connects at the first operation and again after a failure. Writes are acknowledged by a majority of the members and journaled. `database`:
 * where the connection string names none.
 */
export const mongoConnection = (url: string, database: (named: string | null) => string): MongoConnection => {
  const client = new MongoClient(url, {
    appName: 'ledgerline',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: 3000,
    connectTimeoutMS: 3000,
    // A server that stands still is noticed after one of these and the timeout above; its connections are closed then.
    heartbeatFrequencyMS: 2000,
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
  });
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? null;
  const db = client.db(database(named));
  return {
    db,
    // A first connection that failed leaves the client closed for ever ("Topology is closed"), unless it is told to connect again.
    ping: async () => {
      const answer = client.connect().then(() => db.command({ ping: 1 }));
      await within(2000, `MongoDB's ping`, answer);
    },
    close: () => client.close(),
  };
};

const DUPLICATE_KEY = 11_000;
const NAMESPACE_EXISTS = 48;

const hasCode = (error: unknown, code: number): boolean => error instanceof MongoServerError && error.code === code;

export const isDuplicateKey = (error: unknown): boolean => hasCode(error, DUPLICATE_KEY);
export const isNamespaceExists = (error: unknown): boolean => hasCode(error, NAMESPACE_EXISTS);

/** Ordinals of a bulk's operations that failed because their key is there; rethrows when one failed for another reason. */
export const duplicatesOf = (error: unknown): readonly number[] => {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  if (failed.length === 0 || failed.some((one) => one.code !== DUPLICATE_KEY)) throw error;
  if (error.result.getWriteConcernError() !== undefined) throw error;
  return failed.map((one) => one.index);
};

/** The operation's answer in time, or a rejection. What it began may still take effect: every write here may be repeated. */
export const inTime = <A>(operation: Promise<A>, ms = OPERATION_TIMEOUT): Promise<A> =>
  within(ms, 'MongoDB', operation);
