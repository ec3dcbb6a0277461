/** Starts a simulator: settings in, exchange, apps, record and server wired, and the ways to disturb it out. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newApps, timestamp } from './apps';
import { controlRoutes } from './control';
import { newExchange } from './exchange';
import type { Faults, SimulatorOptions } from './options';
import { settingsOf } from './options';
import { originator } from './originate';
import type { RecordRow, Stats } from './record';
import { newRecord } from './record';
import { ariRoutes } from './routes';
import type { Phase } from './server';
import { newServer } from './server';

export interface Simulator {
  /** `http://127.0.0.1:<port>`: the `ari_endpoint` of a configuration. */
  readonly url: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Every place request so far, in order of arrival. */
  record(): readonly RecordRow[];
  stats(): Stats;
  setFaults(faults: Partial<Faults>): void;
  /** Closes the events sockets of all apps. */
  dropSockets(): void;
  /** Killed: all channels end without a word; stopped: each is told. Then it is unreachable for `downMs` and boots for `bootMs`. */
  restart(how: 'killed' | 'stopped', downMs: number, bootMs: number): Promise<void>;
  close(): Promise<void>;
}

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 64 }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

const stop = (server: Server, dropSockets: () => void): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    dropSockets();
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a simulator. Rejects when its port cannot be had. */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const settings = settingsOf(options);
  const record = newRecord(settings.recordFile);
  const apps = newApps(settings.seed, settings.faults);
  const globals = new Map<string, string>();
  const exchange = newExchange(settings, apps, record, globals);
  let faults = settings.faults;
  let phase: Phase = 'up';
  let startupTime = timestamp();
  let closed = false;

  const setFaults = (next: Faults): void => {
    faults = next;
    apps.setFaults(next);
  };
  const originate = originator({ settings, exchange, apps, record, faults: () => faults });
  const { server, dropSockets } = newServer({
    settings,
    apps,
    phase: () => phase,
    ari: ariRoutes({ exchange, apps, globals, originate, startupTime: () => startupTime }),
    control: controlRoutes({
      apps,
      record,
      faults: () => faults,
      setFaults,
      restart: (how, downMs, bootMs) => void restart(how, downMs, bootMs),
    }),
  });
  const port = await listen(server, settings.port, settings.host);

  const restart = async (how: 'killed' | 'stopped', downMs: number, bootMs: number): Promise<void> => {
    if (how === 'stopped') {
      exchange.shutDown();
      await pause(5);
    }
    exchange.vanish('restart');
    apps.clear();
    globals.clear();
    await stop(server, dropSockets);
    await pause(downMs);
    if (closed) return;
    phase = 'ari_missing';
    await listen(server, port, settings.host);
    await pause(bootMs / 2);
    phase = 'booting';
    await pause(bootMs / 2);
    startupTime = timestamp();
    phase = 'up';
  };

  return {
    url: `http://${settings.host}:${port}`,
    port,
    user: settings.user,
    password: settings.password,
    record: record.rows,
    stats: () => record.stats(apps.counts()),
    setFaults: (knobs) => setFaults({ ...faults, ...knobs }),
    dropSockets: apps.dropSockets,
    restart,
    close: async () => {
      closed = true;
      exchange.vanish('closed');
      apps.clear();
      await stop(server, dropSockets);
      await record.close();
    },
  };
};
