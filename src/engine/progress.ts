/**
 * Waiting for a consumer (a projection, the dialer) to have passed a position. Consumers of this process tell; those of other processes are read
 * from the read store's checkpoints by one poll for all waiters.
 */
import type { Position } from '../core/position';
import type { Clock } from '../ports/clock';

export interface Progress {
  /** A consumer of this process has processed everything up to `position`. */
  reached(consumer: string, position: Position): void;
  /** Where a consumer stands as far as this process knows; null: never heard of. */
  at(consumer: string): Position | null;
  /** true when all of them reached `position` within `timeoutMs`; false when time ran out first. */
  wait(consumers: readonly string[], position: Position, timeoutMs: number): Promise<boolean>;
  close(): void;
}

export interface ProgressDeps {
  readonly clock: Clock;
  /** Checkpoints of consumers in other processes; absent: all consumers are in this process. */
  readonly poll?: () => Promise<ReadonlyMap<string, Position>>;
  /** ms between polls while somebody waits (default 10). */
  readonly pollEvery?: number;
}

interface Waiter {
  readonly consumers: readonly string[];
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

export const progress = (deps: ProgressDeps): Progress => {
  const positions = new Map<string, Position>();
  const waiters = new Set<Waiter>();
  /** A poll is under way, or due. */
  let polling = false;

  const isReached = (w: Waiter): boolean => w.consumers.every((c) => (positions.get(c) ?? '') >= w.position);
  const release = (): void => {
    for (const w of waiters) if (isReached(w)) w.settle(true);
  };
  const advance = (consumer: string, position: Position): void => {
    if ((positions.get(consumer) ?? '') < position) positions.set(consumer, position);
  };
  const pollOnce = (): void => {
    if (deps.poll === undefined || polling || waiters.size === 0) return;
    polling = true;
    deps
      .poll()
      .then((found) => found.forEach((position, consumer) => advance(consumer, position)))
      .catch(() => undefined) // the store is away: waiters run into their own time limit
      .finally(() => {
        release();
        deps.clock.after(deps.pollEvery ?? 10, () => {
          polling = false;
          pollOnce();
        });
      });
  };

  return {
    reached: (consumer, position) => {
      advance(consumer, position);
      if (waiters.size > 0) release();
    },
    at: (consumer) => positions.get(consumer) ?? null,
    wait: (consumers, position, timeoutMs) =>
      new Promise((resolve) => {
        let settled = false;
        const waiter: Waiter = {
          consumers,
          position,
          settle: (reached) => {
            if (settled) return;
            settled = true;
            timer.cancel();
            waiters.delete(waiter);
            resolve(reached);
          },
        };
        const timer = deps.clock.after(timeoutMs, () => waiter.settle(isReached(waiter)));
        if (isReached(waiter)) return waiter.settle(true);
        waiters.add(waiter);
        pollOnce();
      }),
    close: () => waiters.forEach((w) => w.settle(false)),
  };
};
