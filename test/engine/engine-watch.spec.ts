import { virtualClock } from '../../src/adapters/embedded/clock';
import { engineWatch } from '../../src/engine/engine-watch';

const START = Date.UTC(2026, 2, 2, 12);

describe('the watch over engines', () => {
  it('tells since when an engine is away, until it answers again', async () => {
    const clock = virtualClock(START);
    const watch = engineWatch(clock);
    let isUp = true;
    watch.add('bus', async () => {
      if (!isUp) throw new Error('connection refused');
    });
    expect(await watch.look()).toEqual([{ name: 'bus', reason: null, since: null }]);
    isUp = false;
    await watch.look();
    await clock.advance(60_000);
    expect(await watch.look()).toEqual([
      { name: 'bus', reason: 'connection refused', since: '2026-03-02T12:00:00.000Z' },
    ]);
    isUp = true;
    expect(await watch.look()).toEqual([{ name: 'bus', reason: null, since: null }]);
  });

  it('takes silence for absence', async () => {
    const clock = virtualClock(START);
    const watch = engineWatch(clock);
    watch.add('event_store', () => new Promise(() => undefined));
    const looked = watch.look();
    await clock.advance(2000);
    expect(await looked).toEqual([
      { name: 'event_store', reason: 'no answer within 2000 ms', since: '2026-03-02T12:00:00.000Z' },
    ]);
  });

  it('looks by itself once it is started', async () => {
    const clock = virtualClock(START);
    const watch = engineWatch(clock);
    let asked = 0;
    watch.add('vault', async () => void (asked += 1));
    watch.start();
    for (let i = 0; i < 5; i++) await clock.advance(2000);
    watch.stop();
    expect(asked).toBeGreaterThanOrEqual(4);
    const before = asked;
    await clock.advance(10_000);
    expect(asked).toBeLessThanOrEqual(before + 1);
  });

  it('asks only the engines that are named', async () => {
    const watch = engineWatch(virtualClock(START));
    watch.add('bus', () => Promise.reject(new Error('away')));
    watch.add('vault', async () => undefined);
    expect((await watch.look(['vault'])).map((e) => e.name)).toEqual(['vault']);
  });
});
