/** The EventStoreDB adapter against the peer: what the contract suite of the port does not ask. */
import { isRight, isLeft } from 'fp-ts/Either';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { eventStoreDb } from '../../../src/adapters/production/eventstoredb';
import { NO_STREAM, type RecordedEvent } from '../../../src/core/event';
import { START, type Position } from '../../../src/core/position';
import { silentLogger } from '../../../src/engine/telemetry';
import type { EventBatch, EventStore } from '../../../src/ports/event-store';
import { startProxy } from '../../support/peer/proxy';
import { startPeer, type Peer } from '../../support/peer/server';
import { tempFolder, type TempFolder } from '../../support/temp';
import { sealedEvents } from './events';

let folder: TempFolder;
let peer: Peer;
let store: EventStore;

beforeEach(async () => {
  folder = await tempFolder();
  peer = await startPeer({ folder: folder.path, port: 0 });
  store = eventStoreDb({ url: peer.url, log: silentLogger, sweepEvery: 100 });
});
afterEach(async () => {
  expect(peer.batchAppends()).toBe(0);
  await store.close();
  await peer.stop();
  await folder.remove();
});

const revisionsOf = (events: readonly RecordedEvent[]) => events.map((e) => `${e.stream}@${e.revision}`);
const appended = async (stream: string, expected: number, count: number) => {
  const answer = await store.append(stream, expected, sealedEvents(stream, count, { revision: expected, hash: '' }));
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
};

/** Reads a subscription until `isDone`, then ends it. */
const follow = async (
  options: Omit<Parameters<EventStore['subscribe']>[0], 'signal'>,
  isDone: (batches: readonly EventBatch[]) => boolean | Promise<boolean>,
): Promise<readonly EventBatch[]> => {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), 10_000);
  const batches: EventBatch[] = [];
  for await (const batch of store.subscribe({ ...options, signal: end.signal })) {
    batches.push(batch);
    if (await isDone(batches)) end.abort();
  }
  clearTimeout(timer);
  return batches;
};
const eventsOf = (batches: readonly EventBatch[]) => batches.flatMap((b) => b.events);

