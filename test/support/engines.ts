/**
 * Which engines can be had for the container suites: containers where a Docker engine answers; else the engine named by EVENTSTORE_URL,
 * MONGO_URL, NATS_URL or S3_ENDPOINT; else none, and the suite is skipped by name. With REQUIRE_ENGINES=all a skip is a failure.
 * EVENTSTORE_URL goes first: in a container only the peer can be had, behind that URL is a real server.
 */
import { execFileSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';
import { containers, type EngineName } from './engine-containers';

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
  | { readonly kind: 'none'; readonly why: string };

const URLS: Readonly<Record<EngineName, string>> = {
  eventstore: 'EVENTSTORE_URL',
  mongo: 'MONGO_URL',
  nats: 'NATS_URL',
  s3: 'S3_ENDPOINT',
};

/** Asked in a process of its own: suites are declared before anything can be awaited. */
const dockerAnswers = ((): boolean => {
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

const availability = (name: EngineName): Availability => {
  const url = process.env[URLS[name]];
  const named = url === undefined || url === '' ? null : ({ kind: 'named', url } as const);
  if (named !== null && (name === 'eventstore' || !dockerAnswers)) return named;
  if (dockerAnswers) return { kind: 'container' };
  return { kind: 'none', why: `no Docker engine answers and ${URLS[name]} is not set` };
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

/**
 * Declares suites over an engine, which runs from the first to the last test of the block. `mayStop`: the suite kills or pauses it, so one that
 * others use will not do.
 */
export const withEngine = (
  name: EngineName,
  options: { readonly mayStop?: boolean },
  declare: (engine: () => Engine) => void,
): void => {
  const found = availability(name);
  const why =
    found.kind === 'none'
      ? found.why
      : found.kind === 'named' && options.mayStop === true
        ? `${URLS[name]} is not ours to stop`
        : null;
  if (why !== null || found.kind === 'none') {
    const title = `${name}: skipped, ${why}`;
    if (process.env['REQUIRE_ENGINES'] === 'all')
      it(title, () => {
        throw new Error(`REQUIRE_ENGINES=all, but ${why}`);
      });
    else {
      process.stderr.write(`${title}\n`);
      it.skip(title, () => undefined);
    }
    return;
  }
  describe(`${name} (${found.kind === 'named' ? found.url.replace(/\/\/[^@/]*@/, '//') : 'container'})`, () => {
    let engine: Engine | null = null;
    beforeAll(async () => {
      engine = found.kind === 'named' ? fixed(name, found.url) : await inContainer(name);
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
