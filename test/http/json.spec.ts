import { isLeft, isRight } from 'fp-ts/Either';
import fc from 'fast-check';
import { MAX_DEPTH, MAX_VALUES, parseJson } from '../../src/http/json';

const offsetOf = (text: string): number => {
  const parsed = parseJson(text);
  if (isRight(parsed)) throw new Error(`${text} was accepted`);
  return parsed.left.offset;
};

describe('a JSON body', () => {
  it.each([
    ['{"a":x}', 5],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ["{'a':1}", 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a":1', 6],
    ['{"a":1} x', 8],
    ['"abc', 0],
    ['{"a":"\u0001"}', 5],
    ['nul', 0],
    ['01', 1],
    ['[}', 1],
    ['', 0],
  ])('%j is broken at %d', (text, offset) => {
    expect(offsetOf(text)).toBe(offset);
  });

  it('is read like JSON.parse reads it, or refused at a place inside the text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(), fc.string({ maxLength: 2 }), (json, at, noise) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + noise + json.slice(place);
        let expected: unknown;
        let broken = false;
        try {
          expected = JSON.parse(text);
        } catch {
          broken = true;
        }
        const parsed = parseJson(text);
        expect(isLeft(parsed)).toBe(broken);
        if (isLeft(parsed)) {
          expect(parsed.left.offset).toBeLessThanOrEqual(text.length);
          expect(parsed.left.message).not.toBe('Not JSON');
        } else expect(parsed.right).toEqual(expected);
      }),
    );
  });

  it('does not quote the text, which may hold a secret', () => {
    const parsed = parseJson('{"auth_token":"hunter2"x}');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });

  it('is refused when it is nested too deep, however deep that is', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(isRight(parseJson(nested(MAX_DEPTH)))).toBe(true);
    expect(offsetOf(nested(MAX_DEPTH + 200))).toBe(MAX_DEPTH);
    expect(offsetOf(nested(400_000))).toBe(MAX_DEPTH);
    // Not closed either, but nobody reads that far.
    expect(offsetOf('['.repeat(400_000))).toBe(MAX_DEPTH);
    expect(isRight(parseJson(JSON.stringify({ text: '['.repeat(1000) })))).toBe(true);
  });

  it('is refused when it has too many values, at the first of them that is one too many', () => {
    const items = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
    expect(isRight(parseJson(items(MAX_VALUES)))).toBe(true);
    expect(offsetOf(items(MAX_VALUES + 1))).toBe(items(MAX_VALUES + 1).lastIndexOf(','));
    expect(offsetOf(items(500_000))).toBe(items(MAX_VALUES + 1).lastIndexOf(','));
    expect(isRight(parseJson(JSON.stringify({ text: ',[{'.repeat(MAX_VALUES) })))).toBe(true);
    // What is broken before that is told as such.
    expect(offsetOf(`[1,,${items(500_000)}`)).toBe(3);
  });
});
