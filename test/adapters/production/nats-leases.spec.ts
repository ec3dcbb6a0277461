import fc from 'fast-check';
import { shareOf } from '../../../src/adapters/production/nats-leases';
import { PARTITIONS } from '../../../src/core/ids';

const members = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 6 });

it('gives every partition to exactly one of the processes, whatever the order they are known in', () => {
  fc.assert(
    fc.property(members, (all) => {
      const shares = all.map((one) => shareOf(one, all));
      expect(shares.reduce((sum, share) => sum + share.size, 0)).toBe(PARTITIONS);
      expect(new Set(shares.flatMap((share) => [...share])).size).toBe(PARTITIONS);
      expect(all.map((one) => shareOf(one, [...all].reverse()))).toEqual(shares);
    }),
    { numRuns: 30 },
  );
});

it('moves only the share of a process that goes', () => {
  fc.assert(
    fc.property(members, fc.uuid(), (all, gone) => {
      for (const one of all)
        for (const partition of shareOf(one, [...all, gone])) expect(shareOf(one, all).has(partition)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it('shares fairly: of three processes each has at least an eighth', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 3, maxLength: 3 }), (all) => {
      for (const one of all) expect(shareOf(one, all).size).toBeGreaterThanOrEqual(8);
    }),
    { numRuns: 100, seed: 7 },
  );
});
