import fc from 'fast-check';
import {
  projectionsWithAuditIndex as projections,
  rebuild,
  runProjections,
  type ProjectionRunner,
} from '../../projections';
import { apiKeyKey, apiKeys, foldApiKeys } from '../../projections/api_keys';
import { campaigns } from '../../projections/campaigns';
import { collectionOf, untyped } from '../../src/engine/projection';
import { LIVE_SETTING, viewsOver } from '../../src/engine/views';
import { appendHistory, randomHistory } from '../support/history';
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../support/platform';
import { expectedDocuments, storedDocuments } from './expected';

const platforms: TestPlatform[] = [];
const runners: ProjectionRunner[] = [];
const open = async (options: TestPlatformOptions = {}): Promise<TestPlatform> => {
  const platform = await testPlatform(options);
  platforms.push(platform);
  return platform;
};
const run = (...args: Parameters<typeof runProjections>): ProjectionRunner => {
  const runner = runProjections(...args);
  runners.push(runner);
  return runner;
};
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
  for (const platform of platforms.splice(0)) await platform.dispose();
});

const small = { organizations: 1, campaigns: 1, contacts: 5, steps: 60 };
const expectFolded = async (platform: TestPlatform): Promise<void> =>
  expect(await storedDocuments(platform, projections)).toEqual(await expectedDocuments(platform, projections));
const live = async (platform: TestPlatform): Promise<Record<string, string>> =>
  JSON.parse((await platform.reads.setting(LIVE_SETTING)) ?? '{}') as Record<string, string>;

it('a rebuild equals what was folded live, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const platform = await testPlatform();
      try {
        const runner = runProjections(platform, projections, { batch: 20 });
        await appendHistory(
          platform.events,
          await randomHistory(platform.vault, { seed, organizations: 1, steps: 80 }),
        );
        await runner.caughtUp();
        await runner.stop();
        const before = await storedDocuments(platform, projections);
        const done = await rebuild(platform, projections);
        expect(done.events).toBeGreaterThan(50);
        expect(Object.values(await live(platform))).toEqual(projections.map((p) => `${collectionOf(p)}_r1`));
        expect(await storedDocuments(platform, projections)).toEqual(before);
      } finally {
        await platform.dispose();
      }
    }),
    { numRuns: 4 },
  );
}, 60_000);

it('drops what a replay cannot produce, and the collections before', async () => {
  const platform = await open();
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 1, ...small }));
  const runner = run(platform, projections);
  await runner.caughtUp();
  await runner.stop();
  const collection = collectionOf(campaigns);
  const position = await platform.events.head();
  await platform.reads.write(collection, [{ key: '1/999', document: { organization: 1, id: 999 }, position }]);
  await rebuild(platform, projections);
  await expectFolded(platform);
  expect(await platform.reads.collections()).toEqual(projections.map((p) => `${collectionOf(p)}_r1`).sort());
  await rebuild(platform, projections, { names: ['campaigns'] });
  expect(await live(platform)).toMatchObject({ campaigns: `${collection}_r2`, runs: 'runs_v1_r1' });
  await expectFolded(platform);
});

it('tells how far it is and how long it takes', async () => {
  const platform = await open();
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 2, ...small }));
  const told: { readonly events: number; readonly secondsLeft: number }[] = [];
  await rebuild(platform, projections, { onProgress: (p) => void told.push(p) });
  expect(told.length).toBeGreaterThan(0);
  expect(told.at(-1)?.secondsLeft).toBe(0);
  expect(told.at(-1)?.events).toBeGreaterThan(20);
});

it('refuses a name that is no read model', async () => {
  const platform = await open();
  await expect(rebuild(platform, projections, { names: ['campains'] })).rejects.toThrow(
    'unknown read models: campains',
  );
});

