/** Counts unhandled rejections and uncaught exceptions of the real process; jest's own `process` is a copy that hears neither. */
import { runInThisContext } from 'node:vm';

export interface Unhandled {
  readonly seen: readonly unknown[];
  stop(): void;
}

export const countUnhandled = (): Unhandled => {
  const real = runInThisContext('process') as NodeJS.Process;
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  real.on('unhandledRejection', note);
  real.on('uncaughtExceptionMonitor', note);
  return {
    seen,
    stop: () => {
      real.off('unhandledRejection', note);
      real.off('uncaughtExceptionMonitor', note);
    },
  };
};
