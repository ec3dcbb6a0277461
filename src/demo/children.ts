/** The demo's two programs: the carrier simulator and the platform, each a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Child {
  /** The first match of `announces` on its stdout. */
  readonly announced: RegExpMatchArray;
  /** Asks it to end (SIGTERM), insists after 15 s (SIGKILL); answers its exit code, null if it had to be killed. */
  stop(): Promise<number | null>;
  /** Ends it where it stands (SIGKILL). */
  kill(): Promise<void>;
  /** Settles when it ends by itself. */
  readonly ended: Promise<number | null>;
}

/** Starts `node <args>`; resolves when it announces itself; rejects when it ends or stays silent for 60 s. Its stderr is passed on. */
export const startChild = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  announces: RegExp,
): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} did not start within 60 s`));
    }, 60_000);
    ended.then((code) => reject(new Error(`${args.join(' ')} ended with exit code ${code}`))).catch(reject);
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const announced = announces.exec(line);
      if (announced === null) return;
      clearTimeout(timer);
      resolve({
        announced,
        ended,
        stop: async () => {
          child.kill('SIGTERM');
          const insist = setTimeout(() => child.kill('SIGKILL'), 15_000);
          const code = await ended;
          clearTimeout(insist);
          return code;
        },
        kill: async () => {
          child.kill('SIGKILL');
          await ended;
        },
      });
    });
  });
