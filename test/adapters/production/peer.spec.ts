/** The peer, asked by the real client: what was measured on EventStoreDB 23.10.8 and the adapter depends on holds here too. */
import { randomUUID } from 'node:crypto';
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  jsonEvent,
  START,
  streamNameFilter,
  type AppendExpectedRevision,
  type Position,
} from '@eventstore/db-client';
import { tempFolder, type TempFolder } from '../../support/temp';
import { PEER_VERSION, startPeer, type Peer } from '../../support/peer/server';

const credentials = { username: 'any', password: 'any' };
let folder: TempFolder;
let peer: Peer;
let client: EventStoreDBClient;

beforeEach(async () => {
  folder = await tempFolder();
  peer = await startPeer({ folder: folder.path, port: 0 });
  client = EventStoreDBClient.connectionString(peer.url);
});
afterEach(async () => {
  await client.dispose();
  await peer.stop();
  await folder.remove();
});

const event = (id: string = randomUUID(), data: object = {}) => jsonEvent({ id, type: 'Noted', data: { ...data } });
const events = (n: number) => Array.from({ length: n }, () => event());
const append = (stream: string, expectedRevision: AppendExpectedRevision, all: ReturnType<typeof event>[]) =>
  client.appendToStream(stream, all, { expectedRevision, credentials });
const thrown = async (promise: Promise<unknown>): Promise<Record<string, unknown>> =>
  promise.then(
    () => ({ answered: true }),
    (error: unknown) => error as Record<string, unknown>,
  );
const readAll = async (options: Parameters<EventStoreDBClient['readAll']>[0]) => {
  const found: { readonly name: string; readonly position: Position }[] = [];
  for await (const { event: e } of client.readAll({ ...options, credentials }))
    if (e !== undefined) found.push({ name: `${e.streamId}@${e.revision}`, position: e.position });
  return found;
};
const lengthOf = async (stream: string) => {
  let count = 0;
  for await (const one of client.readStream(stream)) count += one.event === undefined ? 0 : 1;
  return count;
};

describe('expected revisions', () => {
  it.each([
    ['no_stream on an existing stream', 's', 'no_stream', 0n],
    ['a stale revision', 's', 5n, 0n],
    ['a revision of a missing stream', 'missing', 0n, 'no_stream'],
    ['stream_exists on a missing stream', 'missing', 'stream_exists', 'no_stream'],
  ] as const)('%s is a wrong expected version', async (_, stream, expected, actual) => {
    await append('s', 'no_stream', events(1));
    const error = await thrown(append(stream, expected, events(1)));
    expect(error).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: expected,
      actualVersion: actual,
    });
  });

  it('answers the revision and the position of the last event', async () => {
    const answer = await append('s', 'no_stream', events(3));
    expect(answer).toMatchObject({ success: true, nextExpectedRevision: 2n });
    expect((await readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))[0]?.position).toEqual(
      answer.position,
    );
  });
});

describe('the same append again', () => {
  const [a0, a1, a2] = [event(), event(), event()];
  const begun = async () => {
    const first = await append('s', 'no_stream', [a0, a1, a2]);
    await append('s', 2n, events(2));
    return first;
  };

  it('is answered like the first time with the same expected revision, also after a restart', async () => {
    const first = await begun();
    expect(await append('s', 'no_stream', [a0, a1, a2])).toEqual(first);
    const { port } = peer;
    await peer.stop();
    peer = await startPeer({ folder: folder.path, port });
    for (let ready = false; !ready;)
      ready = await lengthOf('s').then(
        () => true,
        () => false,
      );
    expect(await append('s', 'no_stream', [a0, a1, a2])).toEqual(first);
    expect(await lengthOf('s')).toBe(5);
  });

  it('is written once more with the current revision, refused with a wrong one', async () => {
    await begun();
    expect(await thrown(append('s', 2n, [a0, a1, a2]))).toMatchObject({ type: 'wrong-expected-version' });
    expect(await append('s', 4n, [a0, a1, a2])).toMatchObject({ nextExpectedRevision: 7n });
  });

  it('is known by a part that fits, not by one that goes beyond', async () => {
    await begun();
    expect(await append('s', 'no_stream', [a0])).toMatchObject({ nextExpectedRevision: 0n });
    expect(await append('s', 0n, [a1])).toMatchObject({ nextExpectedRevision: 1n });
    expect(await thrown(append('s', 1n, [a2, event()]))).toMatchObject({ type: 'wrong-expected-version' });
    expect(await append('s', 'no_stream', [event(a0.id, { other: true })])).toMatchObject({ nextExpectedRevision: 0n });
    expect(await append('other', 'no_stream', [a0])).toMatchObject({ nextExpectedRevision: 0n });
    expect(await lengthOf('s')).toBe(5);
  });

  it('with any is known only until the server is restarted', async () => {
    await append('s', 'any', [a0]);
    expect(await append('s', 'any', [a0])).toMatchObject({ nextExpectedRevision: 0n });
    const { port } = peer;
    await peer.stop();
    peer = await startPeer({ folder: folder.path, port });
    for (let ready = false; !ready;)
      ready = await lengthOf('s').then(
        () => true,
        () => false,
      );
    expect(await append('s', 'any', [a0])).toMatchObject({ nextExpectedRevision: 1n });
  });
});

