/** Clocks: the machine's, and one that stands still until it is told to go on. */
import type { Clock, Timer } from '../../ports/clock';

/** Longest delay that Node's timers can count; longer ones fire at once. */
const MAX_DELAY = 2 ** 31 - 1;

/** The machine's clock. A `monotonic` never jumps with the wall clock. */
export const systemClock = (): Clock => ({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, f) => {
    let remaining = Math.max(0, ms);
    let handle: NodeJS.Timeout;
    const wait = (): void => {
      const step = Math.min(remaining, MAX_DELAY);
      remaining -= step;
      handle = setTimeout(remaining > 0 ? wait : f, step);
    };
    wait();
    return { cancel: () => clearTimeout(handle) };
  },
});

export interface VirtualClock extends Clock {
  /**
   * Lets `ms` pass: timers fire in the order of their time, each at its own moment, those that they start too. Between timers the event loop
   * turns once, so that what awaits a timer has gone on before the next one fires.
   */
  advance(ms: number): Promise<void>;
  /** The wall clock is set forward (or back, negative); timers and `monotonic` do not notice. */
  jump(ms: number): void;
  /** ms until the next timer; null when there is none. */
  untilNext(): number | null;
}

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}
const isBefore = (a: Pending, b: Pending): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** A clock that reads `startMs` (epoch) until it is advanced. */
export const virtualClock = (startMs: number): VirtualClock => {
  let elapsed = 0;
  let offset = startMs;
  let order = 0;
  /** The next to fire is the last. */
  const timers: Pending[] = [];

  /** Where a timer is, or belongs. */
  const placeOf = (timer: Pending): number => {
    let low = 0;
    let high = timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(timer, timers[middle] as Pending)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after: (ms, fire): Timer => {
      const timer = { due: elapsed + Math.max(0, ms), order: order++, fire };
      timers.splice(placeOf(timer), 0, timer);
      return {
        cancel: () => {
          const place = placeOf(timer);
          if (timers[place] === timer) timers.splice(place, 1);
        },
      };
    },
    advance: async (ms) => {
      const until = elapsed + ms;
      await turn();
      for (let timer = timers.at(-1); timer !== undefined && timer.due <= until; timer = timers.at(-1)) {
        timers.pop();
        elapsed = Math.max(elapsed, timer.due);
        timer.fire();
        await turn();
      }
      elapsed = Math.max(elapsed, until);
    },
    jump: (ms) => {
      offset += ms;
    },
    untilNext: () => {
      const timer = timers.at(-1);
      return timer === undefined ? null : Math.max(0, timer.due - elapsed);
    },
  };
};
