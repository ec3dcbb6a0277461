/** `ledgerline demo`: a real campaign against the carrier simulator, played by a REST client, judged by ledger and simulator together. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/Either';
import { projections } from '../../projections';
import { readConfig } from '../config';
import { recordedCalls } from '../demo/carrier-record';
import { follow, startCampaign, type TrafficStats } from '../demo/campaign';
import { startChild, type Child } from '../demo/children';
import { restClient } from '../demo/client';
import { contactList } from '../demo/contacts';
import { judge, type LedgerRun, type SeenCall } from '../demo/judge';
import { screen, table, type Screen } from '../demo/show';
import { eventCatalog } from '../domain/event-catalog';
import type { Platform } from '../engine/platform';
import { silentLogger } from '../engine/telemetry';
import { verify } from '../engine/verify';
import { openEngines } from '../main';
import { ledgerRuns, story } from './story';

export interface DemoOptions {
  readonly contacts: number;
  readonly seed: number;
  readonly faults: string;
  readonly dataDir?: string;
}

const TIME_SCALE = '0.25';
const cli = join(__dirname, '..', 'cli.js');

/** Exit code: 0 when every promise held. */
export const demo = async (options: DemoOptions): Promise<number> => {
  const show = screen(process.stdout);
  const started = Date.now();
  const folder =
    options.dataDir ?? join('data', `demo-${new Date(started).toISOString().slice(0, 19).replaceAll(':', '')}`);
  const children: Child[] = [];
  try {
    await mkdir(folder, { recursive: true });
    return await play(options, folder, show, children);
  } catch (error) {
    show.line(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
    show.line(`Its data is in ${folder}.`);
    return 1;
  } finally {
    await Promise.all(children.map((c) => c.stop()));
    show.line(`(${Math.round((Date.now() - started) / 1000)} s)`);
  }
};

const play = async (options: DemoOptions, folder: string, show: Screen, children: Child[]): Promise<number> => {
  const simulator = await startChild(
    [
      cli,
      'simulate',
      '--port',
      '0',
      '--seed',
      String(options.seed),
      '--faults',
      options.faults,
      '--time-scale',
      TIME_SCALE,
    ],
    {},
    /listens on (\S+)/,
  );
  children.push(simulator);
  const carrier = { url: simulator.announced[1] as string, username: 'ledgerline', password: 'secret' };
  show.line(`The carrier simulator (a program of its own, speaking ARI) listens on ${carrier.url}`);

  const key = `llk_demo_${'0'.repeat(16)}${Math.random().toString(36).slice(2, 12)}`;
  const server = await startChild(
    [cli, 'serve', '--port', '0', '--data-dir', folder],
    {
      LEDGERLINE_BOOTSTRAP_KEY: key,
      ARI_AMD_CONTEXT: 'amdback',
      RING_SECONDS: '8',
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
      UPLOAD_MAX_BYTES: String(100_000_000),
    },
    /listens on (\S+)/,
  );
  children.push(server);
  const url = server.announced[1] as string;
  show.line(`Ledgerline (embedded, data in ${folder}) listens on ${url}`);

  const api = restClient(url, key);
  const campaign = await startCampaign(
    api,
    carrier,
    contactList(options.contacts, options.seed),
    options.contacts,
    show.line,
  );
  const stats = await follow(api, campaign, show, 150_000 + options.contacts * 100);
  show.line('');
  show.line('The campaign is completed.');
  printStatistics(stats, show);

  const seen = await recordedCalls(carrier.url);
  await server.stop();
  children.splice(children.indexOf(server), 1);
  return prove(options, folder, campaign, stats, seen, show);
};

const printStatistics = (stats: TrafficStats, show: Screen): void => {
  const names = [...new Set(stats.variants.flatMap((v) => Object.keys(v.outcomes)))].sort();
  show.line(
    table(
      ['variant', 'agent', 'target', 'attempts', 'share', ...names],
      stats.variants.map((v) => [
        v.id,
        v.workflow_name,
        v.target_weight ?? '-',
        v.attempts,
        `${v.actual_percentage.toFixed(1)} %`,
        ...names.map((n) => v.outcomes[n] ?? 0),
      ]),
    ),
  );
};

const prove = async (
  options: DemoOptions,
  folder: string,
  campaign: number,
  stats: TrafficStats,
  seen: readonly SeenCall[],
  show: Screen,
): Promise<number> => {
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  const opened = await openEngines(config.right, silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  const { platform, close } = opened.right;
  try {
    const runs = await ledgerRuns(platform, campaign);
    const faults = [...judge(options.contacts, runs, seen, stats), ...(await verified(platform, show))];
    await tellOneStory(platform, runs, show);
    show.line('');
    if (faults.length > 0) {
      for (const fault of faults.slice(0, 30)) show.line(`OFF: ${fault}`);
      if (faults.length > 30) show.line(`… and ${faults.length - 30} more`);
      return 1;
    }
    const attempts = runs.reduce((n, r) => n + r.attempts.filter((a) => !a.withdrawn).length, 0);
    show.line(
      `Proven: ${runs.length} contacts, each with exactly one terminal event; ${attempts} attempts in the ledger, ${seen.length} place requests at the carrier,`,
    );
    show.line('no attempt placed twice, none placed without a claim; statistics equal the log.');
    show.line('');
    show.line('Look further:');
    show.line(`  DATA_DIR=${folder} npm start                        serve this data again`);
    show.line(
      `  npx ledgerline events run-1_${runs[0]?.runId ?? 1} --data-dir ${folder}   one contact's events as they lie in the ledger`,
    );
    show.line(`  npx ledgerline verify --data-dir ${folder}         check the hash chains and read models again`);
    return 0;
  } finally {
    await close();
  }
};

const verified = async (platform: Platform, show: Screen): Promise<readonly string[]> => {
  const report = await verify(platform, projections, eventCatalog, {});
  show.line('');
  show.line(
    `verify: ${report.events} events in ${report.streams} streams, ${report.ok ? 'every hash chain holds, read models equal a fresh fold' : `${report.faults.length} faults`}`,
  );
  return report.faults.map((f) => `${f.kind}: ${f.message}`);
};

/** The contact with the longest way to its end. */
const tellOneStory = async (platform: Platform, runs: readonly LedgerRun[], show: Screen): Promise<void> => {
  const longest = runs.reduce<LedgerRun | null>(
    (best, run) => (best === null || run.attempts.length > best.attempts.length ? run : best),
    null,
  );
  if (longest === null) return;
  show.line('');
  show.line(`The story of one contact (run ${longest.runId}), as the ledger tells it:`);
  for (const line of await story(platform, longest.runId)) show.line(`  ${line}`);
};
