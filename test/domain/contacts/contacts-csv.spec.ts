import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BATCH_LIMITS, contactBatches } from '../../../src/domain/campaign/contact-batches';
import { contactCheck } from '../../../src/domain/campaign/contact-check';
import { readContacts, scanContacts } from '../../../src/engine/contacts-csv';
import { batchesOf, fails, passes, pieces, RULES } from './fixtures';

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, i) => `+1${2_000_000_000 + i},name ${i}\n`).join('');

describe('what is no CSV', () => {
  it.each([
    ['a compressed file', gzipSync('phone_number\n+15550001\n')],
    ['UTF-16', Buffer.from('\uFEFFphone_number\n+15550001\n', 'utf16le')],
    ['Latin-1', Buffer.from('phone_number,name\n+15550001,J\u00fcrgen\n', 'latin1')],
    ['text with a NUL', Buffer.from('phone_number\n+1555\u00000001\n')],
    ['a character cut off at the end', Buffer.from('phone_number,a\n+15550001,ü').subarray(0, -1)],
  ])('is refused with a hint: %s', async (_, content) =>
    expect((await fails(content)).message).toMatch(/^Invalid CSV format: the file is not UTF-8 text/),
  );
  it.each([
    ['a quote that is never closed', 'phone_number,a\n+15550001,"x\n+15550002,y\n', /never closed, row 2/],
    ['a quote inside a cell', 'phone_number,a\n+15550001,x"y\n', /quote within a cell.*, row 2/],
    ['text behind a quoted cell', 'phone_number,a\n"+15550\n001",b\n+15550001,"x"y\n', /closing quote.*, row 3/],
  ])('is refused with the row: %s', async (_, content, text) => expect((await fails(content)).message).toMatch(text));
  it('is told in the list of faults too, with the row where there is one', async () => {
    expect((await fails('phone_number,a\n+15550001,"x\n')).errors).toEqual([
      { row: 2, column: null, message: 'a quoted cell is never closed' },
    ]);
    expect(await fails(Buffer.from([0xff]))).toMatchObject({
      errors: [{ row: null, column: null, message: expect.stringContaining('not UTF-8') }],
      error_count: 1,
    });
  });
  it('tells nothing of the cells', async () =>
    expect((await fails('phone_number,a\n+15550001,secret"y\n')).message).not.toContain('secret'));
});

describe('what is too large', () => {
  it('a cell over 1 MB is refused', async () =>
    expect((await fails(`phone_number,a\n+15550001,${'x'.repeat(1024 * 1024)}\n`)).message).toMatch(/more than 1 MB/));
  it('a quote that swallows the file is refused early', async () => {
    let given = 0;
    const source = Readable.from(
      (function* () {
        yield Buffer.from('phone_number,a\n+15550001,"');
        for (; given < 1000; given++) yield Buffer.alloc(64 * 1024, 'x\n');
      })(),
    );
    const result = await scanContacts(source, contactCheck(RULES));
    expect(result).toMatchObject({ left: { message: expect.stringMatching(/perhaps a quote/) as string } });
    expect(given).toBeLessThan(100);
    expect(source.destroyed).toBe(true);
  });
  it('a row of separators that does not end is refused early', async () => {
    let given = 0;
    const source = Readable.from(
      (function* () {
        yield Buffer.from('phone_number,a\n');
        for (; given < 1000; given++) yield Buffer.alloc(64 * 1024, ',');
      })(),
    );
    const result = await scanContacts(source, contactCheck(RULES));
    expect(result).toMatchObject({ left: { message: expect.stringMatching(/more than 1 MB.*, row 2$/) as string } });
    expect(given).toBeLessThan(100);
  });
  it('a row over 256 KiB is at fault, like any other', async () => {
    const rejection = await fails(`phone_number,a\n+15550001,${'x'.repeat(300 * 1024)}\n5550002,y\n`);
    expect(rejection.errors.map((e) => e.row)).toEqual([2, 3]);
    expect(rejection.message).toContain('Too large rows: 2. A row is larger than 256 KiB.');
  });
  it('a row just under it passes', async () =>
    expect((await passes(`phone_number,a\n+15550001,${'x'.repeat(255 * 1024)}\n`)).rows).toBe(1));
});

