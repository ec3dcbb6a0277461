/** The promises of the read-store port. `create` gives an empty store. */
import fc from 'fast-check';
import { positionOf, START } from '../../src/core/position';
import type {
  Collection,
  Condition,
  Document,
  DocumentWrite,
  Query,
  ReadStore,
  Scalar,
} from '../../src/ports/read-store';

export interface ReadStoreUnderTest {
  readonly adapter: ReadStore;
  /** Ends the engine and opens it again over what it stored. */
  readonly reopen?: () => Promise<ReadStore>;
  readonly dispose: () => Promise<void>;
}
export interface ReadStoreFactory {
  create(): Promise<ReadStoreUnderTest>;
}

const doc = (key: string, document: Document | null, position: number): DocumentWrite => ({
  key,
  document,
  position: positionOf(position),
});

/** What a field of a document is, for the model: undefined where a part of the path is missing. */
const fieldOf = (document: Document, field: string): unknown =>
  field.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], document);
const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;
const compare = (a: unknown, b: unknown): number => (a === b ? 0 : (a as string) < (b as string) ? -1 : 1);

const passes = (document: Document, condition: Condition): boolean => {
  const value = fieldOf(document, condition.field);
  if ('is' in condition) return condition.is === null ? isNothing(value) : value === condition.is;
  if ('in' in condition) return condition.in.some((c) => (c === null ? isNothing(value) : value === c));
  const { from, to } = condition;
  if (isNothing(value)) return isNothing(from) && isNothing(to);
  if (!isNothing(from) && (typeof value !== typeof from || compare(value, from) < 0)) return false;
  return isNothing(to) || (typeof value === typeof to && compare(value, to) <= 0);
};
const modelFind = (documents: ReadonlyMap<string, Document>, { where, sort, skip = 0, limit }: Query): Document[] => {
  const found = [...documents].filter(([, d]) => where.every((c) => passes(d, c)));
  found.sort(([ka, a], [kb, b]) => {
    const byKey = compare(ka, kb);
    if (sort === undefined) return byKey;
    const va = fieldOf(a, sort.field);
    const vb = fieldOf(b, sort.field);
    if (isNothing(va) || isNothing(vb)) return Number(isNothing(va)) - Number(isNothing(vb)) || byKey;
    return (sort.descending ? compare(vb, va) : compare(va, vb)) || byKey;
  });
  return found.map(([, d]) => d).slice(skip, limit === undefined ? undefined : skip + limit);
};

