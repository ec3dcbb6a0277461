/**
 * Where read models live: JSON documents by key, in collections with declared indexes, and one checkpoint per collection.
 * Everything in it can be dropped and folded again from the ledger.
 *
 * Promises of every adapter (held by test/contract/read-store.ts):
 * - A write is guarded: it takes effect only where the stored document is older (its position less than the write's). Removal is such a write too.
 * - `apply` makes the writes visible before or together with the checkpoint, which moves only from `expected`; a lost race answers false.
 * - `find` sees every write that was answered before it began. A collection that nobody made reads as an empty one.
 * - A write that clashes with a unique index rejects. A bad name or field rejects.
 */
import type { JsonObject } from '../core/event';
import type { Position } from '../core/position';

export type Document = JsonObject;

/** A field is a dotted path into the document. */
export interface Index {
  /** The organization's field comes first in every index that serves a tenant. */
  readonly fields: readonly string[];
  readonly unique?: boolean;
}

export interface Collection {
  /** Name and version of a projection, e.g. `campaigns_v3`: letters, digits, underscore. */
  readonly name: string;
  readonly indexes: readonly Index[];
}

export interface StoredDocument {
  readonly document: Document;
  readonly position: Position;
}

export interface DocumentWrite {
  readonly key: string;
  /** null removes it. */
  readonly document: Document | null;
  /** Position of the last event folded into it. */
  readonly position: Position;
}

export interface Application {
  readonly collection: string;
  readonly writes: readonly DocumentWrite[];
  readonly checkpoint?: { readonly expected: Position; readonly next: Position };
}

export type Scalar = string | number | boolean | null;
/** Values are equal when type and value are (an engine may take true for 1 and false for 0); null is equal to null and to what is missing. */
export type Condition =
  | { readonly field: string; readonly is: Scalar }
  | { readonly field: string; readonly in: readonly Scalar[] }
  /** Both bounds belong to the range, which holds values of their type only: numbers by size, texts by their bytes in UTF-8. */
  | { readonly field: string; readonly from?: Scalar; readonly to?: Scalar };

export interface Query {
  readonly where: readonly Condition[];
  /** Missing and null values come last, whatever the direction; ties by key. */
  readonly sort?: { readonly field: string; readonly descending: boolean };
  readonly skip?: number;
  readonly limit?: number;
}

export interface ReadStore {
  /** Makes the collection and its indexes where they are missing. */
  ensure(collection: Collection): Promise<void>;
  drop(collection: string): Promise<void>;
  collections(): Promise<readonly string[]>;
  get(collection: string, key: string): Promise<StoredDocument | null>;
  getMany(collection: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>>;
  find(collection: string, query: Query): Promise<readonly Document[]>;
  count(collection: string, where: readonly Condition[]): Promise<number>;
  /** Every document with its key, in key order, streamed; for verify. */
  all(collection: string): AsyncIterable<{ readonly key: string } & StoredDocument>;
  /** Guarded writes without moving a checkpoint. */
  write(collection: string, writes: readonly DocumentWrite[]): Promise<void>;
  /** The writes of a batch and the checkpoints, each all or nothing in that order; false for those whose checkpoint stood elsewhere. */
  apply(applications: readonly Application[]): Promise<readonly boolean[]>;
  /** START when the collection has none. */
  checkpoint(collection: string): Promise<Position>;
  checkpoints(): Promise<ReadonlyMap<string, Position>>;
  /** Small named values: which version of a projection is live, and the like. Compare-and-set; `expected` null: absent. */
  setting(name: string): Promise<string | null>;
  setSetting(name: string, expected: string | null, next: string): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
