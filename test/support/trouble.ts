/** Faults of engines and processes, each with what ends it. */
import { seeded } from '../../src/demo/contacts';
import type { Cluster, Node } from './cluster';
import type { Engine } from './engines';
import { loseStore } from './nats-store';
import type { Proxy } from './peer/proxy';

export interface Fault {
  /** `mongo: paused`. */
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Killed and started, stopped for a while, cut off, silent: of one engine behind a proxy. */
export const faultsOfEngine = (engine: Engine, proxy: Proxy): readonly Fault[] => [
  { name: `${engine.name}: killed`, begin: () => engine.kill(), end: () => engine.start() },
  { name: `${engine.name}: paused`, begin: () => engine.pause(), end: () => engine.unpause() },
  { name: `${engine.name}: cut off`, begin: async () => proxy.cut(), end: async () => proxy.restore() },
  {
    name: `${engine.name}: silent`,
    begin: async () => proxy.silence(),
    end: async () => {
      proxy.cut();
      proxy.restore();
    },
  },
];

export const faultsOfNode = (node: Node): readonly Fault[] => [
  { name: `${node.name}: killed`, begin: () => node.kill('SIGKILL'), end: () => node.start() },
];

/** The server forgets everything at once; nothing has to end it. */
export const lossOfStore = (url: string): Fault => ({
  name: 'nats: lost its whole store',
  begin: async () => void (await loseStore(url)),
  end: async () => undefined,
});

/** The same faults in another order, by the seed. */
export const shuffled = <A>(list: readonly A[], seed: number): readonly A[] => {
  const random = seeded(seed);
  const left = [...list];
  const order: A[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random() * left.length), 1));
  return order;
};

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** One fault after the other, each from `shortestMs` to `longestMs`, with as much quiet between them, until all were there. */
export const inflict = async (
  faults: readonly Fault[],
  seed: number,
  { shortestMs, longestMs }: { readonly shortestMs: number; readonly longestMs: number },
  say: (text: string) => void,
): Promise<void> => {
  const random = seeded(seed);
  const moment = (): number => shortestMs + random() * (longestMs - shortestMs);
  for (const fault of faults) {
    await pause(moment());
    const lasts = moment();
    say(`${fault.name} for ${Math.round(lasts)} ms`);
    await fault.begin();
    await pause(lasts);
    await fault.end();
  }
};

/** Seconds by which the slowest consumer of any process is behind; rejects while one can't be asked. */
export const slowest = async (cluster: Cluster): Promise<number> => {
  const lags = await Promise.all(
    cluster.nodes.map(async (node) => {
      const figures = await (await fetch(`${node.url}/metrics`)).text();
      return [...figures.matchAll(/^ledgerline_consumer_lag_seconds\{[^}]*\} (\S+)/gm)].map((found) =>
        Number(found[1]),
      );
    }),
  );
  return Math.max(0, ...lags.flat());
};
