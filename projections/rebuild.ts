/**
 * Folds read models anew beside the live ones and makes the new ones live in one step. Whatever a replay cannot produce is gone with the old. A
 * crash leaves the half-made collection behind; the next rebuild goes on from there.
 */
import { eventCatalog } from '../src/domain/event-catalog';
import { pause } from '../src/engine/pause';
import type { Platform } from '../src/engine/platform';
import { collectionOf, type Projection } from '../src/engine/projection';
import { replay, ReplayOvertaken, type ReplayProgress } from '../src/engine/replay';
import { LIVE_SETTING, LIVE_TTL, liveCollection, parseLive } from '../src/engine/views';

export type RebuildPlatform = Pick<Platform, 'events' | 'reads' | 'seals' | 'clock'>;

export interface RebuildOptions {
  /** Read models to fold anew; absent: all. */
  readonly names?: readonly string[];
  readonly onProgress?: (progress: ReplayProgress) => void;
}

export interface Rebuilt {
  readonly events: number;
  readonly seconds: number;
}

interface Move {
  readonly projection: Projection;
  readonly from: string;
  readonly to: string;
}

/** `campaigns_v3` → `campaigns_v3_r1` → `campaigns_v3_r2` … */
const nextCollection = (projection: Projection, current: string): string => {
  const number = /_r(\d+)$/.exec(current)?.[1];
  return `${collectionOf(projection)}_r${number === undefined ? 1 : Number(number) + 1}`;
};

const makeLive = async ({ reads }: RebuildPlatform, moves: readonly Move[]): Promise<void> => {
  for (;;) {
    const text = await reads.setting(LIVE_SETTING);
    const next = { ...parseLive(text), ...Object.fromEntries(moves.map((m) => [m.projection.name, m.to])) };
    if (await reads.setSetting(LIVE_SETTING, text, JSON.stringify(next))) return;
  }
};

/** What a runner wrote to the old collection while the new one was made live is folded into the new one too; who else folds it, may. */
const followUp = async (platform: RebuildPlatform, move: Move): Promise<number> => {
  const { reads } = platform;
  let seen = 0;
  for (;;) {
    const goal = await reads.checkpoint(move.from);
    if ((await reads.checkpoint(move.to)) >= goal) return seen;
    try {
      const targets = [{ projection: move.projection, collection: move.to }];
      seen += await replay(platform, { targets, catalog: eventCatalog, upTo: goal });
    } catch (error) {
      if (!(error instanceof ReplayOvertaken)) throw error;
    }
  }
};

/** Rejects when a store is away, on a poison event, or on an unknown name; the live read models are untouched then. */
export const rebuild = async (
  platform: RebuildPlatform,
  projections: readonly Projection[],
  options: RebuildOptions = {},
): Promise<Rebuilt> => {
  const { events, reads, clock } = platform;
  const unknown = options.names?.filter((n) => !projections.some((p) => p.name === n)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown read models: ${unknown.join(', ')}`);
  const chosen = projections.filter((p) => options.names?.includes(p.name) ?? true);
  const began = clock.monotonic();

  const live = parseLive(await reads.setting(LIVE_SETTING));
  const moves: Move[] = [];
  for (const projection of chosen) {
    const from = liveCollection(projection, live);
    const to = nextCollection(projection, from);
    await reads.ensure({ name: to, indexes: projection.indexes });
    moves.push({ projection, from, to });
  }
  const targets = moves.map((m) => ({ projection: m.projection, collection: m.to }));
  let seen = 0;
  // What is appended meanwhile is less each time; what is left over after the switch is followed up.
  for (let round = 0; round < 5; round++) {
    const head = await events.head();
    const more = await replay(platform, {
      targets,
      catalog: eventCatalog,
      upTo: head,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    seen += more;
    if (more < 1000) break;
  }
  const seconds = (clock.monotonic() - began) / 1000;

  await makeLive(platform, moves);
  // Every process looks at the new ones before the old ones go.
  await pause(clock, 2 * LIVE_TTL);
  for (const move of moves) seen += await followUp(platform, move);
  const kept = new Set(moves.map((m) => m.to));
  for (const name of await reads.collections())
    if (!kept.has(name) && moves.some((m) => new RegExp(`^${m.projection.name}_v\\d+(_r\\d+)?$`).test(name)))
      await reads.drop(name);
  return { events: seen, seconds };
};
