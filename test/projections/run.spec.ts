import fc from 'fast-check';
import { projectionsWithAuditIndex as projections, runProjections, type ProjectionRunner } from '../../projections';
import { campaigns } from '../../projections/campaigns';
import { runs } from '../../projections/runs';
import { untyped } from '../../src/engine/projection';
import type { ReadStore } from '../../src/ports/read-store';
import { appendHistory, randomHistory, type HistoryEntry } from '../support/history';
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

it('folds history, then what is appended while it runs', async () => {
  const platform = await open();
  const history = await randomHistory(platform.vault, { seed: 1 });
  const tails = new Map<string, { revision: number; hash: string }>();
  await appendHistory(platform.events, history.slice(0, 60), tails);
  const runner = run(platform, projections);
  await runner.caughtUp();
  for (let i = 60; i < history.length; i += 25) await appendHistory(platform.events, history.slice(i, i + 25), tails);
  await runner.caughtUp();
  await expectFolded(platform);
  const status = runner.status();
  expect(status.map((s) => s.name)).toEqual(projections.map((p) => p.name));
  expect(status.every((s) => s.stuck === null && s.waiting === null && s.lagSeconds === 0)).toBe(true);
});

it('tells who waits for a change that it is to be seen', async () => {
  const platform = await open();
  run(platform, projections);
  const history = await randomHistory(platform.vault, { seed: 2, ...small });
  await appendHistory(platform.events, history);
  const head = await platform.events.head();
  expect(
    await platform.progress.wait(
      projections.map((p) => p.name),
      head,
      5000,
    ),
  ).toBe(true);
  await expectFolded(platform);
});

/** How an application of a batch may go wrong: before anything, between writes and checkpoint, or when all is done but the answer. */
type Fault = 'none' | 'before' | 'between' | 'after';
const failing =
  (faults: readonly Fault[]) =>
  (reads: ReadStore): ReadStore => {
    let n = 0;
    return {
      ...reads,
      apply: async (applications) => {
        const fault = faults[n++] ?? 'none';
        if (fault === 'before') throw new Error('the read store is away');
        if (fault === 'between') {
          for (const a of applications) await reads.write(a.collection, a.writes);
          throw new Error('crashed between writes and checkpoint');
        }
        const applied = await reads.apply(applications);
        if (fault === 'after') throw new Error('the answer was lost');
        return applied;
      },
    };
  };

it('a crash anywhere is harmless: documents are those of an undisturbed fold', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(fc.constantFrom<Fault>('none', 'before', 'between', 'after'), { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (seed, faults, batch) => {
        const platform = await testPlatform({ wrapReads: failing(faults) });
        // Pauses between tries are cut short; the time limit of caughtUp is longer than any of them.
        const clock = {
          ...platform.clock,
          after: (ms: number, f: () => void) => platform.clock.after(ms <= 5000 ? 1 : ms, f),
        };
        const runner = runProjections({ ...platform, clock }, projections, { batch, held: 3 });
        try {
          await appendHistory(platform.events, await randomHistory(platform.vault, { seed, ...small }));
          await runner.caughtUp();
          await expectFolded(platform);
        } finally {
          await runner.stop();
          await platform.dispose();
        }
      },
    ),
    { numRuns: 5 },
  );
}, 60_000);

it('a runner that is stopped goes on where it was', async () => {
  const platform = await open();
  const history = await randomHistory(platform.vault, { seed: 4, ...small });
  await appendHistory(platform.events, history);
  for (let i = 0; i < 5; i++) {
    const runner = runProjections(platform, projections, { batch: 7 });
    await new Promise((done) => setTimeout(done, 5));
    await runner.stop();
  }
  await run(platform, projections).caughtUp();
  await expectFolded(platform);
});

it('of two runners one wins each batch, and both tell of the progress', async () => {
  const platform = await open();
  const told: string[] = [];
  const reached = (name: string) => ({
    ...platform,
    progress: { ...platform.progress, reached: () => void told.push(name) },
  });
  const a = run(reached('a'), projections, { batch: 9 });
  const b = run(reached('b'), projections, { batch: 13 });
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 5 }));
  await Promise.all([a.caughtUp(), b.caughtUp()]);
  await expectFolded(platform);
  expect(new Set(told)).toEqual(new Set(['a', 'b']));
});

