/**
 * `npm run bench -- restart`: what a call costs of a short list and of a long one, and how soon the platform dials again after kill -9 in the long
 * one. Platform and carrier are programs of their own; the carrier's record is the judge.
 */
import { join } from 'node:path';
import { administer } from '../../src/commands/administer';
import { startChild, type Child } from '../../src/demo/children';
import { restClient } from '../../src/demo/client';
import { listOf, SEED } from './measures';
import { configOf, setUp, until, type Progress } from './platform';
import type { Figure } from './report';

const KEY = 'llk_bench_0123456789abcdef';
const CLI = join(__dirname, '..', '..', 'src', 'cli.js');
const LISTENS = /listens on (\S+)/;
const SHORT = 1000;
const KILLS = 3;
const EVERY_MS = 10;

const textOf = async (url: string): Promise<string> => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`GET ${url} answered ${answer.status}`);
  return answer.text();
};

/** CPU that a process used so far, s. */
const cpuOf = async (url: string): Promise<number> => {
  const found = /^process_cpu_seconds_total(?:\{[^}]*\})? (\S+)/m.exec(await textOf(`${url}/metrics`))?.[1];
  if (found === undefined) throw new Error('the platform does not tell how much CPU it used');
  return Number(found);
};

export const benchRestart = async (folder: string, quick: boolean, tell: (figure: Figure) => void): Promise<void> => {
  const long = quick ? 100_000 : 1_000_000;
  const measured = quick ? 2000 : 10_000;
  const data = join(folder, 'restart');
  const carrier = await startChild(
    [CLI, 'simulate', '--port', '0', '--seed', String(SEED), '--time-scale', '0.02'],
    {},
    LISTENS,
  );
  const carrierUrl = carrier.announced[1] as string;
  const placed = async (): Promise<number> =>
    (JSON.parse(await textOf(`${carrierUrl}/simulator/stats`)) as { requests: number }).requests;
  /** Waits until nothing that was on the wire arrives any more; answers how many came. */
  const silence = async (): Promise<number> => {
    let last = -1;
    const isSilent = async (): Promise<boolean> => {
      const now = await placed();
      const same = now === last;
      last = now;
      return same;
    };
    await until('silence', isSilent, 200);
    return last;
  };
  const startPlatform = (): Promise<Child> =>
    startChild(
      [CLI, 'serve', '--port', '0', '--data-dir', data],
      { LEDGERLINE_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'warn', HOST: '127.0.0.1', UPLOAD_MAX_BYTES: String(2 ** 30) },
      LISTENS,
    );
  let platform = await startPlatform();
  const url = (): string => platform.announced[1] as string;

  const start = async (contacts: number): Promise<number> => {
    const file = await listOf({ folder, contacts });
    const api = restClient(url(), KEY);
    const settings = { rate_limit_per_second: 2000, retry_config: { enabled: false } };
    const pbx = {
      ari_endpoint: carrierUrl,
      app_name: 'ledgerline',
      app_password: 'secret',
      dial_string_template: 'PJSIP/{number}@trunk',
    };
    const campaign = await setUp(api, file, settings, pbx);
    await api.post(`/api/v1/campaign/${campaign}/start`);
    return campaign;
  };
  const progressOf = (campaign: number): Promise<Progress> =>
    restClient(url(), KEY).get<Progress>(`/api/v1/campaign/${campaign}/progress`);

  /** CPU of the platform per call, microseconds, until `done`. */
  const costUntil = async (done: (calls: number) => Promise<boolean>): Promise<number> => {
    const [cpu, before] = [await cpuOf(url()), await placed()];
    await until('the calls', async () => done((await placed()) - before), EVERY_MS);
    return (((await cpuOf(url())) - cpu) * 1e6) / ((await placed()) - before);
  };
  const shortList = async (): Promise<number> => {
    const campaign = await start(SHORT);
    return costUntil(async () => (await progressOf(campaign)).state === 'completed');
  };

  try {
    await administer(configOf(data), {
      command: 'org limits',
      args: { org: 1, concurrent_calls: 1000, calls_per_second: 20_000 },
    });
    // The first ones warm the program up.
    for (let i = 0; i < 4; i++) await shortList();
    const short = Math.min(await shortList(), await shortList(), await shortList());
    const campaign = await start(long);
    await until('import', async () => (await progressOf(campaign)).source_sync.status === 'completed', 100);
    const cost = await costUntil(async (calls) => calls >= measured);
    tell({
      name: `CPU per call, list of ${SHORT.toLocaleString('en-US')}`,
      value: short,
      unit: 'µs',
      bar: null,
      yardstick: null,
    });
    tell({
      name: `CPU per call, list of ${long.toLocaleString('en-US')}`,
      value: cost,
      unit: 'µs',
      bar: { text: `at most 1.5 × of the short list; is ${(cost / short).toFixed(2)} ×`, met: cost <= 1.5 * short },
      yardstick: null,
    });

    const waits: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await platform.kill();
      const before = await silence();
      const began = performance.now();
      platform = await startPlatform();
      await until('dialing', async () => (await placed()) > before, EVERY_MS);
      waits.push((performance.now() - began) / 1000);
      const resumed = await placed();
      await until('more calls', async () => (await placed()) >= resumed + measured / 10, EVERY_MS);
    }
    const worst = Math.max(...waits);
    tell({
      name: `kill -9, ${long.toLocaleString('en-US')} contacts: dialing again`,
      value: worst,
      unit: 's',
      bar: { text: `within 5 s, worst of ${KILLS}`, met: worst <= 5 },
      yardstick: null,
    });
    await platform.stop();
    const rows = (await textOf(`${carrierUrl}/simulator/record`)).trim().split('\n');
    const twice = rows.length - new Set(rows.map((row) => (JSON.parse(row) as { channel_id: string }).channel_id)).size;
    tell({
      name: '  calls placed twice',
      value: twice,
      unit: `of ${rows.length}`,
      bar: { text: 'none', met: twice === 0 },
      yardstick: null,
    });
  } finally {
    await Promise.all([platform.kill(), carrier.stop()]);
  }
};
