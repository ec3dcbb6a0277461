import fc from 'fast-check';
import { emptyWindow, isTripped, record, type BreakerWindow } from '../../../src/domain/campaign/breaker';
import type { BreakerConfig } from '../../../src/domain/campaign/events';

const T0 = Date.UTC(2026, 2, 2, 12);
const CONFIG: BreakerConfig = { enabled: true, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 5 };
const config = (changes: Partial<BreakerConfig>): BreakerConfig => ({ ...CONFIG, ...changes });

/** One outcome per second; the 1-based number of the outcome that trips first, or null. */
const tripsAt = (outcomes: string, by: BreakerConfig = CONFIG): number | null => {
  let window = emptyWindow;
  for (const [i, letter] of [...outcomes].entries()) {
    const at = T0 + i * 1000;
    window = record(window, { runId: i, reason: letter === 'F' ? 'failed' : null }, at, by);
    if (isTripped(window, at, by) !== null) return i + 1;
  }
  return null;
};
const filled = (outcomes: string, by: BreakerConfig = CONFIG): BreakerWindow =>
  [...outcomes].reduce(
    (window, letter, i) => record(window, { runId: i, reason: letter === 'F' ? 'failed' : null }, T0 + i * 1000, by),
    emptyWindow,
  );

it.each([
  ['FFF', {}, null],
  ['FFFF', {}, null],
  ['FFFFF', {}, 5],
  ['SSFFF', {}, 5],
  ['SSSFF', {}, null],
  ['FFSSSF', {}, 6],
  ['FFSSSSSS', {}, null],
  ['FFFFSS', { failure_threshold: 0.8, min_calls_in_window: 6 }, null],
  ['SSSSS', { failure_threshold: 0 }, 5],
  ['FFFFF', { failure_threshold: 1 }, 5],
  ['SSFFF', { failure_threshold: 0.6 }, 5],
  ['F', { min_calls_in_window: 1 }, 1],
  ['FFFFFFFFFF', { enabled: false }, null],
])('%s with %j trips at %j', (outcomes, changes, expected) =>
  expect(tripsAt(outcomes, config(changes))).toBe(expected),
);

it('a success may be the outcome that trips', () => expect(tripsAt('FFFFS')).toBe(5));

it('tells what it saw', () =>
  expect(isTripped(filled('FFFFSS'), T0 + 5000, CONFIG)).toMatchObject({
    failure_rate: 4 / 6,
    failure_count: 4,
    success_count: 2,
    threshold: 0.5,
    window_seconds: 120,
  }));

it('tells the last failures, newest first, 20 at most, successes left out', () => {
  const stats = isTripped(filled('S' + 'F'.repeat(25) + 'S'), T0 + 26_000, CONFIG);
  expect(stats?.recent_failures).toHaveLength(20);
  expect(stats?.recent_failures[0]).toEqual({
    workflow_run_id: 25,
    reason: 'failed',
    ts: new Date(T0 + 25_000).toISOString(),
  });
  expect(stats?.recent_failures.at(-1)?.workflow_run_id).toBe(6);
});

it('tells no failure that has left the window', () => {
  let window = record(emptyWindow, { runId: 1, reason: 'old' }, T0, CONFIG);
  for (let i = 0; i < 5; i++) window = record(window, { runId: 10 + i, reason: 'new' }, T0 + 120_000, CONFIG);
  const reasons = isTripped(window, T0 + 120_000, CONFIG)?.recent_failures.map((f) => f.reason);
  expect(reasons).toEqual(['new', 'new', 'new', 'new', 'new']);
});

it('an outcome leaves the window exactly when the window has passed', () => {
  const window = filled('F', config({ min_calls_in_window: 1 }));
  expect(isTripped(window, T0 + 119_999, config({ min_calls_in_window: 1 }))).not.toBeNull();
  expect(isTripped(window, T0 + 120_000, config({ min_calls_in_window: 1 }))).toBeNull();
});

it('asking records nothing', () => {
  const window = filled('FFFFFSS');
  const before = JSON.stringify(window);
  expect(isTripped(window, T0 + 7000, CONFIG)).not.toBeNull();
  expect(JSON.stringify(window)).toBe(before);
  expect(isTripped(filled('F' + 'S'.repeat(9)), T0 + 9000, CONFIG)).toBeNull();
});

it('none, and a disabled one, record nothing', () => {
  for (const by of [null, config({ enabled: false })]) {
    expect(record(emptyWindow, { runId: 1, reason: 'failed' }, T0, by)).toBe(emptyWindow);
    expect(isTripped(filled('FFFFF'), T0 + 5000, by)).toBeNull();
  }
});

it('survives being stored', () => {
  const window = filled('FFSFS');
  expect(JSON.parse(JSON.stringify(window))).toEqual(window);
});

const outcomes = fc.array(fc.record({ gap: fc.integer({ min: -500, max: 20_000 }), failed: fc.boolean() }), {
  maxLength: 120,
  size: 'max',
});
it('counts exactly as a list of every outcome does', () => {
  let trips = 0;
  fc.assert(
    fc.property(
      outcomes,
      fc.integer({ min: 30, max: 600 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 20 }),
      (list, window_seconds, failure_threshold, min_calls_in_window) => {
        const by = { enabled: true, failure_threshold, window_seconds, min_calls_in_window };
        let all: { at: number; failed: boolean }[] = [];
        let window = emptyWindow;
        let now = T0;
        for (const { gap, failed } of list) {
          now += gap;
          const cutoff = now - window_seconds * 1000;
          all = [...all.filter((o) => o.at > cutoff), { at: now, failed }];
          window = record(window, { runId: 1, reason: failed ? 'failed' : null }, now, by);
          const failures = all.filter((o) => o.failed).length;
          const tripped = all.length >= min_calls_in_window && failures / all.length >= failure_threshold;
          const stats = isTripped(window, now, by);
          if ((stats !== null) !== tripped) throw new Error(`${all.length} outcomes, ${failures} failures`);
          if (stats !== null) {
            trips += 1;
            expect([stats.failure_count, stats.success_count]).toEqual([failures, all.length - failures]);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(trips).toBeGreaterThan(100);
});

describe('under hundreds of calls a second for ten minutes', () => {
  const by = config({ window_seconds: 600, failure_threshold: 0.25 });
  const GAP = 3;
  let window = emptyWindow;
  const COUNT = 220_000;
  beforeAll(() => {
    for (let i = 0; i < COUNT; i++)
      window = record(window, { runId: i, reason: i % 4 === 0 ? 'failed' : null }, T0 + i * GAP, by);
  });
  it('it stays a few kilobytes', () => expect(JSON.stringify(window).length).toBeLessThan(40_000));
  it('its edge is off by less than 1/256 of the window, the shares stay', () => {
    const stats = isTripped(window, T0 + (COUNT - 1) * GAP, { ...by, failure_threshold: 0.2 });
    const total = (stats?.failure_count ?? 0) + (stats?.success_count ?? 0);
    expect(total).toBeGreaterThanOrEqual(200_000);
    expect(total).toBeLessThan(200_000 * (1 + 1 / 256));
    expect(stats?.failure_rate).toBeCloseTo(0.25, 4);
  });
  it('it is exact again once it was empty', () => {
    const later = T0 + COUNT * GAP + 700_000;
    const fresh = record(window, { runId: 1, reason: 'failed' }, later + 1, { ...by, min_calls_in_window: 1 });
    expect(fresh.step).toBe(1);
    expect(fresh.counts).toEqual([[later + 1, 1, 0]]);
  });
});
