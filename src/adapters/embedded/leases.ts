import { PARTITIONS } from '../../core/ids';
import type { Leases } from '../../ports/leases';

/** One process, so every partition is its own from `start` to `release`. */
export const embeddedLeases = (): Leases => {
  let owned: ReadonlySet<number> = new Set();
  return {
    owned: () => owned,
    start: async (onChange) => {
      owned = new Set(Array.from({ length: PARTITIONS }, (_, i) => i));
      onChange({ owned });
    },
    release: async () => {
      owned = new Set();
    },
  };
};
