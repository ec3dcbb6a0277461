import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../contract/waiting';

export interface Child {
  readonly process: ChildProcess;
  /** What it said on stdout so far, whole lines only. */
  readonly lines: readonly string[];
  /** Waits for a line that matches; fails with all that it said when none comes. */
  said(pattern: RegExp, timeoutMs?: number): Promise<string>;
  /** Ends it like a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts `test/adapters/child/<program>.ts`; `limitKiB`: no file may grow beyond. */
export const startChild = (program: string, args: readonly string[], limitKiB?: number): Child => {
  const node = [process.execPath, '-r', join(__dirname, 'typescript.js'), join(__dirname, `${program}.ts`), ...args];
  // SIGXFSZ is ignored, so that a write beyond the limit fails with EFBIG instead of ending the process.
  const limited = ['-c', `trap '' XFSZ; ulimit -S -f ${(limitKiB ?? 0) * 2}; exec "$@"`, 'sh', ...node];
  const child =
    limitKiB === undefined
      ? spawn(node[0] as string, node.slice(1), { stdio: ['pipe', 'pipe', 'pipe'] })
      : spawn('sh', limited, { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let errors = '';
  let isOver = false;
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      isOver = true;
      resolve();
    }),
  );
  return {
    process: child,
    lines,
    ended,
    said: async (pattern, timeoutMs = 20_000) => {
      const found = (): string | undefined => lines.find((line) => pattern.test(line));
      try {
        await eventually(timeoutMs, `${program} says ${String(pattern)}`, () => found() !== undefined || isOver);
      } catch (error) {
        throw new Error(`${(error as Error).message}; it said ${lines.slice(-5).join(' | ')} ${errors}`);
      }
      const line = found();
      if (line === undefined) throw new Error(`${program} ended without ${String(pattern)}: ${errors}`);
      return line;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
