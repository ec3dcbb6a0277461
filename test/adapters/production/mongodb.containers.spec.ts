/** The MongoDB read store under the contract of its port, and while its server is killed and paused. */
import { randomBytes } from 'node:crypto';
import { mongoReadStore } from '../../../src/adapters/production/mongodb';
import { positionOf, START, type Position } from '../../../src/core/position';
import type { ReadStore } from '../../../src/ports/read-store';
import { readStoreContract } from '../../contract/read-store';
import { eventually } from '../../contract/waiting';
import { withEngine, type Engine } from '../../support/engines';
import { closing } from './closing';
import { countUnhandled } from './unhandled';

/** A database of its own on the server. */
const databaseOf = (url: string): string => {
  const at = new URL(url);
  at.pathname = `/test_${randomBytes(6).toString('hex')}`;
  return at.toString();
};
const answering = async (engine: Engine, url = databaseOf(engine.url)): Promise<ReadStore> => {
  const store = mongoReadStore({ url });
  await eventually(30_000, 'the server answers', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );
  return store;
};

withEngine('mongo', {}, (engine) => {
  readStoreContract(
    'MongoDB adapter',
    {
      create: async () => {
        const url = databaseOf(engine().url);
        let adapter = await answering(engine(), url);
        return {
          adapter,
          reopen: async () => {
            await adapter.close();
            adapter = mongoReadStore({ url });
            return adapter;
          },
          dispose: () => adapter.close(),
        };
      },
    },
    { runs: 6 },
  );

  it('keeps names of fields that MongoDB gives a meaning to', async () => {
    const store = await answering(engine());
    await store.ensure({ name: 'odd_v1', indexes: [] });
    const document = { 'a.b': { $set: 1, '': 2, '%2e': [{ $eq: null }] }, $x: 'y', 'é%': { __proto__x: 1 } };
    await store.write('odd_v1', [{ key: 'k', document, position: positionOf(1) }]);
    expect((await store.get('odd_v1', 'k'))?.document).toEqual(document);
    await store.close();
  });

  it('loses no newer document to an older one that is made at the same moment', async () => {
    const store = await answering(engine());
    await store.ensure({ name: 'race_v1', indexes: [] });
    for (let key = 0; key < 40; key++)
      await Promise.all(
        [3, 1, 5, 2, 4].map((n) =>
          store.write('race_v1', [{ key: `k${key}`, document: { n }, position: positionOf(n) }]),
        ),
      );
    for (let key = 0; key < 40; key++) expect((await store.get('race_v1', `k${key}`))?.document).toEqual({ n: 5 });
    await store.close();
  });

  it('finds the page of a large list by its index, newest first', async () => {
    const store = await answering(engine());
    await store.ensure({ name: 'runs_v1', indexes: [{ fields: ['organization', 'created_at'] }] });
    const writes = Array.from({ length: 5000 }, (_, n) => ({
      key: `run-${n}`,
      document: { organization: 1 + (n % 2), created_at: new Date(n * 1000).toISOString() },
      position: positionOf(n + 1),
    }));
    const begun = performance.now();
    await store.write('runs_v1', writes);
    const written = performance.now();
    const pages = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.find('runs_v1', {
          where: [{ field: 'organization', is: 1 }],
          sort: { field: 'created_at', descending: true },
          skip: i * 50,
          limit: 50,
        }),
      ),
    );
    process.stderr.write(
      `5000 guarded writes: ${Math.round(written - begun)} ms, 20 pages: ${Math.round(performance.now() - written)} ms\n`,
    );
    const seen = pages.flat().map((d) => d['created_at']);
    expect(seen).toHaveLength(1000);
    expect(seen).toEqual([...seen].sort().reverse());
    await store.close();
  }, 60_000);
});

withEngine('mongo', { mayStop: true }, (engine) => {
  const afterwards = closing();

  it('holds every acknowledged batch with its checkpoint, and no gap, after its server was killed', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const store = await answering(engine());
    afterwards(store.close);
    await store.ensure({ name: 'things_v1', indexes: [{ fields: ['org', 'n'] }] });
    let at: Position = START;
    let batches = 0;
    let failures = 0;
    let isOver = false;
    afterwards(() => (isOver = true));
    const runner = (async () => {
      while (!isOver) {
        try {
          at = await store.checkpoint('things_v1');
          const n = Number(at) + 10;
          const writes = Array.from({ length: 10 }, (_, i) => ({
            key: `k${n - 10 + i}`,
            document: { org: 1, n: n - 10 + i },
            position: positionOf(n - 9 + i),
          }));
          const [moved] = await store.apply([
            { collection: 'things_v1', writes, checkpoint: { expected: at, next: positionOf(n) } },
          ]);
          if (moved === true) batches += 1;
        } catch {
          failures += 1;
          await new Promise((next) => setTimeout(next, 50));
        }
      }
    })();
    for (let round = 0; round < 2; round++) {
      const before = batches;
      await eventually(30_000, 'batches are applied', () => batches > before + 10);
      await engine().kill();
      const failed = failures;
      await eventually(20_000, 'a batch fails', () => failures > failed);
      await engine().start();
      await eventually(60_000, 'batches are applied again', () => batches > before + 15);
    }
    isOver = true;
    await runner;
    const end = Number(await store.checkpoint('things_v1'));
    expect(end).toBeGreaterThanOrEqual(batches * 10);
    expect(await store.count('things_v1', [])).toBe(end);
    const found = await store.find('things_v1', {
      where: [{ field: 'org', is: 1 }],
      sort: { field: 'n', descending: false },
    });
    expect(found.map((d) => d['n'])).toEqual(Array.from({ length: end }, (_, n) => n));
    expect(unhandled.seen).toEqual([]);
  }, 240_000);

  it('rejects in time while its server stands still, and works on afterwards', async () => {
    const store = await answering(engine());
    afterwards(store.close);
    await store.ensure({ name: 'things_v2', indexes: [] });
    await store.write('things_v2', [{ key: 'a', document: { n: 1 }, position: positionOf(1) }]);
    await engine().pause();
    const begun = performance.now();
    await expect(store.get('things_v2', 'a')).rejects.toThrow();
    expect(performance.now() - begun).toBeLessThan(8000);
    await engine().unpause();
    await eventually(20_000, 'a read works', () =>
      store.get('things_v2', 'a').then(
        (found) => found !== null,
        () => false,
      ),
    );
  }, 60_000);
});
