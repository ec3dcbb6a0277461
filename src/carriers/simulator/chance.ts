/** Seeded chance: the same seed and key always draw the same numbers. */

/** FNV-1a over the key, started from the seed. */
const hash = (seed: number, key: string): number => {
  let h = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < key.length; i += 1) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193) >>> 0;
  return h;
};

/** Numbers in [0, 1): mulberry32 (Tommy Ettinger, public domain). */
export const chance = (seed: number, key: string): (() => number) => {
  let a = hash(seed, key);
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};
