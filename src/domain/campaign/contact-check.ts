/** The check of a whole contact list at creation: every fault of every row, reported together. */
import { left, right, type Either } from 'fp-ts/Either';
import type { Failure } from '../../core/failure';
import { contactFaults } from './contact-faults';
import {
  columnsAt,
  contactReader,
  GREETING_RECORDING,
  greetingOf,
  isBlank,
  isHeaderFault,
  isOversized,
  measureUnder,
  numberFault,
  OVERSIZED,
  PHONE,
  readHeader,
  type Columns,
} from './contacts';
import { numberSet } from './number-set';

export interface ContactRules {
  /** Whether the carrier takes E.164 numbers only. */
  readonly e164Only: boolean;
  /** Template variables that every contact must supply; matched to columns whatever the case. */
  readonly required: readonly string[];
  /** Whether the organization has a recording of this public id. */
  readonly recordingExists: (id: string) => boolean;
}

export interface ContactList {
  /** Contacts: rows that are not blank. */
  readonly rows: number;
  /** Lower-cased, in the file's order. */
  readonly columns: readonly string[];
}

/** Told of every row of a list in order, then asked for the verdict. */
export interface ContactCheck {
  /** `number` counts records from 1, blank ones included. */
  row(cells: readonly string[], number: number): void;
  /** A fault that makes reading on pointless. */
  fatal(): Failure | null;
  verdict(): Either<Failure, ContactList>;
}

type RowCheck = (cells: readonly string[], row: number) => void;

const rowCheck = (columns: Columns, rules: ContactRules, faults: ReturnType<typeof contactFaults>): RowCheck => {
  const seen = numberSet();
  const read = contactReader(columns);
  const measure = measureUnder(columns);
  const audio = columns.at.has(GREETING_RECORDING);
  const required = rules.required.flatMap((name) => {
    const at = columns.at.get(name.trim().toLowerCase());
    return at === undefined || at === columns.phone ? [] : [{ name, at }];
  });

  const checkNumber = (number: string, row: number): void => {
    if (number === '') {
      const message = 'Phone number is missing';
      return faults.add({ row, column: PHONE, message }, message, (rows) => `Phone number missing in rows: ${rows}.`);
    }
    const reason = numberFault(number, rules.e164Only);
    if (reason !== null)
      return faults.add(
        { row, column: PHONE, message: `Phone number ${reason}` },
        reason,
        (rows) => `Invalid phone numbers in rows: ${rows}. Every phone number ${reason}.`,
      );
    const first = seen.firstSeen(number, row);
    if (first !== null)
      faults.add(
        { row, column: PHONE, message: `Phone number is the same as in row ${first}` },
        'duplicate',
        (rows) => `Duplicate phone numbers found in rows: ${rows}. Phone numbers in a campaign must be unique.`,
      );
  };

  const checkGreeting = (cells: readonly string[], row: number): void => {
    const greeting = greetingOf(columns, cells);
    if (greeting?.type !== 'audio' || rules.recordingExists(greeting.recording_id)) return;
    faults.add(
      { row, column: GREETING_RECORDING, message: 'There is no recording of this id' },
      GREETING_RECORDING,
      (rows) => `Unknown greeting recordings in rows: ${rows}. Upload the recordings first.`,
    );
  };

  return (cells, row) => {
    checkNumber((cells[columns.phone] ?? '').trim(), row);
    for (const { name, at } of required)
      if ((cells[at] ?? '').trim() === '')
        faults.add(
          { row, column: name, message: `Template variable '${name}' is empty` },
          `variable ${name}`,
          (rows) =>
            `Template variable '${name}' is empty in rows: ${rows}. All template variables used in the workflow must have values in every row.`,
        );
    if (audio) checkGreeting(cells, row);
    if (isOversized(measure(cells), () => read(cells)))
      faults.add(
        { row, column: null, message: `The row ${OVERSIZED}` },
        'size',
        (rows) => `Too large rows: ${rows}. A row ${OVERSIZED}.`,
      );
  };
};

const missingColumns = (cells: readonly string[], required: readonly string[]): readonly string[] => {
  const there = columnsAt(cells);
  return [...new Set(required)].filter((name) => !there.has(name.trim().toLowerCase())).sort();
};

const EMPTY = 'CSV file must have a header row and at least one data row';

export const contactCheck = (rules: ContactRules): ContactCheck => {
  const faults = contactFaults();
  let columns: Columns | null = null;
  let check: RowCheck = () => undefined;
  let fatal: Failure | null = null;
  let rows = 0;

  const header = (cells: readonly string[], row: number): void => {
    const read = readHeader(cells);
    if (isHeaderFault(read)) faults.addToList([{ row, column: read.column, message: read.reason }], read.reason);
    const missing = missingColumns(cells, rules.required);
    if (missing.length > 0)
      faults.addToList(
        missing.map((name) => ({
          row,
          column: name,
          message: `There is no column for the template variable '${name}'`,
        })),
        `Workflow uses template variables that are missing from the source data: ${missing.map((n) => `'${n}'`).join(', ')}. ` +
          'Add the missing columns or remove them from the workflow.',
      );
    if (isHeaderFault(read)) {
      fatal = faults.failure();
      return;
    }
    columns = read;
    check = rowCheck(read, rules, faults);
  };

  return {
    row: (cells, number) => {
      if (isBlank(cells)) return;
      if (columns === null) return header(cells, number);
      rows += 1;
      check(cells, number);
    },
    fatal: () => fatal,
    verdict: () => {
      if (fatal !== null) return left(fatal);
      if (rows === 0) faults.addToList([{ row: null, column: null, message: EMPTY }], EMPTY);
      return columns === null || faults.count() > 0 ? left(faults.failure()) : right({ rows, columns: columns.names });
    },
  };
};
