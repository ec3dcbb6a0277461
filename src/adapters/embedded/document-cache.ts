/**
 * Documents as they were parsed when last read, until they are written: what requests ask for again and again seldom changes. Only for a store
 * that every write passes through.
 */
import type { StoredDocument } from '../../ports/read-store';

/** JSON text behind the documents kept, UTF-16 units: 4 Mi. Beyond it all are forgotten; what was written since counts until then. */
const MAX_UNITS = 4 * 1024 * 1024;

export interface DocumentCache {
  get(collection: string, key: string): StoredDocument | undefined;
  /** Keeps what was read just now, of that many UTF-16 units; not while the collection is being written. */
  keep(collection: string, key: string, stored: StoredDocument, units: number): void;
  /** Forgets documents that are about to be written; call what it answers when they are, or could not be. */
  writing(collection: string, writes: readonly { readonly key: string }[]): () => void;
  /** Forgets a collection. */
  drop(collection: string): void;
}

export const documentCache = (): DocumentCache => {
  const kept = new Map<string, Map<string, StoredDocument>>();
  const beingWritten = new Map<string, number>();
  let units = 0;
  return {
    get: (collection, key) => kept.get(collection)?.get(key),
    keep: (collection, key, stored, size) => {
      if ((beingWritten.get(collection) ?? 0) > 0) return;
      units += size;
      if (units > MAX_UNITS) {
        kept.clear();
        units = size;
      }
      const documents = kept.get(collection) ?? new Map<string, StoredDocument>();
      kept.set(collection, documents.set(key, stored));
    },
    writing: (collection, writes) => {
      const documents = kept.get(collection);
      if (documents !== undefined) for (const { key } of writes) documents.delete(key);
      beingWritten.set(collection, (beingWritten.get(collection) ?? 0) + 1);
      return () => beingWritten.set(collection, (beingWritten.get(collection) ?? 0) - 1);
    },
    drop: (collection) => kept.delete(collection),
  };
};