describe('limits', () => {
  it('refuses more than 1,048,576 bytes of data, and takes the next append', async () => {
    const error = await thrown(append('s', 'no_stream', [event(randomUUID(), { x: 'x'.repeat(1_048_576) })]));
    expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 });
    expect(await append('s', 'no_stream', events(1))).toMatchObject({ nextExpectedRevision: 0n });
  });

  it('throws in its handler over what is no event', async () => {
    expect(await thrown(append('s', 'no_stream', [event('first')]))).toMatchObject({ type: 'unknown', code: 2 });
    expect(await thrown(append('', 'no_stream', events(1)))).toMatchObject({ type: 'unknown', code: 2 });
  });

  it('keeps the 101st open call of a connection waiting', async () => {
    await append('s', 'no_stream', events(1));
    const open = Array.from({ length: 100 }, () => client.subscribeToAll());
    for (const one of open) one.on('error', () => undefined);
    await Promise.all(open.map((one) => new Promise((resolve) => one.once('confirmation', resolve))));
    const waiting = append('s', 0n, events(1));
    expect(
      await Promise.race([waiting.then(() => 'answered'), new Promise((r) => setTimeout(() => r('waits'), 300))]),
    ).toBe('waits');
    await open[0]?.unsubscribe();
    expect(await waiting).toMatchObject({ nextExpectedRevision: 1n });
  });

  it('has no batch append, counts who tries it, and says that it is the peer', async () => {
    expect(await thrown(client.appendToStream('s', events(1)))).not.toHaveProperty('answered');
    expect(peer.batchAppends()).toBe(1);
    expect(
      (await (client as unknown as { readonly capabilities: Promise<{ readonly serverVersion: string }> }).capabilities)
        .serverVersion,
    ).toBe(PEER_VERSION);
  });

  it('is not ready for a while after a start', async () => {
    const other = await tempFolder();
    const late = await startPeer({ folder: other.path, port: 0, notReadyFor: 60_000 });
    const asking = EventStoreDBClient.connectionString(late.url);
    const error = await thrown(asking.appendToStream('s', events(1), { credentials }));
    expect(error).toMatchObject({ type: 'unavailable', message: expect.stringContaining('Server Is Not Ready') });
    await asking.dispose();
    await late.stop();
    await other.remove();
  });
});

