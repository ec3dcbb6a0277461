/** The promises of the event-store port. Positions may have gaps and the store may hold events of before, but nobody else writes meanwhile. */
import fc from 'fast-check';
import { isLeft, isRight, right } from 'fp-ts/Either';
import { NO_STREAM, type RecordedEvent, type SealedEvent } from '../../src/core/event';
import { laterOf, parsePosition, START } from '../../src/core/position';
import type { EventStore } from '../../src/ports/event-store';
import { appended, newEvent, newEvents, newStream, readOn, sealedPart, take } from './ledger-fixture';
import { eventually, within } from './waiting';

export interface EventStoreUnderTest {
  readonly adapter: EventStore;
  /** Ends the engine (not gracefully, if it can) and opens it again over what it stored. */
  readonly reopen?: () => Promise<EventStore>;
  readonly dispose: () => Promise<void>;
}
export interface EventStoreFactory {
  create(): Promise<EventStoreUnderTest>;
}

export const eventStoreContract = (
  name: string,
  factory: EventStoreFactory,
  options: { readonly patienceMs?: number; readonly runs?: number } = {},
): void => {
  const patience = options.patienceMs ?? 10_000;
  const runs = options.runs ?? 25;

  describe(`event store: ${name}`, () => {
    let made: EventStoreUnderTest;
    let store: EventStore;
    beforeAll(async () => {
      made = await factory.create();
      store = made.adapter;
    }, 60_000);
    afterAll(async () => {
      await made?.dispose();
    }, 60_000);

    describe('append', () => {
      it('gives back what was appended, to the last character', async () => {
        const stream = newStream();
        const events = [
          newEvent({}),
          newEvent({
            text: 'é 漢字 😀 "quoted" \\ \n\t\u0000\u2028',
            nested: { list: [1, -2.5, 1e21, true, null, [], {}] },
          }),
          newEvent(
            { $sealed: 'AAAA', key: 'org/1/1', field: 'x', '': 'empty name', __proto__x: 1 },
            'PersonalDataErased',
          ),
        ];
        await appended(store, stream, NO_STREAM, events);
        const read = await store.readStream(stream);
        expect(read.map(sealedPart)).toEqual(events);
        expect(read.map((e) => e.stream)).toEqual([stream, stream, stream]);
      });

      it('counts revisions from 0 and answers the last revision and position of the append', async () => {
        const stream = newStream();
        const first = await appended(store, stream, NO_STREAM, newEvents(3));
        const second = await appended(store, stream, 2, newEvents(2));
        const read = await store.readStream(stream);
        expect(read.map((e) => e.revision)).toEqual([0, 1, 2, 3, 4]);
        expect(first).toEqual({ revision: 2, position: read[2]?.position });
        expect(second).toEqual({ revision: 4, position: read[4]?.position });
      });

      it('has positions of 20 digits that rise over all streams in the order of the answers', async () => {
        const positions: string[] = [await store.head()];
        for (let i = 0; i < 5; i++) {
          const { position } = await appended(store, newStream(), NO_STREAM, newEvents(2));
          expect(parsePosition(position)).toBe(position);
          positions.push(position);
        }
        expect([...positions].sort()).toEqual(positions);
        expect(new Set(positions).size).toBe(6);
        expect(await store.head()).toBe(positions.at(-1));
      });

      it.each([
        ['the stream is new to the caller but not to the store', 2, NO_STREAM],
        ['the expected revision is behind', 2, 0],
        ['the expected revision is ahead', 2, 7],
        ['the stream does not exist', -1, 0],
      ])('is a conflict with the actual revision when %s', async (_, actual, expected) => {
        const stream = newStream();
        if (actual >= 0) await appended(store, stream, NO_STREAM, newEvents(actual + 1));
        const answer = await store.append(stream, expected, newEvents(2));
        expect(isLeft(answer) ? answer.left : null).toEqual({ kind: 'conflict', stream, expected, actual });
        expect(await store.readStream(stream)).toHaveLength(actual + 1);
      });

      it('lets exactly one of many racing writers have a revision, and stores nothing of the others', async () => {
        for (let round = 0; round < 5; round++) {
          const stream = newStream();
          const racers = Array.from({ length: 16 }, () => newEvents(1 + round));
          const answers = await Promise.all(racers.map((events) => store.append(stream, NO_STREAM, events)));
          const winners = racers.filter((_, i) => answers.slice(i, i + 1).some(isRight));
          expect(winners).toHaveLength(1);
          for (const answer of answers)
            if (isLeft(answer))
              expect(answer.left).toEqual({ kind: 'conflict', stream, expected: NO_STREAM, actual: round });
          expect((await store.readStream(stream)).map(sealedPart)).toEqual(winners[0]);
        }
      });

      it('answers the very same append like the first time and writes it once, however far the stream has moved on', async () => {
        const stream = newStream();
        const begin = newEvents(3);
        const next = newEvents(2);
        const answers = [
          await appended(store, stream, NO_STREAM, begin),
          await appended(store, stream, NO_STREAM, begin),
          await appended(store, stream, 2, next),
          await appended(store, stream, 2, next),
          await appended(store, stream, NO_STREAM, begin),
        ];
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[3]).toEqual(answers[2]);
        expect(answers[4]).toEqual(answers[0]);
        expect((await store.readStream(stream)).map((e) => e.id)).toEqual([...begin, ...next].map((e) => e.id));
      });

      it('writes the very same append once when it is sent twice at the same time', async () => {
        for (let round = 0; round < 5; round++) {
          const stream = newStream();
          const events = newEvents(3);
          const [a, b] = await Promise.all([
            store.append(stream, NO_STREAM, events),
            store.append(stream, NO_STREAM, events),
          ]);
          expect(isRight(a)).toBe(true);
          expect(b).toEqual(a);
          expect(await store.readStream(stream)).toHaveLength(3);
        }
      });

      it('does not take an append for a repeat when only some of its events are there', async () => {
        const stream = newStream();
        const [a, b, c] = newEvents(3) as [SealedEvent, SealedEvent, SealedEvent];
        await appended(store, stream, NO_STREAM, [a, b]);
        const answer = await store.append(stream, 0, [b, c]);
        expect(isLeft(answer) ? answer.left.kind : 'appended').toBe('conflict');
        expect((await store.readStream(stream)).map((e) => e.id)).toEqual([a.id, b.id]);
      });

      it.each<[string, string, readonly SealedEvent[]]>([
        ['no events', newStream(), []],
        ['a stream without a name', '', newEvents(1)],
        ['a stream of the engine', '$settings', newEvents(1)],
        ['an event type of the engine', newStream(), [newEvent({}, '$metadata')]],
        ['an event type without a name', newStream(), [newEvent({}, '')]],
        ['an id that is no UUID', newStream(), [{ ...newEvent(), id: 'abc' }]],
        ['data of a million bytes', newStream(), [newEvent({ text: 'x'.repeat(999_999) })]],
        [
          'data of a million bytes together',
          newStream(),
          newEvents(10).map((e) => ({ ...e, data: { text: 'é'.repeat(50_000) } })),
        ],
        ['a number that JSON can’t carry', newStream(), [newEvent({ n: 1n as unknown as number })]],
      ])('refuses %s for good', async (_, stream, events) => {
        const answer = await store.append(stream, NO_STREAM, events);
        expect(isLeft(answer) ? answer.left.kind : 'appended').toBe('refused');
        await appended(store, newStream(), NO_STREAM, newEvents(1));
        if (stream !== '' && !stream.startsWith('$')) expect(await store.readStream(stream)).toEqual([]);
      });

      it('takes 990,000 bytes at once', async () => {
        const stream = newStream();
        const events = Array.from({ length: 10 }, () => newEvent({ text: 'x'.repeat(98_900) }));
        await appended(store, stream, NO_STREAM, events);
        expect((await store.readStream(stream)).map(sealedPart)).toEqual(events);
      });
    });

    describe('read', () => {
      it('has an empty stream where nothing was appended, and nothing behind the end', async () => {
        const stream = newStream();
        expect(await store.readStream(stream)).toEqual([]);
        await appended(store, stream, NO_STREAM, newEvents(2));
        expect(await store.readStream(stream, 2)).toEqual([]);
        expect(await store.readStream(stream, 200)).toEqual([]);
      });

      it('begins with the revision asked for', async () => {
        const stream = newStream();
        await appended(store, stream, NO_STREAM, newEvents(5));
        expect((await store.readStream(stream, 3)).map((e) => e.revision)).toEqual([3, 4]);
      });

      it('sees an append as soon as it is answered, from every reader', async () => {
        for (let i = 0; i < 20; i++) {
          const stream = newStream();
          const before = await store.head();
          const { position } = await appended(store, stream, NO_STREAM, newEvents(1));
          const [one, all, head] = await Promise.all([
            store.readStream(stream),
            store.readAll({ after: before }),
            store.head(),
          ]);
          expect(one).toHaveLength(1);
          expect(all.events.map((e) => e.stream)).toContain(stream);
          expect(head >= position).toBe(true);
        }
      });

      it.each([1, 2, 7, 1000])('hands out every event once, in order, in batches of %d', async (limit) => {
        const before = await store.head();
        const streams = Array.from({ length: 4 }, () => newStream());
        for (const size of [1, 3, 2])
          for (const stream of streams) {
            const at = (await store.readStream(stream)).length - 1;
            await appended(store, stream, at, newEvents(size));
          }
        const ours = (await readOn(store, before, limit)).filter((e) => streams.includes(e.stream));
        expect(ours).toHaveLength(24);
        for (const stream of streams)
          expect(ours.filter((e) => e.stream === stream)).toEqual(await store.readStream(stream));
        const positions = ours.map((e) => e.position);
        expect(positions).toEqual([...positions].sort());
      });

      it('hands out only the categories asked for, and goes on behind those that it left out', async () => {
        const before = await store.head();
        const agent = newStream('agent');
        const campaign = newStream('campaign');
        await appended(store, agent, NO_STREAM, newEvents(3));
        await appended(store, newStream('run'), NO_STREAM, newEvents(30));
        await appended(store, campaign, NO_STREAM, newEvents(3));
        await appended(store, newStream('run'), NO_STREAM, newEvents(30));
        const found = await readOn(store, before, 10, ['agent', 'campaign']);
        expect(found.every((e) => /^(agent|campaign)-/.test(e.stream))).toBe(true);
        expect(found.filter((e) => e.stream === agent)).toHaveLength(3);
        expect(found.filter((e) => e.stream === campaign)).toHaveLength(3);
        expect(await readOn(store, before, 10, [])).toEqual([]);
      });

      it('is caught up and where it was when nothing is behind the position', async () => {
        await appended(store, newStream(), NO_STREAM, newEvents(1));
        const head = await store.head();
        const batch = await store.readAll({ after: head });
        expect(batch).toMatchObject({ events: [], caughtUp: true });
        expect(batch.position >= head).toBe(true);
      });

      it('begins before the first event at START', async () => {
        await appended(store, newStream(), NO_STREAM, newEvents(1));
        const { events, position } = await store.readAll({ after: START, limit: 5 });
        expect(events.length).toBeGreaterThan(0);
        expect(position > START).toBe(true);
      });
    });

    describe('subscribe', () => {
      let over: AbortController;
      beforeEach(() => {
        over = new AbortController();
      });
      afterEach(() => over.abort());

      it('hands out history, then what is appended while it goes on, without gap or repeat', async () => {
        const after = await store.head();
        const streams = Array.from({ length: 5 }, () => newStream());
        const write = async (from: number, to: number): Promise<void> => {
          await Promise.all(
            streams.map(async (stream) => {
              for (let i = from; i < to; i++) await appended(store, stream, i - 1, newEvents(1));
            }),
          );
        };
        await write(0, 10);
        const isOurs = (e: RecordedEvent): boolean => streams.includes(e.stream);
        const taking = take(
          store.subscribe({ after, limit: 7, signal: over.signal }),
          after,
          patience,
          (events) => events.filter(isOurs).length >= 150,
        );
        await write(10, 30);
        const ours = (await taking).filter(isOurs);
        expect(ours).toHaveLength(150);
        for (const stream of streams)
          expect(ours.filter((e) => e.stream === stream).map((e) => e.revision)).toEqual(
            Array.from({ length: 30 }, (_, i) => i),
          );
      });

      it('says that it has caught up, also when there is nothing to hand out', async () => {
        const after = await store.head();
        const batches = store.subscribe({ after, signal: over.signal, categories: ['organization'] });
        const events = await take(batches, after, patience, (_, batch) => batch.caughtUp);
        expect(events.every((e) => e.stream.startsWith('organization-'))).toBe(true);
      });

      it('tells of a new event within a second, to every subscriber', async () => {
        const after = await store.head();
        const stream = newStream('telephony');
        let listening = 0;
        let begun = 0;
        const subscribers = Array.from({ length: 3 }, async () => {
          let isListening = false;
          const batches = store.subscribe({ after, signal: over.signal, categories: ['telephony'] });
          await take(batches, after, patience, (events, batch) => {
            if (batch.caughtUp && !isListening) {
              isListening = true;
              listening++;
            }
            return events.some((e) => e.stream === stream);
          });
          return performance.now() - begun;
        });
        // What is measured is news, not history.
        await eventually(patience, 'all have caught up', () => listening === 3);
        begun = performance.now();
        await appended(store, stream, NO_STREAM, newEvents(1));
        const delays = await Promise.all(subscribers);
        expect(delays).toHaveLength(3);
        expect(Math.max(...delays)).toBeLessThan(Math.max(1000, patience / 5));
      });

      it('waits for a slow consumer and loses nothing', async () => {
        const after = await store.head();
        const stream = newStream();
        const seen: number[] = [];
        const consumed = (async () => {
          for await (const batch of store.subscribe({ after, limit: 20, signal: over.signal })) {
            await new Promise((next) => setTimeout(next, 10));
            seen.push(...batch.events.filter((e) => e.stream === stream).map((e) => e.revision));
            if (seen.length >= 200) return;
          }
        })();
        for (let i = 0; i < 200; i += 10) await appended(store, stream, i - 1, newEvents(10));
        await within(patience, 'the slow consumer', consumed);
        expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i));
      });

      it('tells how far it has looked even where nothing passes the filter', async () => {
        const after = await store.head();
        const { position } = await appended(store, newStream('run'), NO_STREAM, newEvents(1));
        let looked = after;
        const looking = (async () => {
          for await (const batch of store.subscribe({ after, signal: over.signal, categories: ['organization'] })) {
            looked = laterOf(looked, batch.position);
            if (looked >= position) return;
          }
        })();
        // An engine may tell only every so many events.
        await eventually(patience, 'a batch that has looked at the other events', async () => {
          if (looked < position) await appended(store, newStream('run'), NO_STREAM, newEvents(20));
          return looked >= position;
        });
        await within(patience, 'the end of looking', looking);
        expect(looked >= position).toBe(true);
      });

      it('ends when its signal says so, also while it waits, and at once when it said so before', async () => {
        const after = await store.head();
        let caughtUp = false;
        const ended = (async () => {
          for await (const batch of store.subscribe({ after, signal: over.signal })) caughtUp ||= batch.caughtUp;
        })();
        await eventually(patience, 'the subscription has caught up', () => caughtUp);
        over.abort();
        await within(patience, 'the end of the subscription', ended);
        const batches: unknown[] = [];
        for await (const batch of store.subscribe({ after: START, signal: over.signal })) batches.push(batch);
        expect(batches).toEqual([]);
      });

      it('may be left in the middle and taken up again at the last batch’s position', async () => {
        const after = await store.head();
        const stream = newStream();
        await appended(store, stream, NO_STREAM, newEvents(50));
        const seen: number[] = [];
        let position = after;
        for (let visits = 0; seen.length < 50 && visits < 100; visits++)
          for await (const batch of store.subscribe({ after: position, limit: 7, signal: over.signal })) {
            position = batch.position;
            seen.push(...batch.events.filter((e) => e.stream === stream).map((e) => e.revision));
            break;
          }
        expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i));
      });
    });

    describe('whatever is appended', () => {
      /** What one writer asks for: an append at the right revision, at a wrong one, or once more what was answered before. */
      const step = fc.record({
        stream: fc.nat({ max: 2 }),
        kind: fc.constantFrom('append', 'append', 'append', 'stale', 'repeat'),
        size: fc.integer({ min: 1, max: 4 }),
        pick: fc.nat(),
      });

      it('one writer finds exactly what a list of events would hold', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
            const streams = Array.from({ length: 3 }, () => newStream());
            const model = streams.map(() => [] as SealedEvent[]);
            const done: {
              readonly stream: number;
              readonly expected: number;
              readonly events: readonly SealedEvent[];
              readonly answer: unknown;
            }[] = [];
            const before = await store.head();
            const order: string[] = [];
            for (const { stream, kind, size, pick } of steps) {
              const name = streams[stream] as string;
              const held = model[stream] as SealedEvent[];
              if (kind === 'repeat' && done.length > 0) {
                const old = done[pick % done.length] as (typeof done)[number];
                const again = await store.append(streams[old.stream] as string, old.expected, old.events);
                expect(again).toEqual(old.answer);
                continue;
              }
              const events = newEvents(size);
              if (kind === 'stale') {
                const expected = held.length + (pick % 3);
                const answer = await store.append(name, expected, events);
                expect(isLeft(answer) ? answer.left : null).toEqual({
                  kind: 'conflict',
                  stream: name,
                  expected,
                  actual: held.length - 1,
                });
                continue;
              }
              const expected = held.length - 1;
              const answer = await store.append(name, expected, events);
              held.push(...events);
              order.push(...events.map((e) => e.id));
              expect(answer).toEqual(right({ revision: held.length - 1, position: expect.any(String) }));
              done.push({ stream, expected, events, answer });
            }
            for (const [i, name] of streams.entries())
              expect((await store.readStream(name)).map(sealedPart)).toEqual(model[i]);
            const all = (await readOn(store, before, 5)).filter((e) => streams.includes(e.stream));
            expect(all.map((e) => e.id)).toEqual(order);
          }),
          { numRuns: runs },
        );
      }, 120_000);

      it('several writers at once leave streams that one after another could have left', async () => {
        let conflicts = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(step, { maxLength: 8 }), { minLength: 2, maxLength: 5 }),
            async (writers) => {
              const streams = Array.from({ length: 3 }, () => newStream());
              const before = await store.head();
              const won: {
                readonly stream: string;
                readonly first: number;
                readonly events: readonly SealedEvent[];
                readonly position: string;
              }[] = [];
              await Promise.all(
                writers.map(async (steps) => {
                  // each writer's own idea of where the streams are; a conflict tells it better
                  const known = new Map(streams.map((s) => [s, NO_STREAM]));
                  for (const { stream, size, kind } of steps) {
                    const name = streams[stream] as string;
                    const expected = known.get(name) as number;
                    const events = newEvents(size);
                    const answers = await Promise.all(
                      kind === 'repeat'
                        ? [store.append(name, expected, events), store.append(name, expected, events)]
                        : [store.append(name, expected, events)],
                    );
                    expect(new Set(answers.map((a) => JSON.stringify(a))).size).toBe(1);
                    const [answer] = answers;
                    if (answer === undefined) throw new Error('no answer');
                    if (isRight(answer)) {
                      won.push({ stream: name, first: expected + 1, events, position: answer.right.position });
                      known.set(name, answer.right.revision);
                    } else {
                      expect(answer.left.kind).toBe('conflict');
                      conflicts++;
                      if (answer.left.kind === 'conflict') known.set(name, answer.left.actual);
                    }
                  }
                }),
              );
              for (const name of streams) {
                const read = await store.readStream(name);
                expect(read.map((e) => e.revision)).toEqual(read.map((_, i) => i));
                const expected: string[] = [];
                for (const w of won.filter((w) => w.stream === name)) {
                  w.events.forEach((e, i) => (expected[w.first + i] = e.id));
                  expect(read[w.first + w.events.length - 1]?.position).toBe(w.position);
                }
                expect(read.map((e) => e.id)).toEqual(expected);
              }
              const all = (await readOn(store, before, 3)).filter((e) => streams.includes(e.stream));
              expect(all).toHaveLength(won.reduce((n, w) => n + w.events.length, 0));
            },
          ),
          { numRuns: runs },
        );
        expect(conflicts).toBeGreaterThan(0);
      }, 120_000);
    });

    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });

    it('has everything again after it was closed and opened, repeats included', async () => {
      const { reopen } = made;
      const stream = newStream();
      const before = await store.head();
      const events = newEvents(3);
      const answer = await appended(store, stream, NO_STREAM, events);
      const read = await store.readStream(stream);
      if (reopen !== undefined) store = await reopen();
      expect(await store.readStream(stream)).toEqual(read);
      expect(await store.head()).toBe(answer.position);
      expect(await appended(store, stream, NO_STREAM, events)).toEqual(answer);
      const next = await appended(store, stream, 2, newEvents(1));
      expect(next.position > answer.position).toBe(true);
      expect((await readOn(store, before)).filter((e) => e.stream === stream).map((e) => e.revision)).toEqual([
        0, 1, 2, 3,
      ]);
    }, 60_000);
  });
};
