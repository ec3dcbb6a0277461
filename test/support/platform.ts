/** A whole platform on the embedded adapters in a folder of its own: what main.ts builds, for tests. */
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { embeddedObjectStore } from '../../src/adapters/embedded/object-store';
import { embeddedReadStore } from '../../src/adapters/embedded/read-store';
import { embeddedVault } from '../../src/adapters/embedded/vault';
import { systemClock } from '../../src/adapters/embedded/clock';
import { projections } from '../../projections';
import { eventCatalog } from '../../src/domain/event-catalog';
import { executor } from '../../src/engine/execute';
import type { Platform } from '../../src/engine/platform';
import { progress } from '../../src/engine/progress';
import { opener } from '../../src/engine/seal';
import { sequences } from '../../src/engine/sequence';
import { viewsOver } from '../../src/engine/views';
import { metricsRegistry, silentLogger, type Logger } from '../../src/engine/telemetry';
import type { Clock } from '../../src/ports/clock';
import type { EventStore } from '../../src/ports/event-store';
import type { ReadStore } from '../../src/ports/read-store';
import { tempFolder } from './temp';

export interface TestPlatformOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** A folder of an earlier platform, to open again; it is not removed at the end. */
  readonly folder?: string;
  /** Where signed URLs point. */
  readonly publicUrl?: () => string;
  /** Wraps an adapter, to make it fail or to listen. */
  readonly wrapEvents?: (events: EventStore) => EventStore;
  readonly wrapReads?: (reads: ReadStore) => ReadStore;
}

export interface TestPlatform extends Platform {
  readonly folder: string;
  readonly objects: Platform['objects'] & ReturnType<typeof embeddedObjectStore>;
  /** Closes everything and removes the folder. */
  dispose(): Promise<void>;
  /** Closes everything and leaves the folder. */
  close(): Promise<void>;
}

export const testPlatform = async (options: TestPlatformOptions = {}): Promise<TestPlatform> => {
  const temp = options.folder === undefined ? await tempFolder() : null;
  const folder = options.folder ?? (temp?.path as string);
  const clock = options.clock ?? systemClock();
  const [ledger, documents, vault] = await Promise.all([
    embeddedEventStore({ folder, clock }),
    embeddedReadStore({ folder }),
    embeddedVault({ folder }),
  ]);
  const objects = embeddedObjectStore({
    folder,
    publicUrl: options.publicUrl ?? (() => 'http://localhost'),
    secret: await vault.secret('signed-urls'),
    clock,
  });
  const events = options.wrapEvents?.(ledger) ?? ledger;
  const reads = options.wrapReads?.(documents) ?? documents;
  const execute = executor({ store: events, clock, catalog: eventCatalog });
  const waiting = progress({ clock });
  const close = async (): Promise<void> => {
    waiting.close();
    await Promise.all([ledger.close(), documents.close(), vault.close(), objects.close()]);
  };
  return {
    folder,
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
    log: options.log ?? silentLogger,
    metrics: metricsRegistry(false),
    installation: (await vault.secret('installation')).toString('hex', 0, 6),
    close,
    dispose: async () => {
      await close();
      await temp?.remove();
    },
  };
};
