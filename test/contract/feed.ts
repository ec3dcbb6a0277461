/** The promises of the feed port: every event of the categories, once, in order of position, whatever the bus behind it does. */
import { NO_STREAM, type RecordedEvent } from '../../src/core/event';
import { START } from '../../src/core/position';
import type { EventStore } from '../../src/ports/event-store';
import type { Feed } from '../../src/ports/feed';
import { appended, newEvents, newStream, take } from './ledger-fixture';
import { eventually, within } from './waiting';

export interface FeedUnderTest {
  readonly adapter: Feed;
  /** The ledger that it feeds from. */
  readonly events: EventStore;
  readonly dispose: () => Promise<void>;
}
export interface FeedFactory {
  create(): Promise<FeedUnderTest>;
}

export const feedContract = (
  name: string,
  factory: FeedFactory,
  options: { readonly patienceMs?: number } = {},
): void => {
  const patience = options.patienceMs ?? 10_000;

  describe(`feed: ${name}`, () => {
    let made: FeedUnderTest;
    let feed: Feed;
    let store: EventStore;
    let over: AbortController;
    beforeAll(async () => {
      made = await factory.create();
      feed = made.adapter;
      store = made.events;
    }, 60_000);
    afterAll(async () => {
      await made?.dispose();
    }, 60_000);
    beforeEach(() => {
      over = new AbortController();
    });
    afterEach(() => over.abort());

    const revisions = (events: readonly RecordedEvent[], stream: string): readonly number[] =>
      events.filter((e) => e.stream === stream).map((e) => e.revision);
    const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

    it('hands out what was stored before anybody asked', async () => {
      const after = await store.head();
      const stream = newStream('campaign');
      await appended(store, stream, NO_STREAM, newEvents(40));
      const batches = feed.subscribe({ after, categories: ['campaign'], limit: 7, signal: over.signal });
      const events = await take(batches, after, patience, (e) => revisions(e, stream).length >= 40);
      expect(revisions(events, stream)).toEqual(upTo(40));
    });

    it('hands out what several writers append while it is read, once and in order', async () => {
      const after = await store.head();
      const streams = Array.from({ length: 6 }, () => newStream('run'));
      const batches = feed.subscribe({ after, categories: ['run'], signal: over.signal });
      const taking = take(
        batches,
        after,
        patience,
        (events) => events.filter((e) => streams.includes(e.stream)).length >= 180,
      );
      await Promise.all(
        streams.map(async (stream) => {
          for (let i = 0; i < 30; i++) await appended(store, stream, i - 1, newEvents(1));
        }),
      );
      const events = await taking;
      for (const stream of streams) expect(revisions(events, stream)).toEqual(upTo(30));
      expect(new Set(events.map((e) => e.id)).size).toBe(events.length);
    });

    it('hands out only its categories', async () => {
      const after = await store.head();
      const [campaign, run, dialing] = [newStream('campaign'), newStream('run'), newStream('dialing')];
      for (const stream of [run, campaign, run, dialing, run]) {
        const at = (await store.readStream(stream)).length - 1;
        await appended(store, stream, at, newEvents(2));
      }
      const batches = feed.subscribe({ after, categories: ['campaign', 'dialing'], signal: over.signal });
      const events = await take(
        batches,
        after,
        patience,
        (e) => revisions(e, campaign).length + revisions(e, dialing).length >= 4,
      );
      expect(revisions(events, run)).toEqual([]);
      expect(events.every((e) => /^(campaign|dialing)-/.test(e.stream))).toBe(true);
    });

    it('tells when it has caught up, and goes on from the position of any batch', async () => {
      const after = await store.head();
      const stream = newStream('run');
      await appended(store, stream, NO_STREAM, newEvents(20));
      const seen: RecordedEvent[] = [];
      let position = after;
      let caughtUp = false;
      for (let visits = 0; visits < 50 && revisions(seen, stream).length < 20; visits++)
        for await (const batch of feed.subscribe({
          after: position,
          categories: ['run'],
          limit: 6,
          signal: over.signal,
        })) {
          seen.push(...batch.events);
          position = batch.position;
          break;
        }
      expect(revisions(seen, stream)).toEqual(upTo(20));
      await take(
        feed.subscribe({ after: position, categories: ['run'], signal: over.signal }),
        position,
        patience,
        (_, batch) => (caughtUp = batch.caughtUp),
      );
      expect(caughtUp).toBe(true);
    });

    it('gives several readers the same events', async () => {
      const after = await store.head();
      const stream = newStream('run');
      const readers = Array.from({ length: 3 }, () =>
        take(
          feed.subscribe({ after, categories: ['run'], signal: over.signal }),
          after,
          patience,
          (e) => revisions(e, stream).length >= 25,
        ),
      );
      for (let i = 0; i < 25; i++) await appended(store, stream, i - 1, newEvents(1));
      const all = await Promise.all(readers);
      expect(all).toHaveLength(3);
      for (const events of all) expect(revisions(events, stream)).toEqual(upTo(25));
    });

    it('ends by its signal, also while it waits', async () => {
      const after = await store.head();
      let caughtUp = false;
      const ended = (async () => {
        for await (const batch of feed.subscribe({ after, categories: ['run'], signal: over.signal }))
          caughtUp ||= batch.caughtUp;
      })();
      await eventually(patience, 'the reader has caught up', () => caughtUp);
      over.abort();
      await within(patience, 'the end of the feed', ended);
      const batches: unknown[] = [];
      for await (const batch of feed.subscribe({ after: START, categories: ['run'], signal: over.signal }))
        batches.push(batch);
      expect(batches).toEqual([]);
    });
  });
};
