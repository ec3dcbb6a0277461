/** The EventStoreDB adapter while its server is killed, frozen and cut off under load. The server is the peer, a process of its own. */
import { randomInt } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import { eventStoreDb } from '../../../src/adapters/production/eventstoredb';
import { NO_STREAM } from '../../../src/core/event';
import { START } from '../../../src/core/position';
import { silentLogger } from '../../../src/engine/telemetry';
import type { EventStore } from '../../../src/ports/event-store';
import { startPeerProcess, type PeerProcess } from '../../support/peer/process';
import { startProxy } from '../../support/peer/proxy';
import { freePort } from '../../support/programs';
import { tempFolder, type TempFolder } from '../../support/temp';
import { sealedEvents, tailOf } from './events';
import { countUnhandled, type Unhandled } from './unhandled';

let folder: TempFolder;
let port: number;
let peer: PeerProcess;
let unhandled: Unhandled;

beforeEach(async () => {
  folder = await tempFolder();
  port = await freePort();
  peer = await startPeerProcess({ folder: folder.path, port });
  unhandled = countUnhandled();
});
afterEach(async () => {
  unhandled.stop();
  await peer.kill();
  await folder.remove();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A writer of one stream: repeats each append until it is answered, as `execute` does. */
const writer = async (store: EventStore, stream: string, isOver: () => boolean) => {
  let tail = tailOf(NO_STREAM, []);
  let repeated = 0;
  while (!isOver()) {
    const events = sealedEvents(stream, randomInt(1, 4), tail);
    for (;;) {
      const answer = await store.append(stream, tail.revision, events);
      if (!isLeft(answer)) {
        tail = tailOf(answer.right.revision, events);
        break;
      }
      if (answer.left.kind === 'conflict' || answer.left.kind === 'refused')
        throw new Error(JSON.stringify(answer.left));
      repeated += 1;
      await sleep(20);
    }
  }
  return { stream, revision: tail.revision, repeated };
};

/** Follows the store until `isDone`; answers what it saw. */
const follower = async (store: EventStore, end: AbortController, isDone: (seen: readonly string[]) => boolean) => {
  const seen: string[] = [];
  for await (const batch of store.subscribe({ after: START, signal: end.signal, categories: ['run'] })) {
    seen.push(...batch.events.map((e) => `${e.position} ${e.stream}@${e.revision}`));
    if (isDone(seen)) break;
  }
  return seen;
};

it('stores each acknowledged append once and hands each event out once, however often the server is killed', async () => {
  const store = eventStoreDb({ url: peer.url, log: silentLogger, sweepEvery: 500 });
  let over = false;
  const end = new AbortController();
  let expected = Infinity;
  const following = follower(store, end, (seen) => seen.length >= expected);
  const writing = Array.from({ length: 6 }, (_, n) => writer(store, `run-1_${n}`, () => over));
  for (let round = 0; round < 3; round++) {
    await sleep(randomInt(200, 500));
    await peer.kill();
    await sleep(randomInt(0, 200));
    peer = await startPeerProcess({ folder: folder.path, port, notReadyFor: 200 });
  }
  await sleep(300);
  over = true;
  const written = await Promise.all(writing);
  expected = written.reduce((sum, { revision }) => sum + revision + 1, 0);
  expect(expected).toBeGreaterThan(20);
  // One more, in case the follower had seen everything before it was told how much that is.
  await store.append('run-2_0', NO_STREAM, sealedEvents('run-2_0', 1));
  const timer = setTimeout(() => end.abort(), 15_000);
  const seen = await following;
  clearTimeout(timer);
  const inStore = (await store.readAll({ after: START, limit: 100_000 })).events;
  expect(seen).toEqual(inStore.map((e) => `${e.position} ${e.stream}@${e.revision}`).slice(0, seen.length));
  expect(seen.length).toBeGreaterThanOrEqual(expected);
  for (const { stream, revision } of written) {
    const ids = (await store.readStream(stream)).map((e) => e.id);
    expect(ids).toHaveLength(revision + 1);
    expect(new Set(ids).size).toBe(ids.length);
  }
  expect(unhandled.seen).toEqual([]);
  await store.close();
}, 60_000);

it('says that an outcome is unknown, in time, when the server is frozen, and the same append then gives the truth', async () => {
  const store = eventStoreDb({
    url: peer.url,
    log: silentLogger,
    appendDeadline: 600,
    readTimeout: 600,
    retryFor: 300,
    sweepEvery: 300,
  });
  const end = new AbortController();
  let expected = 2;
  const following = follower(store, end, (seen) => seen.length >= expected);
  const first = sealedEvents('run-1_1', 1);
  await store.append('run-1_1', NO_STREAM, first);
  peer.freeze();
  const begun = performance.now();
  const second = sealedEvents('run-1_1', 1, tailOf(0, first));
  const frozen = await store.append('run-1_1', 0, second);
  expect(isLeft(frozen) && frozen.left.kind).toBe('outcome_unknown');
  await expect(store.readStream('run-1_1')).rejects.toThrow(/600 ms/);
  await expect(store.ping()).rejects.toThrow();
  expect(performance.now() - begun).toBeLessThan(8000);
  peer.thaw();
  for (let answer = frozen; isLeft(answer); answer = await store.append('run-1_1', 0, second)) await sleep(50);
  expect((await store.readStream('run-1_1')).map((e) => e.id)).toEqual([...first, ...second].map((e) => e.id));
  expected = 2;
  expect(await following).toHaveLength(2);
  expect(unhandled.seen).toEqual([]);
  end.abort();
  await store.close();
}, 40_000);

it('resubscribes when the connection is cut and when it goes silent', async () => {
  const proxy = await startProxy({ port });
  const store = eventStoreDb({
    url: `esdb://127.0.0.1:${proxy.port}?tls=false`,
    log: silentLogger,
    readTimeout: 500,
    sweepEvery: 200,
  });
  const direct = eventStoreDb({ url: peer.url, log: silentLogger });
  const end = new AbortController();
  const total = 12;
  const following = follower(store, end, (seen) => seen.length === total);
  for (let n = 0; n < total; n++) {
    if (n % 4 === 1) proxy.cut();
    if (n % 4 === 3) proxy.silence();
    await direct.append(`run-1_${n}`, NO_STREAM, sealedEvents(`run-1_${n}`, 1));
    await sleep(150);
    if (n % 4 === 1) proxy.restore();
    if (n % 4 === 3) {
      await sleep(900);
      proxy.cut();
      proxy.restore();
    }
  }
  const seen = await following;
  expect(seen.map((s) => s.split(' ')[1])).toEqual(Array.from({ length: total }, (_, n) => `run-1_${n}@0`));
  expect(unhandled.seen).toEqual([]);
  end.abort();
  await store.close();
  await direct.close();
  await proxy.close();
}, 40_000);
