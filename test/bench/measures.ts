/** What is measured, on whatever engines the settings name. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isLeft } from 'fp-ts/Either';
import { projections } from '../../projections';
import { rebuild } from '../../projections/rebuild';
import { administer } from '../../src/commands/administer';
import { contactLines } from '../../src/demo/contacts';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines } from '../../src/main';
import type { Platform } from '../../src/engine/platform';
import { inProcessCarrier } from './in-process-carrier';
import { configOf, setUp, until, withPlatform, type Progress, type Settings } from './platform';
import { watchMemory } from './report';

export const SEED = 7;

export interface Bench {
  /** Holds the list and, where engines are embedded, their data. */
  readonly folder: string;
  readonly settings: Settings;
  readonly contacts: number;
}

/** Written as it is made: what is left of it in memory would count as the platform's. */
export const listOf = async ({ folder, contacts }: Pick<Bench, 'folder' | 'contacts'>): Promise<string> => {
  const file = join(folder, `contacts-${contacts}.csv`);
  await pipeline(Readable.from(contactLines(contacts, SEED), { highWaterMark: 1000 }), createWriteStream(file));
  return file;
};

export interface Imported {
  readonly file: string;
  /** Upload, and validation at the campaign's creation, s. */
  readonly checkedIn: number;
  /** From the start to the last contact queued, s. */
  readonly importedIn: number;
  /** MiB. */
  readonly peakMemory: number;
}

export const measureImport = async (bench: Bench): Promise<Imported> => {
  const file = await listOf(bench);
  const probe = inProcessCarrier(100);
  probe.open = false;
  let imported: Imported | null = null;
  await withPlatform(join(bench.folder, 'import'), bench.settings, probe, async (api) => {
    const memory = watchMemory();
    const created = performance.now();
    const campaign = await setUp(api, file, {});
    const started = performance.now();
    await api.post(`/api/v1/campaign/${campaign}/start`);
    await until(
      'import',
      async () => (await api.get<Progress>(`/api/v1/campaign/${campaign}/progress`)).source_sync.status === 'completed',
      20,
    );
    imported = {
      file,
      checkedIn: (started - created) / 1000,
      importedIn: (performance.now() - started) / 1000,
      peakMemory: memory(),
    };
  });
  if (imported === null) throw new Error('nothing was imported');
  return imported;
};

const dial = async (
  bench: Bench,
  data: string,
  callMs: number,
  slots: number,
): Promise<ReturnType<typeof inProcessCarrier>> => {
  const file = await listOf(bench);
  const probe = inProcessCarrier(callMs);
  await withPlatform(data, bench.settings, probe, async (api) => {
    // So that the organization's limits are not what is measured.
    await administer(configOf(data, bench.settings), {
      command: 'org limits',
      args: { org: 1, concurrent_calls: slots, calls_per_second: 20_000 },
    });
    const campaign = await setUp(api, file, { rate_limit_per_second: 20_000 });
    await api.post(`/api/v1/campaign/${campaign}/start`);
    await until(
      'dialing',
      async () => (await api.get<Progress>(`/api/v1/campaign/${campaign}/progress`)).state === 'completed',
      100,
    );
  });
  return probe;
};

/** Attempts per second; their ledger stays in `folder`/dialing. */
export const measureDialing = async (bench: Bench): Promise<number> => {
  const { placedAt } = await dial(bench, join(bench.folder, 'dialing'), 100, 2000);
  const [first, last] = [placedAt[0] ?? NaN, placedAt.at(-1) ?? NaN];
  return (placedAt.length - 1) / ((last - first) / 1000);
};

/** Until all slots are taken for the first time, a freed slot is not what the next call waits for. */
const WARM_UP = 200;

/** ms from each freed slot to the next call: 40 slots, calls of 400 ms, so about 100 frees a second. */
export const measureSlots = async (bench: Bench): Promise<readonly number[]> => {
  const probe = await dial(bench, join(bench.folder, 'slots'), 400, 40);
  // The n-th freed slot is taken by the call 40 places later.
  return probe.endedAt
    .map((at, i) => (probe.placedAt[i + 40] ?? NaN) - at)
    .slice(WARM_UP)
    .filter((ms) => !Number.isNaN(ms));
};

/** Events per second of a rebuild of every read model, after `beside`, which measures the bare work on the same platform. */
export const measureRebuild = async (
  bench: Bench,
  beside: (platform: Platform) => Promise<number>,
): Promise<{ readonly rate: number; readonly bare: number }> => {
  const opened = await openEngines(configOf(join(bench.folder, 'dialing'), bench.settings), silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  const { platform, close } = opened.right;
  try {
    const bare = await beside(platform);
    const done = await rebuild(platform, projections);
    return { rate: done.events / done.seconds, bare };
  } finally {
    await close();
  }
};
