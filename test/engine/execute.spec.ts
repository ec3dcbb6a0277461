import fc from 'fast-check';
import { isLeft, isRight, left, right, type Either } from 'fp-ts/Either';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { systemClock, virtualClock } from '../../src/adapters/embedded/clock';
import { NO_STREAM } from '../../src/core/event';
import type { Failure } from '../../src/core/failure';
import { chain, continuesChain, NO_HASH } from '../../src/engine/envelope';
import { executor, type Executed, type Executor } from '../../src/engine/execute';
import type { Appended, AppendFailure, EventStore } from '../../src/ports/event-store';
import { newStream } from '../contract/ledger-fixture';
import { tempFolder, type TempFolder } from '../support/temp';
import { counter, counterCatalog, type CounterCommand, type CounterEvent } from './counter';

let folder: TempFolder;
let ledger: EventStore;
beforeAll(async () => {
  folder = await tempFolder();
  ledger = await embeddedEventStore({ folder: folder.path });
});
afterAll(async () => {
  await ledger.close();
  await folder.remove();
});

type Answer = Either<AppendFailure, Appended>;
/** The ledger with its calls counted, and appends that a test may answer by itself. */
const watched = (
  onAppend: (call: number, real: () => Promise<Answer>) => Promise<Answer> = (_, real) => real(),
): { store: EventStore; appends: () => number; reads: () => number } => {
  let appends = 0;
  let reads = 0;
  return {
    appends: () => appends,
    reads: () => reads,
    store: {
      ...ledger,
      append: (stream, expected, events) => onAppend(appends++, () => ledger.append(stream, expected, events)),
      readStream: (stream, from) => (reads++, ledger.readStream(stream, from)),
    },
  };
};
const executorOver = (
  store: EventStore,
  more: {
    readonly cacheSize?: number;
    readonly cacheWeight?: number;
    readonly onAppend?: (s: string, a: Appended) => void;
  } = {},
): Executor => executor({ store, clock: systemClock(), catalog: counterCatalog, ...more });

type Done = Either<Failure, Executed<{ readonly count: number }, CounterEvent>>;
const send = (
  execute: Executor,
  stream: string,
  command: CounterCommand,
  options?: { readonly assumeNew?: boolean },
): Promise<Done> => execute.run(counter, stream, command, { actor: 'cli' }, options);
const countOf = (done: Done): number | Failure => (isLeft(done) ? done.left : done.right.state.count);
const add = (by: number): CounterCommand => ({ kind: 'add', by });

