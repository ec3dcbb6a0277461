/**
 * Reads contact lists as streams of CSV rows (RFC 4180; UTF-8, with or without a byte order mark; lines end with CR LF, LF or CR). Memory stays
 * flat whatever the size of the file: rows are handed on chunk by chunk, and the source is asked for more only after that.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { rejected, type Failure } from '../core/failure';

/** What rows are told to. `number` counts records from 1, the header and blank ones included. */
export interface RowSink {
  row(cells: readonly string[], number: number): void;
  /** A failure that makes reading on pointless. */
  fatal(): Failure | null;
}

/** No cell, and no row, is larger; an unclosed quote would else swallow the rest of the file. */
const MAX_RECORD = 1024 * 1024;
/** Bytes that no row ends in: a row of quotes is written with twice as many, and the parser does not count separators. */
const MAX_BYTES_OF_ROW = 2 * MAX_RECORD;

/** Bytes at the end of a chunk that may be the beginning of a character which goes on in the next. */
const openTail = (chunk: Buffer): number => {
  for (let back = 1; back <= Math.min(3, chunk.length); back++) {
    const byte = chunk[chunk.length - back] as number;
    if (byte >= 0xc0) return back;
    if (byte < 0x80) return 0;
  }
  return 0;
};

/** Told of every chunk: whether it is text, as far as can be seen yet. */
const textCheck = (): ((chunk: Buffer, last: boolean) => boolean) => {
  let tail: Buffer = Buffer.alloc(0);
  return (chunk, last) => {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    const open = last ? 0 : openTail(bytes);
    tail = Buffer.from(bytes.subarray(bytes.length - open));
    const whole = bytes.subarray(0, bytes.length - open);
    return isUtf8(whole) && !whole.includes(0);
  };
};

/** A file that cannot be read on; `row` null: nobody can say where. */
const unreadable = (reason: string, row: number | null): Failure => ({
  kind: 'rejected',
  message: `Invalid CSV format: ${reason}${row === null ? '' : `, row ${row}`}`,
  errors: [{ row, column: null, message: reason }],
  error_count: 1,
});

const NOT_TEXT = unreadable('the file is not UTF-8 text; save it as "CSV UTF-8"', null);

const TOO_LARGE = 'a row has more than 1 MB (perhaps a quoted cell is never closed)';
const wordings: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell is never closed',
  INVALID_OPENING_QUOTE: 'there is a quote within a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind the closing quote of a cell',
  CSV_MAX_RECORD_SIZE: TOO_LARGE,
};

/** Told by rule and row, never by the cell: it may hold personal data. Rethrows what is not about the CSV. */
const csvFailure = (error: unknown): Failure => {
  if (!(error instanceof CsvError)) throw error;
  const { records } = error as { readonly records?: unknown };
  return unreadable(
    wordings[error.code] ?? 'the file cannot be read as CSV',
    typeof records === 'number' ? records + 1 : null,
  );
};

interface Reading {
  readonly sha256: string;
}

/** Bytes that are read at once, and ms that it may take before others get their turn: rows may be checked against a thousand variables each. */
const SLICE = { most: 64 * 1024, first: 8192, least: 512, ms: 30 };

/** How much is read at once, so that it takes about as long as it may. */
const pacing = () => {
  let bytes = SLICE.first;
  let sinceTurn = { bytes: 0, ms: 0 };
  return {
    bytes: (): number => bytes,
    timed: async (slice: Buffer, work: () => Promise<void>): Promise<void> => {
      const begun = performance.now();
      await work();
      const took = performance.now() - begun;
      sinceTurn = { bytes: sinceTurn.bytes + slice.length, ms: sinceTurn.ms + took };
      if (took > SLICE.ms) bytes = Math.max(SLICE.least, Math.floor(bytes / 2));
      else if (took < SLICE.ms / 4) bytes = Math.min(SLICE.most, bytes * 2);
    },
    turn: async (): Promise<void> => {
      if (sinceTurn.bytes < SLICE.most && sinceTurn.ms < SLICE.ms) return;
      await setImmediate();
      sinceTurn = { bytes: 0, ms: 0 };
    },
  };
};