export const readStoreContract = (
  name: string,
  factory: ReadStoreFactory,
  options: { readonly runs?: number } = {},
): void => {
  const runs = options.runs ?? 40;

  describe(`read store: ${name}`, () => {
    let made: ReadStoreUnderTest;
    let store: ReadStore;
    let names = 0;
    /** An empty collection that no other test uses. */
    const newCollection = async (indexes: Collection['indexes'] = []): Promise<string> => {
      const collection = `things_v${++names}`;
      await store.ensure({ name: collection, indexes });
      return collection;
    };
    beforeAll(async () => {
      made = await factory.create();
      store = made.adapter;
    }, 60_000);
    afterAll(async () => {
      await made?.dispose();
    }, 60_000);

    describe('documents', () => {
      it('are read as every answered write left them, however often they are read while they are written', async () => {
        const c = await newCollection();
        let written = 0;
        const seen: number[] = [];
        const read = async (): Promise<void> => {
          const least = written;
          const n = Number((await store.get(c, 'hot'))?.document.n ?? 0);
          if (n < least) throw new Error(`read ${n} after ${least} was answered`);
          seen.push(n);
        };
        for (let n = 1; n <= 60; n++) {
          const writing = store.write(c, [doc('hot', { n }, n)]).then(() => (written = n));
          const reads = [read(), read()];
          await Promise.all([writing, ...reads, new Promise((next) => setImmediate(next)).then(read)]);
          await read();
          await read();
        }
        expect([seen.length, seen.at(-1)]).toEqual([300, 60]);
        await store.write(c, [doc('hot', null, 61)]);
        expect(await store.get(c, 'hot')).toBeNull();
        await store.write(c, [doc('hot', { n: 62 }, 62)]);
        expect((await store.get(c, 'hot'))?.document).toEqual({ n: 62 });
        await store.drop(c);
        expect(await store.get(c, 'hot')).toBeNull();
      });

      it('are given back as they were written, with their position', async () => {
        const c = await newCollection();
        const document = {
          text: 'é 漢字 😀 " \\ \n',
          list: [1, -2.5, { deep: [null, true] }],
          none: null,
          no: false,
          empty: {},
        };
        await store.write(c, [doc('a', document, 7), doc('b', {}, 8)]);
        expect(await store.get(c, 'a')).toEqual({ document, position: positionOf(7) });
        expect(await store.get(c, 'b')).toEqual({ document: {}, position: positionOf(8) });
        expect(await store.get(c, 'c')).toBeNull();
      });

      it('are fetched many at once, those that are there', async () => {
        const c = await newCollection();
        await store.write(c, [doc('a', { n: 1 }, 1), doc('b', { n: 2 }, 2), doc('c', { n: 3 }, 3)]);
        const found = await store.getMany(c, ['c', 'x', 'a', 'a']);
        expect(found).toEqual(
          new Map([
            ['a', { document: { n: 1 }, position: positionOf(1) }],
            ['c', { document: { n: 3 }, position: positionOf(3) }],
          ]),
        );
        expect(await store.getMany(c, [])).toEqual(new Map());
      });

      it('are replaced by newer writes only', async () => {
        const c = await newCollection();
        await store.write(c, [doc('a', { n: 5 }, 5)]);
        await store.write(c, [doc('a', { n: 4 }, 4)]);
        await store.write(c, [doc('a', { n: 55 }, 5)]);
        expect(await store.get(c, 'a')).toEqual({ document: { n: 5 }, position: positionOf(5) });
        await store.write(c, [doc('a', { n: 6 }, 6)]);
        expect(await store.get(c, 'a')).toEqual({ document: { n: 6 }, position: positionOf(6) });
      });

      it('are removed by a newer removal, and do not come back by an older write', async () => {
        const c = await newCollection();
        await store.write(c, [doc('a', { n: 5 }, 5)]);
        await store.write(c, [doc('a', null, 4)]);
        expect(await store.get(c, 'a')).not.toBeNull();
        await store.write(c, [doc('a', null, 8)]);
        expect(await store.get(c, 'a')).toBeNull();
        await store.write(c, [doc('a', { n: 7 }, 7)]);
        await store.write(c, [doc('a', { n: 8 }, 8)]);
        expect(await store.get(c, 'a')).toBeNull();
        expect(await store.getMany(c, ['a'])).toEqual(new Map());
        expect(await store.find(c, { where: [] })).toEqual([]);
        expect(await store.count(c, [])).toBe(0);
        await store.write(c, [doc('a', { n: 9 }, 9)]);
        expect(await store.get(c, 'a')).toEqual({ document: { n: 9 }, position: positionOf(9) });
      });

      it('end the same in whatever order and batches their writes arrive', async () => {
        const write = fc.record({
          key: fc.constantFrom('a', 'b', 'c'),
          removes: fc.boolean(),
          batch: fc.nat({ max: 3 }),
          order: fc.nat(),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (steps) => {
            const c = await newCollection();
            const writes = steps.map((s, i) => ({ ...s, write: doc(s.key, s.removes ? null : { n: i }, i + 1) }));
            const shuffled = [...writes].sort((a, b) => a.order - b.order);
            for (let at = 0; at < shuffled.length;) {
              const size = 1 + (shuffled[at]?.batch ?? 0);
              await store.write(
                c,
                shuffled.slice(at, at + size).map((s) => s.write),
              );
              at += size;
            }
            for (const key of ['a', 'b', 'c']) {
              const last = writes.findLast((w) => w.key === key)?.write;
              const expected = isNothing(last?.document) ? null : { document: last.document, position: last.position };
              expect(await store.get(c, key)).toEqual(expected);
            }
            await store.drop(c);
          }),
          { numRuns: runs },
        );
      }, 60_000);
    });

    describe('apply', () => {
      it('writes and moves the checkpoint from START', async () => {
        const c = await newCollection();
        expect(await store.checkpoint(c)).toBe(START);
        const checkpoint = { expected: START, next: positionOf(10) };
        expect(await store.apply([{ collection: c, writes: [doc('a', { n: 1 }, 10)], checkpoint }])).toEqual([true]);
        expect(await store.get(c, 'a')).not.toBeNull();
        expect(await store.checkpoint(c)).toBe(positionOf(10));
        expect((await store.checkpoints()).get(c)).toBe(positionOf(10));
      });

      it('answers false and leaves the checkpoint where it stands elsewhere than expected', async () => {
        const c = await newCollection();
        const move = (expected: number, next: number): Promise<readonly boolean[]> =>
          store.apply([
            { collection: c, writes: [], checkpoint: { expected: positionOf(expected), next: positionOf(next) } },
          ]);
        expect(await move(3, 5)).toEqual([false]);
        expect(await store.checkpoint(c)).toBe(START);
        expect(await move(0, 5)).toEqual([true]);
        expect(await move(0, 7)).toEqual([false]);
        expect(await move(5, 7)).toEqual([true]);
        expect(await store.checkpoint(c)).toBe(positionOf(7));
      });

      it('answers for each collection by itself', async () => {
        const [a, b, c] = [await newCollection(), await newCollection(), await newCollection()];
        const answers = await store.apply([
          { collection: a, writes: [doc('k', { in: 'a' }, 4)], checkpoint: { expected: START, next: positionOf(4) } },
          {
            collection: b,
            writes: [doc('k', { in: 'b' }, 4)],
            checkpoint: { expected: positionOf(1), next: positionOf(4) },
          },
          { collection: c, writes: [doc('k', { in: 'c' }, 4), doc('l', null, 4)] },
        ]);
        expect(answers).toEqual([true, false, true]);
        expect(await store.checkpoint(a)).toBe(positionOf(4));
        expect(await store.checkpoint(b)).toBe(START);
        expect((await store.get(a, 'k'))?.document).toEqual({ in: 'a' });
        expect((await store.get(c, 'k'))?.document).toEqual({ in: 'c' });
        expect(await store.apply([])).toEqual([]);
      });

      it('lets exactly one of several runners move a checkpoint', async () => {
        const c = await newCollection();
        for (let round = 0; round < 5; round++) {
          const expected = positionOf(round);
          const next = positionOf(round + 1);
          const runners = Array.from({ length: 6 }, () =>
            store.apply([{ collection: c, writes: [doc('k', { round }, round + 1)], checkpoint: { expected, next } }]),
          );
          const answers = (await Promise.all(runners)).flat();
          expect(answers.filter(Boolean)).toHaveLength(1);
          expect((await store.get(c, 'k'))?.document).toEqual({ round });
        }
      });

      it('never shows a checkpoint before the writes that led to it', async () => {
        const c = await newCollection();
        let isOver = false;
        let looks = 0;
        const looking = (async () => {
          while (!isOver) {
            const at = await store.checkpoint(c);
            if (at !== START) {
              looks++;
              const seen = await store.get(c, 'k');
              expect(seen !== null && seen.position >= at).toBe(true);
            }
            await new Promise((next) => setImmediate(next));
          }
        })();
        for (let i = 1; i <= 50; i++) {
          const many = Array.from({ length: 20 }, (_, k) => doc(`other${k}`, { i }, i));
          const checkpoint = { expected: positionOf(i - 1), next: positionOf(i) };
          expect(await store.apply([{ collection: c, writes: [...many, doc('k', { i }, i)], checkpoint }])).toEqual([
            true,
          ]);
        }
        isOver = true;
        await looking;
        expect(looks).toBeGreaterThan(0);
      });
    });

    describe('queries', () => {
      const words = ['', 'a', 'aa', 'b', 'z', 'é'];
      const scalar = fc.oneof(
        fc.constantFrom<Scalar>(...words),
        fc.integer({ min: -3, max: 12 }),
        fc.constantFrom<Scalar>(0.5, 11.25),
        fc.constant(null),
      );
      const text = fc.constantFrom<Scalar>(...words);
      const number = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, 11.25));
      /** One type to a field, as documents have it; missing, null, or there. */
      const document = fc
        .record(
          {
            org: fc.integer({ min: 1, max: 2 }),
            name: fc.oneof(text, fc.constant(null)),
            rank: fc.oneof(number, fc.constant(null)),
            active: fc.boolean(),
            more: fc.record({ word: text, n: number }, { requiredKeys: [] }),
          },
          { requiredKeys: ['org'] },
        )
        .map((d) => d as Document);
      const fields = ['org', 'name', 'rank', 'more.word', 'more.n', 'missing'] as const;
      const condition: fc.Arbitrary<Condition> = fc.oneof(
        fc.record({ field: fc.constantFrom(...fields), is: scalar }),
        fc.record({ field: fc.constant('active'), is: fc.oneof(fc.boolean(), fc.constant(null)) }),
        fc.record({ field: fc.constantFrom(...fields), in: fc.array(scalar, { maxLength: 4 }) }),
        fc.record({ field: fc.constantFrom('name', 'more.word'), from: text, to: text }, { requiredKeys: ['field'] }),
        fc.record({ field: fc.constantFrom('rank', 'more.n'), from: number, to: number }, { requiredKeys: ['field'] }),
      );
      const query: fc.Arbitrary<Query> = fc.record(
        {
          where: fc.array(condition, { maxLength: 3 }),
          sort: fc.record({ field: fc.constantFrom(...fields), descending: fc.boolean() }),
          skip: fc.nat({ max: 6 }),
          limit: fc.integer({ min: 1, max: 8 }),
        },
        { requiredKeys: ['where'] },
      );

      it.each([
        ['without indexes', []],
        ['with indexes', [{ fields: ['org', 'rank'] }, { fields: ['org', 'more.word'] }, { fields: ['name'] }]],
      ])(
        'find and count what filtering and sorting all documents would (%s)',
        async (_, indexes) => {
          let found = 0;
          await fc.assert(
            fc.asyncProperty(
              fc.array(document, { maxLength: 14 }),
              fc.array(query, { minLength: 1, maxLength: 6 }),
              async (documents, queries) => {
                const c = await newCollection(indexes);
                const keyed = documents.map((d, i) => [`k${(i * 7) % 13}${i}`, { ...d, id: i }] as const);
                const model = new Map<string, Document>(keyed);
                await store.write(
                  c,
                  keyed.map(([key, d], i) => doc(key, d, i + 1)),
                );
                for (const q of queries) {
                  const expected = modelFind(model, q);
                  expect(await store.find(c, q)).toEqual(expected);
                  expect(await store.count(c, q.where)).toBe(modelFind(model, { where: q.where }).length);
                  found += expected.length;
                }
                await store.drop(c);
              },
            ),
            { numRuns: runs },
          );
          expect(found).toBeGreaterThan(0);
        },
        120_000,
      );

      it('have documents without the field last in both directions, ties by key', async () => {
        const c = await newCollection([{ fields: ['org', 'at'] }]);
        await store.write(c, [
          doc('d', { org: 1, id: 'd', at: '2' }, 1),
          doc('a', { org: 1, id: 'a', at: null }, 2),
          doc('c', { org: 1, id: 'c', at: '2' }, 3),
          doc('e', { org: 1, id: 'e', at: '1' }, 4),
          doc('b', { org: 1, id: 'b' }, 5),
        ]);
        const ids = async (descending: boolean): Promise<unknown[]> =>
          (await store.find(c, { where: [{ field: 'org', is: 1 }], sort: { field: 'at', descending } })).map(
            (d) => d['id'],
          );
        expect(await ids(false)).toEqual(['e', 'c', 'd', 'a', 'b']);
        expect(await ids(true)).toEqual(['c', 'd', 'e', 'a', 'b']);
      });

      it('page through many documents without gap or repeat, however deep', async () => {
        const c = await newCollection([{ fields: ['org', 'rank'] }]);
        const documents = Array.from({ length: 1000 }, (_, i) => ({ org: i % 2, rank: (i * 7919) % 250, id: i }));
        await store.write(
          c,
          documents.map((d, i) => doc(`k${String(i).padStart(4, '0')}`, d, i + 1)),
        );
        const pages: unknown[] = [];
        for (let skip = 0; skip <= 500; skip += 37) {
          const page = await store.find(c, {
            where: [{ field: 'org', is: 1 }],
            sort: { field: 'rank', descending: true },
            skip,
            limit: 37,
          });
          pages.push(...page.map((d) => d['id']));
        }
        const expected = modelFind(new Map(documents.map((d, i) => [`k${String(i).padStart(4, '0')}`, d])), {
          where: [{ field: 'org', is: 1 }],
          sort: { field: 'rank', descending: true },
        });
        expect(expected).toHaveLength(500);
        expect(pages).toEqual(expected.map((d) => d['id']));
      });

      it('see every write that was answered before', async () => {
        const c = await newCollection([{ fields: ['n'] }]);
        for (let n = 1; n <= 30; n++) {
          await store.write(c, [doc('k', { n }, n)]);
          expect(await store.find(c, { where: [{ field: 'n', is: n }] })).toEqual([{ n }]);
        }
      });
    });

    it('streams every document once in key order, also while others are written', async () => {
      const c = await newCollection();
      const key = (i: number): string => `k${String(i).padStart(5, '0')}`;
      const numbers = Array.from({ length: 1300 }, (_, i) => i);
      await store.write(
        c,
        numbers.map((i) => doc(key(i), { i }, i + 1)),
      );
      const seen: string[] = [];
      for await (const one of store.all(c)) {
        if (seen.length === 100) await store.write(c, [doc('a-new', {}, 5000)]);
        seen.push(one.key);
        expect(one.document).toEqual({ i: Number(one.key.slice(1)) });
        expect(one.position).toBe(positionOf(Number(one.key.slice(1)) + 1));
      }
      expect(seen).toEqual(numbers.map(key));
    });

    it('makes a collection once, with indexes that come later, and drops it with its checkpoint', async () => {
      const collection = `made_v${++names}`;
      expect(await store.collections()).not.toContain(collection);
      await store.ensure({ name: collection, indexes: [{ fields: ['org'] }] });
      await store.apply([
        { collection, writes: [doc('a', { org: 1, n: 2 }, 3)], checkpoint: { expected: START, next: positionOf(3) } },
      ]);
      await store.ensure({ name: collection, indexes: [{ fields: ['org'] }, { fields: ['org', 'n'] }] });
      expect(await store.collections()).toContain(collection);
      expect(await store.find(collection, { where: [{ field: 'n', is: 2 }] })).toEqual([{ org: 1, n: 2 }]);
      await store.drop(collection);
      expect(await store.collections()).not.toContain(collection);
      expect(await store.checkpoint(collection)).toBe(START);
      expect((await store.checkpoints()).has(collection)).toBe(false);
      expect(await store.get(collection, 'a')).toBeNull();
      await store.drop(collection);
      await store.ensure({ name: collection, indexes: [{ fields: ['org'] }] });
      expect(await store.count(collection, [])).toBe(0);
      await store.write(collection, [doc('a', { org: 2 }, 1)]);
      expect(await store.get(collection, 'a')).toEqual({ document: { org: 2 }, position: positionOf(1) });
    });

    it('sets a named value only where it is what the caller expects', async () => {
      expect(await store.setting('live')).toBeNull();
      expect(await store.setSetting('live', 'v1', 'v2')).toBe(false);
      expect(await store.setSetting('live', null, 'v1')).toBe(true);
      expect(await store.setSetting('live', null, 'v9')).toBe(false);
      expect(await store.setSetting('live', 'v1', 'v2')).toBe(true);
      expect(await store.setting('live')).toBe('v2');
      const racers = await Promise.all(Array.from({ length: 8 }, (_, i) => store.setSetting('live', 'v2', `r${i}`)));
      expect(racers.filter(Boolean)).toHaveLength(1);
    });

    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });

    it('has everything again after it was closed and opened', async () => {
      const c = await newCollection([{ fields: ['n'] }]);
      const checkpoint = { expected: START, next: positionOf(2) };
      await store.apply([{ collection: c, writes: [doc('a', { n: 1 }, 1), doc('b', null, 2)], checkpoint }]);
      if (made.reopen !== undefined) store = await made.reopen();
      expect(await store.get(c, 'a')).toEqual({ document: { n: 1 }, position: positionOf(1) });
      expect(await store.checkpoint(c)).toBe(positionOf(2));
      await store.write(c, [doc('b', { n: 0 }, 1)]);
      expect(await store.get(c, 'b')).toBeNull();
      expect(await store.collections()).toContain(c);
    });
  });
};
