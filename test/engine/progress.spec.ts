import { virtualClock } from '../../src/adapters/embedded/clock';
import { positionOf, type Position } from '../../src/core/position';
import { progress } from '../../src/engine/progress';

const at = (n: number): Position => positionOf(n);

describe('consumers of this process', () => {
  it('release a waiter once all that it waits for have reached its position', async () => {
    const waiting = progress({ clock: virtualClock(0) });
    const answers: boolean[] = [];
    const wait = waiting.wait(['a', 'b'], at(10), 2000).then((reached) => answers.push(reached));
    waiting.reached('a', at(12));
    waiting.reached('c', at(20));
    waiting.reached('b', at(9));
    await new Promise((turn) => setImmediate(turn));
    expect(answers).toEqual([]);
    waiting.reached('b', at(10));
    await wait;
    expect(answers).toEqual([true]);
  });

  it('have reached what they reached before anybody waited, and never go back', async () => {
    const waiting = progress({ clock: virtualClock(0) });
    waiting.reached('a', at(10));
    waiting.reached('a', at(4));
    expect(waiting.at('a')).toBe(at(10));
    expect(waiting.at('b')).toBeNull();
    expect(await waiting.wait(['a'], at(10), 0)).toBe(true);
    expect(await waiting.wait([], at(10), 0)).toBe(true);
  });

  it('let a waiter go with false when its time is over', async () => {
    const clock = virtualClock(0);
    const waiting = progress({ clock });
    let answer: boolean | null = null;
    void waiting.wait(['a'], at(1), 2000).then((reached) => (answer = reached));
    await clock.advance(1999);
    expect(answer).toBeNull();
    await clock.advance(1);
    expect(answer).toBe(false);
    waiting.reached('a', at(1));
    expect(clock.untilNext()).toBeNull();
  });

  it('let every waiter go at the end', async () => {
    const waiting = progress({ clock: virtualClock(0) });
    const waits = [waiting.wait(['a'], at(1), 2000), waiting.wait(['b'], at(1), 2000)];
    waiting.close();
    expect(await Promise.all(waits)).toEqual([false, false]);
  });
});

describe('consumers of other processes', () => {
  const polled = (): {
    clock: ReturnType<typeof virtualClock>;
    polls: () => number;
    positions: Map<string, Position>;
    waiting: ReturnType<typeof progress>;
  } => {
    const clock = virtualClock(0);
    const positions = new Map<string, Position>();
    let polls = 0;
    const waiting = progress({
      clock,
      poll: async () => {
        polls++;
        return positions;
      },
    });
    return { clock, polls: () => polls, positions, waiting };
  };

  it('are seen within 10 ms of their checkpoint', async () => {
    const { clock, positions, waiting } = polled();
    let answer: boolean | null = null;
    void waiting.wait(['a'], at(5), 2000).then((reached) => (answer = reached));
    await clock.advance(95);
    expect(answer).toBeNull();
    positions.set('a', at(6));
    await clock.advance(10);
    expect(answer).toBe(true);
    expect(waiting.at('a')).toBe(at(6));
  });

  it('are polled once for all waiters, however many come and go', async () => {
    const { clock, polls, waiting } = polled();
    for (let ms = 0; ms < 1000; ms++) {
      void waiting.wait(['a'], at(5), 300);
      await clock.advance(1);
    }
    expect(polls()).toBeGreaterThan(80);
    expect(polls()).toBeLessThanOrEqual(102);
  });

  it('are not polled while nobody waits', async () => {
    const { clock, polls, waiting } = polled();
    const wait = waiting.wait(['a'], at(5), 50);
    await clock.advance(200);
    expect(await wait).toBe(false);
    const before = polls();
    await clock.advance(1000);
    expect(polls()).toBe(before);
    expect(before).toBeLessThanOrEqual(7);
  });

  it('may be out of sight for a while: waiters only wait', async () => {
    const clock = virtualClock(0);
    let isAway = true;
    const waiting = progress({
      clock,
      poll: async () => {
        if (isAway) throw new Error('the read store is away');
        return new Map([['a', at(9)]]);
      },
    });
    let answer: boolean | null = null;
    void waiting.wait(['a'], at(5), 2000).then((reached) => (answer = reached));
    await clock.advance(500);
    expect(answer).toBeNull();
    isAway = false;
    await clock.advance(20);
    expect(answer).toBe(true);
  });
});
