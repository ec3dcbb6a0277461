/**
 * Numbers seen so far and the row that each was first seen in: exact, and about 20 bytes for an E.164 number. These have at most 15 digits, so
 * that each is an integer that a double holds exactly; they lie in an open-addressing table (linear probing, at most half full). Anything else
 * lies in a Map.
 */

const PLUS = 43;
const ZERO = 48;

/** The digits of an E.164 number (`+`, then 2 to 15 digits, the first not 0) as an integer; NaN for any other text. */
export const e164Value = (text: string): number => {
  const { length } = text;
  if (length < 3 || length > 16 || text.charCodeAt(0) !== PLUS || text.charCodeAt(1) === ZERO) return NaN;
  let value = 0;
  for (let i = 1; i < length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return value;
};

/** Multiplicative hashing (Knuth) of both halves of the integer. */
const hash = (value: number): number => {
  const high = Math.imul(Math.floor(value / 0x1_0000_0000), 0x85ebca6b);
  const mixed = Math.imul((value >>> 0) ^ high, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};

export interface NumberSet {
  /** The row that the number was first seen in, or null when that is now. */
  firstSeen(number: string, row: number): number | null;
}

export const numberSet = (): NumberSet => {
  const others = new Map<string, number>();
  let size = 0;
  // 0 is no E.164 number: it marks a free place.
  let values = new Float64Array(1024);
  let rows = new Uint32Array(1024);

  const place = (value: number): number => {
    const mask = values.length - 1;
    let at = hash(value) & mask;
    while (values[at] !== 0 && values[at] !== value) at = (at + 1) & mask;
    return at;
  };

  const grow = (): void => {
    const [oldValues, oldRows] = [values, rows];
    values = new Float64Array(oldValues.length * 2);
    rows = new Uint32Array(oldRows.length * 2);
    oldValues.forEach((value, i) => {
      if (value === 0) return;
      const at = place(value);
      values[at] = value;
      rows[at] = oldRows[i] as number;
    });
  };

  return {
    firstSeen: (number, row) => {
      const value = e164Value(number);
      if (Number.isNaN(value)) {
        const first = others.get(number) ?? null;
        if (first === null) others.set(number, row);
        return first;
      }
      const at = place(value);
      if (values[at] === value) return rows[at] as number;
      values[at] = value;
      rows[at] = row;
      size += 1;
      if (size * 2 > values.length) grow();
      return null;
    },
  };
};
