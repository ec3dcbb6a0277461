/** The check of a whole contact list at creation: every fault of every row, reported together. */
import { left, right, type Either } from 'fp-ts/Either';
import type { Failure } from '../../core/failure';
import { contactFaults } from './contact-faults';
import {
  columnsAt,
  GREETING_RECORDING,
  greetingOf,
  isBlank,
  isHeaderFault,
  numberFault,
  OVERSIZED,
  oversizedUnder,
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
  const isOversized = oversizedUnder(columns);
  const audio = columns.at.has(GREETING_RECORDING);
  const required = rules.required.flatMap((name) => {
    const at = columns.at.get(name.trim().toLowerCase());
    if (at === undefined || at === columns.phone) return [];
    const isEmpty = faults.kind(
      (rows) =>
        `Template variable '${name}' is empty in rows: ${rows}. All template variables used in the workflow must have values in every row.`,
    );
    return [{ name, at, isEmpty }];
  });

  const isMissing = faults.kind((rows) => `Phone number missing in rows: ${rows}.`);
  const isTwice = faults.kind(
    (rows) => `Duplicate phone numbers found in rows: ${rows}. Phone numbers in a campaign must be unique.`,
  );
  const isUnknown = faults.kind((rows) => `Unknown greeting recordings in rows: ${rows}. Upload the recordings first.`);
  const isTooLarge = faults.kind((rows) => `Too large rows: ${rows}. A row ${OVERSIZED}.`);
  const isWrong = new Map<string, ReturnType<typeof faults.kind>>();
  const wrongFor = (reason: string): ReturnType<typeof faults.kind> => {
    const known =
      isWrong.get(reason) ??
      faults.kind((rows) => `Invalid phone numbers in rows: ${rows}. Every phone number ${reason}.`);
    isWrong.set(reason, known);
    return known;
  };

  const checkNumber = (number: string, row: number): void => {
    if (number === '') return isMissing(row, () => ({ column: PHONE, message: 'Phone number is missing' }));
    const reason = numberFault(number, rules.e164Only);
    if (reason !== null) return wrongFor(reason)(row, () => ({ column: PHONE, message: `Phone number ${reason}` }));
    const first = seen.firstSeen(number, row);
    if (first !== null) isTwice(row, () => ({ column: PHONE, message: `Phone number is the same as in row ${first}` }));
  };

  const checkGreeting = (cells: readonly string[], row: number): void => {
    const greeting = greetingOf(columns, cells);
    if (greeting?.type !== 'audio' || rules.recordingExists(greeting.recording_id)) return;
    isUnknown(row, () => ({ column: GREETING_RECORDING, message: 'There is no recording of this id' }));
  };

  return (cells, row) => {
    checkNumber((cells[columns.phone] ?? '').trim(), row);
    for (const { name, at, isEmpty } of required)
      if ((cells[at] ?? '').trim() === '')
        isEmpty(row, () => ({ column: name, message: `Template variable '${name}' is empty` }));
    if (audio) checkGreeting(cells, row);
    if (isOversized(cells)) isTooLarge(row, () => ({ column: null, message: `The row ${OVERSIZED}` }));
  };
};

const missingColumns = (cells: readonly string[], required: readonly string[]): readonly string[] => {
  const there = columnsAt(cells);
  return [...new Set(required)].filter((name) => !there.has(name.trim().toLowerCase())).sort();
};

/** Names that one sentence holds. */
const MAX_NAMES = 1000;
const quoted = (names: readonly string[]): string =>
  names
    .slice(0, MAX_NAMES)
    .map((name) => `'${name}'`)
    .join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '');

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
    // Of columns that are too many not all are known.
    const missing = isHeaderFault(read) && read.column === null ? [] : missingColumns(cells, rules.required);
    if (missing.length > 0)
      faults.addToList(
        missing.map((name) => ({
          row,
          column: name,
          message: `There is no column for the template variable '${name}'`,
        })),
        `Workflow uses template variables that are missing from the source data: ${quoted(missing)}. ` +
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
      if (fatal !== null || isBlank(cells)) return;
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
