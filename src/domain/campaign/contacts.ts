/** What a row of a contact list must hold, and what becomes of it. Rows come as the CSV's cells; reading the CSV is engine/contacts-csv.ts. */
import type { Json } from '../../core/event';
import type { ContactData } from './events';
import { e164Value } from './number-set';

export const PHONE = 'phone_number';
const GREETING_TYPE = 'greeting_override_type';
const GREETING_TEXT = 'greeting_override_text';
export const GREETING_RECORDING = 'greeting_override_recording_id';
const GREETING_COLUMNS: readonly string[] = [GREETING_TYPE, GREETING_TEXT, GREETING_RECORDING];

/** A contact as JSON is at most this many bytes, so that an event of contacts, sealed and in base64, stays under 512 KiB. */
const MAX_CONTACT_BYTES = 256 * 1024;
/** Bytes that JSON needs for a character, at most. */
const BYTES_OF_CHARACTER = 6;
/** Columns of a list: every contact holds each of them, however short its row is. */
const MAX_COLUMNS = 1000;

/** Longest destination that is no E.164 number. */
const MAX_DESTINATION = 255;

/** Why a number cannot be called, as the end of the sentence `Every phone number …`; null: it can. */
export const numberFault = (number: string, e164Only: boolean): string | null => {
  if (!Number.isNaN(e164Value(number))) return null;
  // Format characters (\p{Cf}) are not seen, and come along when a number is copied: two that look the same would differ.
  if (/[\s,&\p{Cc}\p{Cf}]/u.test(number)) return 'must not contain spaces, commas, ampersands or control characters';
  if (!e164Only) return number.length > MAX_DESTINATION ? `must have at most ${MAX_DESTINATION} characters` : null;
  return number.startsWith('+')
    ? "must be '+' followed by 2 to 15 digits, the first of them not 0"
    : "must include a country code (start with '+')";
};

/** Where the columns that matter are; of two equal headers the last. */
export interface Columns {
  /** Lower-cased and trimmed, without repetitions and without empty ones. */
  readonly names: readonly string[];
  readonly at: ReadonlyMap<string, number>;
  readonly phone: number;
}

/** Why a header row cannot be used. */
export interface HeaderFault {
  /** null: all of them. */
  readonly column: string | null;
  readonly reason: string;
}

/** Where each name of a header row is; of a row with too many the first ones. */
export const columnsAt = (cells: readonly string[]): ReadonlyMap<string, number> => {
  const at = new Map<string, number>();
  for (let i = 0; i < cells.length && at.size <= MAX_COLUMNS; i++) {
    const name = (cells[i] ?? '').trim().toLowerCase();
    if (name !== '') at.set(name, i);
  }
  return at;
};

/** Whether a row of one cell looks like several of a file that separates them by something else. */
const separatedOtherwise = (cells: readonly string[]): boolean => cells.length === 1 && /[;\t|]/.test(cells[0] ?? '');

/** Reads a header row. */
export const readHeader = (cells: readonly string[]): Columns | HeaderFault => {
  const at = columnsAt(cells);
  if (at.size > MAX_COLUMNS) return { column: null, reason: `A contact list may have at most ${MAX_COLUMNS} columns` };
  const phone = at.get(PHONE);
  if (phone === undefined) {
    const hint = separatedOtherwise(cells) ? '; separate the columns by commas' : '';
    return { column: PHONE, reason: `Source must contain a '${PHONE}' column${hint}` };
  }
  if (at.has('__proto__')) return { column: '__proto__', reason: "A column cannot be named '__proto__'" };
  const columns = { names: [...at.keys()], at, phone };
  return emptyBytes(columns) > MAX_CONTACT_BYTES
    ? { column: null, reason: `The names of the columns have together more than ${MAX_CONTACT_BYTES / 1024} KiB` }
    : columns;
};

export const isHeaderFault = (header: Columns | HeaderFault): header is HeaderFault => 'reason' in header;

export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** The greeting that a row puts in the place of the agent's own. A type without its value, or an unknown one, is none. */
export type GreetingOverride =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'audio'; readonly recording_id: string };

const cellOf = (cells: readonly string[], at: number | undefined): string =>
  at === undefined ? '' : (cells[at] ?? '');

export const greetingOf = (columns: Columns, cells: readonly string[]): GreetingOverride | null => {
  const type = cellOf(cells, columns.at.get(GREETING_TYPE)).trim().toLowerCase();
  if (type === 'text') {
    const text = cellOf(cells, columns.at.get(GREETING_TEXT));
    return text.trim() === '' ? null : { type, text };
  }
  const recording_id = cellOf(cells, columns.at.get(GREETING_RECORDING)).trim();
  return type === 'audio' && recording_id !== '' ? { type, recording_id } : null;
};

/**
 * How rows under a header become contacts: the number trimmed, every other column as it was typed under its lower-cased name, cells left out
 * at the end as "", the greeting columns as one `greeting_override`.
 */
export const contactReader = (columns: Columns): ((cells: readonly string[]) => ContactData) => {
  const plain = [...columns.at].filter(([name]) => name !== PHONE && !GREETING_COLUMNS.includes(name));
  const overridable = columns.at.has(GREETING_TYPE);
  return (cells) => {
    const variables: Record<string, Json> = {};
    for (const [name, at] of plain) variables[name] = cells[at] ?? '';
    const greeting = overridable ? greetingOf(columns, cells) : null;
    if (greeting !== null) variables.greeting_override = greeting;
    return { phone_number: cellOf(cells, columns.phone).trim(), variables };
  };
};

/** Characters of the contact that a row becomes, field names and punctuation included: a cheap measure of its JSON. */
export const measureUnder = (columns: Columns): ((cells: readonly string[]) => number) => {
  const frame = columns.names.reduce((sum, name) => sum + name.length + 6, 32);
  return (cells) => cells.reduce((sum, cell) => sum + cell.length, frame);
};

/** Bytes of the contact that a row without cells becomes, with room for a greeting. */
const emptyBytes = (columns: Columns): number => Buffer.byteLength(JSON.stringify(contactReader(columns)([]))) + 64;

/** Whether the contact that a row becomes is too large to be kept: by its cells alone, since there may be a million short rows of wide contacts. */
export const oversizedUnder = (columns: Columns): ((cells: readonly string[]) => boolean) => {
  const empty = emptyBytes(columns);
  const kept = new Set(columns.at.values());
  return (cells) => {
    const characters = cells.reduce((sum, cell) => sum + cell.length, 0);
    if (empty + BYTES_OF_CHARACTER * characters <= MAX_CONTACT_BYTES) return false;
    const bytes = cells.reduce(
      (sum, cell, i) => sum + (kept.has(i) ? Buffer.byteLength(JSON.stringify(cell)) - 2 : 0),
      0,
    );
    return empty + bytes > MAX_CONTACT_BYTES;
  };
};

export const OVERSIZED = `is larger than ${MAX_CONTACT_BYTES / 1024} KiB`;
