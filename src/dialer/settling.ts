/** Waiting until what is stored up to a position keeps every further call from its carrier. */
import type { DialerHandle } from './handle';
import type { OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { Shell } from './shell';

export interface Settling {
  /** The fold has gone on. */
  passed(): void;
  readonly settled: DialerHandle['settled'];
}

interface Waiter {
  readonly org: OrganizationId;
  readonly position: Position;
  readonly passed: () => void;
}

export const placesSettled = (shell: Shell): Settling => {
  const { state, platform } = shell;
  let waiters: readonly Waiter[] = [];
  return {
    passed: () => {
      if (waiters.length === 0) return;
      const reached = waiters.filter((w) => w.position <= state.position);
      waiters = waiters.filter((w) => w.position > state.position);
      for (const waiter of reached) waiter.passed();
    },
    settled: (org, position, timeoutMs) =>
      new Promise((resolve) => {
        const timer = platform.clock.after(timeoutMs, () => {
          waiters = waiters.filter((w) => w !== waiter);
          resolve(false);
        });
        const waiter: Waiter = {
          org,
          position,
          // From now on every gate shows it; what was written before is on its way.
          passed: () =>
            void Promise.allSettled([...shell.org(org).placing]).then(() => {
              timer.cancel();
              resolve(true);
            }),
        };
        if (position <= state.position) waiter.passed();
        else waiters = [...waiters, waiter];
      }),
  };
};
