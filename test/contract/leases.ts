/** The promises of the leases port. */
import { PARTITIONS } from '../../src/core/ids';
import type { Leases } from '../../src/ports/leases';
import { eventually } from './waiting';

export interface LeasesUnderTest {
  readonly adapter: Leases;
  /** Another process's leases over the same partitions; absent where there can be one process only. */
  readonly contender?: () => Promise<Leases>;
  readonly dispose: () => Promise<void>;
}
export interface LeasesFactory {
  create(): Promise<LeasesUnderTest>;
}

export const leasesContract = (
  name: string,
  factory: LeasesFactory,
  options: { readonly patienceMs?: number; readonly contended?: boolean } = {},
): void => {
  const patience = options.patienceMs ?? 10_000;
  const all = Array.from({ length: PARTITIONS }, (_, i) => i);
  const sorted = (set: ReadonlySet<number>): readonly number[] => [...set].sort((a, b) => a - b);

  describe(`leases: ${name}`, () => {
    let made: LeasesUnderTest;
    beforeEach(async () => {
      made = await factory.create();
    }, 60_000);
    afterEach(async () => {
      await made?.dispose();
    }, 60_000);

    it('hold nothing before they start', () => {
      expect(made.adapter.owned().size).toBe(0);
    });

    it('hold every partition soon when nobody else wants one, and say so', async () => {
      let told: ReadonlySet<number> = new Set();
      await made.adapter.start(({ owned }) => (told = owned));
      await eventually(patience, 'all partitions are held', () => told.size === PARTITIONS);
      expect(sorted(told)).toEqual(all);
      expect(sorted(made.adapter.owned())).toEqual(all);
    });

    it('hold nothing after they were released; releasing twice is harmless', async () => {
      await made.adapter.start(() => undefined);
      await eventually(patience, 'all partitions are held', () => made.adapter.owned().size === PARTITIONS);
      await made.adapter.release();
      expect(made.adapter.owned().size).toBe(0);
      await made.adapter.release();
    });

    if (options.contended === true) {
      it('are shared with another process, every partition with one owner, and go over to it on release', async () => {
        const other = await made.contender?.();
        if (other === undefined) throw new Error('the factory has no contender');
        await made.adapter.start(() => undefined);
        await other.start(() => undefined);
        const isShared = (): boolean => {
          const [a, b] = [made.adapter.owned(), other.owned()];
          return a.size > 0 && b.size > 0 && a.size + b.size === PARTITIONS && all.every((p) => a.has(p) !== b.has(p));
        };
        await eventually(patience, 'both hold some and together all', isShared);
        await made.adapter.release();
        await eventually(patience, 'the other holds all', () => other.owned().size === PARTITIONS);
        expect(sorted(other.owned())).toEqual(all);
        await other.release();
      }, 120_000);
    }
  });
};
