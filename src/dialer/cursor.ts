/** Which contacts of a list were taken: the lowest one not taken, and the set taken above it. Contacts taken in order cost nothing. */
export interface Cursor {
  lowest: number;
  readonly above: Set<number>;
}

export const newCursor = (lowest = 0, above: Iterable<number> = []): Cursor => ({ lowest, above: new Set(above) });

export const isTaken = (cursor: Cursor, row: number): boolean => row < cursor.lowest || cursor.above.has(row);

/** Takes a contact; false when it was taken already. */
export const take = (cursor: Cursor, row: number): boolean => {
  if (isTaken(cursor, row)) return false;
  if (row !== cursor.lowest) {
    cursor.above.add(row);
    return true;
  }
  cursor.lowest += 1;
  while (cursor.above.delete(cursor.lowest)) cursor.lowest += 1;
  return true;
};

/** Contacts not taken, in order, below `end`. */
export function* untaken(cursor: Cursor, end: number): Generator<number> {
  for (let row = cursor.lowest; row < end; row++) if (!cursor.above.has(row)) yield row;
}
