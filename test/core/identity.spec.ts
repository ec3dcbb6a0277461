import fc from 'fast-check';
import {
  agentStream,
  apiKeysStream,
  campaignStream,
  categoryOf,
  contactsStream,
  dialingStream,
  entityOf,
  organizationOf,
  organizationStream,
  PARTITIONS,
  partitionOf,
  requestStream,
  runStream,
  sequenceStream,
  telephonyStream,
} from '../../src/core/ids';
import { laterOf, offsetOf, parsePosition, positionOf, START } from '../../src/core/position';
import { maskAll, maskText } from '../../src/core/mask';
import { sameJson } from '../../src/core/same-json';

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('stream names', () => {
  test('give back the organization, the thing and its category', () => {
    fc.assert(
      fc.property(id, id, (org, entity) => {
        for (const stream of [agentStream, campaignStream, contactsStream, runStream]) {
          expect(organizationOf(stream(org, entity))).toBe(org);
          expect(entityOf(stream(org, entity))).toBe(entity);
        }
        for (const stream of [organizationStream, apiKeysStream, telephonyStream, dialingStream])
          expect(organizationOf(stream(org))).toBe(org);
      }),
    );
    expect(categoryOf(runStream(7, 12))).toBe('run');
    expect(categoryOf(apiKeysStream(7))).toBe('apiKeys');
    expect(organizationOf(requestStream(7, 'ab12'))).toBe(7);
  });

  test('of sequences belong to no organization', () => {
    expect(organizationOf(sequenceStream('run'))).toBeNull();
    expect(entityOf(sequenceStream('run'))).toBeNaN();
  });
});

test('organizations spread evenly over all partitions', () => {
  const counts = new Array<number>(PARTITIONS).fill(0);
  for (let org = 1; org <= 6400; org++) counts[partitionOf(org)] = (counts[partitionOf(org)] ?? 0) + 1;
  expect(Math.min(...counts)).toBeGreaterThan(80);
  expect(Math.max(...counts)).toBeLessThan(120);
});

describe('positions', () => {
  test('sort as text the way they sort as numbers, and give the number back', () => {
    const offset = fc.bigInt({ min: 0n, max: 10n ** 20n - 1n });
    fc.assert(
      fc.property(offset, offset, (a, b) => {
        expect(positionOf(a) < positionOf(b)).toBe(a < b);
        expect(offsetOf(positionOf(a))).toBe(a);
        expect(laterOf(positionOf(a), positionOf(b))).toBe(positionOf(a > b ? a : b));
        expect(parsePosition(positionOf(a))).toBe(positionOf(a));
      }),
    );
  });

  test('are told from other text', () => {
    expect(parsePosition(START)).toBe(START);
    expect(['', '1', '0000000000000000000x', `${START}0`].map(parsePosition)).toEqual([null, null, null, null]);
  });
});

describe('a mask', () => {
  test('keeps the length and the last four characters', () => {
    expect(maskText('abcdefgh')).toBe('****efgh');
    expect(maskText('abcde')).toBe('*bcde');
    expect(['', 'a', 'abcd'].map(maskText)).toEqual(['', '*', '****']);
  });

  test('reaches every text inside a value', () => {
    expect(maskAll({ a: ['abcdef', 1, null], b: { c: 'xy' } })).toEqual({ a: ['**cdef', 1, null], b: { c: '**' } });
  });
});

test('JSON is the same whatever the order of its fields, and only then', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const copy = JSON.parse(JSON.stringify(a)) as unknown;
      expect(sameJson(a, copy)).toBe(true);
      // -0 is no JSON number of its own.
      if (!JSON.stringify([a, b]).includes('-0')) expect(sameJson(a, b)).toBe(sameJson(b, a));
    }),
  );
  expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({}, [])).toBe(false);
});
