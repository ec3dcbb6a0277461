import fc from 'fast-check';
import { isTaken, newCursor, take, untaken } from '../../src/dialer/cursor';
import { emptyHeap, inOrder, packHeap, push, removeRow, unpackHeap, type Waiting } from '../../src/dialer/heap';
import { batchOf } from '../../src/dialer/contacts';

const waiting = fc.record({
  due: fc.integer({ min: 0, max: 50 }),
  row: fc.integer({ min: 0, max: 1_000_000 }),
  attempt: fc.integer({ min: 1, max: 5000 }),
  retry: fc.integer({ min: 0, max: 10 }),
  reason: fc.constantFrom('busy' as const, 'no_answer' as const, 'voicemail' as const, null),
});
const distinctRows = fc.uniqueArray(waiting, { selector: (w) => w.row, maxLength: 200 });
const inDue = (a: Waiting, b: Waiting): number => a.due - b.due || a.row - b.row;
const heapOf = (all: readonly Waiting[]) => {
  const heap = emptyHeap();
  for (const w of all) push(heap, w);
  return heap;
};

describe('contacts that wait', () => {
  it('come in order of due time, then of the list, and stay', () => {
    fc.assert(
      fc.property(distinctRows, (all) => {
        const heap = heapOf(all);
        expect([...inOrder(heap)]).toEqual([...all].sort(inDue));
        expect(heap.size).toBe(all.length);
      }),
    );
  });
  it('are taken out one by one, wherever they are', () => {
    fc.assert(
      fc.property(distinctRows, fc.array(fc.nat(1_000_000)), (all, others) => {
        const heap = heapOf(all);
        const left = new Map(all.map((w) => [w.row, w]));
        for (const row of [...others, ...all.filter((_, i) => i % 3 === 0).map((w) => w.row)]) {
          expect(removeRow(heap, row)).toEqual(left.get(row) ?? null);
          left.delete(row);
        }
        expect([...inOrder(heap)]).toEqual([...left.values()].sort(inDue));
      }),
    );
  });
  it('survive being packed', () => {
    fc.assert(
      fc.property(distinctRows, (all) => {
        const heap = unpackHeap(packHeap(heapOf(all)));
        expect([...inOrder(heap)]).toEqual([...all].sort(inDue));
        push(heap, { due: 51, row: 2_000_000, attempt: 1, retry: 0, reason: null });
        expect(heap.size).toBe(all.length + 1);
      }),
    );
  });
  it('cost 32 bytes each', () => {
    const heap = emptyHeap();
    for (let row = 0; row < 100_000; row++) push(heap, { due: row % 97, row, attempt: 1, retry: 1, reason: 'busy' });
    expect(heap.data.byteLength).toBeLessThanOrEqual(100_000 * 32 * 2);
    for (let row = 0; row < 99_990; row++) removeRow(heap, [...firstOf(heap)][0]?.row ?? -1);
    expect(heap.size).toBe(10);
    expect(heap.data.byteLength).toBeLessThan(100_000);
  });
});
function* firstOf(heap: ReturnType<typeof emptyHeap>): Generator<Waiting> {
  for (const w of inOrder(heap)) {
    yield w;
    return;
  }
}

describe('the cursor over fresh contacts', () => {
  it('knows exactly who was taken, and forgets whoever lies below the lowest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 })), (rows) => {
        const cursor = newCursor();
        const taken = new Set<number>();
        for (const row of rows) {
          expect(take(cursor, row)).toBe(!taken.has(row));
          taken.add(row);
        }
        for (let row = 0; row <= 61; row++) expect(isTaken(cursor, row)).toBe(taken.has(row));
        expect([...untaken(cursor, 62)]).toEqual(Array.from({ length: 62 }, (_, i) => i).filter((i) => !taken.has(i)));
        expect(taken.has(cursor.lowest)).toBe(false);
        for (const row of cursor.above) expect(row).toBeGreaterThan(cursor.lowest);
      }),
    );
  });
  it('takes a million in order without memory', () => {
    const cursor = newCursor();
    for (let row = 0; row < 1_000_000; row++) take(cursor, row);
    expect([cursor.lowest, cursor.above.size]).toEqual([1_000_000, 0]);
  });
});

it('finds the batch that a row is in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (sizes, pick) => {
        const begins = sizes.map((_, i) => sizes.slice(0, i).reduce((a, b) => a + b, 0));
        const total = sizes.reduce((a, b) => a + b, 0);
        const row = pick % total;
        const batch = batchOf(begins, row);
        expect(begins[batch]).toBeLessThanOrEqual(row);
        expect((begins[batch] ?? 0) + (sizes[batch] ?? 0)).toBeGreaterThan(row);
      },
    ),
  );
});
