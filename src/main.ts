/** Composition root: config → adapters. The only file that names an adapter. Drivers of engines that are not used are not even loaded. */
import { mkdir } from 'node:fs/promises';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { projectionsOf } from '../projections';
import type { Projection } from './engine/projection';
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
import { isShared, type Config, type EngineUrls } from './config';
import type { Position } from './core/position';
import { eventCatalog } from './domain/event-catalog';
import { engineWatch, type EngineWatch } from './engine/engine-watch';
import { executor } from './engine/execute';
import { pause } from './engine/pause';
import type { Platform } from './engine/platform';
import { progress } from './engine/progress';
import { opener } from './engine/seal';
import { sequences } from './engine/sequence';
import { metricsRegistry, type Logger } from './engine/telemetry';
import { LIVE_SETTING, liveCollection, parseLive, viewsOver } from './engine/views';
import type { Clock } from './ports/clock';
import type { EventStore } from './ports/event-store';
import type { Feed } from './ports/feed';
import type { LanguageModel } from './ports/language-model';
import type { Leases } from './ports/leases';
import type { ObjectStore, SignedAccess } from './ports/object-store';
import type { ReadStore } from './ports/read-store';
import type { Rotation, Vault } from './ports/vault';

/** What carries the ledger to the bus. */
export interface Relay {
  /** Until the signal comes; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Everything up to here is on the bus; null: not known yet. */
  position(): Position | null;
}

/** The engines of one process, opened, and what the roles need beside them. */
export interface Opened {
  readonly platform: Platform;
  readonly feed: Feed;
  readonly leases: Leases;
  /** Publishes the ledger on the bus; null: there is no bus. */
  readonly relay: Relay | null;
  readonly languageModel: LanguageModel;
  /** Where our own server accepts signed URLs; null: the object store does. */
  readonly signedAccess: SignedAccess | null;
  /** Signed URLs of the embedded object store point here; known once the server listens. */
  readonly reachableAt: (publicUrl: string) => void;
  close(): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

const eventStoreOf = async ({ engines, dataDir }: Config, log: Logger): Promise<EventStore> => {
  if (engines.eventStore === null) return embeddedEventStore({ folder: dataDir });
  const { eventStoreDb } = await import('./adapters/production/eventstoredb.js');
  return eventStoreDb({ url: engines.eventStore, log });
};

const readStoreOf = async ({ engines, dataDir }: Config): Promise<ReadStore> => {
  if (engines.mongo === null) return embeddedReadStore({ folder: dataDir });
  const { mongoReadStore } = await import('./adapters/production/mongodb.js');
  return mongoReadStore({ url: engines.mongo });
};

/** Null: the vault is the embedded one. */
const servedVaultOf = async ({ mongo, vaultMasterKey }: EngineUrls) => {
  if (mongo === null || vaultMasterKey === null) return null;
  const { masterKey } = await import('./adapters/production/master-key.js');
  return {
    url: mongo,
    masterKey: masterKey(vaultMasterKey.current),
    previousMasterKeys: vaultMasterKey.previous.map(masterKey),
  };
};

const vaultOf = async ({ engines, dataDir }: Config): Promise<Vault> => {
  const served = await servedVaultOf(engines);
  if (served === null) return embeddedVault({ folder: dataDir });
  const { mongoVault } = await import('./adapters/production/mongodb-vault.js');
  return mongoVault(served);
};

/** Wraps every key of the vault with the current master key. Null: the vault is the embedded one, which has none. Rejects with words for the user. */
export const rotateVault = async (
  { engines }: Config,
  onProgress: (so: Rotation) => void,
): Promise<Rotation | null> => {
  const served = await servedVaultOf(engines);
  if (served === null) return null;
  const { rotateMongoVault } = await import('./adapters/production/mongodb-vault.js');
  return rotateMongoVault(served, onProgress);
};

interface Objects {
  readonly store: ObjectStore;
  readonly signedAccess: SignedAccess | null;
}
const objectsOf = async ({ engines, dataDir }: Config, vault: Vault, publicUrl: () => string): Promise<Objects> => {
  if (engines.s3 === null) {
    const store = embeddedObjectStore({ folder: dataDir, publicUrl, secret: await vault.secret('signed-urls') });
    return { store, signedAccess: store };
  }
  const { endpoint, bucket, publicEndpoint } = engines.s3;
  const { s3ObjectStore } = await import('./adapters/production/s3.js');
  const store = s3ObjectStore({ endpoint, bucket, ...(publicEndpoint === null ? {} : { publicEndpoint }) });
  return { store, signedAccess: null };
};

const busOf = async (
  { engines }: Config,
  events: EventStore,
  installation: string,
  log: Logger,
): Promise<Pick<Opened, 'feed' | 'leases' | 'relay'> & Closable & { readonly ping: (() => Promise<void>) | null }> => {
  if (engines.nats === null) {
    const feed = embeddedFeed(events);
    return { feed, leases: embeddedLeases(), relay: null, ping: null, close: () => feed.close() };
  }
  const { natsFeed, natsLeases, natsRelay } = await import('./adapters/production/nats.js');
  const url = engines.nats;
  // A feed that heard another installation's events would hand them out as its own.
  const name = `ledger_${installation}`;
  const feed = natsFeed({ url, events, log, name });
  const relay = natsRelay({ url, events, log, name });
  return {
    feed,
    leases: natsLeases({ url, log, name }),
    relay,
    ping: () => relay.ping(),
    close: async () => {
      await Promise.all([feed.close(), relay.close()]);
    },
  };
};

/** Watches an engine from now on, and waits until it answers, for ever. Embedded engines answer at once. */
const untilUp = async (
  watch: EngineWatch,
  name: string,
  ping: () => Promise<void>,
  clock: Clock,
  log: Logger,
): Promise<void> => {
  watch.add(name, ping);
  for (let round = 0; ; round += 1) {
    const [health] = await watch.look([name]);
    if (health?.reason === null) return;
    if (round % 10 === 0)
      log.warn({ engine: name, reason: health?.reason }, 'waiting for an engine that does not answer');
    await pause(clock, 500);
  }
};

/** Checkpoints of the read models by name, for processes whose projector is another one. */
const checkpointsOf =
  (reads: ReadStore, projections: readonly Projection[]) => async (): Promise<ReadonlyMap<string, Position>> => {
    const [live, checkpoints] = await Promise.all([reads.setting(LIVE_SETTING), reads.checkpoints()]);
    const found = new Map<string, Position>();
    for (const projection of projections) {
      const position = checkpoints.get(liveCollection(projection, parseLive(live)));
      if (position !== undefined) found.set(projection.name, position);
    }
    return found;
  };

/** Makes and owns the data folder, where any engine lies in it. Left: why not, and what to do about it. */
const ownData = async ({ engines, dataDir }: Config): Promise<Either<string, { release(): Promise<void> | void }>> => {
  if (isShared(engines)) return right({ release: () => undefined });
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    return left(
      `the data folder ${dataDir} can't be made: ${(error as Error).message}; set DATA_DIR to a folder that can be written`,
    );
  }
  return ownFolder(dataDir);
};

