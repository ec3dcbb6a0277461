/**
 * Contacts that wait to be dialed again, ordered by due time, then by their place in the list: a binary heap in one flat array, 32 bytes each,
 * so that hundreds of thousands of retries cost little memory and a snapshot is one copy.
 */
import type { RetryReason } from '../domain/run/events';

/** A contact that waits. `due` epoch ms (0: at once, given back); `attempt` is the number of its last attempt. */
export interface Waiting {
  readonly due: number;
  readonly row: number;
  readonly attempt: number;
  readonly retry: number;
  readonly reason: RetryReason | null;
}

const STRIDE = 4;
const REASONS: readonly (RetryReason | null)[] = [null, 'busy', 'no_answer', 'voicemail'];

export interface WaitingHeap {
  data: Float64Array;
  size: number;
}

export const emptyHeap = (): WaitingHeap => ({ data: new Float64Array(STRIDE * 4), size: 0 });

const at = (heap: WaitingHeap, i: number, field: number): number => heap.data[i * STRIDE + field] as number;

const before = (heap: WaitingHeap, a: number, b: number): boolean => {
  const difference = at(heap, a, 0) - at(heap, b, 0);
  return difference === 0 ? at(heap, a, 1) < at(heap, b, 1) : difference < 0;
};

const swap = (heap: WaitingHeap, a: number, b: number): void => {
  for (let field = 0; field < STRIDE; field++) {
    const kept = at(heap, a, field);
    heap.data[a * STRIDE + field] = at(heap, b, field);
    heap.data[b * STRIDE + field] = kept;
  }
};

const rise = (heap: WaitingHeap, from: number): void => {
  for (let i = from; i > 0;) {
    const parent = (i - 1) >> 1;
    if (!before(heap, i, parent)) return;
    swap(heap, i, parent);
    i = parent;
  }
};

const sink = (heap: WaitingHeap, from: number): void => {
  for (let i = from; ;) {
    const left = 2 * i + 1;
    const right = left + 1;
    let least = i;
    if (left < heap.size && before(heap, left, least)) least = left;
    if (right < heap.size && before(heap, right, least)) least = right;
    if (least === i) return;
    swap(heap, i, least);
    i = least;
  }
};

export const push = (heap: WaitingHeap, w: Waiting): void => {
  if ((heap.size + 1) * STRIDE > heap.data.length) {
    const grown = new Float64Array(heap.data.length * 2);
    grown.set(heap.data);
    heap.data = grown;
  }
  heap.data.set([w.due, w.row, w.attempt, w.retry * 4 + REASONS.indexOf(w.reason)], heap.size * STRIDE);
  heap.size += 1;
  rise(heap, heap.size - 1);
};

const read = (heap: WaitingHeap, i: number): Waiting => {
  const packed = at(heap, i, 3);
  return {
    due: at(heap, i, 0),
    row: at(heap, i, 1),
    attempt: at(heap, i, 2),
    retry: Math.floor(packed / 4),
    reason: REASONS[packed % 4] ?? null,
  };
};

/** Removes the entry of a contact; null when it does not wait. Looks from the top, where the entries that are claimed lie. */
export const removeRow = (heap: WaitingHeap, row: number): Waiting | null => {
  for (let i = 0; i < heap.size; i++) {
    if (at(heap, i, 1) !== row) continue;
    const found = read(heap, i);
    heap.size -= 1;
    if (i < heap.size) {
      heap.data.copyWithin(i * STRIDE, heap.size * STRIDE, (heap.size + 1) * STRIDE);
      sink(heap, i);
      rise(heap, i);
    }
    // A heap that shrank to a quarter gives its memory back.
    if (heap.data.length > 64 * STRIDE && heap.size * STRIDE * 4 < heap.data.length)
      heap.data = heap.data.slice(0, heap.data.length / 2);
    return found;
  }
  return null;
};

/** The entries in order, without changing the heap: O(log n) for each that is taken (a frontier of candidates). */
export function* inOrder(heap: WaitingHeap): Generator<Waiting> {
  const frontier: number[] = heap.size > 0 ? [0] : [];
  while (frontier.length > 0) {
    let least = 0;
    for (let i = 1; i < frontier.length; i++)
      if (before(heap, frontier[i] as number, frontier[least] as number)) least = i;
    const index = frontier[least] as number;
    frontier[least] = frontier[frontier.length - 1] as number;
    frontier.pop();
    for (const child of [2 * index + 1, 2 * index + 2]) if (child < heap.size) frontier.push(child);
    yield read(heap, index);
  }
}

/** The heap as base64 of its numbers, and back. */
export const packHeap = (heap: WaitingHeap): string => {
  const copy = heap.data.slice(0, heap.size * STRIDE);
  return Buffer.from(copy.buffer).toString('base64');
};
export const unpackHeap = (packed: string): WaitingHeap => {
  const bytes = Buffer.from(packed, 'base64');
  const data = new Float64Array(Math.max(STRIDE * 4, bytes.length / 8));
  new Uint8Array(data.buffer).set(bytes);
  return { data, size: bytes.length / (8 * STRIDE) };
};
