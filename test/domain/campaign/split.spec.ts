import fc from 'fast-check';
import type { TrafficSplit } from '../../../src/domain/campaign/events';
import {
  bucket,
  chooseVariant,
  plainVariant,
  primaryAgent,
  reviseSplit,
  variantId,
  type RequestedVariant,
} from '../../../src/domain/campaign/traffic-split';

const wanted = (
  workflow_id: number,
  weight: number,
  workflow_definition_id: number | null = null,
): RequestedVariant => ({
  workflow_id,
  workflow_definition_id,
  weight,
});
const seed = (text: string) => () => text;
const unasked = () => {
  throw new Error('a seed was asked for');
};
const first = (requested: readonly RequestedVariant[], s = 'first'): TrafficSplit =>
  reviseSplit(null, requested, seed(s)).split;

it.each([
  ['first', '+15550000001', 4711],
  ['first', '+15550000002', 454],
  ['first', '+14155550100', 1627],
  ['first', '+919876543210', 904],
  ['first', 'sip:1001@pbx.local', 3407],
  ['second', '+15550000002', 8722],
  ['second', '1001', 1045],
  ['9f3a1c', '+919876543210', 45],
  ['', '+15550000001', 279],
  ['0'.repeat(32), '+15550000001', 3203],
])('seed %j puts %s into bucket %i', (s, phone, expected) => expect(bucket(s, phone)).toBe(expected));

describe('the variant of a number', () => {
  it('is the first whose cumulative weight exceeds its bucket', () => {
    expect(chooseVariant(first([wanted(1, 50), wanted(2, 50)]), '+15550000001').workflow_id).toBe(1);
    expect(chooseVariant(first([wanted(1, 40), wanted(2, 60)]), '+15550000001').workflow_id).toBe(2);
  });
  it('ignores whitespace around the number', () =>
    expect(bucket('first', '  +15550000001\t')).toBe(bucket('first', '+15550000001')));
  it('of a plain campaign is its agent, latest', () =>
    expect(plainVariant(7)).toEqual({ id: '7:latest', workflow_id: 7, workflow_definition_id: null, weight: 100 }));
  it('has an id of agent and version', () => {
    expect(variantId(999, 77)).toBe('999:77');
    expect(variantId(999, null)).toBe('999:latest');
  });
  it('does not exist when the weights do not total 100', () =>
    expect(() =>
      chooseVariant(
        { seed: 'first', revision: 1, variants: [plainVariant(1)].map((v) => ({ ...v, weight: 40 })) },
        '+15550000001',
      ),
    ).toThrow(/total 40/));
});

describe('a revision', () => {
  const five = [1, 2, 3, 4, 5].map((id) => wanted(id, 20));
  it('of a new split is 1', () => {
    const { split, changed } = reviseSplit(null, [wanted(1, 60), wanted(2, 40, 8)], seed('s'));
    expect(changed).toBe(true);
    expect(split).toEqual({
      seed: 's',
      revision: 1,
      variants: [
        { id: '1:latest', workflow_id: 1, workflow_definition_id: null, weight: 60 },
        { id: '2:8', workflow_id: 2, workflow_definition_id: 8, weight: 40 },
      ],
    });
  });
  it('does not come of an identical or a reordered request', () => {
    const split = first(five);
    expect(reviseSplit(split, five, unasked)).toEqual({ split, changed: false });
    expect(reviseSplit(split, [...five].reverse(), unasked)).toEqual({ split, changed: false });
  });
  it('comes of new weights, with the seed kept', () => {
    const { split, changed } = reviseSplit(
      first([wanted(1, 20), wanted(2, 80)]),
      [wanted(1, 60), wanted(2, 40)],
      unasked,
    );
    expect(changed).toBe(true);
    expect(split).toMatchObject({ seed: 'first', revision: 2, variants: [{ weight: 60 }, { weight: 40 }] });
  });
  it('keeps the order of the variants that stay and appends new ones', () => {
    const { split } = reviseSplit(
      first([wanted(1, 30), wanted(2, 30), wanted(3, 40)]),
      [wanted(4, 10), wanted(3, 50), wanted(1, 40)],
      unasked,
    );
    expect(split.variants.map(({ id }) => id)).toEqual(['1:latest', '3:latest', '4:latest']);
  });
  it('puts a variant that comes back at the end', () => {
    const without = reviseSplit(first([wanted(1, 50), wanted(2, 50)]), [wanted(2, 100)], unasked).split;
    const back = reviseSplit(without, [wanted(1, 50), wanted(2, 50)], unasked).split;
    expect(back.variants.map(({ id }) => id)).toEqual(['2:latest', '1:latest']);
    expect(back.revision).toBe(3);
  });
  it('tells a pinned version from the latest', () =>
    expect(reviseSplit(first([wanted(1, 100)]), [wanted(1, 100, 9)], unasked).changed).toBe(true));
});

it('the primary agent is the heaviest, the first among equals', () => {
  expect(primaryAgent(first([wanted(1, 34), wanted(2, 33), wanted(3, 33)]).variants)).toBe(1);
  expect(primaryAgent(first([wanted(1, 20), wanted(2, 80)]).variants)).toBe(2);
  expect(primaryAgent(first([wanted(1, 50), wanted(2, 50)]).variants)).toBe(1);
});

const weights = fc
  .array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })
  .map((parts) => {
    const total = parts.reduce((a, b) => a + b, 0);
    const scaled = parts.map((p) => Math.max(1, Math.floor((p * 100) / total)));
    scaled[0] = (scaled[0] as number) + 100 - scaled.reduce((a, b) => a + b, 0);
    return scaled;
  })
  .filter((parts) => parts.every((p) => p >= 1));

it('reordering a request never moves a number', () => {
  fc.assert(
    fc.property(weights, fc.string({ maxLength: 32 }), fc.integer({ min: 0 }), (parts, s, n) => {
      const requested = parts.map((weight, i) => wanted(i + 1, weight));
      const split = first(requested, s);
      const reordered = reviseSplit(split, [...requested].reverse(), unasked).split;
      const phone = `+1${n}`;
      expect(chooseVariant(reordered, phone)).toEqual(chooseVariant(split, phone));
    }),
    { numRuns: 200 },
  );
});

it('shares are near the weights', () => {
  fc.assert(
    fc.property(weights, fc.integer({ min: 0, max: 1e9 }), (parts, salt) => {
      const split = first(
        parts.map((weight, i) => wanted(i + 1, weight)),
        `seed-${salt}`,
      );
      const N = 4000;
      const counts = new Map<number, number>();
      for (let i = 0; i < N; i++) {
        const { workflow_id } = chooseVariant(split, `+1555${1_000_000 + i}`);
        counts.set(workflow_id, (counts.get(workflow_id) ?? 0) + 1);
      }
      for (const { workflow_id, weight } of split.variants) {
        const share = (counts.get(workflow_id) ?? 0) / N;
        const p = weight / 100;
        // Six standard deviations of a binomial share: false alarms are out of the question.
        expect(Math.abs(share - p)).toBeLessThanOrEqual(6 * Math.sqrt((p * (1 - p)) / N) + 1 / N);
      }
    }),
    { numRuns: 12 },
  );
});
