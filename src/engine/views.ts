/** Read models as queries see them, and which collection of each is the live one. */
import { performance } from 'node:perf_hooks';
import type { ReadStore } from '../ports/read-store';
import { collectionOf, type Projection, type Views } from './projection';

/** Name of the read store's setting that says which collections a rebuild made live: JSON, collection by projection. */
export const LIVE_SETTING = 'live_collections';
/** How long a process may go on with what it last read of that setting, ms. Who switches waits longer before the old one goes. */
export const LIVE_TTL = 250;

export type LiveCollections = Readonly<Record<string, string>>;

export const parseLive = (text: string | null): LiveCollections =>
  text === null ? {} : (JSON.parse(text) as LiveCollections);

/** Whether a collection holds this version of this projection: the plain one, or one that a rebuild made. */
export const isVersionOf = (projection: Pick<Projection, 'name' | 'version'>, collection: string): boolean => {
  const plain = collectionOf(projection);
  return collection === plain || new RegExp(`^${plain}_r\\d+$`).test(collection);
};

/** The live collection: what a rebuild made of this version, else the plain one. */
export const liveCollection = (projection: Pick<Projection, 'name' | 'version'>, live: LiveCollections): string => {
  const named = live[projection.name];
  return named !== undefined && isVersionOf(projection, named) ? named : collectionOf(projection);
};

/** Reads the live version of each read model. Which one that is, is looked up at most every LIVE_TTL. */
export const viewsOver = (
  reads: ReadStore,
  projections: readonly Projection[],
  monotonic: () => number = () => performance.now(),
): Views => {
  let known: { readonly collections: ReadonlyMap<string, string>; readonly at: number } | null = null;
  const collection = async (projection: Pick<Projection, 'name' | 'version'>): Promise<string> => {
    if (known === null || monotonic() - known.at > LIVE_TTL) {
      const live = parseLive(await reads.setting(LIVE_SETTING));
      known = { collections: new Map(projections.map((p) => [p.name, liveCollection(p, live)])), at: monotonic() };
    }
    return known.collections.get(projection.name) ?? collectionOf(projection);
  };
  return {
    get: async <Doc extends object>(projection: Projection<Doc>, key: string) => {
      const stored = await reads.get(await collection(projection), key);
      return (stored?.document ?? null) as Doc | null;
    },
    find: async <Doc extends object>(projection: Projection<Doc>, query: Parameters<ReadStore['find']>[1]) =>
      (await reads.find(await collection(projection), query)) as readonly object[] as readonly Doc[],
    count: async (projection, where) => reads.count(await collection(projection), where),
  };
};