describe('appending', () => {
  it('names the actual revision in a conflict, and none for a missing stream', async () => {
    await appended('run-1_1', NO_STREAM, 3);
    const behind = await store.append('run-1_1', 0, sealedEvents('run-1_1', 1));
    const missing = await store.append('run-1_2', 4, sealedEvents('run-1_2', 1));
    const taken = await store.append('run-1_1', NO_STREAM, sealedEvents('run-1_1', 1));
    expect([behind, missing, taken].map((a) => isLeft(a) && a.left)).toEqual([
      { kind: 'conflict', stream: 'run-1_1', expected: 0, actual: 2 },
      { kind: 'conflict', stream: 'run-1_2', expected: 4, actual: NO_STREAM },
      { kind: 'conflict', stream: 'run-1_1', expected: NO_STREAM, actual: 2 },
    ]);
  });

  it('answers a repeated append as the first time, also when the stream has moved on', async () => {
    const events = sealedEvents('run-1_1', 2);
    const first = await store.append('run-1_1', NO_STREAM, events);
    await appended('run-1_1', 1, 2);
    expect(await store.append('run-1_1', NO_STREAM, events)).toEqual(first);
    expect(await store.readStream('run-1_1')).toHaveLength(4);
  });

  const [good] = sealedEvents('run-1_1', 1);
  const bad: Readonly<Record<string, Parameters<EventStore['append']>>> = {
    'no events': ['run-1_1', NO_STREAM, []],
    'a stream without a name': ['', NO_STREAM, [good!]],
    'a stream of the server': ['$settings', NO_STREAM, [good!]],
    'a type of the server': ['run-1_1', NO_STREAM, [{ ...good!, type: '$metadata' }]],
    'a type without a name': ['run-1_1', NO_STREAM, [{ ...good!, type: '' }]],
    'an id that is no UUID': ['run-1_1', NO_STREAM, [{ ...good!, id: 'first' }]],
    'an id in capitals': ['run-1_1', NO_STREAM, [{ ...good!, id: good!.id.toUpperCase() }]],
    'data that JSON can not carry': ['run-1_1', NO_STREAM, [{ ...good!, data: { n: 1n as unknown as number } }]],
    'data of a million bytes': [
      'run-1_1',
      NO_STREAM,
      sealedEvents('run-1_1', 1, undefined, () => ({ x: 'x'.repeat(999_992) })),
    ],
    'metadata of a million bytes': [
      'run-1_1',
      NO_STREAM,
      [{ ...good!, metadata: { ...good!.metadata, actor: 'x'.repeat(1_000_000) } }],
    ],
    'a revision with a fraction': ['run-1_1', 0.5, [good!]],
    'a revision that none has': ['run-1_1', -2, [good!]],
  };
  it.each(Object.entries(bad))('refuses %s and stores nothing', async (_name, append) => {
    const answer = await store.append(...append);
    expect(isLeft(answer) && answer.left.kind).toBe('refused');
    expect(await store.head()).toBe(START);
  });

  it('takes just under a million bytes of data', async () => {
    const events = sealedEvents('contacts-1_1', 4, undefined, () => ({ x: 'x'.repeat(249_990) }));
    expect(isRight(await store.append('contacts-1_1', NO_STREAM, events))).toBe(true);
    expect((await store.readStream('contacts-1_1')).map((e) => e.data)).toEqual(events.map((e) => e.data));
  });

  it('stores once an append whose answer was lost, and learns its revision', async () => {
    const proxy = await startProxy({ port: peer.port });
    const behind = eventStoreDb({ url: `esdb://127.0.0.1:${proxy.port}?tls=false`, log: silentLogger, retryFor: 3000 });
    try {
      await behind.ping();
      for (let n = 0; n < 5; n++) {
        proxy.swallowAnswers();
        const answering = behind.append(`run-1_${n}`, NO_STREAM, sealedEvents(`run-1_${n}`, 2));
        while ((await store.readStream(`run-1_${n}`)).length === 0) await new Promise((r) => setTimeout(r, 10));
        proxy.cut();
        proxy.restore();
        const answer = await answering;
        expect(isRight(answer) && answer.right.revision).toBe(1);
        expect(await store.readStream(`run-1_${n}`)).toHaveLength(2);
      }
    } finally {
      await behind.close();
      await proxy.close();
    }
  });

  it('answers unavailable, at once, when nobody listens', async () => {
    const nobody = eventStoreDb({ url: 'esdb://127.0.0.1:9?tls=false', log: silentLogger, retryFor: 100 });
    const begun = performance.now();
    const answer = await nobody.append('run-1_1', NO_STREAM, sealedEvents('run-1_1', 1));
    expect(isLeft(answer) && answer.left.kind).toBe('unavailable');
    expect(performance.now() - begun).toBeLessThan(2000);
    await expect(nobody.readStream('run-1_1')).rejects.toThrow(/event store/);
    await expect(nobody.ping()).rejects.toThrow(/event store/);
    await nobody.close();
  });

  it('waits for a server that has just started', async () => {
    const other = await tempFolder();
    const late = await startPeer({ folder: other.path, port: 0, notReadyFor: 400 });
    const client = eventStoreDb({ url: late.url, log: silentLogger });
    await expect(client.readStream('run-1_1')).rejects.toThrow(/Server Is Not Ready/);
    expect(isRight(await client.append('run-1_1', NO_STREAM, sealedEvents('run-1_1', 1)))).toBe(true);
    await client.close();
    await late.stop();
    await other.remove();
  });

  it('refuses a connection string without a user where there is TLS', () => {
    expect(() => eventStoreDb({ url: 'esdb://localhost:2113', log: silentLogger })).toThrow(/names no user/);
  });
});