/** Watches the engines by the system's clock. */
export const newEngineWatch = (): EngineWatch => engineWatch(systemClock());

/** Opens the engines that `config` names; `watch` is told of each of them. Left: why not, in words for the user. */
export const openEngines = async (
  config: Config,
  log: Logger,
  watch: EngineWatch = newEngineWatch(),
): Promise<Either<string, Opened>> => {
  const owned = await ownData(config);
  if (isLeft(owned)) return owned;
  const clock = systemClock();
  let publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const [events, reads, vault] = await Promise.all([eventStoreOf(config, log), readStoreOf(config), vaultOf(config)]);
  await Promise.all([
    untilUp(watch, 'event_store', () => events.ping(), clock, log),
    untilUp(watch, 'read_store', () => reads.ping(), clock, log),
    untilUp(watch, 'vault', () => vault.ping(), clock, log),
  ]);
  const objects = await objectsOf(config, vault, () => publicUrl);
  await untilUp(watch, 'object_store', () => objects.store.ping(), clock, log);
  const installation = (await vault.secret('installation')).toString('hex', 0, 6);
  const bus = await busOf(config, events, installation, log);
  // Nothing waits for the bus: without it the ledger is read.
  if (bus.ping !== null) watch.add('bus', bus.ping);
  const projections = projectionsOf(config);
  const execute = executor({ store: events, clock, catalog: eventCatalog });
  const waiting = progress({
    clock,
    ...(config.roles.has('projector') ? {} : { poll: checkpointsOf(reads, projections) }),
  });
  const platform: Platform = {
    events,
    reads,
    views: viewsOver(reads, projections),
    objects: objects.store,
    vault,
    seals: opener(vault, 200, () => clock.monotonic()),
    clock,
    execute,
    sequences: sequences(execute),
    progress: waiting,
    log,
    metrics: metricsRegistry(true),
    installation,
  };
  return right({
    platform,
    feed: bus.feed,
    leases: bus.leases,
    relay: bus.relay,
    languageModel: config.languageModel === null ? offlineComposer() : openAiModel(config.languageModel),
    signedAccess: objects.signedAccess,
    reachableAt: (url) => {
      if (config.publicUrl === null) publicUrl = url;
    },
    close: async () => {
      waiting.close();
      await bus.close();
      await Promise.all([events.close(), reads.close(), objects.store.close(), vault.close()]);
      await owned.right.release();
    },
  });
};
