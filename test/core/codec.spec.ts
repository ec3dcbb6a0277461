import fc from 'fast-check';
import { isLeft, isRight } from 'fp-ts/Either';
import {
  boolean,
  booleanText,
  decode,
  freeObject,
  integer,
  integerText,
  list,
  literal,
  mapped,
  nullable,
  object,
  optional,
  required,
  sparseObject,
  text,
  withDefault,
  type AnyCodec,
  type Codec,
} from '../../src/core/codec';

const decoded = <A>(codec: Codec<A>, value: unknown): A => {
  const answer = decode(codec, value, []);
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
};
const refuses = (codec: AnyCodec, value: unknown): boolean => isLeft(decode(codec, value, []));

describe('an object', () => {
  const codec = object('O', {
    name: required(text()),
    count: withDefault(integer(), 7),
    label: optional(nullable(text())),
  });

  test('fills in defaults, ignores unknown fields, and tells null from left out', () => {
    expect(decoded(codec, { name: 'a', extra: 1 })).toEqual({ name: 'a', count: 7, label: undefined });
    expect(decoded(codec, { name: 'a', count: 1, label: null })).toEqual({ name: 'a', count: 1, label: null });
  });

  test('does not find fields on the prototype', () => {
    const sneaky = JSON.parse('{"__proto__": {"name": "a"}}') as unknown;
    expect(refuses(codec, sneaky)).toBe(true);
    expect(refuses(object('T', { toString: required(text()) }), {})).toBe(true);
  });

  test('documents what is required and what is the default', () => {
    expect(codec.schema).toMatchObject({
      type: 'object',
      required: ['name'],
      properties: { count: { type: 'integer', default: 7 }, label: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    });
  });
});

test('a sparse object is kept as it was sent, and its known fields are checked', () => {
  const codec = sparseObject('S', { volume: integer({ le: 10 }) });
  expect(decoded(codec, { volume: 3, other: { deep: true } })).toEqual({ volume: 3, other: { deep: true } });
  expect(decoded(codec, {})).toEqual({});
  expect(refuses(codec, { volume: 11 })).toBe(true);
});

test('1.0 is the integer 1, and what JavaScript cannot hold exactly is refused', () => {
  expect(decoded(integer(), JSON.parse('1.0'))).toBe(1);
  expect(refuses(integer(), 2 ** 53)).toBe(true);
  expect(refuses(integerText(), '9007199254740993')).toBe(true);
  expect(decoded(integerText(), '-12')).toBe(-12);
});

test('lengths count characters, not the halves that JavaScript stores them in', () => {
  const emoji = '😀';
  expect(decoded(text({ max: 5 }), emoji.repeat(5))).toBe(emoji.repeat(5));
  expect(refuses(text({ max: 5 }), emoji.repeat(6))).toBe(true);
  expect(decoded(text({ max: 1000 }), emoji.repeat(1000))).toBe(emoji.repeat(1000));
  expect(refuses(text({ max: 1000 }), emoji.repeat(1001))).toBe(true);
});

test('text that is no Unicode is refused and not repeated', () => {
  const answer = decode(
    object('O', { a: required(text()), b: required(freeObject) }),
    { a: '\ud800', b: { c: '\ud800' } },
    [],
  );
  if (isRight(answer)) throw new Error('accepted');
  expect(answer.left.map((f) => [f.type, f.input])).toEqual([
    ['string_unicode', ''],
    ['string_unicode', {}],
  ]);
});

test('what looks sealed is refused wherever it is: clients cannot seal', () => {
  const forged = { $sealed: 'x', key: 'org/1/1', field: 'f' };
  expect(refuses(freeObject, forged)).toBe(true);
  expect(refuses(freeObject, { deep: [{ er: forged }] })).toBe(true);
  expect(refuses(sparseObject('S', {}), { a: forged })).toBe(true);
  expect(refuses(freeObject, { $sealed: 1, key: 'x' })).toBe(false);
});

test('an object nested deeper than 100 levels is refused', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  expect(refuses(freeObject, nested(100))).toBe(false);
  expect(refuses(freeObject, nested(102))).toBe(true);
});

test('query truth values are read from the usual words', () => {
  expect(['true', '1', 'YES', 'on'].map((w) => decoded(booleanText, w))).toEqual([true, true, true, true]);
  expect(['false', '0', 'No', 'off'].map((w) => decoded(booleanText, w))).toEqual([false, false, false, false]);
});

test('constants and mapped values come out as they should', () => {
  expect(decoded(literal('ari'), 'ari')).toBe('ari');
  expect(
    decoded(
      mapped(text(), (s) => s.length),
      'abc',
    ),
  ).toBe(3);
});

test('decoding never throws, whatever is sent, and every fault has a place, a type and a text', () => {
  const codec = object('Any', {
    a: required(text({ min: 1, max: 3, pattern: '^x' })),
    b: withDefault(integer({ ge: 1 }), 1),
    c: required(list(nullable(boolean), { min: 1, max: 2 })),
    d: optional(freeObject),
  });
  const around = fc.oneof(
    fc.anything(),
    fc.record({ a: fc.anything(), b: fc.anything(), c: fc.anything(), d: fc.anything() }),
  );
  let faulty = 0;
  fc.assert(
    fc.property(around, (value) => {
      const answer = decode(codec, value, ['body']);
      if (isRight(answer)) return;
      faulty++;
      expect(answer.left.length).toBeGreaterThan(0);
      for (const fault of answer.left) {
        expect(fault.loc[0]).toBe('body');
        expect(fault.type).not.toBe('');
        expect(fault.msg).not.toBe('');
      }
    }),
  );
  expect(faulty).toBeGreaterThan(0);
});
