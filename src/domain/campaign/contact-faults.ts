/** The faults of a contact list: the first hundred one by one, and all of them counted by rule. */
import type { Failure } from '../../core/failure';

/** `row` counts the CSV's records, the header being 1; null: the whole list. `column` null: the whole row. */
export interface ContactFault {
  readonly row: number | null;
  readonly column: string | null;
  readonly message: string;
}

/** Faults told one by one. */
const MAX_FAULTS = 100;
/** Rows named in the text of a rule. */
const MAX_ROWS = 5;

interface Tally {
  readonly rule: (rows: string) => string;
  readonly rows: number[];
  count: number;
}

export interface ContactFaults {
  /**
   * Faults of one kind; `rule` is the sentence about all of them, given the rows that it names. Told of each row; what is wrong there is worded only
   * where it is shown, for a list may have hundreds of millions of faults.
   */
  kind(rule: (rows: string) => string): (row: number, fault: () => Omit<ContactFault, 'row'>) => void;
  /** A fault of the whole list. */
  addToList(faults: readonly ContactFault[], sentence: string): void;
  count(): number;
  failure(): Failure;
}

const listed = ({ rows, count }: Tally): string =>
  count > rows.length ? `${rows.join(', ')} and ${count - rows.length} more` : rows.join(', ');

export const contactFaults = (): ContactFaults => {
  const kept: ContactFault[] = [];
  /** In the order of their first fault. */
  const tallies: Tally[] = [];
  let total = 0;
  return {
    kind: (rule) => {
      const tally: Tally = { rule, rows: [], count: 0 };
      return (row, fault) => {
        if (tally.count === 0) tallies.push(tally);
        tally.count += 1;
        total += 1;
        if (tally.rows.length < MAX_ROWS) tally.rows.push(row);
        if (kept.length < MAX_FAULTS) kept.push({ row, ...fault() });
      };
    },
    addToList: (faults, sentence) => {
      total += faults.length;
      kept.push(...faults.slice(0, MAX_FAULTS - kept.length));
      tallies.push({ rule: () => sentence, rows: [], count: 0 });
    },
    count: () => total,
    failure: () => ({
      kind: 'rejected',
      message: tallies
        .map((tally) => tally.rule(listed(tally)))
        .reduce((text, sentence) => `${text}${text.endsWith('.') ? '' : '.'} ${sentence}`),
      errors: kept,
      error_count: total,
    }),
  };
};
