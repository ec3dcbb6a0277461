/** Folds history into collections, as fast as it goes: large batches, documents in memory, writing while the next batch is folded. */
import type { RecordedEvent } from '../core/event';
import type { EventTypes } from '../core/event-types';
import type { StreamCategory } from '../core/ids';
import { offsetOf, START, type Position } from '../core/position';
import type { Application } from '../ports/read-store';
import { folding, prepareBatch, sealedTypes, type Folding, type Poison, type PreparedBatch } from './fold';
import type { Platform } from './platform';
import type { Projection } from './projection';

export interface ReplayTarget {
  readonly projection: Projection;
  /** Made, and folded to its checkpoint, already. */
  readonly collection: string;
  /** Fold up to here only; absent: to the end of the replay. */
  readonly upTo?: Position;
}

export interface ReplayProgress {
  /** Events looked at by now, and per second over the whole time. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** About how much longer it takes. */
  readonly secondsLeft: number;
}

export interface ReplayOptions {
  readonly targets: readonly ReplayTarget[];
  readonly catalog: EventTypes;
  /** The replay ends here. */
  readonly upTo: Position;
  /** Read everything from the beginning, not only what the targets need, and show each batch. */
  readonly see?: (events: readonly RecordedEvent[], batch: PreparedBatch) => void;
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** Told of an event that a target can't fold; that target is left as it is and the others go on. Absent: the replay rejects. */
  readonly onPoison?: (target: ReplayTarget, poison: Poison) => void;
}

export type ReplayPlatform = Pick<Platform, 'events' | 'reads' | 'seals' | 'clock'>;

/** An event that can't be folded ends a replay. */
export class PoisonedReplay extends Error {
  constructor(
    readonly projection: string,
    readonly poison: Poison,
  ) {
    super(`${projection} can't fold event ${poison.eventId} (${poison.type}): ${poison.error}`);
  }
}

/** Another process wrote to a collection of this replay; `replay` again goes on from where it is now. */
export class ReplayOvertaken extends Error {}

/** Events looked at per read. */
const READ = 2000;
/** Changed documents that are written together, over all targets. */
const FLUSH = 5000;
/** Documents of each target held in memory; a campaign's calls in flight, and those waiting to be written, are among them. */
const HELD = 10_000;

/** Answers how many events it looked at. Rejects when a store is away, or as the classes above say; what was written stays and is gone on from. */
export const replay = async (platform: ReplayPlatform, options: ReplayOptions): Promise<number> => {
  const { events, reads, clock } = platform;
  const { catalog, upTo, see, onProgress } = options;
  interface Open {
    readonly target: ReplayTarget;
    readonly folding: Folding;
    readonly upTo: Position;
    /** Written, and folded. */
    stored: Position;
    folded: Position;
  }
  let open: Open[] = [];
  for (const t of options.targets) {
    const checkpoint = await reads.checkpoint(t.collection);
    open.push({
      target: t,
      folding: folding(reads, t.projection, t.collection, HELD),
      upTo: t.upTo === undefined || t.upTo > upTo ? upTo : t.upTo,
      stored: checkpoint,
      folded: checkpoint,
    });
  }
  const opens = sealedTypes(open.map((t) => t.folding.projection));
  const categories = [...new Set<StreamCategory>(open.flatMap((t) => t.folding.projection.categories))];
  let after = see === undefined ? (open.map((t) => t.folded).sort()[0] ?? upTo) : START;
  const first = after;
  const began = clock.monotonic();
  let seen = 0;
  let inFlight: Promise<readonly boolean[]> = Promise.resolve([]);

  const settle = async (): Promise<void> => {
    if ((await inFlight).includes(false)) throw new ReplayOvertaken('another process folds into the same collection');
    inFlight = Promise.resolve([]);
  };
  const flush = async (): Promise<void> => {
    await settle();
    const applications: Application[] = [];
    for (const t of open) {
      t.folding.evict();
      if (t.stored === t.folded) continue;
      applications.push({
        collection: t.folding.collection,
        writes: t.folding.writes(),
        checkpoint: { expected: t.stored, next: t.folded },
      });
      t.folding.written();
      t.stored = t.folded;
    }
    if (applications.length === 0) return;
    inFlight = reads.apply(applications);
    inFlight.catch(() => undefined); // asked for by settle
  };
  const report = (): void => {
    if (onProgress === undefined) return;
    const seconds = Math.max(0.001, (clock.monotonic() - began) / 1000);
    const done = Number(offsetOf(after) - offsetOf(first));
    const all = Number(offsetOf(upTo) - offsetOf(first));
    onProgress({
      events: seen,
      eventsPerSecond: seen / seconds,
      secondsLeft: done <= 0 ? 0 : Math.max(0, (seconds * (all - done)) / done),
    });
  };

  while (after < upTo) {
    const batch = await events.readAll({ after, limit: READ, ...(see === undefined ? { categories } : {}) });
    const within = batch.position <= upTo ? batch.events : batch.events.filter((e) => e.position <= upTo);
    const prepared = await prepareBatch(within, catalog, platform.seals.key, opens);
    see?.(within, prepared);
    for (const t of open) {
      if (t.folded >= t.upTo) continue;
      const failed = await t.folding.fold(prepared, t.folded, t.upTo);
      if (failed !== null) {
        if (options.onPoison === undefined) throw new PoisonedReplay(t.folding.projection.name, failed.poison);
        options.onPoison(t.target, failed.poison);
        open = open.filter((o) => o !== t);
        continue;
      }
      t.folded = batch.position < t.upTo ? batch.position : t.upTo;
    }
    seen += within.length;
    after = batch.position;
    if (open.reduce((n, t) => n + t.folding.dirtyCount(), 0) >= FLUSH) await flush();
    report();
    if (batch.caughtUp) break;
  }
  await flush();
  await settle();
  return seen;
};
