/** A TCP proxy between a client and its engine, which can lose answers, go silent and cut. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** From now on nothing that the engine says arrives; what the client says does. */
  swallowAnswers(): void;
  /** From now on nothing passes either way, and nothing is closed. */
  silence(): void;
  /** Breaks every connection, as a failing network does. */
  cut(): void;
  /** Lets new connections through again. */
  restore(): void;
  close(): Promise<void>;
}

export const startProxy = (to: { readonly host?: string; readonly port: number }): Promise<Proxy> =>
  new Promise((resolve, reject) => {
    const pairs = new Set<readonly [Socket, Socket]>();
    let toEngine = true;
    let toClient = true;
    let closed = false;

    const server = createServer((client) => {
      if (closed) return void client.destroy();
      const engine = connect(to.port, to.host ?? '127.0.0.1');
      const pair = [client, engine] as const;
      pairs.add(pair);
      const end = (): void => {
        pairs.delete(pair);
        client.destroy();
        engine.destroy();
      };
      for (const socket of pair) socket.on('error', end).on('close', end);
      client.on('data', (bytes) => void (toEngine && engine.write(bytes)));
      engine.on('data', (bytes) => void (toClient && client.write(bytes)));
    });
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        swallowAnswers: () => {
          toClient = false;
        },
        silence: () => {
          toClient = false;
          toEngine = false;
        },
        cut: () => {
          closed = true;
          for (const [client, engine] of [...pairs]) {
            client.resetAndDestroy();
            engine.destroy();
          }
        },
        restore: () => {
          closed = false;
          toClient = true;
          toEngine = true;
        },
        close: () =>
          new Promise((done) => {
            for (const [client] of [...pairs]) client.destroy();
            server.close(() => done());
          }),
      }),
    );
  });
