/**
 * What is to be written about runs: one queue per run, in order. What comes while an append of the run is under way goes into the next one
 * together. It waits in memory while the ledger is away, and is never given up while the process lives.
 */
import { isLeft } from 'fp-ts/Either';
import { describeFailure } from '../core/failure';
import { runStream, type OrganizationId } from '../core/ids';
import type { RunCommand } from '../domain/run/commands';
import type { Platform } from '../engine/platform';
import { runNewsDecider, untilAnswered } from './commands';

export interface News {
  /** Resolves when it is durable, or found to be known already. Never rejects. */
  write(org: OrganizationId, run: number, command: RunCommand, actor: string): Promise<void>;
  /** Runs with something to be written. */
  pending(): number;
  /** Resolves when nothing is pending. */
  idle(): Promise<void>;
}

interface Queued {
  readonly command: RunCommand;
  readonly actor: string;
  readonly done: () => void;
}

export const newsQueue = (platform: Pick<Platform, 'execute' | 'clock' | 'log'>, signal: AbortSignal): News => {
  const queues = new Map<string, Queued[]>();
  let waiters: (() => void)[] = [];

  const flush = async (stream: string, queue: Queued[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      const actor = batch.at(-1)?.actor ?? 'dialer';
      const answer = await untilAnswered(platform.clock, signal, () =>
        platform.execute.run(
          runNewsDecider,
          stream,
          batch.map(({ command }) => command),
          { actor },
        ),
      );
      if (isLeft(answer) && !signal.aborted)
        platform.log.error(
          { stream, commands: batch.map(({ command }) => command.type) },
          describeFailure(answer.left),
        );
      for (const { done } of batch) done();
    }
    queues.delete(stream);
    if (queues.size > 0) return;
    for (const wake of waiters) wake();
    waiters = [];
  };

  return {
    write: (org, run, command, actor) =>
      new Promise((done) => {
        const stream = runStream(org, run);
        const queue = queues.get(stream);
        if (queue !== undefined) return void queue.push({ command, actor, done });
        const begun: Queued[] = [{ command, actor, done }];
        queues.set(stream, begun);
        void flush(stream, begun);
      }),
    pending: () => queues.size,
    idle: () => (queues.size === 0 ? Promise.resolve() : new Promise((done) => waiters.push(done))),
  };
};
