/** The NATS adapters under the contracts of their ports, and while their server is killed, paused, and loses its store. */
import { randomBytes } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import { connect } from 'nats';
import { embeddedEventStore } from '../../../src/adapters/embedded/event-store';
import { natsFeed, natsLeases, natsRelay } from '../../../src/adapters/production/nats';
import { NO_STREAM, type RecordedEvent } from '../../../src/core/event';
import { PARTITIONS, runStream } from '../../../src/core/ids';
import { START } from '../../../src/core/position';
import { silentLogger } from '../../../src/engine/telemetry';
import type { Leases } from '../../../src/ports/leases';
import { feedContract } from '../../contract/feed';
import { leasesContract } from '../../contract/leases';
import { eventually } from '../../contract/waiting';
import { startProxy } from '../../support/peer/proxy';
import { withEngine } from '../../support/engines';
import { tempFolder } from '../../support/temp';
import { closing } from './closing';
import { sealedEvents } from './events';
import { countUnhandled } from './unhandled';

const newName = () => `t${randomBytes(5).toString('hex')}`;

/** A ledger with a relay and a feed over it. */
const wired = async (url: string, options: { readonly relays?: number } = {}) => {
  const name = newName();
  const folder = await tempFolder();
  const events = await embeddedEventStore({ folder: folder.path });
  const end = new AbortController();
  const relays = Array.from({ length: options.relays ?? 1 }, () => natsRelay({ url, events, log: silentLogger, name }));
  const running = relays.map((relay) => relay.run(end.signal));
  const feed = natsFeed({ url, events, log: silentLogger, name });
  return {
    name,
    events,
    feed,
    relays,
    stopRelays: async () => {
      end.abort();
      await Promise.all(running);
    },
    dispose: async () => {
      end.abort();
      await feed.close();
      await Promise.all(running);
      await Promise.all(relays.map((relay) => relay.close()));
      await events.close();
      await folder.remove();
    },
  };
};
type Wired = Awaited<ReturnType<typeof wired>>;

const appendOne = async ({ events }: Wired, run: number): Promise<void> => {
  const stream = runStream(1 + (run % 5), run);
  const answer = await events.append(stream, NO_STREAM, sealedEvents(stream, 1));
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
};

/** Follows the feed into a list, with the time of arrival of each event. */
const follow = ({ feed }: Wired) => {
  const seen: { readonly event: RecordedEvent; readonly at: number }[] = [];
  const end = new AbortController();
  const following = (async () => {
    for await (const batch of feed.subscribe({ after: START, categories: ['run'], signal: end.signal }))
      seen.push(...batch.events.map((event) => ({ event, at: performance.now() })));
  })();
  return {
    seen,
    stop: async () => {
      end.abort();
      await following;
    },
  };
};
const expectEachOnce = async ({ events }: Wired, seen: readonly { readonly event: RecordedEvent }[]) =>
  expect(seen.map(({ event }) => event)).toEqual((await events.readAll({ after: START, limit: 100_000 })).events);

