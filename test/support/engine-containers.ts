/**
 * The engines as containers. Image names come from variables, so that images built on the spot will do. The image of EventStoreDB is used where
 * EVENTSTORE_IMAGE names one; else the peer stands in.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { freePort } from './programs';

export type EngineName = 'eventstore' | 'mongo' | 'nats' | 's3';

export interface StartedEngine {
  readonly container: StartedTestContainer;
  readonly url: string;
}

/** The repository, also for what was built into its `dist`. */
const above = join(__dirname, '..', '..');
const root = basename(above) === 'dist' ? dirname(above) : above;
const run = promisify(execFile);

/** What the peer's image is made of: no more of the sources than it imports, so that it is not built anew for every change. */
const PEER_PARTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'src/core',
  'src/ports',
  'src/adapters/embedded',
  'test/support/peer',
];

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  const add = async (at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => null);
    if (entries === null) return void hash.update(at.slice(root.length)).update(await readFile(at));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) await add(join(at, entry.name));
  };
  await add(path);
  return hash.digest('hex');
};

/** How long a build may take before another process stops waiting for it. */
const BUILD_LIMIT = 10 * 60_000;

/** Suites in several processes build one image once: the first makes a folder of this name, the others wait until it is gone. */
const oneAtATime = async <A>(name: string, work: () => Promise<A>): Promise<A> => {
  const lock = join(tmpdir(), `${name}.lock`);
  for (;;) {
    const isOurs = await mkdir(lock).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (isOurs) break;
    const begun = await stat(lock).catch(() => null);
    // Whoever made it was killed.
    if (begun !== null && Date.now() - begun.mtimeMs > BUILD_LIMIT) await rm(lock, { recursive: true, force: true });
    await new Promise((next) => setTimeout(next, 500));
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
};

/** Image of the peer: PEER_IMAGE, or one built from this working tree, once for each of its states. */
export const peerImage = async (): Promise<string> => {
  const given = process.env['PEER_IMAGE'];
  if (given !== undefined && given !== '') return given;
  const parts = await Promise.all(PEER_PARTS.map((part) => hashOf(join(root, part))));
  const tag = `ledgerline-peer:${createHash('sha256').update(parts.join()).digest('hex').slice(0, 16)}`;
  return oneAtATime(tag.replace(':', '-'), async () => {
    const isBuilt = await run('docker', ['image', 'inspect', tag]).then(
      () => true,
      () => false,
    );
    if (isBuilt) return tag;
    const context = await mkdtemp(join(tmpdir(), 'ledgerline-peer-'));
    try {
      for (const part of PEER_PARTS) await cp(join(root, part), join(context, part), { recursive: true });
      const args = ['build', '--network=host', '-f', join(context, 'test/support/peer/Dockerfile'), '-t', tag, context];
      await run('docker', args, { maxBuffer: 64 * 1024 * 1024 });
      return tag;
    } finally {
      await rm(context, { recursive: true, force: true });
    }
  });
};

/** A host port of its own, so that the address survives kill and start. */
const published = async (
  image: string,
  port: number,
): Promise<{ readonly container: GenericContainer; readonly host: number }> => {
  const host = await freePort();
  return { container: new GenericContainer(image).withExposedPorts({ container: port, host }), host };
};

export const S3_CREDENTIALS = { accessKeyId: 'ledgerline', secretAccessKey: 'ledgerline-secret' };

export const containers: Readonly<Record<EngineName, () => Promise<StartedEngine>>> = {
  eventstore: async () => {
    const real = process.env['EVENTSTORE_IMAGE'] ?? '';
    const { container, host } = await published(real === '' ? await peerImage() : real, 2113);
    const started = await (
      real === ''
        ? container.withWaitStrategy(Wait.forLogMessage('peer listening'))
        : container
            .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None' })
            .withWaitStrategy(Wait.forListeningPorts())
    ).start();
    return { container: started, url: `esdb://127.0.0.1:${host}?tls=false` };
  },
  mongo: async () => {
    const { container, host } = await published(process.env['MONGO_IMAGE'] ?? 'mongo:8', 27017);
    const started = await container.withWaitStrategy(Wait.forListeningPorts()).start();
    return { container: started, url: `mongodb://127.0.0.1:${host}/?directConnection=true` };
  },
  nats: async () => {
    const { container, host } = await published(process.env['NATS_IMAGE'] ?? 'nats:2.12-alpine', 4222);
    const started = await container
      .withCommand(['-js', '-sd', '/data', '-m', '8222'])
      .withWaitStrategy(Wait.forLogMessage('Server is ready'))
      .start();
    return { container: started, url: `nats://127.0.0.1:${host}` };
  },
  s3: async () => {
    const { container, host } = await published(process.env['S3_IMAGE'] ?? 'versity/versitygw:v1.8.0', 7070);
    const started = await container
      .withEnvironment({
        ROOT_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        ROOT_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
        VGW_BACKEND: 'posix',
        VGW_BACKEND_ARG: '/data',
      })
      .withWaitStrategy(Wait.forListeningPorts())
      .start();
    return { container: started, url: `http://127.0.0.1:${host}` };
  },
};
