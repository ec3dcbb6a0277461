/**
 * `npm run bench [-- --quick] [import] [dialing] [slots] [http] [restart] [engines]`: import, dialing, slot to dial, rebuild, HTTP, kill -9 under a
 * long list; each beside the bare work of the same run where there is one. `engines`: the same on EventStoreDB, MongoDB, NATS and S3, only when it is asked for. Seeds are fixed; figures are printed and written to
 * .bench/<time>.json. Timed figures are of this machine and noisy: ratios matter.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchEngines } from './engines';
import { benchHttp } from './http';
import { measureDialing, measureImport, measureRebuild, measureSlots, SEED } from './measures';
import { benchRestart } from './restart';
import { machine, percentile, print, type Figure } from './report';
import { bareAppends, bareCsv, bareRead, withEmbeddedStore } from './yardsticks';

const quick = process.argv.includes('--quick');
/** Names after the options: `npm run bench -- --quick slots`. */
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const IMPORTED = quick ? 100_000 : 1_000_000;
const DIALED = quick ? 8_000 : 60_000;

const figures: Figure[] = [];
const tell = (figure: Figure): void => {
  figures.push(figure);
  print(figure);
};

const benchImport = async (folder: string): Promise<void> => {
  const { file, checkedIn, importedIn, peakMemory } = await measureImport({ folder, settings: {}, contacts: IMPORTED });
  const bare = await bareCsv(file);
  const yardstick = `bare csv-parse ${bare.toFixed(2)} s`;
  tell({
    name: `import of ${IMPORTED.toLocaleString('en-US')} contacts`,
    value: IMPORTED / importedIn,
    unit: 'contacts/s',
    bar: { text: `at most 4 × csv-parse; is ${(importedIn / bare).toFixed(1)} ×`, met: importedIn <= 4 * bare },
    yardstick,
  });
  tell({ name: '  upload and validation at creation', value: checkedIn, unit: 's', bar: null, yardstick });
  tell({
    name: '  peak memory (RSS)',
    value: peakMemory,
    unit: 'MiB',
    bar: { text: 'under 512 MiB', met: peakMemory < 512 },
    yardstick: null,
  });
};

const benchDialing = async (folder: string): Promise<void> => {
  const bare = await withEmbeddedStore((store) => bareAppends(store, quick ? 4000 : 20_000));
  const bench = { folder, settings: {}, contacts: DIALED };
  const rate = await measureDialing(bench);
  tell({
    name: `dialing, ${DIALED.toLocaleString('en-US')} contacts, carrier in process`,
    value: rate,
    unit: 'attempts/s',
    bar: { text: 'at least 1,000', met: rate >= 1000 },
    yardstick: `bare appends ${Math.round(bare)} attempts/s`,
  });
  tell({
    name: '  share of the same appends made bare',
    value: rate / bare,
    unit: '×',
    bar: { text: 'at least 0.5', met: rate / bare >= 0.5 },
    yardstick: null,
  });
  const rebuilt = await measureRebuild(bench, ({ events }) => bareRead(events));
  tell({
    name: 'rebuild of every read model',
    value: rebuilt.rate,
    unit: 'events/s',
    bar: { text: 'at least 50,000', met: rebuilt.rate >= 50_000 },
    yardstick: `bare read ${Math.round(rebuilt.bare)} events/s`,
  });
};

const benchSlots = async (folder: string): Promise<void> => {
  const waits = await measureSlots({ folder, settings: {}, contacts: quick ? 1500 : 6000 });
  const p99 = percentile(waits, 0.99);
  tell({
    name: 'a slot frees → the next call is placed, p50',
    value: percentile(waits, 0.5),
    unit: 'ms',
    bar: null,
    yardstick: null,
  });
  tell({
    name: 'a slot frees → the next call is placed, p99',
    value: p99,
    unit: 'ms',
    bar: { text: 'under 50 ms', met: p99 < 50 },
    yardstick: null,
  });
};

const main = async (): Promise<void> => {
  process.stdout.write(
    `${machine()}; ledger: WAL, synchronous=FULL, group commit; read models: synchronous=NORMAL; seed ${SEED}${quick ? '; --quick' : ''}\n`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-bench-'));
  try {
    for (const [name, bench] of Object.entries({ import: benchImport, dialing: benchDialing, slots: benchSlots }))
      if (only.length === 0 || only.includes(name)) await bench(folder);
    if (only.length === 0 || only.includes('http')) await benchHttp(folder, quick, tell);
    if (only.length === 0 || only.includes('restart')) await benchRestart(folder, quick, tell);
    if (only.includes('engines')) await benchEngines(folder, quick, tell);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await mkdir('.bench', { recursive: true });
  const out = join('.bench', `${new Date().toISOString().replaceAll(':', '')}.json`);
  await writeFile(out, `${JSON.stringify({ machine: machine(), quick, figures }, null, 2)}\n`);
  process.stdout.write(
    `written to ${out}; missed bars: ${
      figures
        .filter((f) => f.bar?.met === false)
        .map((f) => f.name.trim())
        .join('; ') || 'none'
    }\n`,
  );
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