withEngine('nats', {}, (engine) => {
  const afterwards = closing();

  feedContract('NATS adapter', {
    create: async () => {
      const made = await wired(engine().url);
      return { adapter: made.feed, events: made.events, dispose: made.dispose };
    },
  });

  leasesContract(
    'NATS adapter',
    {
      create: async () => {
        const name = newName();
        const made: Leases[] = [];
        const open = () => {
          const leases = natsLeases({ url: engine().url, log: silentLogger, name, ttl: 2000 });
          made.push(leases);
          return leases;
        };
        return {
          adapter: open(),
          contender: async () => open(),
          dispose: async () => void (await Promise.all(made.map((leases) => leases.release()))),
        };
      },
    },
    { contended: true, patienceMs: 15_000 },
  );

  it('publishes each event once, under its own id, whatever the number of relays, in the order of the ledger', async () => {
    const made = await wired(engine().url, { relays: 2 });
    afterwards(made.dispose);
    const reading = follow(made);
    afterwards(reading.stop);
    await eventually(10_000, 'the relays run', () => made.relays.every((relay) => relay.position() !== null));
    for (let run = 1; run <= 60; run++) await appendOne(made, run);
    await eventually(10_000, 'the feed has all', () => reading.seen.length === 60);
    const head = await made.events.head();
    await eventually(10_000, 'the relays have all', () => made.relays.every((relay) => relay.position() === head));
    const nc = await connect({ servers: engine().url.replace('nats://', '') });
    afterwards(() => nc.close());
    const jsm = await nc.jetstreamManager();
    const { state } = await jsm.streams.info(made.name.toUpperCase(), { subjects_filter: '>' });
    expect(state.messages).toBe(60);
    expect(Object.keys(state.subjects ?? {}).every((s) => /^t[0-9a-f]+\.([0-9]|[1-5][0-9]|6[0-3])\.run$/.test(s))).toBe(
      true,
    );
    expect(Object.keys(state.subjects ?? {})).toHaveLength(5);
    await reading.stop();
    await expectEachOnce(made, reading.seen);
  }, 60_000);

  it('tells of an event within milliseconds by the bus, and within the time of a sweep when nobody relays', async () => {
    const made = await wired(engine().url);
    afterwards(made.dispose);
    const reading = follow(made);
    afterwards(reading.stop);
    await eventually(10_000, 'the relay runs', () => made.relays[0]?.position() !== null);
    for (let run = 1; run <= 5; run++) await appendOne(made, run);
    await eventually(10_000, 'the feed is warm', () => reading.seen.length === 5);
    const latencies: number[] = [];
    for (let run = 6; run <= 45; run++) {
      const begun = performance.now();
      await appendOne(made, run);
      await eventually(5000, 'the event', () => reading.seen.length === run);
      latencies.push((reading.seen[run - 1]?.at ?? Infinity) - begun);
    }
    latencies.sort((a, b) => a - b);
    await made.stopRelays();
    const begun = performance.now();
    await appendOne(made, 46);
    await eventually(5000, 'the event by sweep', () => reading.seen.length === 46);
    const swept = (reading.seen[45]?.at ?? Infinity) - begun;
    process.stderr.write(
      `append to feed: p50 ${latencies[20]?.toFixed(1)} ms, max ${latencies[39]?.toFixed(1)} ms; by sweep ${swept.toFixed(0)} ms\n`,
    );
    expect(latencies[20]).toBeLessThan(200);
    expect(swept).toBeLessThan(3000);
    await reading.stop();
    await expectEachOnce(made, reading.seen);
  }, 60_000);

  it('repairs what a lossy bus left out, repeated and turned round', async () => {
    const made = await wired(engine().url);
    afterwards(made.dispose);
    await made.stopRelays();
    const reading = follow(made);
    afterwards(reading.stop);
    for (let run = 1; run <= 40; run++) await appendOne(made, run);
    const { events } = await made.events.readAll({ after: START });
    const nc = await connect({ servers: engine().url.replace('nats://', '') });
    afterwards(() => nc.close());
    const js = nc.jetstream();
    let n = 0;
    const say = async (index: number): Promise<void> => {
      const event = events[index];
      if (event === undefined) return;
      const message = { position: event.position, before: events[index - 1]?.position ?? START, event };
      await js.publish(`${made.name}.1.run`, JSON.stringify(message), { msgID: `m${n++}` });
    };
    for (const index of [3, 1, 1, 20, 19, 39, 0, 38]) await say(index);
    await js.publish(`${made.name}.1.run`, 'no message of ours', { msgID: `m${n++}` });
    for (let run = 41; run <= 60; run++) await appendOne(made, run);
    await eventually(10_000, 'the feed has all', () => reading.seen.length === 60);
    await reading.stop();
    await expectEachOnce(made, reading.seen);
  }, 60_000);

  it('carries an event that is too large for the bus by its position alone', async () => {
    const made = await wired(engine().url);
    afterwards(made.dispose);
    const reading = follow(made);
    afterwards(reading.stop);
    await eventually(10_000, 'the relay runs', () => made.relays[0]?.position() !== null);
    await appendOne(made, 1);
    const stream = runStream(1, 2);
    await made.events.append(
      stream,
      NO_STREAM,
      sealedEvents(stream, 1, undefined, () => ({ text: '"'.repeat(499_000) })),
    );
    await appendOne(made, 3);
    await eventually(10_000, 'the feed has all', () => reading.seen.length === 3);
    await reading.stop();
    await expectEachOnce(made, reading.seen);
  }, 60_000);

  it('shares the partitions fairly among three processes, and hands those of one that stops or falls silent to the others', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const name = newName();
    const ttl = 2000;
    const proxy = await startProxy({ port: Number(new URL(engine().url).port) });
    const open = (url: string) => {
      const leases = natsLeases({ url, log: silentLogger, name, ttl });
      afterwards(leases.release);
      return leases;
    };
    afterwards(proxy.close);
    const isShared = (among: readonly Leases[]) => () =>
      among.every((one) => one.owned().size >= 8) &&
      among.reduce((sum, one) => sum + one.owned().size, 0) === PARTITIONS;
    const [a, b, stops, silent] = [
      open(engine().url),
      open(engine().url),
      open(engine().url),
      open(`nats://127.0.0.1:${proxy.port}`),
    ];
    await Promise.all([a, b, stops].map((one) => one.start(() => undefined)));
    await eventually(15_000, 'three share', isShared([a, b, stops]));
    let begun = performance.now();
    await stops.release();
    await eventually(15_000, 'two share', isShared([a, b]));
    const handedBack = performance.now() - begun;
    await silent.start(() => undefined);
    await eventually(15_000, 'three share again', isShared([a, b, silent]));
    proxy.silence();
    begun = performance.now();
    await eventually(15_000, 'two share what the silent one had', isShared([a, b]));
    const takenOver = performance.now() - begun;
    process.stderr.write(
      `lease of ${ttl} ms: handed back after ${Math.round(handedBack)} ms, taken over after ${Math.round(takenOver)} ms\n`,
    );
    expect(takenOver).toBeLessThan(ttl * 3);
    await Promise.all([a, b, silent].map((one) => one.release()));
    expect(unhandled.seen).toEqual([]);
  }, 90_000);
});

