import fc from 'fast-check';
import type { JsonObject, RecordedEvent } from '../../src/core/event';
import { positionOf } from '../../src/core/position';
import { chain, continuesChain, NO_HASH, type Provenance } from '../../src/engine/envelope';

const by: Provenance = {
  org: '7',
  actor: 'api-key:3',
  correlationId: 'correlation',
  causationId: 'causation',
  commandId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
  at: '2026-03-04T05:06:07.089Z',
};
const STREAM = 'run-7_12';
const jsonObject = fc
  .dictionary(fc.string({ unit: 'binary', maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
    noNullPrototype: true,
  })
  .map((d) => d as JsonObject);
const toSeal = fc.record({ type: fc.constantFrom('A', 'B'), data: jsonObject, schema: fc.integer({ min: 1, max: 3 }) });

/** What the ledger gives back of a chain appended to an empty stream: through JSON, as every engine stores it. */
const recorded = (events: Parameters<typeof chain>[2], stream = STREAM): RecordedEvent[] =>
  chain(stream, { revision: -1, hash: NO_HASH }, events, by).map((event, revision) => ({
    ...(JSON.parse(JSON.stringify(event)) as typeof event),
    stream,
    revision,
    position: positionOf(100 + revision),
  }));
const previousOf = (events: readonly RecordedEvent[], i: number): string => events[i - 1]?.metadata.hash ?? NO_HASH;

it('links every event to the one before it, whatever JSON its data is', () => {
  fc.assert(
    fc.property(fc.array(toSeal, { minLength: 1, maxLength: 5 }), (events) => {
      const stored = recorded(events);
      expect(stored.map((e, i) => continuesChain(previousOf(stored, i), e))).toEqual(stored.map(() => true));
      expect(stored.map((e) => e.data)).toEqual(events.map((e) => JSON.parse(JSON.stringify(e.data)) as unknown));
    }),
  );
});

it('does not mind the order of fields', () => {
  const [a] = recorded([{ type: 'A', data: { b: 1, a: { d: 2, c: 3 } }, schema: 1 }]);
  const [b] = recorded([{ type: 'A', data: { a: { c: 3, d: 2 }, b: 1 }, schema: 1 }]);
  expect(a?.metadata.hash).toBe(b?.metadata.hash);
});

it('takes a field that is undefined for one that is not there, as JSON does', () => {
  const [a] = recorded([{ type: 'A', data: { x: 1, gone: undefined }, schema: 1 }]);
  const [b] = recorded([{ type: 'A', data: { x: 1 }, schema: 1 }]);
  expect(a?.metadata.hash).toBe(b?.metadata.hash);
  expect(continuesChain(NO_HASH, a as RecordedEvent)).toBe(true);
});

/** Every way to change one thing of an event. */
const tampering: Readonly<Record<string, (e: RecordedEvent) => RecordedEvent>> = {
  stream: (e) => ({ ...e, stream: 'run-7_13' }),
  revision: (e) => ({ ...e, revision: e.revision + 1 }),
  type: (e) => ({ ...e, type: `${e.type}x` }),
  id: (e) => ({ ...e, id: e.id.replace(/^./, (c) => (c === '0' ? '1' : '0')) }),
  'a field of data': (e) => ({ ...e, data: { ...e.data, number: 43 } }),
  'a missing field of data': (e) => ({ ...e, data: {} }),
  'the type of a value': (e) => ({ ...e, data: { ...e.data, number: '42' } }),
  org: (e) => ({ ...e, metadata: { ...e.metadata, org: '8' } }),
  actor: (e) => ({ ...e, metadata: { ...e.metadata, actor: 'api-key:4' } }),
  correlation: (e) => ({ ...e, metadata: { ...e.metadata, correlation_id: 'x' } }),
  causation: (e) => ({ ...e, metadata: { ...e.metadata, causation_id: 'x' } }),
  command: (e) => ({ ...e, metadata: { ...e.metadata, command_id: '6ba7b810-9dad-41d1-80b4-00c04fd430c9' } }),
  schema: (e) => ({ ...e, metadata: { ...e.metadata, schema: 2 } }),
  time: (e) => ({ ...e, metadata: { ...e.metadata, at: '2026-03-04T05:06:07.088Z' } }),
  hash: (e) => ({
    ...e,
    metadata: { ...e.metadata, hash: e.metadata.hash.replace(/^./, (c) => (c === '0' ? '1' : '0')) },
  }),
  'a field more in metadata': (e) => ({ ...e, metadata: { ...e.metadata, extra: 1 } as RecordedEvent['metadata'] }),
};
it.each(Object.entries(tampering))('finds a changed event: %s', (_, tamper) => {
  const stored = recorded([
    { type: 'A', data: { first: true }, schema: 1 },
    { type: 'B', data: { number: 42 }, schema: 1 },
  ]);
  const event = stored[1] as RecordedEvent;
  expect(continuesChain(previousOf(stored, 1), event)).toBe(true);
  expect(continuesChain(previousOf(stored, 1), tamper(event))).toBe(false);
});

it('finds one flipped bit anywhere in what is stored of an event', () => {
  const events = recorded([{ type: 'A', data: { text: 'abc', list: [1, true, null], deep: { é: '😀' } }, schema: 1 }]);
  const text = Buffer.from(JSON.stringify(events[0]));
  const position = text.indexOf('"position"');
  let flips = 0;
  fc.assert(
    fc.property(fc.nat({ max: position - 1 }), fc.nat({ max: 7 }), (at, bit) => {
      const flipped = Buffer.from(text);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      let read: RecordedEvent;
      try {
        read = JSON.parse(flipped.toString()) as RecordedEvent;
      } catch {
        return; // it can't even be read
      }
      flips++;
      expect(continuesChain(NO_HASH, read)).toBe(false);
    }),
    { numRuns: 400 },
  );
  expect(flips).toBeGreaterThan(50);
});

it('finds an event that was left out, put in twice, or put elsewhere', () => {
  const stored = recorded([1, 2, 3].map((n) => ({ type: 'A', data: { n }, schema: 1 })));
  const [a, b, c] = stored as [RecordedEvent, RecordedEvent, RecordedEvent];
  expect(continuesChain(a.metadata.hash, c)).toBe(false);
  expect(continuesChain(b.metadata.hash, b)).toBe(false);
  expect(continuesChain(NO_HASH, b)).toBe(false);
});

it('gives the same command, data and place the same id, and any other another: a UUID of version 5', () => {
  const seal = (data: JsonObject, commandId = by.commandId, revision = -1): string =>
    chain(STREAM, { revision, hash: NO_HASH }, [{ type: 'A', data, schema: 1 }], { ...by, commandId })[0]?.id ?? '';
  const id = seal({ n: 1 });
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(seal({ n: 1 })).toBe(id);
  const others = [
    seal({ n: 2 }),
    seal({ n: 1 }, '00000000-0000-4000-8000-000000000000'),
    seal({ n: 1 }, by.commandId, 0),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});

it.each([
  ['NaN', { n: Number.NaN }],
  ['infinity', { n: Number.POSITIVE_INFINITY }],
  ['a BigInt', { n: 1n }],
])('refuses %s before it is stored', (_, data) => {
  expect(() => recorded([{ type: 'A', data, schema: 1 }])).toThrow();
});
