import fc from 'fast-check';
import { e164Value, numberSet } from '../../../src/domain/campaign/number-set';

it('remembers the row in which a number was first seen, as a Map does', () => {
  const number = fc.oneof(
    fc.integer({ min: 10, max: 60 }).map((n) => `+${n}`),
    fc.bigInt({ min: 10n, max: 999_999_999_999_999n }).map((n) => `+${n}`),
    fc.integer({ min: 0, max: 30 }).map(String),
    fc.constantFrom('', 'sip:a@b', '+', '+0', '+00', '+1234567890123456', '__proto__'),
  );
  let repeats = 0;
  fc.assert(
    fc.property(fc.array(number, { maxLength: 3000, size: 'max' }), (numbers) => {
      const set = numberSet();
      const model = new Map<string, number>();
      numbers.forEach((each, row) => {
        const first = model.get(each) ?? null;
        if (set.firstSeen(each, row + 2) !== first) throw new Error(`${each} in row ${row + 2}`);
        if (first === null) model.set(each, row + 2);
        else repeats += 1;
      });
    }),
    { numRuns: 30 },
  );
  expect(repeats).toBeGreaterThan(1000);
});

it('tells the largest numbers apart', () => {
  const set = numberSet();
  expect(set.firstSeen('+999999999999999', 2)).toBeNull();
  expect(set.firstSeen('+999999999999998', 3)).toBeNull();
  expect(set.firstSeen('+999999999999999', 4)).toBe(2);
});

it('holds a hundred thousand neighbours without slowing down', () => {
  const set = numberSet();
  for (let i = 0; i < 100_000; i++) if (set.firstSeen(`+1${2_000_000_000 + i}`, i) !== null) throw new Error(`${i}`);
  expect(set.firstSeen('+12000050000', 1)).toBe(50_000);
});

it.each([
  ['+12', 12],
  ['+123456789012345', 123456789012345],
  ['+0123', NaN],
  ['+1', NaN],
  ['+1234567890123456', NaN],
  ['12345', NaN],
  ['+12a', NaN],
  ['+１２', NaN],
  ['', NaN],
])('%j is %d', (text, value) => expect(e164Value(text)).toBe(value));
