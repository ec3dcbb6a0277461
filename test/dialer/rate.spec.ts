import fc from 'fast-check';
import {
  defaultRate,
  emptyBucket,
  newLimiter,
  nextSendAt,
  rateChanged,
  sendsWithin,
  takeSend,
} from '../../src/dialer/rate';

/** Sends whenever it is allowed and the clock ticks; answers the times. */
const run = (rate: (now: number) => number, ticks: readonly number[], from = 0): readonly number[] => {
  const limiter = newLimiter(from);
  const sent: number[] = [];
  let now = 0;
  let last = rate(0);
  for (const tick of ticks) {
    now += tick;
    if (rate(now) !== last) rateChanged(limiter, now, rate(now), defaultRate);
    last = rate(now);
    while (takeSend(limiter, now, rate(now), defaultRate)) sent.push(now);
  }
  return sent;
};

const mostWithin = (times: readonly number[], ms: number): number =>
  times.reduce((most, at, i) => {
    let n = 1;
    while (i - n >= 0 && at - (times[i - n] as number) <= ms) n += 1;
    return Math.max(most, n);
  }, 0);

const ticks = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 50, maxLength: 600 });

describe('the rate limiter', () => {
  it('never lets more than the rate through in any window, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), ticks, (rate, steps) => {
        expect(
          mostWithin(
            run(() => rate, steps),
            defaultRate.windowMs,
          ),
        ).toBeLessThanOrEqual(rate);
      }),
      { numRuns: 150 },
    );
  });

  it('never lets more than the higher rate through around a change', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }), ticks, (a, b, steps) => {
        const change = steps.reduce((x, y) => x + y, 0) / 2;
        const sent = run((now) => (now < change ? a : b), steps);
        expect(mostWithin(sent, 1000)).toBeLessThanOrEqual(Math.max(a, b));
        expect(
          mostWithin(
            sent.filter((t) => t >= change),
            1000,
          ),
        ).toBeLessThanOrEqual(b);
      }),
      { numRuns: 100 },
    );
  });

  it.each([1, 20, 200, 1000])('reaches nearly its rate with timers of a few ms (%d/s)', (rate) => {
    const sent = run(
      () => rate,
      Array.from({ length: 10_000 / 5 }, (_, i) => (i % 2 === 0 ? 2 : 8)),
    );
    expect(sent.length).toBeGreaterThanOrEqual(Math.floor(rate * 10 * (1000 / defaultRate.windowMs) * 0.98));
    expect(sent.length).toBeLessThanOrEqual(rate * 10);
  });

  it('spreads sends over the second', () => {
    const sent = run(
      () => 20,
      Array.from({ length: 2000 }, () => 1),
    );
    const gaps = sent.slice(1).map((t, i) => t - (sent[i] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000 / 20 - defaultRate.toleranceMs);
    expect(mostWithin(sent, 100)).toBeLessThanOrEqual(3);
  });

  it('lets nothing through while the bucket is empty', () => {
    const sent = run(
      () => 50,
      Array.from({ length: 2000 }, () => 1),
      700,
    );
    expect(Math.min(...sent)).toBe(700);
    const limiter = newLimiter(0);
    emptyBucket(limiter, 500);
    emptyBucket(limiter, 300);
    expect(nextSendAt(limiter, 0, 10, defaultRate)).toBe(500);
  });

  it('acts at once on a higher rate, and on a lower one', () => {
    const up = run(
      (now) => (now < 1000 ? 1 : 100),
      Array.from({ length: 2000 }, () => 1),
    );
    expect(up.filter((t) => t >= 1000 && t < 1100).length).toBeGreaterThanOrEqual(8);
    const down = run(
      (now) => (now < 1000 ? 100 : 1),
      Array.from({ length: 2000 }, () => 1),
    );
    expect(down.filter((t) => t >= 1000)).toEqual([]);
  });

  it('lets nothing through at a rate of 0', () => {
    expect(nextSendAt(newLimiter(0), 5, 0, defaultRate)).toBe(Infinity);
    expect(takeSend(newLimiter(0), 5, 0, defaultRate)).toBe(false);
  });

  it('foretells about as many sends as there will be', () => {
    const limiter = newLimiter(0);
    expect(sendsWithin(limiter, 0, 1, 250, defaultRate)).toBe(1);
    expect(takeSend(limiter, 0, 1, defaultRate)).toBe(true);
    expect(sendsWithin(limiter, 0, 1, 250, defaultRate)).toBe(0);
    expect(sendsWithin(limiter, 900, 1, 250, defaultRate)).toBe(1);
    const fast = sendsWithin(newLimiter(0), 1000, 200, 250, defaultRate);
    expect(fast).toBeGreaterThanOrEqual(45);
    expect(fast).toBeLessThanOrEqual(55);
  });
});
