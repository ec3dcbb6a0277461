/** What the embedded ledger holds after a killed process, a torn write and a full disk. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { NO_STREAM, type RecordedEvent } from '../../src/core/event';
import { positionOf, START } from '../../src/core/position';
import { appended, newEvent, newEvents, newStream, readOn } from '../contract/ledger-fixture';
import { eventually } from '../contract/waiting';
import { tempFolder, type TempFolder } from '../support/temp';
import { startChild, type Child } from './child/start';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** Positions without gap, revisions without gap, batches whole; gives the events by stream. */
const checkedStreams = async (path: string): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> => {
  const store = await embeddedEventStore({ folder: path });
  try {
    const events = await readOn(store, START);
    expect(events.every((e, i) => e.position === positionOf(i + 1))).toBe(true);
    const streams = new Map<string, RecordedEvent[]>();
    for (const event of events) {
      const read = streams.get(event.stream);
      if (read === undefined) streams.set(event.stream, [event]);
      else read.push(event);
    }
    for (const [stream, read] of streams) {
      expect(read.every((e, i) => e.revision === i)).toBe(true);
      // Texts, since comparing thousands of objects one by one takes longer than the rest of the test.
      expect(JSON.stringify(await store.readStream(stream)) === JSON.stringify(read)).toBe(true);
      for (let i = 0; i < read.length;) {
        const size = Number(read[i]?.data['of']);
        const batch = read.slice(i, i + size).map((e) => e.data['i']);
        expect(batch.length === size && batch.every((n, k) => n === k)).toBe(true);
        i += size;
      }
    }
    return streams;
  } finally {
    await store.close();
  }
};

it('kill -9 in the middle of appends loses nothing that was acknowledged and tears no batch', async () => {
  const acknowledged: string[] = [];
  let child: Child | null = null;
  try {
    for (let round = 0; round < 4; round++) {
      child = startChild('append-loop', [folder.path]);
      const before = 30 + 150 * round;
      await eventually(30_000, `${before} acknowledged appends`, () => (child?.lines.length ?? 0) >= before);
      await child.kill();
      acknowledged.push(...child.lines);
      const streams = await checkedStreams(folder.path);
      for (const line of acknowledged) {
        const [stream, first, ids] = line.split(' ') as [string, string, string];
        const read = streams.get(stream)?.slice(Number(first)) ?? [];
        expect(ids.split(',').every((id, i) => read[i]?.id === id)).toBe(true);
      }
    }
    expect(acknowledged.length).toBeGreaterThan(1000);
  } finally {
    await child?.kill();
  }
}, 60_000);

it('opens with every acknowledged append when the write after them is torn anywhere, or garbage', async () => {
  const store = await embeddedEventStore({ folder: folder.path });
  const stream = newStream();
  const ledger = join(folder.path, 'ledger.db');
  for (let i = 0; i < 20; i++) await appended(store, stream, i - 1, newEvents(1));
  const sizeBefore = (await stat(`${ledger}-wal`)).size;
  await appended(store, stream, 19, [newEvent({ text: 'x'.repeat(40_000) }), newEvent()]);
  const [file, log] = await Promise.all([readFile(ledger), readFile(`${ledger}-wal`)]);
  await store.close();
  expect(log.length).toBeGreaterThan(sizeBefore + 32_000);

  let copies = 0;
  const opened = async (damage: (copy: string) => Promise<void>): Promise<readonly RecordedEvent[]> => {
    const copy = join(folder.path, `copy${++copies}`);
    await mkdir(copy);
    await Promise.all([writeFile(join(copy, 'ledger.db'), file), writeFile(join(copy, 'ledger.db-wal'), log)]);
    await damage(join(copy, 'ledger.db-wal'));
    const reopened = await embeddedEventStore({ folder: copy });
    try {
      const read = await reopened.readStream(stream);
      await appended(reopened, stream, read.length - 1, newEvents(1));
      return read;
    } finally {
      await reopened.close();
    }
  };

  expect(await opened(async () => undefined)).toHaveLength(22);
  const torn = fc.record({
    at: fc.integer({ min: sizeBefore, max: log.length - 1 }),
    how: fc.constantFrom('cut', 'zero', 'noise'),
  });
  await fc.assert(
    fc.asyncProperty(torn, async ({ at, how }) => {
      const read = await opened(async (wal) => {
        if (how === 'cut') return truncate(wal, at);
        const rest = Buffer.alloc(log.length - at);
        if (how === 'noise') for (let i = 0; i < rest.length; i++) rest[i] = (i * 167 + at) % 251;
        await writeFile(wal, Buffer.concat([log.subarray(0, at), rest]));
      });
      expect(read.map((e) => e.revision)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    }),
    { numRuns: 12 },
  );
}, 60_000);

it('answers `unavailable` while the disk takes no more, lives on, and appends again once there is room', async () => {
  // A limit on the size of files is the one full disk that any user can make.
  const child = startChild('fill', [folder.path], 2048);
  try {
    const refused = JSON.parse((await child.said(/^refused/)).slice('refused '.length)) as {
      kind: string;
      message: string;
    };
    expect(refused.kind).toBe('unavailable');
    expect(refused.message).toMatch(/ledger\.db: .*(full|I\/O)/i);
    const acknowledged = child.lines.filter((line) => line.startsWith('appended'));
    expect(acknowledged.length).toBeGreaterThan(10);
    execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited']);
    await child.said(/^healed/);
    expect(await child.said(/^done/)).toBe(`done ${child.lines.filter((line) => line.startsWith('appended')).length}`);
    await child.ended;
  } finally {
    await child.kill();
  }
  const store = await embeddedEventStore({ folder: folder.path });
  try {
    const read = await store.readStream('contacts-1_1');
    expect(read).toHaveLength(child.lines.filter((line) => line.startsWith('appended')).length);
  } finally {
    await store.close();
  }
}, 60_000);

it('opens a copy of its two files that was taken while it was written to', async () => {
  const store = await embeddedEventStore({ folder: folder.path });
  const stream = newStream();
  await appended(store, stream, NO_STREAM, newEvents(5));
  const copy = join(folder.path, 'copy');
  await mkdir(copy);
  for (const name of ['ledger.db', 'ledger.db-wal']) await copyFile(join(folder.path, name), join(copy, name));
  await store.close();
  const reopened = await embeddedEventStore({ folder: copy });
  expect(await reopened.readStream(stream)).toHaveLength(5);
  await reopened.close();
});
