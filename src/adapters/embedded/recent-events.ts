/**
 * The newest events of the ledger as this process appended them, so that live consumers, however many, cost no read of the file and one
 * parse together.
 */
import type { RecordedEvent } from '../../core/event';
import { categoryOf, type StreamCategory } from '../../core/ids';
import { eventOf, type EventRow } from './event-row';

/** Texts kept, in UTF-16 units: 8 Mi hold some ten thousand usual events. */
const MAX_UNITS = 8 * 1024 * 1024;

interface Entry {
  readonly row: EventRow;
  readonly category: StreamCategory;
  event: RecordedEvent | null;
}

export interface RecentEvents {
  /** Rows in order of position, each one behind the last of before. Any other makes it begin anew. */
  add(row: EventRow): void;
  /** Up to `limit` events behind `after`, those that pass; null when some of them are not in memory, or none is known: the file knows better. */
  read(
    after: number,
    limit: number,
    categories: ReadonlySet<StreamCategory> | null,
  ): { readonly events: readonly RecordedEvent[]; readonly position: number; readonly caughtUp: boolean } | null;
  /** Position of the newest event; 0: none. */
  head(): number;
}

const unitsOf = (row: EventRow): number => 200 + row[5].length + row[6].length;

export const recentEvents = (): RecentEvents => {
  /** null: dropped. */
  let entries: (Entry | null)[] = [];
  /** Entries before this one are dropped; the array is cut when half of it is. */
  let begin = 0;
  let units = 0;
  let newest = 0;

  const trim = (): void => {
    while (units > MAX_UNITS && begin < entries.length) {
      units -= unitsOf((entries[begin] as Entry).row);
      entries[begin++] = null;
    }
    if (begin > 1000 && begin > entries.length / 2) {
      entries = entries.slice(begin);
      begin = 0;
    }
  };

  return {
    add: (row) => {
      const position = row[0];
      if (position !== newest + 1) {
        entries = [];
        begin = 0;
        units = 0;
      }
      newest = position;
      entries.push({ row, category: categoryOf(row[1]), event: null });
      units += unitsOf(row);
      trim();
    },
    read: (after, limit, categories) => {
      const oldest = newest - (entries.length - begin) + 1;
      if (after >= newest || after + 1 < oldest) return null;
      const from = begin + (after + 1 - oldest);
      const to = Math.min(entries.length, from + limit);
      const events: RecordedEvent[] = [];
      for (let i = from; i < to; i++) {
        const entry = entries[i] as Entry;
        if (categories === null || categories.has(entry.category)) events.push((entry.event ??= eventOf(entry.row)));
      }
      return { events, position: after + (to - from), caughtUp: to === entries.length };
    },
    head: () => newest,
  };
};
