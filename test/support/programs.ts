/** The real programs as processes, for tests that kill them: the platform (`serve`) and the carrier simulator. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const cli = join(__dirname, '..', '..', 'dist', 'src', 'cli.js');

export interface Program {
  readonly url: string;
  /** What it printed on stdout and stderr so far, for the report of a failing test. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  exited(): boolean;
}

/** A port that was free a moment ago; the test gives it to a program that it restarts under the same address. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const start = (args: readonly string[], env: Readonly<Record<string, string>>, timeoutMs = 30_000): Promise<Program> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let exited = false;
    const gone = new Promise<void>((done) =>
      child.once('exit', () => {
        exited = true;
        done();
      }),
    );
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} did not listen within ${timeoutMs} ms:\n${output}`));
    }, timeoutMs);
    const heard = (line: string): void => {
      output = `${output}${line}\n`.slice(-20_000);
      const url = /listens on (\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({
        url,
        output: () => output,
        exited: () => exited,
        kill: async (signal) => {
          child.kill(signal);
          await gone;
        },
      });
    };
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', heard);
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', heard);
    void gone.then(() => {
      clearTimeout(timer);
      reject(new Error(`${args.join(' ')} ended:\n${output}`));
    });
  });

export const startPlatform = (options: {
  readonly folder: string;
  readonly port: number;
  readonly key: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Program> =>
  start(['serve', '--port', String(options.port), '--data-dir', options.folder], {
    LEDGERLINE_BOOTSTRAP_KEY: options.key,
    ARI_AMD_CONTEXT: 'amdback',
    RING_SECONDS: '8',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${options.port}`,
    ...options.env,
  });

export const startSimulatorProgram = (args: readonly string[]): Promise<Program> =>
  start(['simulate', '--port', '0', ...args], {});

/** Runs a command of the CLI to its end. */
export const runCli = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('exit', (code) => resolve({ code, output }));
  });

/** Asks until the answer is good; rejects after `timeoutMs`. */
export const eventually = async <T>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<T | null>,
  everyMs = 100,
): Promise<T> => {
  const until = Date.now() + timeoutMs;
  let last = '';
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      last = (error as Error).message;
      return null;
    });
    if (answer !== null) return answer;
    if (Date.now() > until) throw new Error(`${what}: not within ${timeoutMs} ms${last === '' ? '' : ` (${last})`}`);
    await new Promise((done) => setTimeout(done, everyMs));
  }
};
