/** Engines that a machine without Docker has: the peer, which is ours, and a `nats-server` on the PATH. Plain processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { EngineName } from './engine-containers';
import { freePort } from './programs';
import { tempFolder } from './temp';

export interface ProcessEngine {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly unpause: () => Promise<void>;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url: string;
}

const onPath = (program: string): string | null => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // the next folder
    }
  }
  return null;
};

const peerCommand = (folder: string, port: number): Command => ({
  program: process.execPath,
  args: [join(__dirname, 'peer', 'run.mjs')],
  env: { PEER_DATA: folder, PEER_PORT: String(port), PEER_NOT_READY_MS: '300' },
  url: `esdb://127.0.0.1:${port}?tls=false`,
});

const natsCommand =
  (program: string) =>
  (folder: string, port: number): Command => ({
    program,
    args: ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)],
    url: `nats://127.0.0.1:${port}`,
  });

/** How an engine is run as a process here; null: it can't be. */
const commandOf = (name: EngineName): ((folder: string, port: number) => Command) | null => {
  if (name === 'eventstore') return peerCommand;
  const nats = name === 'nats' ? onPath('nats-server') : null;
  return nats === null ? null : natsCommand(nats);
};

export const isProcessAvailable = (name: EngineName): boolean => commandOf(name) !== null;

const READY = /peer listening|Server is ready/;

const run = ({ program, args, env }: Command): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const heard = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
      if (READY.test(output)) resolve(child);
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${program} ended:\n${output}`)));
  });

/** Begins it with a folder of its own, on a port that it keeps over kill and start. */
export const startProcess = async (name: EngineName): Promise<ProcessEngine> => {
  const make = commandOf(name);
  if (make === null) throw new Error(`${name} can't be run as a process here`);
  const folder = await tempFolder();
  const command = make(folder.path, await freePort());
  let child = await run(command);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((done) => child.once('exit', () => done()));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: command.url,
    kill,
    start: async () => {
      child = await run(command);
    },
    pause: async () => void child.kill('SIGSTOP'),
    unpause: async () => void child.kill('SIGCONT'),
    stop: async () => {
      await kill();
      await folder.remove();
    },
  };
};
