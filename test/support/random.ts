/** Seeded pseudo-random numbers: mulberry32 (Tommy Ettinger, public domain). The same seed, the same numbers. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, from `low` to `high` inclusive. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
}

export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
  };
};