it('switches under a runner at work: nothing that was told as seen is missed', async () => {
  const platform = await open();
  const history = await randomHistory(platform.vault, { seed: 3 });
  const half = Math.floor(history.length / 2);
  const tails = new Map<string, { revision: number; hash: string }>();
  const runner = run(platform, projections);
  await appendHistory(platform.events, history.slice(0, half), tails);
  await runner.caughtUp();
  const views = viewsOver(platform.reads, projections);
  const names = projections.map((p) => p.name);

  let switched = false;
  const rebuilding = rebuild(platform, projections).then(() => {
    switched = true;
  });
  let looked = 0;
  for (let i = half; i < history.length || !switched;) {
    const next = history.slice(i, i + 4);
    i += next.length;
    await appendHistory(platform.events, next, tails);
    const head = await platform.events.head();
    // What a command does: it waits until it is to be seen, then somebody reads.
    if (await platform.progress.wait(names, head, 5000)) {
      looked += 1;
      const keys = next.flatMap((e) => (e.stream.startsWith('campaign-') ? [e.stream.slice(9).replace('_', '/')] : []));
      for (const key of keys) {
        const seen = await views.get(campaigns, key);
        const deleted = next.some((e) => e.events.some((x) => x.type === 'CampaignDeleted'));
        expect(deleted || (seen !== null && seen.etag >= '')).toBe(true);
        const own = await platform.events.readStream(`campaign-${key.replace('/', '_')}`);
        if (!deleted) expect(seen?.revision).toBe(own.at(-1)?.revision);
      }
    }
    await new Promise((done) => setTimeout(done, 10));
  }
  await rebuilding;
  expect(looked).toBeGreaterThan(0);
  await runner.caughtUp();
  await expectFolded(platform);
  expect(Object.values(await live(platform)).every((name) => name.endsWith('_r1'))).toBe(true);
}, 30_000);

it('goes on where it was cut off', async () => {
  const platform = await open();
  const history = await randomHistory(platform.vault, { seed: 4, ...small });
  const tails = new Map<string, { revision: number; hash: string }>();
  await appendHistory(platform.events, history.slice(0, 30), tails);
  const setSetting = () => Promise.reject(new Error('killed'));
  const cutOff = { ...platform, reads: { ...platform.reads, setSetting } };
  await expect(rebuild(cutOff, projections)).rejects.toThrow('killed');
  const more = history.slice(30);
  await appendHistory(platform.events, more, tails);
  const done = await rebuild(platform, projections);
  expect(done.events).toBeGreaterThan(0);
  expect(done.events).toBeLessThanOrEqual(more.reduce((n, e) => n + e.events.length, 0));
  await expectFolded(platform);
});

it('a poison event leaves the live read models as they are', async () => {
  const platform = await open();
  const history = await randomHistory(platform.vault, { seed: 5, ...small });
  await appendHistory(platform.events, history);
  const runner = run(platform, projections);
  await runner.caughtUp();
  await runner.stop();
  await appendHistory(platform.events, [
    { stream: 'run-1_5', events: [{ type: 'CallVanished', data: {} }], actor: 'x' },
  ]);
  await expect(rebuild(platform, projections)).rejects.toThrow(/can't fold event .*CallVanished/);
  expect(await live(platform)).toEqual({});
  expect((await storedDocuments(platform, [untyped(campaigns)]))['campaigns']).not.toEqual({});
});

describe('API keys do not wait', () => {
  const keyHistory = async (platform: TestPlatform) =>
    (await randomHistory(platform.vault, { seed: 6, ...small })).filter((e) => e.stream.startsWith('apiKeys-'));

  it('their documents are written at once, and the runner comes to the same', async () => {
    const platform = await open();
    await appendHistory(platform.events, await keyHistory(platform));
    await foldApiKeys(platform, 1);
    const views = viewsOver(platform.reads, projections);
    expect(await views.get(apiKeys, apiKeyKey(1, 1))).not.toBeNull();
    await run(platform, projections).caughtUp();
    await expectFolded(platform);
  });

  it('nor does an older fold undo them', async () => {
    const platform = await open();
    const runner = run(platform, projections);
    await appendHistory(platform.events, await keyHistory(platform));
    await foldApiKeys(platform, 1);
    await runner.caughtUp();
    await foldApiKeys(platform, 1);
    await expectFolded(platform);
  });

  it('rejects when the read store is away', async () => {
    const platform = await open({
      wrapReads: (reads) => ({ ...reads, write: () => Promise.reject(new Error('away')) }),
    });
    await appendHistory(platform.events, await keyHistory(platform));
    await expect(foldApiKeys(platform, 1)).rejects.toThrow('away');
  });
});
