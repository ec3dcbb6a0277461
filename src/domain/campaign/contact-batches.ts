/** How the rows of a list become batches of contacts at import: the same batches for the same content, whenever and however often it is read. */
import { rejected, type Failure } from '../../core/failure';
import { contactReader, isBlank, isHeaderFault, measureUnder, numberFault, readHeader } from './contacts';
import type { ContactData } from './events';

export interface BatchLimits {
  readonly contacts: number;
  /** Of a batch, in characters of JSON; a single contact may exceed it. */
  readonly characters: number;
}

/** Sealed and in base64 a batch stays under 512 KiB, and under an append's million bytes even if every character had to be escaped. */
export const BATCH_LIMITS: BatchLimits = { contacts: 500, characters: 120 * 1024 };

export interface ContactBatches {
  row(cells: readonly string[], number: number): void;
  /** Batches that are full; with `last`, what is left too. */
  take(last: boolean): readonly (readonly ContactData[])[];
  /** The list is not the one that was checked at creation. */
  fatal(): Failure | null;
  /** Contacts so far. */
  rows(): number;
}

/** Reads a list that was checked at creation; numbers are looked at once more, as the file may have been replaced since. */
export const contactBatches = (e164Only: boolean, limits: BatchLimits = BATCH_LIMITS): ContactBatches => {
  let read: ((cells: readonly string[]) => ContactData) | null = null;
  let measure: (cells: readonly string[]) => number = () => 0;
  let fatal: Failure | null = null;
  let full: (readonly ContactData[])[] = [];
  let batch: ContactData[] = [];
  let characters = 0;
  let rows = 0;

  const close = (): void => {
    if (batch.length > 0) full.push(batch);
    batch = [];
    characters = 0;
  };

  const header = (cells: readonly string[]): void => {
    const columns = readHeader(cells);
    if (isHeaderFault(columns)) {
      fatal = rejected(columns.reason);
      return;
    }
    read = contactReader(columns);
    measure = measureUnder(columns);
  };

  return {
    row: (cells, number) => {
      if (fatal !== null || isBlank(cells)) return;
      if (read === null) return header(cells);
      const contact = read(cells);
      if (contact.phone_number === '' || numberFault(contact.phone_number, e164Only) !== null) {
        fatal = rejected(`Row ${number} has no valid phone number: the file is not the one that was checked`);
        return;
      }
      const size = measure(cells);
      if (batch.length >= limits.contacts || characters + size > limits.characters) close();
      batch.push(contact);
      characters += size;
      rows += 1;
    },
    take: (last) => {
      if (last || batch.length >= limits.contacts) close();
      const taken = full;
      full = [];
      return taken;
    },
    fatal: () => fatal,
    rows: () => rows,
  };
};
