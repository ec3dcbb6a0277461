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
