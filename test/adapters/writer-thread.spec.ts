import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/embedded/sqlite';
import { startWriter, type MakeHandler, type Writer, type Written } from '../../src/adapters/embedded/writer-thread';
import { tempFolder, type TempFolder } from '../support/temp';

type Request = { readonly put: string } | { readonly pages: number } | { readonly crash: true };

/** Stores texts, each once; may be told how large the file may grow, and to end the thread. Returns how many run calls its transaction had before. */
const handler: MakeHandler<Request, number> = (db) => {
  const insert = db.prepare('INSERT INTO texts VALUES (?)');
  let calls = 0;
  let resets = 0;
  return {
    reset: () => {
      resets++;
    },
    run: (request) => {
      if ('pages' in request) db.exec(`PRAGMA max_page_count=${request.pages}`);
      else if ('crash' in request) process.exit(3);
      else insert.run(request.put);
      return ++calls * 1000 + resets;
    },
  };
};
const PRAGMAS = [
  'PRAGMA journal_mode=WAL',
  'PRAGMA synchronous=FULL',
  'CREATE TABLE IF NOT EXISTS texts (text TEXT NOT NULL UNIQUE)',
];

let folder: TempFolder;
let file: string;
let writer: Writer<Request, number>;
beforeEach(async () => {
  folder = await tempFolder();
  file = join(folder.path, 'texts.db');
  writer = await startWriter(file, PRAGMAS, handler);
});
afterEach(async () => {
  await writer.close();
  await folder.remove();
});

const stored = (): string[] => {
  const db = openDatabase(file, { readOnly: true });
  try {
    return (db.prepare('SELECT text FROM texts ORDER BY rowid').all() as { text: string }[]).map((row) => row.text);
  } finally {
    db.close();
  }
};
const failureOf = (written: Written<number> | undefined) =>
  written !== undefined && 'failed' in written ? written.failed : null;

it('answers in the order of the requests, after they are stored', async () => {
  const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => writer.write({ put: `t${i}` })));
  expect(answers.map(failureOf)).toEqual(answers.map(() => null));
  expect(stored()).toEqual(Array.from({ length: 300 }, (_, i) => `t${i}`));
});

it('lets a request at fault fail alone, with the others of its batch stored', async () => {
  await writer.write({ put: 'a' });
  const answers = await Promise.all(['b', 'a', 'c', 'c', 'd'].map((put) => writer.write({ put })));
  expect(answers.map((a) => failureOf(a)?.transient ?? 'stored')).toEqual(['stored', false, 'stored', false, 'stored']);
  expect(failureOf(answers[1])).toMatchObject({ stored: 'no', message: expect.stringContaining('UNIQUE') });
  expect(stored()).toEqual(['a', 'b', 'c', 'd']);
});

it('fails the whole batch when the disk is full, stores nothing of it, and works again when there is room', async () => {
  await writer.write({ put: 'before' });
  const answers = await Promise.all([
    writer.write({ pages: 6 }),
    ...Array.from({ length: 20 }, (_, i) => writer.write({ put: `${i}`.repeat(3000) })),
  ]);
  for (const answer of answers)
    expect(failureOf(answer)).toMatchObject({
      stored: 'no',
      transient: true,
      message: expect.stringMatching(/texts\.db: .*full/),
    });
  expect(stored()).toEqual(['before']);
  // The limit was the connection's: the next one has none, as a disk that was cleared.
  expect(failureOf(await writer.write({ put: 'after' }))).toBeNull();
  expect(stored()).toEqual(['before', 'after']);
});

it('says `maybe` of what was under way when the thread ended, and starts another', async () => {
  await writer.write({ put: 'before' });
  const answers = await Promise.all([writer.write({ put: 'with it' }), writer.write({ crash: true })]);
  for (const answer of answers) expect(failureOf(answer)).toMatchObject({ stored: 'maybe', transient: true });
  expect(failureOf(await writer.write({ put: 'after' }))).toBeNull();
  expect(stored()).toEqual(['before', 'after']);
});

it('forgets what it remembers when another connection wrote', async () => {
  const first = await writer.write({ put: 'a' });
  const db = openDatabase(file);
  db.exec("INSERT INTO texts VALUES ('theirs')");
  db.close();
  const second = await writer.write({ put: 'b' });
  const third = await writer.write({ put: 'c' });
  expect([first, second, third]).toEqual([{ ok: 1000 }, { ok: 2001 }, { ok: 3001 }]);
});

it('does not open what is no database, and says which file it is', async () => {
  await expect(startWriter(join(folder.path, 'missing', 'x.db'), PRAGMAS, handler)).rejects.toThrow('x.db');
});

it('refuses writes after it was closed; closing twice is harmless', async () => {
  const last = writer.write({ put: 'last' });
  await writer.close();
  expect(await last).toMatchObject({ ok: expect.any(Number) });
  expect(failureOf(await writer.write({ put: 'late' }))).toMatchObject({
    stored: 'no',
    message: expect.stringContaining('closed'),
  });
  await writer.close();
  expect(stored()).toEqual(['last']);
});
