/**
 * Folding batches of events into documents: what the projections' runner, a rebuild and `verify` share. Documents are held in memory between
 * batches, so that a busy one is read once and written once per batch.
 */
import type { Document, DocumentWrite, ReadStore } from '../ports/read-store';
import type { RecordedEvent } from '../core/event';
import { upcast, type EventTypes } from '../core/event-types';
import { categoryOf } from '../core/ids';
import type { Position } from '../core/position';
import { fetchKeys, type KeyOf, type Openable } from './opened';
import type { ProjectedEvent, Projection } from './projection';

/** An event that a projection can't fold. */
export interface Poison {
  readonly eventId: string;
  readonly type: string;
  readonly stream: string;
  readonly position: Position;
  readonly error: string;
}

interface Held {
  document: Document | null;
  position: Position | '';
  dirty: boolean;
}

/** One projection's documents in memory, on top of a collection. */
export interface Folding {
  readonly projection: Projection;
  readonly collection: string;
  /** Documents with changes that are not written yet. */
  dirtyCount(): number;
  /** What has to be written. */
  writes(): readonly DocumentWrite[];
  /** What `writes` gave is on its way: changes from now on are new ones. */
  written(): void;
  /** Makes room: drops documents without changes, the least recently changed first. Only when what was given by `writes` is stored. */
  evict(): void;
  /** Drops everything held, changes too. */
  forget(): void;
  /**
   * Folds the events behind `after`, up to `upTo` (inclusive; absent: all), in order. Answers the index of the event that it could not fold, and why; those before it are folded.
   * Rejects when the read store is away: then `forget`.
   */
  fold(
    batch: PreparedBatch,
    after: Position,
    upTo?: Position,
  ): Promise<{ readonly at: number; readonly poison: Poison } | null>;
}

/** A batch as all projections share it: each event brought to today's shape once, each seal opened once. */
export interface PreparedBatch {
  readonly events: readonly RecordedEvent[];
  /** Whether this program knows the type at all. */
  knows(type: string): boolean;
  /** The event for a projection; null: it belongs to no organization. Throws when it is poison. */
  at(index: number, as: 'stored' | 'opened' | 'masked'): ProjectedEvent | null;
}

interface Prepared {
  stored: ProjectedEvent | null | undefined;
  opened?: ProjectedEvent;
  masked?: ProjectedEvent;
  openable?: Openable;
}

const projectedOf = (event: RecordedEvent, catalog: EventTypes): ProjectedEvent | null => {
  const org = Number(event.metadata.org);
  if (!Number.isInteger(org) || org < 1) return null;
  return {
    id: event.id,
    type: event.type,
    data: upcast(catalog, event.type, event.data, event.metadata.schema),
    org,
    actor: event.metadata.actor,
    at: event.metadata.at,
    stream: event.stream,
    revision: event.revision,
    position: event.position,
  };
};

/** Types that one of the projections sees opened or masked. */
export const sealedTypes = (projections: readonly Projection[]): ReadonlySet<string> =>
  new Set(projections.flatMap((p) => [...p.opens, ...(p.masks ?? [])]));

/** Rejects when the vault is away. */
export const prepareBatch = async (
  events: readonly RecordedEvent[],
  catalog: EventTypes,
  keyOf: KeyOf,
  opens: ReadonlySet<string>,
): Promise<PreparedBatch> => {
  const prepared: Prepared[] = new Array<Prepared>(events.length);
  const stored = (i: number): ProjectedEvent | null => {
    const p = prepared[i] as Prepared;
    if (p.stored === undefined) p.stored = projectedOf(events[i] as RecordedEvent, catalog);
    return p.stored;
  };
  for (let i = 0; i < events.length; i++) {
    prepared[i] = { stored: undefined };
    if (!opens.has((events[i] as RecordedEvent).type)) continue;
    let event: ProjectedEvent | null;
    try {
      event = stored(i);
    } catch {
      continue; // told to those who fold it
    }
    if (event !== null) (prepared[i] as Prepared).openable = await fetchKeys(keyOf, event.org, event.data);
  }
  return {
    events,
    knows: (type) => catalog[type] !== undefined,
    at: (i, as) => {
      const event = stored(i);
      const p = prepared[i] as Prepared;
      if (event === null || as === 'stored' || p.openable === undefined) return event;
      if (as === 'opened') return (p.opened ??= { ...event, data: p.openable.opened() });
      return (p.masked ??= { ...event, data: p.openable.masked() });
    },
  };
};