const written = (parser: Parser, chunk: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

const ended = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('end', resolve).once('error', reject);
    parser.end();
  });

const chunkOf = (chunk: unknown): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);

/** Hands every row to the sink; a step ends with each piece of the source. */
async function* read(input: Readable, sink: RowSink): AsyncGenerator<null, Either<Failure, Reading>> {
  const hash = createHash('sha256');
  const isText = textCheck();
  const parser = parse({
    bom: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  let number = 0;
  let whole = 0;
  let sinceRow = 0;
  const pace = pacing();
  parser.on('data', (cells: string[]) => {
    number += 1;
    sink.row(cells, number);
  });
  // Told to whoever waits for a write or for the end; without a listener it would end the process.
  parser.on('error', () => undefined);
  try {
    for await (const piece of input) {
      const chunk = chunkOf(piece);
      hash.update(chunk);
      if (!isText(chunk, false)) return left(NOT_TEXT);
      for (let at = 0; at < chunk.length;) {
        const slice = chunk.subarray(at, at + pace.bytes());
        at += slice.length;
        await pace.timed(slice, () => written(parser, slice));
        sinceRow = parser.info.records > whole ? 0 : sinceRow + slice.length;
        whole = parser.info.records;
        if (sinceRow > MAX_BYTES_OF_ROW) return left(unreadable(TOO_LARGE, whole + 1));
        const fatal = sink.fatal();
        if (fatal !== null) return left(fatal);
        yield null;
        await pace.turn();
      }
    }
    if (!isText(Buffer.alloc(0), true)) return left(NOT_TEXT);
    await ended(parser);
    const fatal = sink.fatal();
    return fatal === null ? right({ sha256: hash.digest('hex') }) : left(fatal);
  } catch (error) {
    return left(csvFailure(error));
  } finally {
    parser.destroy();
    input.destroy();
  }
}

/** A sink that comes to a verdict over all rows. */
export interface Check<A> extends RowSink {
  verdict(): Either<Failure, A>;
}

/** Reads a list to its end. The source is destroyed. Rejects when the source fails. */
export const scanContacts = async <A>(input: Readable, check: Check<A>): Promise<Either<Failure, A & Reading>> => {
  const rows = read(input, check);
  for (;;) {
    const step = await rows.next();
    if (step.done !== true) continue;
    if (isLeft(step.value)) return step.value;
    const verdict = check.verdict();
    return isLeft(verdict) ? verdict : right({ ...verdict.right, ...step.value.right });
  }
};

/** A sink that gathers rows into batches. */
export interface Gather<B> extends RowSink {
  /** Batches that are full; with `last`, what is left too. */
  take(last: boolean): readonly B[];
  rows(): number;
}

export interface ReadContacts<B> {
  /** To be iterated once. Ends early on a failure. Rejects when the source fails. */
  readonly batches: AsyncIterable<B>;
  /** How it went; only after the iteration. */
  outcome(): Either<Failure, Reading & { readonly rows: number }>;
}

/** Reads a list batch by batch. The source is destroyed, also when the iteration is broken off. */
export const readContacts = <B>(input: Readable, gather: Gather<B>): ReadContacts<B> => {
  let outcome: Either<Failure, Reading> | null = null;
  async function* batches(): AsyncGenerator<B, void> {
    const rows = read(input, gather);
    try {
      for (;;) {
        const step = await rows.next();
        if (step.done === true) {
          outcome = step.value;
          if (!isLeft(outcome)) yield* gather.take(true);
          return;
        }
        yield* gather.take(false);
      }
    } finally {
      await rows.return(left(rejected('the import was broken off')));
    }
  }
  return {
    batches: { [Symbol.asyncIterator]: batches },
    outcome: () => {
      if (outcome === null) throw new Error('the list has not been read to its end');
      return isLeft(outcome) ? outcome : right({ ...outcome.right, rows: gather.rows() });
    },
  };
};