describe('a poison event', () => {
  const withPoison = async (platform: TestPlatform, poison: HistoryEntry): Promise<readonly HistoryEntry[]> => {
    const history = await randomHistory(platform.vault, { seed: 6, ...small });
    const middle = Math.floor(history.length / 2);
    return [...history.slice(0, middle), poison, ...history.slice(middle)];
  };

  it('of a type that nobody knows stops the read models of its streams, and the others go on', async () => {
    const platform = await open();
    const poison = { stream: 'campaign-1_99', events: [{ type: 'CampaignTeleported', data: {} }], actor: 'x' };
    await appendHistory(platform.events, await withPoison(platform, poison));
    const runner = run(platform, projections, { batch: 10 });
    await runner.caughtUp();
    const stuck = runner.status().filter((s) => s.stuck !== null);
    expect(stuck.map((s) => s.name).sort()).toEqual(['campaigns', 'events']);
    expect(stuck[0]?.stuck).toMatchObject({
      type: 'CampaignTeleported',
      stream: 'campaign-1_99',
      error: 'unknown event type CampaignTeleported',
    });
    expect(stuck[0]?.lagSeconds).toBeGreaterThan(0);
    const stored = await storedDocuments(platform, [untyped(runs)]);
    expect(stored).toEqual(await expectedDocuments(platform, [untyped(runs)]));
    expect(Object.keys(stored['runs'] ?? {}).length).toBeGreaterThan(0);
    // It stands right before the event, and is not led past it by what comes later.
    const [last] = await platform.events.readStream('campaign-1_99');
    const status = runner.status().find((s) => s.name === 'campaigns');
    expect(status?.position && last && status.position < last.position).toBe(true);
  });

  it('with a seal that does not fit stops only what opens it', async () => {
    const platform = await open();
    const history = await randomHistory(platform.vault, { seed: 7, ...small });
    const broken = history.map((entry) => ({
      ...entry,
      events: entry.events.map((e) =>
        e.type === 'CallAttempted'
          ? {
              ...e,
              data: {
                ...(e.data as object),
                contact: { $sealed: 'AAAA'.repeat(20), key: 'page/page-1/0', field: 'contact' },
              },
            }
          : e,
      ),
    }));
    await appendHistory(platform.events, broken);
    const runner = run(platform, projections);
    await runner.caughtUp();
    expect(runner.status().flatMap((s) => (s.stuck === null ? [] : [s.name]))).toEqual(['runs']);
    const others = projections.filter((p) => p.name === campaigns.name || p.name === 'traffic_stats');
    expect(await storedDocuments(platform, others)).toEqual(await expectedDocuments(platform, others));
  });

  it('is tried again by a program that is started anew, and folded when it can be', async () => {
    const platform = await open();
    await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 8, ...small }));
    let broken = true;
    const touchy = projections.map((p) =>
      p.name === 'agents'
        ? {
            ...p,
            evolve: ((doc, event, key) => {
              if (broken) throw new Error('a mistake in the program');
              return p.evolve(doc, event, key);
            }) satisfies typeof p.evolve,
          }
        : p,
    );
    const runner = run(platform, touchy);
    await runner.caughtUp();
    expect(runner.status().flatMap((s) => (s.stuck === null ? [] : [s.stuck.error]))).toEqual([
      'a mistake in the program',
    ]);
    await runner.stop();
    broken = false;
    await run(platform, touchy).caughtUp();
    await expectFolded(platform);
  });
});

it('waits for a read store that is away, says so, and goes on by itself', async () => {
  let away = true;
  const platform = await open({
    wrapReads: (reads) => ({
      ...reads,
      apply: (applications) => (away ? Promise.reject(new Error('connection refused')) : reads.apply(applications)),
    }),
  });
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 9, ...small }));
  const runner = run(platform, projections);
  await expect(runner.caughtUp(300)).rejects.toThrow(/not caught up.*connection refused/);
  expect(runner.status()[0]?.waiting).toBe('connection refused');
  away = false;
  await runner.caughtUp();
  expect(runner.status()[0]?.waiting).toBeNull();
  await expectFolded(platform);
});

it('waits for a vault that is away instead of taking an event for poison', async () => {
  const platform = await open();
  let away = true;
  const seals: TestPlatform['seals'] = {
    ...platform.seals,
    key: (org, key) => (away ? Promise.reject(new Error('the vault is away')) : platform.seals.key(org, key)),
  };
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 10, ...small }));
  const runner = run({ ...platform, seals }, projections);
  await expect(runner.caughtUp(300)).rejects.toThrow(/the vault is away/);
  expect(runner.status().every((s) => s.stuck === null)).toBe(true);
  away = false;
  await runner.caughtUp();
  await expectFolded(platform);
});