/** `capacity`: documents held between batches; the least recently used go first. */
export const folding = (
  reads: Pick<ReadStore, 'getMany'>,
  projection: Projection,
  collection: string,
  capacity: number,
): Folding => {
  const held = new Map<string, Held>();
  const dirty = new Map<string, Held>();
  /** How each type of event is seen; null: not at all. */
  const seen = new Map<string, 'stored' | 'opened' | 'masked' | null>();
  const categories = new Set(projection.categories);
  const opens = new Set(projection.opens);
  const masks = new Set(projection.masks ?? []);
  const types = projection.types === undefined ? null : new Set(projection.types);
  const insertOnly = projection.insertOnly === true;

  const seenAs = (type: string, batch: PreparedBatch): 'stored' | 'opened' | 'masked' | null => {
    let as = seen.get(type);
    if (as === undefined) {
      // A type that nobody knows may be meant for it: it is looked at, and found to be poison.
      const wanted = types === null || types.has(type) || !batch.knows(type);
      as = !wanted ? null : opens.has(type) ? 'opened' : masks.has(type) ? 'masked' : 'stored';
      seen.set(type, as);
    }
    return as;
  };

  interface Work {
    readonly at: number;
    readonly event: ProjectedEvent;
    readonly keys: readonly string[];
  }
  const poisonOf = (event: RecordedEvent, error: unknown): Poison => ({
    eventId: event.id,
    type: event.type,
    stream: event.stream,
    position: event.position,
    error: (error as Error).message,
  });

  const load = async (work: readonly Work[]): Promise<void> => {
    const missing = new Set<string>();
    for (const { keys } of work) for (const key of keys) if (!held.has(key)) missing.add(key);
    if (missing.size === 0) return;
    const found = insertOnly ? null : await reads.getMany(collection, [...missing]);
    for (const key of missing) {
      const stored = found?.get(key);
      held.set(key, { document: stored?.document ?? null, position: stored?.position ?? '', dirty: false });
    }
  };

  return {
    projection,
    collection,
    dirtyCount: () => dirty.size,
    writes: () =>
      Array.from(dirty, ([key, { document, position }]) => ({ key, document, position: position as Position })),
    written: () => {
      for (const h of dirty.values()) h.dirty = false;
      dirty.clear();
      if (insertOnly) held.clear();
    },
    evict: () => {
      if (held.size <= capacity) return;
      for (const [key, h] of held) {
        if (held.size <= capacity) break;
        if (!h.dirty) held.delete(key);
      }
    },
    forget: () => {
      held.clear();
      dirty.clear();
    },
    fold: async (batch, after, upTo) => {
      const { events } = batch;
      const work: Work[] = [];
      let failed: { readonly at: number; readonly poison: Poison } | null = null;
      for (let i = 0; i < events.length; i++) {
        const recorded = events[i] as RecordedEvent;
        const as = seenAs(recorded.type, batch);
        if (upTo !== undefined && recorded.position > upTo) break;
        if (as === null || recorded.position <= after || !categories.has(categoryOf(recorded.stream))) continue;
        try {
          const event = batch.at(i, as);
          if (event !== null) work.push({ at: i, event, keys: projection.keys(event) });
        } catch (error) {
          failed = { at: i, poison: poisonOf(recorded, error) };
          break;
        }
      }
      await load(work);
      for (const { at, event, keys } of work) {
        for (const key of keys) {
          const h = held.get(key) as Held;
          if (h.position >= event.position) continue;
          let next: Document | null;
          try {
            next = projection.evolve(h.document, event, key);
          } catch (error) {
            return { at, poison: poisonOf(events[at] as RecordedEvent, error) };
          }
          if (next === h.document) continue;
          h.document = next;
          h.position = event.position;
          if (!h.dirty) {
            h.dirty = true;
            dirty.set(key, h);
            // The least recently changed go first when room is made.
            held.delete(key);
            held.set(key, h);
          }
        }
      }
      return failed;
    },
  };
};
