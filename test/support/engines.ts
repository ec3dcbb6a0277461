/**
 * Which engines can be had for the suites over served engines: containers where a Docker engine answers; else the engine named by MONGO_URL,
 * NATS_URL or S3_ENDPOINT; else one that this machine can run as a plain process; else none, and the suite is skipped by name. With
 * REQUIRE_ENGINES=all a skip is a failure. EVENTSTORE_URL goes first: elsewhere only the peer can be had, behind that URL is a real server.
 */
import { execFileSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';
import { containers, type EngineName } from './engine-containers';
import { isProcessAvailable, startProcess } from './engine-processes';
import { noteEngine } from './engine-versions';

export type { EngineName } from './engine-containers';

export interface Engine {
  readonly name: EngineName;
  /** What the adapter is given: a connection string or an endpoint. Stays the same over kill and start. */
  readonly url: string;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Begins it again; resolves when the container runs, not when it answers. */
  start(): Promise<void>;
  pause(): Promise<void>;
  unpause(): Promise<void>;
  stop(): Promise<void>;
}

type Availability =
  | { readonly kind: 'container' }
  | { readonly kind: 'named'; readonly url: string }
  | { readonly kind: 'process' }
  | { readonly kind: 'none'; readonly why: string };

const URLS: Readonly<Record<EngineName, string>> = {
  eventstore: 'EVENTSTORE_URL',
  mongo: 'MONGO_URL',
  nats: 'NATS_URL',
  s3: 'S3_ENDPOINT',
};

/** Asked in a process of its own: suites are declared before anything can be awaited. */
export const dockerAnswers = ((): boolean => {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const at = host.startsWith('unix://')
    ? `{socketPath:${JSON.stringify(host.slice(7))},path:'/_ping'}`
    : JSON.stringify(`${host.replace(/^tcp:/, 'http:')}/_ping`);
  const ask = `require('http').get(${at},(r)=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1)).setTimeout(3000,()=>process.exit(1))`;
  try {
    execFileSync(process.execPath, ['-e', ask], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
})();

export interface EngineWish {
  /** The suite kills or pauses it, so one that others use will not do. */
  readonly mayStop?: boolean;
  /** Which of the servers in EVENTSTORE_URL (a list separated by spaces): a server has room for one ledger. Default 0. */
  readonly nth?: number;
}

const availability = (name: EngineName, { mayStop = false, nth = 0 }: EngineWish): Availability => {
  const urls = (process.env[URLS[name]] ?? '').split(/\s+/).filter((url) => url !== '');
  const url = urls[nth];
  const named = url === undefined || mayStop ? null : ({ kind: 'named', url } as const);
  if (named !== null && (name === 'eventstore' || !dockerAnswers)) return named;
  if (dockerAnswers) return { kind: 'container' };
  if (isProcessAvailable(name)) return { kind: 'process' };
  const why = url === undefined ? `${URLS[name]} is not set` : `${URLS[name]} is not ours to stop`;
  return { kind: 'none', why: `no Docker engine answers and ${why}` };
};

const inContainer = async (name: EngineName): Promise<Engine> => {
  const { container, url } = await containers[name]();
  const docker = async () => (await getContainerRuntimeClient()).container.getById(container.getId());
  return {
    name,
    url,
    kill: async () => {
      const running = await docker();
      const gone = running.wait();
      await running.kill();
      await gone;
    },
    start: async () => void (await (await docker()).start()),
    pause: async () => {
      const running = await docker();
      // A busy container does not always freeze at the first try.
      for (let tries = 1; ; tries++)
        try {
          return void (await running.pause());
        } catch (error) {
          if (tries === 10) throw error;
        }
    },
    unpause: async () => void (await (await docker()).unpause()),
    stop: async () => void (await container.stop({ timeout: 0, remove: true, removeVolumes: true })),
  };
};

const fixed = (name: EngineName, url: string): Engine => {
  const cannot = () => Promise.reject(new Error(`${name} at ${url} is not ours to stop`));
  return { name, url, kill: cannot, start: cannot, pause: cannot, unpause: cannot, stop: () => Promise.resolve() };
};

const begin = async (name: EngineName, found: Availability): Promise<Engine> => {
  switch (found.kind) {
    case 'named':
      return fixed(name, found.url);
    case 'container':
      return inContainer(name);
    case 'process':
      return { name, ...(await startProcess(name)) };
    case 'none':
      throw new Error(found.why);
  }
};

/** Where an engine is, without what must not be printed. */
const placeOf = (found: Availability): string =>
  found.kind === 'named' ? found.url.replace(/\/\/[^@/]*@/, '//') : found.kind;

/** Declares suites over an engine, which runs from the first to the last test of the block. */
export const withEngine = (name: EngineName, wish: EngineWish, declare: (engine: () => Engine) => void): void => {
  const found = availability(name, wish);
  if (found.kind === 'none') {
    const title = `${name}: skipped, ${found.why}`;
    if (process.env['REQUIRE_ENGINES'] === 'all')
      it(title, () => {
        throw new Error(`REQUIRE_ENGINES=all, but ${found.why}`);
      });
    else {
      process.stderr.write(`${title}\n`);
      it.skip(title, () => undefined);
    }
    return;
  }
  const place = placeOf(found);
  describe(`${name} (${place})`, () => {
    let engine: Engine | null = null;
    beforeAll(async () => {
      engine = await begin(name, found);
      await noteEngine(name, engine.url, place);
    }, 600_000);
    afterAll(async () => {
      await engine?.stop();
    }, 60_000);
    declare(() => {
      if (engine === null) throw new Error(`${name} did not start`);
      return engine;
    });
  });
};

/** The same over all four at once. */
export const withEveryEngine = (
  wish: EngineWish,
  declare: (engines: () => Readonly<Record<EngineName, Engine>>) => void,
): void =>
  withEngine('eventstore', wish, (eventstore) =>
    withEngine('mongo', wish, (mongo) =>
      withEngine('nats', wish, (nats) =>
        withEngine('s3', wish, (s3) =>
          declare(() => ({ eventstore: eventstore(), mongo: mongo(), nats: nats(), s3: s3() })),
        ),
      ),
    ),
  );

/** Where each of them is. */
export const urlsOf = ({
  eventstore,
  mongo,
  nats,
  s3,
}: Readonly<Record<EngineName, Engine>>): Readonly<Record<EngineName, string>> => ({
  eventstore: eventstore.url,
  mongo: mongo.url,
  nats: nats.url,
  s3: s3.url,
});
