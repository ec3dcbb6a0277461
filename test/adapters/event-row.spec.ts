import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { eventOf, packMetadata, unpackMetadata } from '../../src/adapters/embedded/event-row';
import { recentEvents } from '../../src/adapters/embedded/recent-events';
import type { EventRow } from '../../src/adapters/embedded/event-row';
import type { EventMetadata } from '../../src/core/event';
import { positionOf } from '../../src/core/position';

const text = fc.oneof(fc.string(), fc.constantFrom('', '\n', '{', 'a\nb', '{"org":1}', 'c'));
const metadata: fc.Arbitrary<EventMetadata> = fc.record({
  org: text,
  actor: text,
  correlation_id: text,
  causation_id: text,
  command_id: text,
  schema: fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5)),
  at: text,
  hash: text,
});
const usual: EventMetadata = {
  org: '7',
  actor: 'dialer',
  correlation_id: 'c',
  causation_id: 'b',
  command_id: 'c',
  schema: 1,
  at: '2026-01-01T00:00:00.000Z',
  hash: 'ff',
};

describe('metadata in its short form', () => {
  it('is read back as it was, whatever is in it', () => {
    fc.assert(
      fc.property(metadata, (m) => expect(unpackMetadata(packMetadata(m))).toEqual(m)),
      { numRuns: 500 },
    );
  });

  it('keeps fields that this program does not know', () => {
    const more = { ...usual, later: { added: true } } as EventMetadata;
    expect(unpackMetadata(packMetadata(more))).toEqual(more);
  });

  it('is a line for each field, empty where it repeats the command', () => {
    expect(packMetadata(usual)).toBe('7\ndialer\n\nb\nc\n1\n2026-01-01T00:00:00.000Z\nff');
  });
});

describe('the newest events in memory', () => {
  const row = (position: number, stream = 'run-1_1', size = 10): EventRow => [
    position,
    stream,
    position,
    `id-${position}`,
    'T',
    JSON.stringify({ text: 'x'.repeat(size) }),
    packMetadata(usual),
  ];

  it('are what was added behind a position, up to the limit, or nothing when some of it is not there', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat({ max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (first, n, after, limit) => {
          const recent = recentEvents();
          const rows = Array.from({ length: n }, (_, i) => row(first + i));
          rows.forEach((r) => recent.add(r));
          const last = first + n - 1;
          const read = recent.read(after, limit, null);
          if (after + 1 < first || after >= last) return expect(read).toBeNull();
          const expected = rows.filter((r) => r[0] > after).slice(0, limit);
          expect(read).toEqual({
            events: expected.map(eventOf),
            position: Math.min(after + limit, last),
            caughtUp: after + limit >= last,
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are those of the categories asked for, with the position of all', () => {
    const recent = recentEvents();
    ['run-1_1', 'agent-1_1', 'run-1_2'].forEach((stream, i) => recent.add(row(i + 1, stream)));
    expect(recent.read(0, 10, new Set(['agent']))).toMatchObject({
      events: [{ position: positionOf(2) }],
      position: 3,
    });
    expect(recent.read(0, 1, new Set(['agent']))).toEqual({ events: [], position: 1, caughtUp: false });
  });

  it('begin anew behind a gap: what is missing must be read from the file', () => {
    const recent = recentEvents();
    [1, 2, 5, 6].forEach((position) => recent.add(row(position)));
    expect(recent.read(1, 10, null)).toBeNull();
    expect(recent.read(4, 10, null)?.events.map((e) => e.position)).toEqual([5, 6].map(positionOf));
    expect(recent.head()).toBe(6);
  });

  it('take a bounded part of the memory, the newest', () => {
    const recent = recentEvents();
    for (let i = 1; i <= 100; i++) recent.add(row(i, 'contacts-1_1', 500_000));
    expect(recent.read(50, 10, null)).toBeNull();
    expect(recent.read(90, 100, null)?.events).toHaveLength(10);
    expect(recent.read(99, 100, null)?.events).toHaveLength(1);
  });

  it('let go of what is dropped, however large and few they are', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const recent = recentEvents();
    const seen: WeakRef<object>[] = [];
    for (let i = 1; i <= 100; i++) {
      recent.add(row(i, 'contacts-1_1', 200_000));
      seen.push(new WeakRef(recent.read(i - 1, 1, null)?.events[0] as object));
    }
    // What a weak reference was made of lives until the turn is over.
    await new Promise((next) => setImmediate(next));
    collect();
    // 20 million units went through it; the newest 8 Mi of them are held.
    const held = seen.map((ref) => ref.deref() !== undefined);
    expect([held.slice(0, 50).includes(true), held.slice(-40).includes(false)]).toEqual([false, false]);
  });

  it('are one object for all who read them', () => {
    const recent = recentEvents();
    recent.add(row(1));
    expect(recent.read(0, 1, null)?.events[0]).toBe(recent.read(0, 9, null)?.events[0]);
  });
});
