/** Waiting by the clock that everything else goes by. */
import type { Clock } from '../ports/clock';

/** Resolves after `ms`, or at once when the signal says stop. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener('abort', done);
  });
