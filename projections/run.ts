/**
 * The projections' runner: one subscription feeds all read models. A batch's documents and checkpoints are written together; each document only
 * over an older one, each checkpoint only from where it was. So replaying is harmless, a crash anywhere is harmless, and of two runners one wins.
 */
import type { StreamCategory } from '../src/core/ids';
import type { Position } from '../src/core/position';
import { eventCatalog } from '../src/domain/event-catalog';
import { BeginAnew, consume } from '../src/engine/consume';
import { pause } from '../src/engine/pause';
import { folding, prepareBatch, sealedTypes, type Folding, type Poison } from '../src/engine/fold';
import type { Platform } from '../src/engine/platform';
import type { Projection } from '../src/engine/projection';
import { LIVE_SETTING, LIVE_TTL, liveCollection, parseLive } from '../src/engine/views';
import type { EventBatch } from '../src/ports/event-store';
import type { Application } from '../src/ports/read-store';

export interface ProjectionStatus {
  readonly name: string;
  /** null: it has not been read yet. */
  readonly position: Position | null;
  /** Age of the last event folded while more is waiting, seconds; 0 when it is up to date. */
  readonly lagSeconds: number;
  /** The event that it can't fold; it stays before it until the program is mended and started again. */
  readonly stuck: Poison | null;
  /** Why nothing is folded at the moment; null: all is well. */
  readonly waiting: string | null;
}

export interface ProjectionRunner {
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
  status(): readonly ProjectionStatus[];
  /** Resolves when every projection that is not stuck has folded what was stored when it was asked. Rejects after `timeoutMs` (default 30 s). */
  caughtUp(timeoutMs?: number): Promise<void>;
}

export interface RunnerOptions {
  /** Events looked at per batch, at most (default 2000). */
  readonly batch?: number;
  /** Documents of each read model held in memory between batches (default 4000). */
  readonly held?: number;
}

export type RunnerPlatform = Pick<Platform, 'events' | 'reads' | 'seals' | 'clock' | 'progress' | 'log'>;

interface Target {
  readonly folding: Folding;
  checkpoint: Position;
}

/** Fixed for a projection over the life of a runner. */
interface Known {
  readonly projection: Projection;
  position: Position | null;
  lastAt: string | null;
  behind: boolean;
  stuck: { readonly poison: Poison; readonly collection: string } | null;
}

