/** The platform as several processes on served engines: one program per role, each killed and started again under its own address. */
import type { EngineName } from './engine-containers';
import { S3_CREDENTIALS } from './engine-containers';
import { freePort, startPlatform, type Program } from './programs';
import { restClient, type RestClient } from '../../src/demo/client';

/** Where the engines of a cluster are; what is left out is embedded. */
export type EngineUrls = Readonly<Partial<Record<EngineName, string>>>;

const MASTER_KEY = Buffer.from('ledgerline-test-master-key-of-32').toString('base64');

/** Settings that choose these engines. */
export const engineSettings = ({ eventstore, mongo, nats, s3 }: EngineUrls): Readonly<Record<string, string>> => ({
  ...(eventstore === undefined ? {} : { EVENTSTORE_URL: eventstore }),
  ...(mongo === undefined ? {} : { MONGO_URL: mongo, VAULT_MASTER_KEY: MASTER_KEY }),
  ...(nats === undefined ? {} : { NATS_URL: nats }),
  ...(s3 === undefined
    ? {}
    : {
        S3_ENDPOINT: s3,
        S3_BUCKET: 'ledgerline',
        AWS_REGION: process.env['AWS_REGION'] ?? 'us-east-1',
        // A server that a variable names comes with credentials of its own.
        AWS_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'] ?? S3_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'] ?? S3_CREDENTIALS.secretAccessKey,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      }),
});

/** One process of the platform. Its address outlives it. */
export interface Node {
  /** `dialer-2`. */
  readonly name: string;
  readonly role: string;
  readonly url: string;
  /** What it printed since its last start. */
  output(): string;
  isRunning(): boolean;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Begins it again; resolves when it listens. */
  start(): Promise<void>;
}

export interface Cluster {
  readonly nodes: readonly Node[];
  readonly of: (role: string) => readonly Node[];
  /** A client of one of the api processes. */
  readonly api: (which?: number) => RestClient;
  readonly key: string;
  /** Asks every process that runs to end; kills those that do not within 15 s. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly engines: EngineUrls;
  /** How many processes of each role; `all` is one process with every role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Data folder, for what is embedded. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

const startNode = async (name: string, role: string, options: ClusterOptions, key: string): Promise<Node> => {
  const port = await freePort();
  const start = (): Promise<Program> =>
    startPlatform({
      folder: options.folder,
      port,
      key,
      env: { ROLE: role, ...engineSettings(options.engines), ...options.env },
    });
  let program = await start();
  return {
    name,
    role,
    url: program.url,
    output: () => program.output(),
    isRunning: () => !program.exited(),
    kill: (signal = 'SIGKILL') => program.kill(signal),
    start: async () => {
      program = await start();
    },
  };
};

export const startCluster = async (options: ClusterOptions): Promise<Cluster> => {
  const key = 'llk_cluster_0123456789abcdef';
  const named = Object.entries(options.roles).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, i) => ({ role, name: `${role}-${i + 1}` })),
  );
  const nodes = await Promise.all(named.map(({ role, name }) => startNode(name, role, options, key)));
  const of = (role: string): readonly Node[] => nodes.filter((node) => node.role === role || node.role === 'all');
  return {
    nodes,
    of,
    key,
    api: (which = 0) => {
      const all = of('api');
      const node = all[which % all.length];
      if (node === undefined) throw new Error('the cluster has no api process');
      return restClient(node.url, key);
    },
    stop: async () => {
      const running = nodes.filter((node) => node.isRunning());
      const insist = setTimeout(() => running.forEach((node) => void node.kill('SIGKILL')), 15_000);
      await Promise.all(running.map((node) => node.kill('SIGTERM')));
      clearTimeout(insist);
    },
  };
};
