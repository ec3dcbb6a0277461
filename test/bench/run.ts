/**
 * `npm run bench [-- --quick] [import] [dialing] [slots]`: import, dialing, slot to dial, rebuild; each beside the bare work of the same run. Seeds are fixed; figures are
 * printed and written to .bench/<time>.json. Timed figures are of this machine and noisy: ratios matter.
 */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/Either';
import { projections } from '../../projections';
import { rebuild } from '../../projections/rebuild';
import { readConfig, type Config } from '../../src/config';
import { serve } from '../../src/commands/serve';
import { contactList } from '../../src/demo/contacts';
import { restClient, type RestClient } from '../../src/demo/client';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines } from '../../src/main';
import { inProcessCarrier, type CarrierProbe } from './in-process-carrier';
import { machine, percentile, print, watchMemory, type Figure } from './report';
import { bareAppends, bareCsv, bareRead } from './yardsticks';

const quick = process.argv.includes('--quick');
/** Names after the options: `npm run bench -- --quick slots`. */
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const IMPORTED = quick ? 100_000 : 1_000_000;
const DIALED = quick ? 8_000 : 60_000;
const SEED = 7;
const KEY = 'llk_bench_0123456789abcdef';

const figures: Figure[] = [];
const tell = (figure: Figure): void => {
  figures.push(figure);
  print(figure);
};

const configOf = (folder: string): Config => {
  const config = readConfig({
    DATA_DIR: folder,
    PORT: '0',
    HOST: '127.0.0.1',
    LEDGERLINE_BOOTSTRAP_KEY: KEY,
    LOG_LEVEL: 'silent',
    UPLOAD_MAX_BYTES: String(2 ** 30),
  });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  return config.right;
};

const AGENT = {
  nodes: [
    {
      id: 's',
      type: 'startCall',
      position: { x: 0, y: 0 },
      data: { name: 'Start Call', prompt: 'Say hello to {{first_name}}.' },
    },
    { id: 'e', type: 'endCall', position: { x: 300, y: 0 }, data: { name: 'End Call', prompt: 'Say goodbye.' } },
  ],
  edges: [{ id: 'se', source: 's', target: 'e', data: { label: 'done', condition: 'The call is over' } }],
};

const until = async (
  what: string,
  done: () => Promise<boolean>,
  everyMs: number,
  timeoutMs = 1_200_000,
): Promise<void> => {
  const end = Date.now() + timeoutMs;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await new Promise((next) => setTimeout(next, everyMs));
  }
};

const setUp = async (api: RestClient, file: string, settings: Readonly<Record<string, unknown>>): Promise<number> => {
  const config = await api.post<{ id: number }>('/api/v1/organizations/telephony-configs', {
    name: `PBX ${Math.random()}`,
    config: { provider: 'ari', ari_endpoint: 'http://127.0.0.1:1', app_name: 'bench', app_password: 'bench' },
  });
  const agent = await api.post<{ id: number }>('/api/v1/workflow/create/definition', {
    name: 'Bench',
    workflow_definition: AGENT,
  });
  const size = (await stat(file)).size;
  const upload = await api.post<{ upload_url: string; file_key: string }>('/api/v1/s3/presigned-upload-url', {
    file_name: 'bench.csv',
    file_size: Math.min(size, 10_485_760),
    content_type: 'text/csv',
  });
  const put = await fetch(upload.upload_url, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv', 'Content-Length': String(size) },
    body: createReadStream(file) as unknown as string,
    duplex: 'half',
  } as RequestInit);
  if (!put.ok) throw new Error(`upload answered ${put.status}: ${await put.text()}`);
  const campaign = await api.post<{ id: number }>('/api/v1/campaign/create', {
    name: 'Bench',
    source_type: 'csv',
    source_id: upload.file_key,
    workflow_id: agent.id,
    telephony_configuration_id: config.id,
    ...settings,
  });
  return campaign.id;
};

interface Progress {
  readonly state: string;
  readonly source_sync: { readonly status: string };
}

const withPlatform = async (
  folder: string,
  probe: CarrierProbe,
  work: (api: RestClient) => Promise<void>,
): Promise<void> => {
  const serving = await serve(configOf(folder), silentLogger, new Map([['ari', probe.carrier]]));
  if (isLeft(serving)) throw new Error(serving.left);
  try {
    await work(restClient(serving.right.url, KEY));
  } finally {
    await serving.right.stop();
  }
};