describe('reading everything', () => {
  const filled = async () => {
    const positions: Position[] = [];
    for (const stream of ['run-1_1', 'agent-1_1', 'run-1_2', 'campaign-1_1'])
      positions.push((await appended(stream, NO_STREAM, 2)).position);
    return positions;
  };

  it('pages through the store, the cursor exclusive', async () => {
    await filled();
    const seen: string[] = [];
    let after = START;
    for (let caughtUp = false; !caughtUp;) {
      const batch = await store.readAll({ after, limit: 3 });
      seen.push(...revisionsOf(batch.events));
      ({ position: after, caughtUp } = batch);
    }
    expect(seen).toEqual([
      'run-1_1@0',
      'run-1_1@1',
      'agent-1_1@0',
      'agent-1_1@1',
      'run-1_2@0',
      'run-1_2@1',
      'campaign-1_1@0',
      'campaign-1_1@1',
    ]);
  });

  it('passes the categories asked for and still says how far it looked', async () => {
    const positions = await filled();
    const batch = await store.readAll({ after: START, categories: ['run'] });
    expect(revisionsOf(batch.events)).toEqual(['run-1_1@0', 'run-1_1@1', 'run-1_2@0', 'run-1_2@1']);
    expect(batch).toMatchObject({ position: positions[3], caughtUp: true });
  });

  it('does not lose the event behind one that a scavenge removed', async () => {
    const positions = await filled();
    await peer.scavenge((e) => e.stream === 'agent-1_1');
    const batch = await store.readAll({ after: positions[1]!, limit: 1 });
    expect(revisionsOf(batch.events)).toEqual(['run-1_2@0']);
  });

  it('leaves out what the server keeps for itself, and looks behind it for the head', async () => {
    const last = await appended('run-1_1', NO_STREAM, 1);
    const raw = EventStoreDBClient.connectionString(peer.url);
    for (const [stream, type] of [
      ['$settings', '$metadata'],
      ['run-1_1', '$streamDeleted'],
    ] as const)
      await raw.appendToStream(stream, jsonEvent({ type, data: {} }), {
        credentials: { username: 'a', password: 'b' },
      });
    const batch = await store.readAll({ after: START });
    expect(revisionsOf(batch.events)).toEqual(['run-1_1@0']);
    expect(batch.position > last.position).toBe(true);
    expect(await store.head()).toBe(last.position);
    await raw.dispose();
  });
});