describe('a command', () => {
  it('is decided on the folded state, stored, and answered with where that left the stream', async () => {
    const stream = newStream('campaign');
    const execute = executorOver(ledger);
    await send(execute, stream, add(2));
    const done = await send(execute, stream, add(3));
    expect(done).toEqual(
      right({
        events: [{ type: 'Added', data: { by: 3 } }],
        state: { count: 5 },
        revision: 1,
        position: await ledger.head(),
      }),
    );
    expect((await ledger.readStream(stream)).map((e) => e.data)).toEqual([{ by: 2 }, { by: 3 }]);
  });

  it('leaves a chain that holds, with who asked, why, and when', async () => {
    const stream = newStream('campaign');
    const clock = virtualClock(Date.UTC(2026, 2, 4, 5, 6, 7, 89));
    const execute = executor({ store: ledger, clock, catalog: counterCatalog });
    const commandId = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
    await execute.run(counter, stream, add(1), {
      actor: 'api-key:3',
      correlationId: 'request',
      causationId: 'cause',
      commandId,
    });
    await execute.run(counter, stream, add(1), { actor: 'dialer' });
    const events = await ledger.readStream(stream);
    let previous = NO_HASH;
    for (const event of events) {
      expect(continuesChain(previous, event)).toBe(true);
      previous = event.metadata.hash;
    }
    expect(events[0]?.metadata).toMatchObject({
      org: stream.slice('campaign-'.length, stream.indexOf('_')),
      actor: 'api-key:3',
      correlation_id: 'request',
      causation_id: 'cause',
      command_id: commandId,
      schema: 2,
      at: '2026-03-04T05:06:07.089Z',
    });
    const own = events[1]?.metadata.command_id;
    expect(events[1]?.metadata).toMatchObject({ correlation_id: own, causation_id: own });
  });

  it('costs one append and no read when its stream was written here before, or is said to be new', async () => {
    const { store, appends, reads } = watched();
    const execute = executorOver(store);
    const stream = newStream();
    await send(execute, stream, add(1), { assumeNew: true });
    for (let i = 0; i < 5; i++) await send(execute, stream, add(1));
    expect([appends(), reads()]).toEqual([6, 0]);
  });

  it('reads the stream first where it knows nothing of it', async () => {
    const stream = newStream();
    await send(executorOver(ledger), stream, add(40));
    expect(countOf(await send(executorOver(ledger), stream, add(2)))).toBe(42);
  });

  it('is decided again when its stream was said to be new and is not', async () => {
    const stream = newStream();
    await send(executorOver(ledger), stream, add(40));
    expect(countOf(await send(executorOver(ledger), stream, add(2), { assumeNew: true }))).toBe(42);
    const required = await send(executorOver(ledger), stream, { kind: 'require', atLeast: 42 }, { assumeNew: true });
    expect(countOf(required)).toBe(42);
  });

  it('that is rejected, or has nothing to do, was decided on the newest state and appends nothing', async () => {
    const stream = newStream();
    const [here, elsewhere] = [executorOver(ledger), executorOver(ledger)];
    await send(here, stream, add(1));
    expect(countOf(await send(here, stream, { kind: 'require', atLeast: 5 }))).toMatchObject({ kind: 'rejected' });
    await send(elsewhere, stream, add(9));
    // `here` still believes in 1
    expect(countOf(await send(here, stream, { kind: 'require', atLeast: 5 }))).toBe(10);
    await send(elsewhere, stream, add(5));
    const nothing = await send(here, stream, { kind: 'raise', to: 14 });
    expect(nothing).toEqual(right({ events: [], state: { count: 15 }, revision: 3, position: null }));
    expect(await ledger.readStream(stream)).toHaveLength(4);
  });

  it('that is rejected on a state just read reads no second time', async () => {
    const { store, reads } = watched();
    await send(executorOver(store), newStream(), { kind: 'require', atLeast: 5 });
    expect(reads()).toBe(1);
  });

  it('sees old events in today’s shape', async () => {
    const stream = newStream();
    const by = {
      org: '1',
      actor: 'cli',
      correlationId: 'c',
      causationId: 'c',
      commandId: 'c',
      at: '2026-01-01T00:00:00.000Z',
    };
    const old = chain(
      stream,
      { revision: NO_STREAM, hash: NO_HASH },
      [{ type: 'Added', data: { by: '40' }, schema: 1 }],
      by,
    );
    expect(isRight(await ledger.append(stream, NO_STREAM, old))).toBe(true);
    expect(countOf(await send(executorOver(ledger), stream, add(2)))).toBe(42);
  });

  it('fails without an append where the stream holds what this program can’t read', async () => {
    const stream = newStream();
    const by = {
      org: '1',
      actor: 'cli',
      correlationId: 'c',
      causationId: 'c',
      commandId: 'c',
      at: '2026-01-01T00:00:00.000Z',
    };
    const strange = chain(
      stream,
      { revision: NO_STREAM, hash: NO_HASH },
      [{ type: 'FromTheFuture', data: {}, schema: 1 }],
      by,
    );
    await ledger.append(stream, NO_STREAM, strange);
    const done = await send(executorOver(ledger), stream, add(1));
    expect(countOf(done)).toMatchObject({
      kind: 'unavailable',
      stored: 'no',
      message: expect.stringContaining('FromTheFuture'),
    });
    expect(await ledger.readStream(stream)).toHaveLength(1);
  });

  it('tells of its append', async () => {
    const told: [string, Appended][] = [];
    const execute = executorOver(ledger, { onAppend: (stream, appended) => told.push([stream, appended]) });
    const stream = newStream();
    await send(execute, stream, add(1));
    await send(execute, stream, { kind: 'raise', to: 1 });
    expect(told).toEqual([[stream, { revision: 0, position: await ledger.head() }]]);
  });

  it.each([
    ['NaN', Number.NaN],
    ['more than an append takes', 'x'.repeat(1_000_001)],
  ])('whose event can’t be stored (%s) is rejected, and the next one is not', async (_, note) => {
    const stream = newStream();
    const execute = executorOver(ledger);
    await send(execute, stream, add(1));
    expect(countOf(await send(execute, stream, { kind: 'add', by: 1, note }))).toMatchObject({ kind: 'rejected' });
    expect(countOf(await send(execute, stream, add(1)))).toBe(2);
  });
});

