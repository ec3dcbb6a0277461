import { isRight } from 'fp-ts/Either';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { NO_STREAM } from '../../src/core/event';
import { positionOf, START } from '../../src/core/position';
import type { EventStore } from '../../src/ports/event-store';
import { eventStoreContract } from '../contract/event-store';
import { appended, newEvents, newStream, readOn, take } from '../contract/ledger-fixture';
import { eventually, within } from '../contract/waiting';
import { tempFolder, type TempFolder } from '../support/temp';

eventStoreContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    let store: EventStore = await embeddedEventStore({ folder: folder.path });
    return {
      adapter: store,
      reopen: async () => {
        await store.close();
        store = await embeddedEventStore({ folder: folder.path });
        return store;
      },
      dispose: async () => {
        await store.close();
        await folder.remove();
      },
    };
  },
});

describe('the embedded ledger', () => {
  let folder: TempFolder;
  let store: EventStore;
  beforeEach(async () => {
    folder = await tempFolder();
    store = await embeddedEventStore({ folder: folder.path });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  it('is empty at first', async () => {
    expect(await store.head()).toBe(START);
    expect(await store.readAll({ after: START })).toEqual({ events: [], position: START, caughtUp: true });
  });

  it('gives waiting appends one commit and the same order to all readers', async () => {
    const streams = Array.from({ length: 300 }, () => newStream());
    const answers = await Promise.all(streams.map((stream) => appended(store, stream, NO_STREAM, newEvents(2))));
    const inMemory = await readOn(store, START);
    await store.close();
    store = await embeddedEventStore({ folder: folder.path });
    const onDisk = await readOn(store, START, 100);
    expect(onDisk).toEqual(inMemory);
    expect(onDisk.map((e) => e.position)).toEqual(Array.from({ length: 600 }, (_, i) => positionOf(i + 1)));
    expect(answers.map((a) => a.position)).toEqual(streams.map((_, i) => positionOf(2 * i + 2)));
  });

  it('ends its subscriptions when it is closed, and answers `unavailable` from then on', async () => {
    let caughtUp = false;
    const ended = (async () => {
      for await (const batch of store.subscribe({ after: START, signal: new AbortController().signal }))
        caughtUp ||= batch.caughtUp;
    })();
    await eventually(5000, 'the subscription has caught up', () => caughtUp);
    await store.close();
    await within(5000, 'the end of the subscription', ended);
    const answer = await store.append(newStream(), NO_STREAM, newEvents(1));
    expect(answer).toMatchObject({ left: { kind: 'unavailable', message: expect.stringContaining('closed') } });
    await expect(store.ping()).rejects.toThrow();
  });

  it('finishes what was asked before it was closed', async () => {
    const streams = Array.from({ length: 50 }, () => newStream());
    const appending = streams.map((stream) => store.append(stream, NO_STREAM, newEvents(1)));
    await store.close();
    expect((await Promise.all(appending)).every(isRight)).toBe(true);
    store = await embeddedEventStore({ folder: folder.path });
    expect(await store.head()).toBe(positionOf(50));
  });

  it('stays right even if two processes write to one folder against the rule, and each hears of the other', async () => {
    const other = await embeddedEventStore({ folder: folder.path });
    const over = new AbortController();
    try {
      const stream = newStream();
      const hearing = take(
        store.subscribe({ after: START, signal: over.signal }),
        START,
        10_000,
        (events) => events.length >= 41,
      );
      for (let i = 0; i < 40; i++) await appended(i % 3 === 0 ? store : other, stream, i - 1, newEvents(1));
      const stale = await Promise.all([store, other].map((s) => s.append(stream, 20, newEvents(1))));
      for (const answer of stale) expect(answer).toMatchObject({ left: { kind: 'conflict', actual: 39 } });
      await appended(other, newStream(), NO_STREAM, newEvents(1));
      expect((await hearing).map((e) => e.position)).toEqual(Array.from({ length: 41 }, (_, i) => positionOf(i + 1)));
      expect(await readOn(other, START, 7)).toEqual(await readOn(store, START, 9));
    } finally {
      over.abort();
      await other.close();
    }
  });
});
