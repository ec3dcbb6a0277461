/** Compares a collection with a fresh fold of the same events. */
import type { Json } from '../core/event';
import type { EventTypes } from '../core/event-types';
import type { Position } from '../core/position';
import type { ReadStore, StoredDocument } from '../ports/read-store';
import { prepareBatch, sealedTypes } from './fold';
import type { Platform } from './platform';
import type { FoldedDocuments, Projection } from './projection';

export interface Difference {
  readonly key: string;
  /** Dotted paths that differ, at most 10; `(missing)`, `(not of the log)`, `(position)` for the document itself. No values: they may be personal. */
  readonly paths: readonly string[];
}

const PATHS = 10;

const differing = (a: Json | undefined, b: Json | undefined, path: string, found: string[]): void => {
  if (found.length >= PATHS || a === b) return;
  const both = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  if (!both || Array.isArray(a) !== Array.isArray(b)) {
    found.push(path === '' ? '(document)' : path);
    return;
  }
  const left = a as Readonly<Record<string, Json>>;
  const right = b as Readonly<Record<string, Json>>;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
    differing(left[key], right[key], path === '' ? key : `${path}.${key}`, found);
};

/** How a stored document differs from the fresh one; null: not at all. */
const difference = (
  key: string,
  stored: StoredDocument | null,
  fresh: Pick<StoredDocument, 'document' | 'position'> | null,
): Difference | null => {
  if (stored === null) return fresh === null ? null : { key, paths: ['(missing)'] };
  if (fresh === null) return { key, paths: ['(not of the log)'] };
  const paths: string[] = [];
  differing(stored.document, fresh.document, '', paths);
  if (paths.length === 0 && stored.position !== fresh.position) paths.push('(position)');
  return paths.length === 0 ? null : { key, paths };
};

type Entry = { readonly key: string } & StoredDocument;

/** Two streams in key order as one of pairs. */
async function* paired(
  a: AsyncIterable<Entry>,
  b: AsyncIterable<Entry>,
): AsyncGenerator<readonly [string, Entry | null, Entry | null]> {
  const left = a[Symbol.asyncIterator]();
  const right = b[Symbol.asyncIterator]();
  let l = await left.next();
  let r = await right.next();
  while (l.done !== true || r.done !== true) {
    const lk = l.done === true ? null : l.value.key;
    const rk = r.done === true ? null : r.value.key;
    if (lk !== null && (rk === null || lk < rk)) {
      yield [lk, l.value as Entry, null];
      l = await left.next();
    } else if (rk !== null && (lk === null || rk < lk)) {
      yield [rk, null, r.value as Entry];
      r = await right.next();
    } else {
      yield [lk as string, l.value as Entry, r.value as Entry];
      l = await left.next();
      r = await right.next();
    }
  }
}

export interface Comparison {
  readonly documents: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares `live` with `fresh`, which holds the fold of everything up to `upTo`. Live documents may be newer (a runner is at work): each of those
 * is compared with the fold up to its own position.
 */
export const compare = async (
  platform: Pick<Platform, 'events' | 'reads' | 'seals'>,
  catalog: EventTypes,
  projection: Projection,
  collections: { readonly live: string; readonly fresh: string },
  upTo: Position,
): Promise<Comparison> => {
  const { reads } = platform;
  const differences: Difference[] = [];
  const newer = new Set<string>();
  let documents = 0;
  for await (const [key, stored, fresh] of paired(reads.all(collections.live), reads.all(collections.fresh))) {
    if (stored !== null) documents += 1;
    const found = difference(key, stored, fresh);
    if (found === null) continue;
    // Missing: perhaps removed since. Newer: changed since. Both are looked at once more.
    if (stored === null || stored.position > upTo) newer.add(key);
    else differences.push(found);
  }
  if (newer.size > 0)
    differences.push(...(await compareNewer(platform, catalog, projection, collections, upTo, newer)));
  return { documents, differences };
};

const compareNewer = async (
  { events, reads, seals }: Pick<Platform, 'events' | 'reads' | 'seals'>,
  catalog: EventTypes,
  projection: Projection,
  { live, fresh }: { readonly live: string; readonly fresh: string },
  upTo: Position,
  keys: ReadonlySet<string>,
): Promise<readonly Difference[]> => {
  const stored = await reads.getMany(live, [...keys]);
  // A document that is gone was removed at some position up to the checkpoint.
  const checkpoint = await reads.checkpoint(live);
  const folded = new Map<string, Pick<StoredDocument, 'document' | 'position'>>(await reads.getMany(fresh, [...keys]));
  const goalOf = (key: string): Position => stored.get(key)?.position ?? checkpoint;
  let goal = upTo;
  for (const key of keys) if (goalOf(key) > goal) goal = goalOf(key);
  const opens = sealedTypes([projection]);
  const as = (type: string): 'opened' | 'masked' | 'stored' =>
    projection.opens.includes(type) ? 'opened' : projection.masks?.includes(type) === true ? 'masked' : 'stored';
  for (let after = upTo; after < goal;) {
    const batch = await events.readAll({ after, categories: projection.categories });
    const prepared = await prepareBatch(batch.events, catalog, seals.key, opens);
    batch.events.forEach((recorded, i) => {
      if (projection.types?.includes(recorded.type) === false) return;
      const event = prepared.at(i, as(recorded.type));
      if (event === null) return;
      for (const key of projection.keys(event)) {
        if (!keys.has(key) || event.position > goalOf(key)) continue;
        const before = folded.get(key)?.document ?? null;
        const after = projection.evolve(before, event, key);
        if (after === before) continue;
        if (after === null) folded.delete(key);
        else folded.set(key, { document: after, position: event.position });
      }
    });
    after = batch.position;
    if (batch.caughtUp) break;
  }
  return [...keys].flatMap((key) => difference(key, stored.get(key) ?? null, folded.get(key) ?? null) ?? []);
};

/** Documents of fresh collections, by the projection's name, for audits. */
export const foldedDocuments = (reads: ReadStore, fresh: ReadonlyMap<string, string>): FoldedDocuments => ({
  has: (projection) => fresh.has(projection),
  get: async (projection, key) => {
    const collection = fresh.get(projection);
    return collection === undefined ? null : ((await reads.get(collection, key))?.document ?? null);
  },
  count: async (projection, where) => {
    const collection = fresh.get(projection);
    return collection === undefined ? 0 : reads.count(collection, where);
  },
});
