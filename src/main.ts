/** Composition root: config → adapters → roles. The only file that names an adapter. */
import { mkdir } from 'node:fs/promises';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { projections } from '../projections';
import { systemClock } from './adapters/embedded/clock';
import { embeddedEventStore } from './adapters/embedded/event-store';
import { embeddedFeed } from './adapters/embedded/feed';
import { ownFolder } from './adapters/embedded/folder';
import { embeddedLeases } from './adapters/embedded/leases';
import { embeddedObjectStore } from './adapters/embedded/object-store';
import { offlineComposer } from './adapters/embedded/offline-composer';
import { embeddedReadStore } from './adapters/embedded/read-store';
import { embeddedVault } from './adapters/embedded/vault';
import { openAiModel } from './adapters/production/openai';
import type { Config } from './config';
import { eventCatalog } from './domain/event-catalog';
import { executor } from './engine/execute';
import type { Platform } from './engine/platform';
import { progress } from './engine/progress';
import { opener } from './engine/seal';
import { sequences } from './engine/sequence';
import { metricsRegistry, type Logger } from './engine/telemetry';
import { viewsOver } from './engine/views';
import type { Feed } from './ports/feed';
import type { LanguageModel } from './ports/language-model';
import type { Leases } from './ports/leases';
import type { SignedAccess } from './ports/object-store';

/** The engines of one process, opened, and what the roles need beside them. */
export interface Opened {
  readonly platform: Platform;
  readonly feed: Feed;
  readonly leases: Leases;
  readonly languageModel: LanguageModel;
  /** Where our own server accepts signed URLs; null: the object store does. */
  readonly signedAccess: SignedAccess | null;
  /** Signed URLs of the embedded object store point here; known once the server listens. */
  readonly reachableAt: (publicUrl: string) => void;
  close(): Promise<void>;
}

/** Opens the embedded engines in `config.dataDir`. Left: why not, and what to do about it. */
export const openEngines = async (config: Config, log: Logger): Promise<Either<string, Opened>> => {
  const folder = config.dataDir;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return left(
      `the data folder ${folder} can't be made: ${(error as Error).message}; set DATA_DIR to a folder that can be written`,
    );
  }
  const owned = await ownFolder(folder);
  if (isLeft(owned)) return owned;

  const clock = systemClock();
  let publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const [events, reads, vault] = await Promise.all([
    embeddedEventStore({ folder }),
    embeddedReadStore({ folder }),
    embeddedVault({ folder }),
  ]);
  const objects = embeddedObjectStore({
    folder,
    publicUrl: () => publicUrl,
    secret: await vault.secret('signed-urls'),
  });
  const feed = embeddedFeed(events);
  const leases = embeddedLeases();
  const execute = executor({ store: events, clock, catalog: eventCatalog });
  const waiting = progress({ clock });
  const platform: Platform = {
    events,
    reads,
    views: viewsOver(reads, projections),
    objects,
    vault,
    seals: opener(vault),
    clock,
    execute,
    sequences: sequences(execute),
    progress: waiting,
    log,
    metrics: metricsRegistry(true),
    installation: (await vault.secret('installation')).toString('hex', 0, 6),
  };
  return right({
    platform,
    feed,
    leases,
    languageModel: config.languageModel === null ? offlineComposer() : openAiModel(config.languageModel),
    signedAccess: objects,
    reachableAt: (url) => {
      if (config.publicUrl === null) publicUrl = url;
    },
    close: async () => {
      waiting.close();
      await feed.close();
      await Promise.all([events.close(), reads.close(), objects.close(), vault.close()]);
      await owned.right.release();
    },
  });
};