describe('batches', () => {
  const content = `phone_number,name\n${numbers(1203)}`;
  it('hold up to 500 contacts in order', async () => {
    const { batches, contacts } = await batchesOf(content);
    expect(batches.map((b) => b.length)).toEqual([500, 500, 203]);
    expect(contacts[1202]).toEqual({ phone_number: '+12000001202', variables: { name: 'name 1202' } });
  });
  it('hold less when rows are large, so that an event of them stays small', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `+1${2_000_000_000 + i},${'x'.repeat(20_000)}\n`).join('');
    const { batches } = await batchesOf(`phone_number,name\n${rows}`);
    expect(batches.flat()).toHaveLength(40);
    for (const batch of batches) {
      const sealed = batch.reduce((sum, c) => sum + Math.ceil(((JSON.stringify(c).length + 28) * 4) / 3), 0);
      expect(sealed).toBeLessThan(512 * 1024);
    }
  });
  it('come with the hash of the file, the same as at the check', async () => {
    const { outcome } = await batchesOf(content);
    const { sha256 } = await passes(content);
    expect(outcome).toEqual({ _tag: 'Right', right: { sha256, rows: 1203 } });
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
  });
  it('end with a failure when the list is not the one that was checked', async () => {
    const { batches, outcome } = await batchesOf('phone_number,a\n+15550001,x\nnobody,y\n');
    expect(batches).toEqual([]);
    expect(outcome).toMatchObject({ left: { message: expect.stringMatching(/^Row 3/) as string } });
  });
  it('may be broken off; the source is closed', async () => {
    const source = pieces(content, 100);
    for await (const _ of readContacts(source, contactBatches(true, { ...BATCH_LIMITS, contacts: 2 })).batches) break;
    expect(source.destroyed).toBe(true);
  });
});

it('a source that fails rejects', async () => {
  const broken = () =>
    Readable.from(
      (function* () {
        yield Buffer.from('phone_number\n+15550001\n');
        throw new Error('the disk is gone');
      })(),
    );
  await expect(scanContacts(broken(), contactCheck(RULES))).rejects.toThrow('the disk is gone');
  const reading = readContacts(broken(), contactBatches(true));
  await expect(
    (async () => {
      for await (const _ of reading.batches);
    })(),
  ).rejects.toThrow('the disk is gone');
});

it('the source is asked for more only when what it gave has been handed on', async () => {
  let given = 0;
  const source = Readable.from(
    (function* () {
      yield Buffer.from('phone_number,name\n');
      for (; given < 500; given++) yield Buffer.from(`+1${2_000_000_000 + given},x\n`.repeat(1));
    })(),
    { highWaterMark: 1 },
  );
  const reading = readContacts(source, contactBatches(true, { ...BATCH_LIMITS, contacts: 10 }));
  let taken = 0;
  for await (const batch of reading.batches) {
    taken += batch.length;
    expect(given).toBeLessThanOrEqual(taken + 3);
  }
  expect(taken).toBe(500);
});

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((s) => s.replaceAll('\u0000', '')),
  fc.constantFrom('', ' ', 'ü', '🙂', 'a"b', 'x,y', 'one\ntwo', '\r\n', '\r', '""'),
);
const quoted = (s: string): string => `"${s.replaceAll('"', '""')}"`;

it('however the bytes are cut into pieces, the same contacts come out', async () => {
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (cells, end, bom, size, perBatch) => {
        const lines = cells.map(([a, b], i) => `+1555000${100 + i},${quoted(a)},${quoted(b)}`);
        const content = (bom ? '\uFEFF' : '') + ['phone_number,a,b', ...lines].join(end) + end;
        const limits = { ...BATCH_LIMITS, contacts: perBatch };
        const cut = await batchesOf(content, limits, size);
        expect(cut).toEqual(await batchesOf(content, limits));
        expect(cut.contacts).toEqual(
          cells.map(([a, b], i) => ({ phone_number: `+1555000${100 + i}`, variables: { a, b } })),
        );
        expect((await passes(content, {}, size)).rows).toBe(cells.length);
        rows += cells.length;
      },
    ),
    { numRuns: 100 },
  );
  expect(rows).toBeGreaterThan(200);
});
