import fc from 'fast-check';
import { systemClock, virtualClock } from '../../src/adapters/embedded/clock';
import { within } from '../contract/waiting';

describe('the virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = virtualClock(1_700_000_000_000);
    expect([clock.now(), clock.monotonic()]).toEqual([1_700_000_000_000, 0]);
    await clock.advance(1500);
    expect([clock.now(), clock.monotonic()]).toEqual([1_700_000_001_500, 1500]);
  });

  it('fires timers in the order of their time, each at its own moment, those started later included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat({ max: 50 }), then: fc.option(fc.nat({ max: 20 })) }), { maxLength: 20 }),
        async (timers) => {
          const clock = virtualClock(0);
          const fired: number[] = [];
          let expected = 0;
          for (const { at, then } of timers) {
            expected += at <= 60 ? 1 : 0;
            clock.after(at, () => {
              expect(clock.now()).toBe(at);
              fired.push(clock.now());
              if (then === null) return;
              expected++;
              clock.after(then, () => {
                expect(clock.now()).toBe(at + then);
                fired.push(clock.now());
              });
            });
          }
          await clock.advance(30);
          expect(fired.every((at) => at <= 30)).toBe(true);
          await clock.advance(70);
          expect(fired).toHaveLength(expected);
          expect(fired).toEqual([...fired].sort((a, b) => a - b));
          expect(clock.untilNext()).toBeNull();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lets whatever awaits a timer go on before the next one fires', async () => {
    const clock = virtualClock(0);
    const seen: number[] = [];
    const loop = (async () => {
      for (let i = 0; i < 5; i++) {
        await new Promise<void>((done) => clock.after(10, done));
        seen.push(clock.now());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });

  it('fires no timer that was canceled, and cancels only that one', async () => {
    const clock = virtualClock(0);
    const fired: string[] = [];
    const timers = ['a', 'b', 'c'].map((name) => clock.after(10, () => fired.push(name)));
    timers[1]?.cancel();
    timers[1]?.cancel();
    expect(clock.untilNext()).toBe(10);
    await clock.advance(10);
    timers[0]?.cancel();
    expect(fired).toEqual(['a', 'c']);
  });

  it('jumps with the wall clock only', async () => {
    const clock = virtualClock(10_000);
    let fired = false;
    clock.after(1000, () => (fired = true));
    clock.jump(3_600_000);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([3_610_000, 0, false]);
    clock.jump(-3_605_000);
    await clock.advance(999);
    expect([clock.now(), fired]).toEqual([5999, false]);
    await clock.advance(1);
    expect(fired).toBe(true);
  });
});

describe('the system clock', () => {
  it('reads the machine’s time and never goes back', () => {
    const clock = systemClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
    const readings = Array.from({ length: 100 }, () => clock.monotonic());
    expect(readings).toEqual([...readings].sort((a, b) => a - b));
  });

  it('fires once after the delay, or never when canceled, also when the delay is longer than Node’s timers take', async () => {
    const clock = systemClock();
    const begun = clock.monotonic();
    let wrong = 0;
    const timers = [clock.after(5, () => wrong++), clock.after(2 ** 40, () => wrong++)];
    timers[0]?.cancel();
    await within(5000, 'the timer', new Promise<void>((done) => clock.after(30, done)));
    expect(clock.monotonic() - begun).toBeGreaterThan(25);
    expect(wrong).toBe(0);
    timers[1]?.cancel();
  });
});
