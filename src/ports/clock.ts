/** Time. `now` is wall-clock epoch ms; `monotonic` is ms that never jump; timers fire by the same clock, so that a simulation can run it. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  now(): number;
  monotonic(): number;
  /** Calls `f` once, `ms` from now (0 or more). */
  after(ms: number, f: () => void): Timer;
}
