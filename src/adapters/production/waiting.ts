/** Waiting with a limit: pauses, places, backoff. Shared by the production adapters. */
import { TimedOut } from '../../engine/within';

/** Resolves after `ms`, or at once when `signal` is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });

/** Resolves in a fresh turn of the event loop, after everything that is due now. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** No place became free: nothing was begun. */
export class NoPlace extends TimedOut {}

/** A number of places, taken in order of asking. */
export interface Places {
  /** Answers the function that gives the place back (once). Rejects with `NoPlace` when none is free within `timeoutMs`. */
  take(timeoutMs: number): Promise<() => void>;
  readonly taken: () => number;
}

export const places = (count: number): Places => {
  let taken = 0;
  const queue = new Set<() => void>();
  const giver = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = queue.values().next().value;
      if (next === undefined) taken -= 1;
      else next();
    };
  };
  return {
    taken: () => taken,
    take: (timeoutMs) => {
      if (taken < count) {
        taken += 1;
        return Promise.resolve(giver());
      }
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          clearTimeout(timer);
          queue.delete(enter);
          resolve(giver());
        };
        const timer = setTimeout(() => {
          queue.delete(enter);
          reject(new NoPlace(`all ${count} places were taken for ${timeoutMs} ms`));
        }, timeoutMs);
        queue.add(enter);
      });
    },
  };
};

/** Pauses that double from `first` to `longest` ms until `reset`. */
export interface Backoff {
  readonly wait: (signal?: AbortSignal) => Promise<void>;
  readonly reset: () => void;
}

export const backoff = (first: number, longest: number): Backoff => {
  let next = first;
  return {
    wait: (signal) => {
      const now = next;
      next = Math.min(next * 2, longest);
      return pause(now, signal);
    },
    reset: () => {
      next = first;
    },
  };
};