withEngine('nats', { mayStop: true }, (engine) => {
  const afterwards = closing();

  it('hands out every event once and in order while the server is killed, paused and loses its store, at the cost of latency only', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const made = await wired(engine().url);
    afterwards(made.dispose);
    const reading = follow(made);
    afterwards(reading.stop);
    let run = 0;
    let isOver = false;
    afterwards(() => (isOver = true));
    const writing = (async () => {
      while (!isOver) {
        await appendOne(made, ++run);
        await new Promise((next) => setTimeout(next, 10));
      }
    })();
    const moves = async (what: string) => {
      const from = reading.seen.length;
      const begun = performance.now();
      await eventually(10_000, what, () => reading.seen.length > from + 20);
      return Math.round(performance.now() - begun);
    };
    const times: Record<string, number> = { up: await moves('events come') };
    await engine().kill();
    times['killed'] = await moves('events come without the bus');
    await engine().start();
    times['started'] = await moves('events come again');
    await engine().pause();
    times['paused'] = await moves('events come while the bus stands still');
    await engine().unpause();
    await eventually(20_000, 'the relay goes on', async () => (made.relays[0]?.position() ?? START) > START);
    // The store is lost: the stream is removed under everybody.
    const nc = await connect({ servers: engine().url.replace('nats://', '') });
    afterwards(() => nc.close());
    const jsm = await nc.jetstreamManager();
    await eventually(20_000, 'the stream can be removed', () =>
      jsm.streams.delete(made.name.toUpperCase()).catch(() => false),
    );
    times['lost'] = await moves('events come without the stream');
    await eventually(20_000, 'the stream is made again', () =>
      jsm.streams.info(made.name.toUpperCase()).then(
        () => true,
        () => false,
      ),
    );
    const position = made.relays[0]?.position() ?? START;
    await eventually(20_000, 'the relay relays again', () => (made.relays[0]?.position() ?? START) > position);
    isOver = true;
    await writing;
    await eventually(20_000, 'the feed has all', () => reading.seen.length === run);
    process.stderr.write(`ms for 20 events, bus ${JSON.stringify(times)}\n`);
    await reading.stop();
    await expectEachOnce(made, reading.seen);
    expect(unhandled.seen).toEqual([]);
  }, 180_000);

  it('keeps partitions while the server is away, and shares them with a newcomer when it is back', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const name = newName();
    const ttl = 2000;
    const open = (id: string) => {
      const made = natsLeases({ url: engine().url, log: silentLogger, name, ttl, id });
      afterwards(made.release);
      return made;
    };
    const leases = open('a');
    await leases.start(() => undefined);
    await eventually(20_000, 'all are held', () => leases.owned().size === PARTITIONS);
    await engine().kill();
    await new Promise((next) => setTimeout(next, ttl * 1.5));
    expect(leases.owned().size).toBe(PARTITIONS);
    await engine().start();
    const other = open('b');
    await eventually(20_000, 'the other starts', () =>
      other
        .start(() => undefined)
        .then(
          () => true,
          () => false,
        ),
    );
    await eventually(
      20_000,
      'they share',
      () =>
        leases.owned().size > 0 && other.owned().size > 0 && leases.owned().size + other.owned().size === PARTITIONS,
    );
    await Promise.all([leases.release(), other.release()]);
    expect(unhandled.seen).toEqual([]);
  }, 120_000);
});