export const runProjections = (
  platform: RunnerPlatform,
  projections: readonly Projection[],
  options: RunnerOptions = {},
): ProjectionRunner => {
  const { events, reads, clock, progress, log } = platform;
  const stopping = new AbortController();
  const known: readonly Known[] = projections.map((projection) => ({
    projection,
    position: null,
    lastAt: null,
    behind: true,
    stuck: null,
  }));
  let waiting: string | null = 'starting';
  let targets: Target[] = [];
  let liveText: string | null = null;
  const arrivals = new Set<() => void>();
  const knownOf = (t: Target): Known => known.find((k) => k.projection === t.folding.projection) as Known;

  const openTargets = async (): Promise<void> => {
    liveText = await reads.setting(LIVE_SETTING);
    const live = parseLive(liveText);
    targets = [];
    for (const k of known) {
      const collection = liveCollection(k.projection, live);
      if (k.stuck !== null && k.stuck.collection === collection) continue;
      k.stuck = null;
      await reads.ensure({ name: collection, indexes: k.projection.indexes });
      const checkpoint = await reads.checkpoint(collection);
      k.position = checkpoint;
      targets.push({ folding: folding(reads, k.projection, collection, options.held ?? 4000), checkpoint });
    }
  };

  const source = async (): Promise<AsyncIterable<EventBatch>> => {
    await openTargets();
    waiting = null;
    const checkpoints = targets.map((t) => t.checkpoint).sort();
    const after = checkpoints[0] ?? (await events.head());
    const categories = [...new Set(targets.flatMap((t) => t.folding.projection.categories))];
    return events.subscribe({
      after,
      limit: options.batch ?? 2000,
      signal: stopping.signal,
      ...(categories.length === 0 ? {} : { categories: categories as StreamCategory[] }),
    });
  };

  const setAside = (t: Target, poison: Poison): void => {
    knownOf(t).stuck = { poison, collection: t.folding.collection };
    log.error(
      { projection: t.folding.projection.name, event: poison.eventId, type: poison.type, reason: poison.error },
      'a read model is stuck',
    );
  };

  /** Folds the batch into each of these and writes; answers those that lost the race for their checkpoint. */
  const advance = async (batch: EventBatch, of: readonly Target[]): Promise<readonly Target[]> => {
    const opens = sealedTypes(of.map((t) => t.folding.projection));
    const prepared = await prepareBatch(batch.events, eventCatalog, platform.seals.key, opens);
    const applications: Application[] = [];
    const stuck = new Map<Target, Poison>();
    const nexts: Position[] = [];
    for (const t of of) {
      const failed = await t.folding.fold(prepared, t.checkpoint);
      let next = batch.position;
      if (failed !== null) {
        stuck.set(t, failed.poison);
        next = batch.events[failed.at - 1]?.position ?? t.checkpoint;
        if (next < t.checkpoint) next = t.checkpoint;
      }
      nexts.push(next);
      applications.push({
        collection: t.folding.collection,
        writes: t.folding.writes(),
        checkpoint: { expected: t.checkpoint, next },
      });
    }
    const applied = await reads.apply(applications);
    const lost: Target[] = [];
    of.forEach((t, i) => {
      if (applied[i] !== true) {
        t.folding.forget();
        lost.push(t);
        return;
      }
      t.folding.written();
      t.folding.evict();
      t.checkpoint = nexts[i] as Position;
      const poison = stuck.get(t);
      if (poison !== undefined) setAside(t, poison);
    });
    return lost;
  };

  /** Where another runner has got to; it may have done all of this batch, or a part. */
  const reread = async (t: Target): Promise<void> => {
    const now = await reads.checkpoint(t.folding.collection);
    if (now < t.checkpoint) throw new BeginAnew(`${t.folding.collection} was begun anew`);
    t.checkpoint = now;
  };

  const note = (batch: EventBatch): void => {
    for (const t of targets) {
      const k = knownOf(t);
      k.position = t.checkpoint;
      k.behind = !batch.caughtUp;
      k.lastAt = batch.events.at(-1)?.metadata.at ?? k.lastAt;
      progress.reached(k.projection.name, t.checkpoint);
    }
    targets = targets.filter((t) => knownOf(t).stuck === null);
    for (const wake of [...arrivals]) wake();
  };

  const handle = async (batch: EventBatch): Promise<void> => {
    let open: readonly Target[] = targets.filter((t) => t.checkpoint < batch.position);
    while (open.length > 0) {
      const lost = await advance(batch, open);
      for (const t of lost) await reread(t);
      open = lost.filter((t) => t.checkpoint < batch.position);
    }
    if ((await reads.setting(LIVE_SETTING)) !== liveText) {
      // A rebuild switched. Nobody is told of progress until every process looks at the new collections.
      await pause(clock, 2 * LIVE_TTL, stopping.signal);
      throw new BeginAnew('a rebuild has switched the live collections');
    }
    note(batch);
  };

  const running = consume({
    clock,
    signal: stopping.signal,
    source,
    handle,
    onFailure: (error, pauseMs) => {
      waiting = (error as Error).message;
      log.warn({ reason: waiting, retry_in_ms: pauseMs }, 'read models wait');
    },
  });

  const allPast = (position: Position): boolean =>
    known.every((k) => k.stuck !== null || (k.position !== null && k.position >= position));

  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
    status: () =>
      known.map((k) => ({
        name: k.projection.name,
        position: k.position,
        lagSeconds:
          (k.behind || k.stuck !== null) && k.lastAt !== null
            ? Math.max(0, (clock.now() - Date.parse(k.lastAt)) / 1000)
            : 0,
        stuck: k.stuck?.poison ?? null,
        waiting,
      })),
    caughtUp: async (timeoutMs = 30_000) => {
      const head = await events.head();
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (!allPast(head)) return;
          finish();
          resolve();
        };
        const finish = (): void => {
          timer.cancel();
          arrivals.delete(look);
        };
        const timer = clock.after(timeoutMs, () => {
          finish();
          reject(
            new Error(
              `the read models have not caught up within ${timeoutMs} ms${waiting === null ? '' : `: ${waiting}`}`,
            ),
          );
        });
        arrivals.add(look);
        look();
      });
    },
  };
};