describe('subscribing', () => {
  it('hands out history, then live events, without gap or duplicate', async () => {
    await appended('run-1_1', NO_STREAM, 300);
    let more = 0;
    const batches = await follow({ after: START }, async (all) => {
      if (all.at(-1)?.caughtUp === true && more < 20) await appended(`run-2_${more++}`, NO_STREAM, 5);
      return eventsOf(all).length === 400;
    });
    const positions = eventsOf(batches).map((e) => e.position);
    expect(positions).toHaveLength(400);
    expect(positions).toEqual([...new Set(positions)].sort());
    expect(batches.filter((b) => b.caughtUp).length).toBeGreaterThan(0);
  });

  it('begins with an empty batch that has caught up where nothing is stored', async () => {
    expect(await follow({ after: START }, () => true)).toEqual([{ events: [], position: START, caughtUp: true }]);
  });

  it('filters by category and keeps its place moving through what it drops', async () => {
    await appended('run-1_1', NO_STREAM, 3);
    await appended('agent-1_1', NO_STREAM, 500);
    const head = await store.head();
    const batches = await follow(
      { after: START, categories: ['run', 'campaign'] },
      (all) => all.at(-1)?.position === head,
    );
    expect(revisionsOf(eventsOf(batches))).toEqual(['run-1_1@0', 'run-1_1@1', 'run-1_1@2']);
    expect(batches.at(-1)).toEqual({ events: [], position: head, caughtUp: true });
  });

  it('never tells a place that lies ahead of an event still to come', async () => {
    for (let n = 0; n < 15; n++) {
      await appended(`agent-1_${n}`, NO_STREAM, 60);
      await appended(`run-1_${n}`, NO_STREAM, 2);
    }
    const batches = await follow({ after: START, categories: ['run'], limit: 7 }, (all) => eventsOf(all).length === 30);
    let place: Position = START;
    for (const batch of batches) {
      for (const event of batch.events) expect(event.position > place).toBe(true);
      place = batch.position;
      expect(batch.events.every((e) => e.position <= place)).toBe(true);
    }
    expect(eventsOf(batches)).toHaveLength(30);
  });

  it('resumes behind a scavenged place without swallowing the next event', async () => {
    await appended('run-1_1', NO_STREAM, 2);
    const { position } = await appended('agent-1_1', NO_STREAM, 2);
    await appended('run-1_2', NO_STREAM, 2);
    await peer.scavenge((e) => e.stream === 'agent-1_1');
    const batches = await follow({ after: position, categories: ['run'] }, (all) => all.at(-1)?.caughtUp === true);
    expect(revisionsOf(eventsOf(batches))).toEqual(['run-1_2@0', 'run-1_2@1']);
  });

  it('is dropped when it is too slow while live, and loses and repeats nothing', async () => {
    const data = () => ({ x: 'x'.repeat(2_000) });
    const append = async (n: number) =>
      store.append(`contacts-1_${n}`, NO_STREAM, sealedEvents(`contacts-1_${n}`, 100, undefined, data));
    await append(0);
    let written = 1;
    const batches = await follow({ after: START, limit: 10 }, async (all) => {
      if (all.at(-1)?.caughtUp === true && written < 12) {
        while (written < 12) await append(written++);
        await new Promise((r) => setTimeout(r, 400));
      }
      return eventsOf(all).length === 1200;
    });
    const positions = eventsOf(batches).map((e) => e.position);
    expect(positions).toEqual([...new Set(positions)].sort());
    expect(positions).toHaveLength(1200);
  });

  it('ends when its signal comes while it waits', async () => {
    const end = new AbortController();
    const batches: EventBatch[] = [];
    setTimeout(() => end.abort(), 150);
    for await (const batch of store.subscribe({ after: START, signal: end.signal })) batches.push(batch);
    expect(batches).toHaveLength(1);
  });
});

describe('the limit of open calls', () => {
  it('leaves room for appends and reads beside many subscriptions, and many broken-off ones leave nothing behind', async () => {
    await appended('run-1_1', NO_STREAM, 8);
    for (let round = 0; round < 2; round++)
      await Promise.all(Array.from({ length: 50 }, () => follow({ after: START, limit: 5 }, () => true)));
    await Promise.all(Array.from({ length: 150 }, () => store.readStream('run-1_1')));
    await Promise.all(Array.from({ length: 150 }, (_, n) => appended(`run-2_${n}`, NO_STREAM, 1)));
    expect((await store.readAll({ after: START })).events).toHaveLength(158);
  });

  it('answers in time, not never, when every place is taken', async () => {
    const small = eventStoreDb({
      url: peer.url,
      log: silentLogger,
      readTimeout: 300,
      appendDeadline: 300,
      retryFor: 0,
    });
    const end = new AbortController();
    const open = Array.from({ length: 90 }, async () => {
      for await (const batch of small.subscribe({ after: START, signal: end.signal })) void batch;
    });
    await new Promise((r) => setTimeout(r, 500));
    const answer = await small.append('run-1_1', NO_STREAM, sealedEvents('run-1_1', 1));
    expect(isLeft(answer) && answer.left.kind).toBe('unavailable');
    await expect(small.readStream('run-1_1')).rejects.toThrow(/places/);
    end.abort();
    await Promise.all(open);
    expect(isRight(await small.append('run-1_1', NO_STREAM, sealedEvents('run-1_1', 1)))).toBe(true);
    await small.close();
  });
});
