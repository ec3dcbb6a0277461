/**
 * A TCP relay between an ARI adapter and its peer, simulated or real: it can be cut, drop the events socket, swallow replies and hold
 * requests back, and it counts the place requests that passed.
 */
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Wire {
  readonly url: string;
  /** References of the place requests that were written through it, in order, repeats included. */
  placed(): readonly string[];
  /** Ends every connection; with `forMs`, also refuses new ones so long. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Ends the events sockets only, and refuses new ones until told otherwise. */
  dropEvents(refuse: boolean): void;
  allowEvents(): void;
  /** Requests pass, replies do not. */
  deafen(on: boolean): void;
  /** Requests are held back: `release` lets them pass, `discard` ends their connections without. */
  hold(): void;
  release(): void;
  discard(): void;
  /** The peer has another port now. */
  retarget(port: number): void;
  close(): Promise<void>;
}

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  events: boolean;
  held: Buffer[];
}

const placeRequest = /POST \/ari\/channels\/([0-9a-f]{32}) HTTP/g;

export const startWire = async (targetPort: number, host = '127.0.0.1'): Promise<Wire> => {
  const links = new Set<Link>();
  const placed: string[] = [];
  let target = targetPort;
  let refuseEvents = false;
  let deaf = false;
  let holding = false;

  const end = (link: Link): void => {
    links.delete(link);
    link.near.destroy();
    link.far.destroy();
  };
  const endAll = (which: (link: Link) => boolean): void => {
    for (const link of [...links]) if (which(link)) end(link);
  };
  const accept = (near: Socket): void => {
    const far = connect(target, host);
    const link: Link = { near, far, events: false, held: [] };
    links.add(link);
    near.setNoDelay(true);
    far.setNoDelay(true);
    near.on('data', (data: Buffer) => {
      const text = data.toString('latin1');
      for (const [, reference] of text.matchAll(placeRequest)) placed.push(reference ?? '');
      if (text.startsWith('GET /ari/events')) link.events = true;
      if (link.events && refuseEvents) return end(link);
      if (holding && !link.events) link.held.push(data);
      else far.write(data);
    });
    far.on('data', (data: Buffer) => {
      if (!deaf || link.events) near.write(data);
    });
    for (const socket of [near, far]) {
      socket.on('close', () => end(link));
      socket.on('error', () => end(link));
    }
  };

  let server: Server = createServer(accept);
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      endAll(() => true);
    });
  const port = await listen(0);

  return {
    url: `http://127.0.0.1:${port}`,
    placed: () => placed,
    cut: stop,
    mend: async () => {
      server = createServer(accept);
      await listen(port);
    },
    dropEvents: (refuse) => {
      refuseEvents = refuse;
      endAll((link) => link.events);
    },
    allowEvents: () => {
      refuseEvents = false;
    },
    deafen: (on) => {
      deaf = on;
    },
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const link of links) for (const data of link.held.splice(0)) link.far.write(data);
    },
    discard: () => {
      holding = false;
      endAll((link) => link.held.length > 0);
    },
    retarget: (next) => {
      target = next;
    },
    close: stop,
  };
};