describe('reading', () => {
  const positions: Position[] = [];
  beforeEach(async () => {
    positions.length = 0;
    for (const stream of ['a', 'b', 'c'])
      positions.push((await append(stream, 'no_stream', events(1))).position as Position);
  });

  it('says that a stream is missing, and begins inclusively', async () => {
    expect(await thrown(lengthOf('missing'))).toMatchObject({ type: 'stream-not-found', streamName: 'missing' });
    await append('a', 0n, events(4));
    const found: bigint[] = [];
    for await (const one of client.readStream('a', { fromRevision: 3n })) found.push(one.event?.revision ?? -1n);
    expect(found).toEqual([3n, 4n]);
    for await (const one of client.readStream('a', { fromRevision: 30n })) throw new Error(String(one));
  });

  it('begins inclusively forwards and exclusively backwards over everything', async () => {
    const [, b] = positions as [Position, Position];
    expect((await readAll({ fromPosition: b })).map((e) => e.name)).toEqual(['b@0', 'c@0']);
    expect((await readAll({ fromPosition: b, direction: BACKWARDS })).map((e) => e.name)).toEqual(['a@0']);
    expect((await readAll({ fromPosition: START, maxCount: 2 })).map((e) => e.name)).toEqual(['a@0', 'b@0']);
  });

  it('refuses a position where nothing is, and is empty beyond the end', async () => {
    const { commit } = positions[1] as Position;
    const between = { commit: commit + 1n, prepare: commit + 1n };
    expect(await thrown(readAll({ fromPosition: between }))).toMatchObject({
      code: 2,
      message: expect.stringContaining('Unexpected ReadAllResult'),
    });
    expect(await readAll({ fromPosition: { commit: commit * 1000n, prepare: commit * 1000n } })).toEqual([]);
    expect(await thrown(readAll({ maxCount: 0 }))).toMatchObject({ code: 2 });
  });

  it('reads on correctly behind a scavenged record, while a subscription swallows the next one', async () => {
    const [, b] = positions as [Position, Position];
    await append('d', 'no_stream', events(1));
    await peer.scavenge((e) => e.stream === 'b');
    expect((await readAll({ fromPosition: b })).map((e) => e.name)).toEqual(['c@0', 'd@0']);
    const seen: string[] = [];
    for await (const { event: e } of client.subscribeToAll({ fromPosition: b })) {
      seen.push(e?.streamId ?? '');
      break;
    }
    expect(seen).toEqual(['d']);
  });
});

describe('subscribing', () => {
  it('begins exclusively, marks the end of history, and tells checkpoints every so many events that it searched', async () => {
    const first = await append('run-1', 'no_stream', events(1));
    await append('agent-1', 'no_stream', events(320));
    await append('run-2', 'no_stream', events(1));
    for (const [checkpointInterval, expected] of [
      [1, 10],
      [10, 1],
    ] as const) {
      let checkpoints = 0;
      const seen: string[] = [];
      const filter = streamNameFilter({
        regex: '^run-',
        checkpointInterval,
        checkpointReached: () => void checkpoints++,
      });
      const subscription = client.subscribeToAll({ fromPosition: first.position as Position, filter });
      subscription.on('error', () => undefined);
      subscription.on('data', (one) => seen.push(`${one.event?.streamId}`));
      await new Promise((resolve) => subscription.once('caughtUp', resolve));
      expect(seen).toEqual(['run-2']);
      expect(checkpoints).toBe(expected);
      await subscription.unsubscribe();
    }
  });

  it.each([
    ['a regular expression that is none', { filter: streamNameFilter({ regex: '(' }) }],
    ['a position where nothing is', { fromPosition: { commit: 1001n, prepare: 1001n } }],
  ])('throws in its handler over %s', async (_, options) => {
    await append('s', 'no_stream', events(2));
    const subscription = client.subscribeToAll(options);
    const error = await new Promise((resolve) => subscription.once('error', resolve));
    expect(error).toMatchObject({
      type: 'unknown',
      code: 2,
      message: expect.stringContaining('Exception was thrown by handler'),
    });
  });

  it('drops a consumer that is too slow while live', async () => {
    await append('s', 'no_stream', events(1));
    const subscription = client.subscribeToAll();
    let failure: unknown = null;
    subscription.on('error', (error) => (failure = error));
    await new Promise((resolve) => {
      subscription.once('caughtUp', resolve);
      subscription.once('readable', () => subscription.read());
    });
    for (let n = 0; n < 8; n++)
      await append(
        `large-${n}`,
        'no_stream',
        Array.from({ length: 40 }, () => event(randomUUID(), { x: 'x'.repeat(20_000) })),
      );
    for (let n = 0; n < 200 && failure === null; n++) {
      // One at a time, and slowly.
      subscription.read();
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(failure).toMatchObject({ type: 'timeout', code: 10, message: expect.stringContaining('Consumer too slow') });
  });
});