const benchImport = async (folder: string): Promise<void> => {
  const file = join(folder, 'contacts.csv');
  await writeFile(file, contactList(IMPORTED, SEED));
  const bare = await bareCsv(file);
  const data = join(folder, 'import');
  const probe = inProcessCarrier(100);
  probe.open = false;
  await withPlatform(data, probe, async (api) => {
    const memory = watchMemory();
    const created = performance.now();
    const campaign = await setUp(api, file, {});
    const checked = (performance.now() - created) / 1000;
    const start = performance.now();
    await api.post(`/api/v1/campaign/${campaign}/start`);
    await until(
      'import',
      async () => (await api.get<Progress>(`/api/v1/campaign/${campaign}/progress`)).source_sync.status === 'completed',
      20,
    );
    const seconds = (performance.now() - start) / 1000;
    const peak = memory();
    const yardstick = `bare csv-parse ${bare.toFixed(2)} s`;
    tell({
      name: `import of ${IMPORTED.toLocaleString('en-US')} contacts`,
      value: IMPORTED / seconds,
      unit: 'contacts/s',
      bar: { text: `at most 4 × csv-parse; is ${(seconds / bare).toFixed(1)} ×`, met: seconds <= 4 * bare },
      yardstick,
    });
    tell({ name: '  upload and validation at creation', value: checked, unit: 's', bar: null, yardstick });
    tell({
      name: '  peak memory (RSS)',
      value: peak,
      unit: 'MiB',
      bar: { text: 'under 512 MiB', met: peak < 512 },
      yardstick: null,
    });
  });
};

const benchDialing = async (folder: string): Promise<void> => {
  const bare = await bareAppends(quick ? 4000 : 20_000);
  const file = join(folder, 'dialed.csv');
  await writeFile(file, contactList(DIALED, SEED));
  const data = join(folder, 'dialing');
  const probe = inProcessCarrier(100);
  await withPlatform(data, probe, async (api) => {
    const { administer } = await import('../../src/commands/administer.js');
    await administer(configOf(data), {
      command: 'org limits',
      args: { org: 1, concurrent_calls: 2000, calls_per_second: 20_000 },
    });
    const campaign = await setUp(api, file, { rate_limit_per_second: 20_000 });
    await api.post(`/api/v1/campaign/${campaign}/start`);
    await until(
      'dialing',
      async () => (await api.get<Progress>(`/api/v1/campaign/${campaign}/progress`)).state === 'completed',
      100,
    );
  });
  const [first, last] = [probe.placedAt[0] ?? NaN, probe.placedAt.at(-1) ?? NaN];
  const rate = (probe.placedAt.length - 1) / ((last - first) / 1000);
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
  await benchRebuild(data);
};

const benchRebuild = async (data: string): Promise<void> => {
  const opened = await openEngines(configOf(data), silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  const { platform, close } = opened.right;
  const bare = await bareRead(platform.events);
  const done = await rebuild(platform, projections);
  const rate = done.events / done.seconds;
  tell({
    name: 'rebuild of every read model',
    value: rate,
    unit: 'events/s',
    bar: { text: 'at least 50,000', met: rate >= 50_000 },
    yardstick: `bare read ${Math.round(bare)} events/s`,
  });
  await close();
};

/** Until all slots are taken for the first time, a freed slot is not what the next call waits for. */
const WARM_UP = 200;

/** A slot frees, the next call is placed: 40 slots, calls of 400 ms, so about 100 frees a second. */
const benchSlots = async (folder: string): Promise<void> => {
  const file = join(folder, 'slots.csv');
  await writeFile(file, contactList(quick ? 1500 : 6000, SEED));
  const probe = inProcessCarrier(400);
  const data = join(folder, 'slots');
  await withPlatform(data, probe, async (api) => {
    const { administer } = await import('../../src/commands/administer.js');
    await administer(configOf(data), {
      command: 'org limits',
      args: { org: 1, concurrent_calls: 40, calls_per_second: 20_000 },
    });
    const campaign = await setUp(api, file, { rate_limit_per_second: 20_000 });
    await api.post(`/api/v1/campaign/${campaign}/start`);
    await until(
      'slots',
      async () => (await api.get<Progress>(`/api/v1/campaign/${campaign}/progress`)).state === 'completed',
      250,
    );
  });
  // The n-th freed slot is taken by the call 40 places later.
  const waits = probe.endedAt
    .map((at, i) => (probe.placedAt[i + 40] ?? NaN) - at)
    .slice(WARM_UP)
    .filter((ms) => !Number.isNaN(ms));
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
