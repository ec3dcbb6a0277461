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
  readonly rows: number[];
  count: number;
}

export interface ContactFaults {
  /** `rule` is the sentence about all faults of its kind, given the rows that it names. */
  add(fault: ContactFault & { readonly row: number }, key: string, rule: (rows: string) => string): void;
  /** A fault of the whole list. */
  addToList(faults: readonly ContactFault[], sentence: string): void;
  count(): number;
  failure(): Failure;
}

const listed = ({ rows, count }: Tally): string =>
  count > rows.length ? `${rows.join(', ')} and ${count - rows.length} more` : rows.join(', ');

export const contactFaults = (): ContactFaults => {
  const kept: ContactFault[] = [];
  const tallies = new Map<string, { readonly tally: Tally; readonly rule: (rows: string) => string }>();
  let total = 0;
  const keep = (fault: ContactFault): void => {
    total += 1;
    if (kept.length < MAX_FAULTS) kept.push(fault);
  };
  return {
    add: (fault, key, rule) => {
      keep(fault);
      const known = tallies.get(key) ?? { tally: { rows: [], count: 0 }, rule };
      known.tally.count += 1;
      if (known.tally.rows.length < MAX_ROWS) known.tally.rows.push(fault.row);
      tallies.set(key, known);
    },
    addToList: (faults, sentence) => {
      faults.forEach(keep);
      tallies.set(sentence, { tally: { rows: [], count: 0 }, rule: () => sentence });
    },
    count: () => total,
    failure: () => ({
      kind: 'rejected',
      message: [...tallies.values()]
        .map(({ tally, rule }) => rule(listed(tally)))
        .reduce((text, sentence) => `${text}${text.endsWith('.') ? '' : '.'} ${sentence}`),
      errors: kept,
      error_count: total,
    }),
  };
};
