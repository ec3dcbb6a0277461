/**
 * `npm run bench -- engines`: import, dialing, slot to dial and rebuild of one process with every role on EventStoreDB, MongoDB, NATS and S3, beside
 * the same appends, bulks and publishes made bare on the same servers in the same run. Engines: those named by EVENTSTORE_URL, MONGO_URL, NATS_URL
 * and S3_ENDPOINT, else containers; what stands in for EventStoreDB there is the tests' peer.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/Either';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines } from '../../src/main';
import { engineSettings } from '../support/cluster';
import { containers, type EngineName, type StartedEngine } from '../support/engine-containers';
import { measureDialing, measureImport, measureRebuild, measureSlots } from './measures';
import { configOf, type Settings } from './platform';
import { percentile, type Figure } from './report';
import { bareAppends, bareCsv, bareRead, secondsSince } from './yardsticks';

const VARIABLES: Readonly<Record<EngineName, string>> = {
  eventstore: 'EVENTSTORE_URL',
  mongo: 'MONGO_URL',
  nats: 'NATS_URL',
  s3: 'S3_ENDPOINT',
};

interface Servers {
  readonly urls: Readonly<Record<EngineName, string>>;
  stop(): Promise<void>;
}

const startServers = async (): Promise<Servers> => {
  const started: StartedEngine[] = [];
  const urlOf = async (name: EngineName): Promise<string> => {
    const given = process.env[VARIABLES[name]] ?? '';
    if (given !== '') return given;
    const engine = await containers[name]();
    started.push(engine);
    return engine.url;
  };
  const urls = {
    eventstore: await urlOf('eventstore'),
    mongo: await urlOf('mongo'),
    nats: await urlOf('nats'),
    s3: await urlOf('s3'),
  };
  return {
    urls,
    stop: async () => {
      await Promise.all(
        started.map(({ container }) => container.stop({ timeout: 0, remove: true, removeVolumes: true })),
      );
    },
  };
};

/** Guarded upserts per second by the driver alone: unordered bulks of 1,000, as read models are written. */
const bareBulks = async (url: string, bulks: number): Promise<number> => {
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  const rows = client.db('ledgerline_bench').collection<{ _id: string; position: string; document: object }>('bare');
  const document = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field_${i}`, `value ${i}`]));
  const start = performance.now();
  for (let bulk = 0; bulk < bulks; bulk++)
    await rows.bulkWrite(
      Array.from({ length: 1000 }, (_, i) => ({
        replaceOne: {
          filter: { _id: `${bulk}/${i}`, position: { $lt: '1' } },
          replacement: { position: '1', document },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  const rate = (bulks * 1000) / secondsSince(start);
  await client.db('ledgerline_bench').dropDatabase();
  await client.close();
  return rate;
};

/** Messages per second that JetStream has acknowledged: 1 KiB each, 256 under way, each under an id of its own. */
const barePublishes = async (url: string, messages: number): Promise<number> => {
  const connection = await connect({ servers: new URL(url).host });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.>'] });
  const stream = connection.jetstream();
  const payload = Buffer.alloc(1024, 'x');
  const start = performance.now();
  for (let sent = 0; sent < messages; sent += 256)
    await Promise.all(Array.from({ length: 256 }, () => stream.publish('bench.1', payload, { msgID: randomUUID() })));
  const rate = messages / secondsSince(start);
  await manager.streams.delete('BENCH');
  await connection.close();
  return rate;
};

const bareAppendsOn = async (folder: string, settings: Settings, attempts: number): Promise<number> => {
  const opened = await openEngines(configOf(folder, settings), silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  const rate = await bareAppends(opened.right.platform.events, attempts, (run) => `bare-1_${run}`);
  await opened.right.close();
  return rate;
};

export const benchEngines = async (parent: string, quick: boolean, tell: (figure: Figure) => void): Promise<void> => {
  const folder = join(parent, 'engines');
  await mkdir(folder, { recursive: true });
  const servers = await startServers();
  try {
    const settings = engineSettings(servers.urls);
    for (const [name, value] of Object.entries(settings)) if (name.startsWith('AWS_')) process.env[name] ??= value;
    const [imported, dialed] = quick ? [20_000, 2000] : [200_000, 20_000];

    const appends = await bareAppendsOn(folder, settings, quick ? 1000 : 4000);
    const bulks = await bareBulks(servers.urls.mongo, 10);
    const publishes = await barePublishes(servers.urls.nats, 25_600);
    const bare = `bare appends ${Math.round(appends)} attempts/s, bulks ${Math.round(bulks)} documents/s, publishes ${Math.round(publishes)} messages/s`;

    const rate = await measureDialing({ folder, settings, contacts: dialed });
    tell({
      name: `on served engines: dialing of ${dialed.toLocaleString('en-US')} contacts`,
      value: rate,
      unit: 'attempts/s',
      bar: { text: `at least half of the bare appends; is ${(rate / appends).toFixed(2)} ×`, met: rate >= appends / 2 },
      yardstick: bare,
    });
    const rebuilt = await measureRebuild({ folder, settings, contacts: dialed }, ({ events }) => bareRead(events));
    tell({
      name: '  rebuild of every read model',
      value: rebuilt.rate,
      unit: 'events/s',
      bar: null,
      yardstick: `bare read ${Math.round(rebuilt.bare)} events/s, bulks ${Math.round(bulks)} documents/s`,
    });
    const waits = await measureSlots({ folder, settings, contacts: quick ? 800 : 4000 });
    tell({
      name: '  a slot frees → the next call is placed, p99',
      value: percentile(waits, 0.99),
      unit: 'ms',
      bar: null,
      yardstick: `p50 ${percentile(waits, 0.5).toFixed(1)} ms`,
    });
    const { file, importedIn } = await measureImport({ folder, settings, contacts: imported });
    const parse = await bareCsv(file);
    tell({
      name: `  import of ${imported.toLocaleString('en-US')} contacts`,
      value: imported / importedIn,
      unit: 'contacts/s',
      bar: null,
      yardstick: `bare csv-parse ${Math.round(imported / parse)} contacts/s`,
    });
  } finally {
    await servers.stop();
  }
};