describe('many commands at once', () => {
  it('of one process on one stream go one after the other, without a conflict', async () => {
    const { store, appends } = watched();
    const execute = executorOver(store);
    const stream = newStream();
    const done = await Promise.all(Array.from({ length: 40 }, () => send(execute, stream, add(1))));
    expect(done.map(countOf)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(appends()).toBe(40);
  });

  it('of one process on many streams do not wait for each other', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { store } = watched(async (call, real) => {
      if (call === 0) await held;
      return real();
    });
    const execute = executorOver(store);
    const [slow, quick] = [newStream(), newStream()];
    const first = send(execute, slow, add(1), { assumeNew: true });
    expect(countOf(await send(execute, quick, add(1), { assumeNew: true }))).toBe(1);
    release();
    expect(countOf(await first)).toBe(1);
  });

  it('of several processes lose no update and see every state once', async () => {
    const commands = fc.array(fc.record({ at: fc.nat({ max: 2 }), by: fc.integer({ min: 1, max: 5 }) }), {
      minLength: 2,
      maxLength: 15,
    });
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        const stream = newStream();
        const processes = Array.from({ length: 3 }, () => executorOver(ledger));
        const done = await Promise.all(all.map(({ at, by }) => send(processes[at] as Executor, stream, add(by))));
        const total = all.reduce((sum, { by }) => sum + by, 0);
        const counts = done.map(countOf);
        expect(Math.max(...(counts as number[]))).toBe(total);
        expect(new Set(counts).size).toBe(all.length);
        const events = await ledger.readStream(stream);
        expect(events).toHaveLength(all.length);
        expect(events.every((e, i) => continuesChain(events[i - 1]?.metadata.hash ?? NO_HASH, e))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('do what was asked once, when all ask for the same state', async () => {
    const stream = newStream();
    const processes = Array.from({ length: 6 }, () => executorOver(ledger));
    const done = await Promise.all(processes.map((execute) => send(execute, stream, { kind: 'raise', to: 7 })));
    expect(done.map(countOf)).toEqual([7, 7, 7, 7, 7, 7]);
    expect(await ledger.readStream(stream)).toHaveLength(1);
  });

  it('keep no more states in memory than asked', async () => {
    const { store, reads } = watched();
    const execute = executorOver(store, { cacheSize: 2 });
    const [a, b, c] = [newStream(), newStream(), newStream()];
    for (const stream of [a, b, c]) await send(execute, stream, add(1), { assumeNew: true });
    await send(execute, b, add(1));
    await send(execute, c, add(1));
    expect(reads()).toBe(0);
    expect(countOf(await send(execute, a, add(1)))).toBe(2);
    expect(reads()).toBe(1);
  });

  it('keep no heavier states in memory than asked, and none that is heavier alone', async () => {
    const { store, reads } = watched();
    const execute = executorOver(store, { cacheWeight: 10 });
    const weighed = { ...counter, weigh: ({ count }: { readonly count: number }) => count };
    const put = (stream: string, by: number, assumeNew = true) =>
      execute.run(weighed, stream, add(by), { actor: 'cli' }, { assumeNew });
    const [a, b, c] = [newStream(), newStream(), newStream()];
    for (const [stream, weight] of [
      [a, 4],
      [b, 6],
    ] as const)
      await put(stream, weight);
    await put(a, 0);
    await put(b, 0);
    expect(reads()).toBe(0);
    // Together they are too heavy now: the one that was used last stays.
    expect(countOf(await put(a, 1))).toBe(5);
    expect(countOf(await put(a, 1))).toBe(6);
    expect(reads()).toBe(0);
    expect(countOf(await put(c, 11))).toBe(11);
    expect(countOf(await put(c, 1, false))).toBe(12);
    expect(reads()).toBe(1);
  });
});

describe('load', () => {
  it('gives the state as new as the last event, also of another process', async () => {
    const stream = newStream();
    const [here, elsewhere] = [executorOver(ledger), executorOver(ledger)];
    expect(await here.load(counter, stream)).toEqual({ state: { count: 0 }, revision: NO_STREAM });
    await send(here, stream, add(1));
    await send(elsewhere, stream, add(2));
    expect(await here.load(counter, stream)).toEqual({ state: { count: 3 }, revision: 1 });
  });

  it('that was overtaken by a command does not take the cache back', async () => {
    const stream = newStream();
    await send(executorOver(ledger), stream, add(1));
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    let appends = 0;
    const store: EventStore = {
      ...ledger,
      append: (...append) => (appends++, ledger.append(...append)),
      readStream: async (name, from) => {
        const events = await ledger.readStream(name, from);
        if (reads++ === 0) await held;
        return events;
      },
    };
    const execute = executorOver(store);
    const loading = execute.load(counter, stream);
    await send(execute, stream, add(1));
    await send(execute, stream, add(1));
    release();
    await loading;
    const before = reads;
    expect(countOf(await send(execute, stream, add(1)))).toBe(4);
    expect([reads, appends]).toEqual([before, 3]);
  });
});

describe('a store in trouble', () => {
  const unavailable: Answer = left({ kind: 'unavailable', message: 'the disk is full' });
  const unknown: Answer = left({ kind: 'outcome_unknown', message: 'the connection broke' });

  it('that is away leaves a command unstored, says so, and takes the next one', async () => {
    const { store } = watched(async (call, real) => (call === 1 ? unavailable : real()));
    const execute = executorOver(store);
    const stream = newStream();
    await send(execute, stream, add(1));
    expect(countOf(await send(execute, stream, add(10)))).toEqual({
      kind: 'unavailable',
      message: 'the disk is full',
      stored: 'no',
    });
    expect(countOf(await send(execute, stream, add(100)))).toBe(101);
  });

  it('that can’t be read leaves a command unstored', async () => {
    const store: EventStore = { ...ledger, readStream: () => Promise.reject(new Error('connection refused')) };
    const done = countOf(await send(executorOver(store), newStream(), add(1)));
    expect(done).toMatchObject({
      kind: 'unavailable',
      stored: 'no',
      message: expect.stringContaining('connection refused'),
    });
  });

  it.each([
    ['stored', true],
    ['not stored', false],
  ])('whose answer is lost is asked again with the very same append, which was %s', async (_, isStored) => {
    const { store, appends } = watched(async (call, real) => {
      if (call > 0) return real();
      if (isStored) await real();
      return unknown;
    });
    const stream = newStream();
    const execute = executorOver(store);
    expect(countOf(await send(execute, stream, add(7), { assumeNew: true }))).toBe(7);
    expect(appends()).toBe(2);
    expect(await ledger.readStream(stream)).toHaveLength(1);
    expect(countOf(await send(execute, stream, add(1)))).toBe(8);
  });

  /** Time passes as fast as whoever waits lets it. */
  const impatient = async <A>(clock: ReturnType<typeof virtualClock>, promise: Promise<A>): Promise<A> => {
    let isOver = false;
    void promise.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise((turn) => setImmediate(turn));
      await clock.advance(clock.untilNext() ?? 0);
    }
    return promise;
  };

  it.each([
    ['its answers stay lost', unknown],
    ['it is away afterwards', unavailable],
  ])('says that a command may be stored when %s, after 4 to 5 seconds', async (_, later) => {
    const clock = virtualClock(0);
    const { store } = watched(async (call, real) => {
      if (call > 0) return later;
      await real();
      return unknown;
    });
    const execute = executor({ store, clock, catalog: counterCatalog });
    const stream = newStream();
    const done = await impatient(clock, send(execute, stream, add(7), { assumeNew: true }));
    expect(countOf(done)).toMatchObject({ kind: 'unavailable', stored: 'maybe' });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(4000);
    expect(clock.monotonic()).toBeLessThanOrEqual(5000);
    // it was: whoever asks next sees it
    expect(countOf(await send(executorOver(ledger), stream, add(1)))).toBe(8);
  });

  it('whose lost answer was another writer’s win decides again', async () => {
    const stream = newStream();
    const { store } = watched(async (call, real) => {
      if (call > 0) return real();
      await send(executorOver(ledger), stream, add(30));
      return unknown;
    });
    expect(countOf(await send(executorOver(store), stream, add(7), { assumeNew: true }))).toBe(37);
    expect(await ledger.readStream(stream)).toHaveLength(2);
  });

  it('that answers every append with a conflict is not asked for ever', async () => {
    const stream = newStream();
    const { store } = watched(async () => left({ kind: 'conflict', stream, expected: 0, actual: 1 }));
    const done = countOf(await send(executorOver(store), stream, add(1)));
    expect(done).toMatchObject({
      kind: 'unavailable',
      stored: 'no',
      message: expect.stringContaining('too many writers'),
    });
  });
});
