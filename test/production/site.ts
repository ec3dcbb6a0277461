/** An installation of the platform on some served engines, and the campaigns that a suite runs on it, each held against its two witnesses. */
import { randomBytes } from 'node:crypto';
import { follow, startCampaign, type TrafficStats } from '../../src/demo/campaign';
import type { RestClient } from '../../src/demo/client';
import { contactList, seeded } from '../../src/demo/contacts';
import { judge } from '../../src/demo/judge';
import type { Screen } from '../../src/demo/show';
import { START } from '../../src/core/position';
import { engineSettings, startCluster, type Cluster, type EngineUrls } from '../support/cluster';
import { eventually, runCli, startSimulatorProgram } from '../support/programs';
import { tempFolder } from '../support/temp';
import { openLedger, recordedCalls, runsAt } from '../support/witnesses';

export interface Site {
  readonly cluster: Cluster;
  /** Starts the processes that do not run; resolves when every one of them is ready. */
  readonly start: () => Promise<void>;
  /** Ends the processes, as an operator would. */
  readonly stop: () => Promise<void>;
  /** What `ledgerline verify` prints over the same engines; the processes must be stopped. */
  readonly verify: () => Promise<{ readonly code: number | null; readonly output: string }>;
  /** Where the ledger lies, as settings. */
  readonly ledger: Readonly<Record<string, string>>;
  readonly dispose: () => Promise<void>;
}

export interface SiteOptions {
  readonly engines: EngineUrls;
  readonly roles: Readonly<Record<string, number>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A database of its own on the server. */
const ownDatabase = (url: string, name: string): string => {
  const at = new URL(url);
  at.pathname = `/${name}`;
  return at.toString();
};

const isReady = async (url: string): Promise<true | null> =>
  (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5000) })).ok ? true : null;

/** Begins an installation of its own: a new folder, database and bucket. A server of EventStoreDB holds one ledger, so it must be empty. */
export const startSite = async (options: SiteOptions): Promise<Site> => {
  const name = `site-${randomBytes(5).toString('hex')}`;
  const { mongo, eventstore } = options.engines;
  const engines: EngineUrls = {
    ...options.engines,
    ...(mongo === undefined ? {} : { mongo: ownDatabase(mongo, name) }),
  };
  const folder = await tempFolder();
  const env = {
    ...(engines.s3 === undefined ? {} : { S3_BUCKET: name }),
    // What a kill left open is closed soon, so that the campaign can end.
    UNCERTAIN_LIMIT_SECONDS: '8',
    ...options.env,
  };
  const ledger: Readonly<Record<string, string>> = {
    DATA_DIR: folder.path,
    ...(eventstore === undefined ? {} : { EVENTSTORE_URL: eventstore }),
  };
  if (eventstore !== undefined) {
    const { platform, close } = await openLedger(ledger);
    const { events } = await platform.events.readAll({ after: START, limit: 1 });
    await close();
    if (events.length > 0) {
      await folder.remove();
      throw new Error('the server behind EVENTSTORE_URL holds events: the platform needs one with no ledger yet');
    }
  }
  const cluster = await startCluster({ engines, roles: options.roles, folder: folder.path, env });
  const start = async (): Promise<void> => {
    await Promise.all(cluster.nodes.filter((node) => !node.isRunning()).map((node) => node.start()));
    await Promise.all(
      cluster.nodes.map((node) => eventually(`${node.name} is ready`, 60_000, () => isReady(node.url))),
    );
  };
  await start();
  return {
    cluster,
    start,
    stop: () => cluster.stop(),
    verify: () => runCli(['verify'], { DATA_DIR: folder.path, ...engineSettings(engines), ...env, LOG_LEVEL: 'error' }),
    ledger,
    dispose: async () => {
      await Promise.all(cluster.nodes.map((node) => node.kill('SIGKILL')));
      await folder.remove();
    },
  };
};

const quiet: Screen = { line: () => undefined, progress: () => undefined };

/** Names are unique: makes room for the configuration that the next campaign brings. */
const renameConfigurations = async (api: RestClient): Promise<void> => {
  const { configurations } = await api.get<{ configurations: readonly { id: number; name: string }[] }>(
    '/api/v1/organizations/telephony-configs',
  );
  for (const { id } of configurations)
    await api.put(`/api/v1/organizations/telephony-configs/${id}`, { name: `PBX ${id}` });
};

export interface Plan {
  readonly contacts: number;
  readonly retries: number;
  readonly seed: number;
  /** kill -9 of so many processes at random moments; each is started again. 0: none. */
  readonly kills: number;
}

/** Every process at least once, in random order, where the kills suffice. */
const victims = (cluster: Cluster, kills: number, random: () => number): readonly number[] => {
  const count = cluster.nodes.length;
  const shuffled = Array.from({ length: count }, (_, i) => ({ i, at: random() })).sort((a, b) => a.at - b.at);
  return Array.from({ length: kills }, (_, n) => shuffled[n]?.i ?? Math.floor(random() * count));
};

const killing = async (site: Site, { kills, seed }: Plan): Promise<void> => {
  const random = seeded(seed);
  for (const victim of victims(site.cluster, kills, random)) {
    await new Promise((next) => setTimeout(next, 200 + random() * 1300));
    const node = site.cluster.nodes[victim];
    await node?.kill('SIGKILL');
    await node?.start();
  }
};

/** Follows a campaign whose API may be away for moments; resumes it when the breaker tripped. Answers the numbers once they stand still. */
const untilCompleted = async (api: RestClient, campaign: number, timeoutMs: number): Promise<TrafficStats> => {
  const path = `/api/v1/campaign/${campaign}`;
  await eventually(
    `campaign ${campaign} completes`,
    timeoutMs,
    async () => {
      const { state } = await api.get<{ state: string }>(`${path}/progress`);
      if (state === 'paused') await api.post(`${path}/resume`);
      return state === 'completed' ? true : null;
    },
    500,
  );
  return eventually(`the numbers of campaign ${campaign} stand still`, 20_000, async () => {
    const stats = await api.get<TrafficStats>(`${path}/traffic-stats`);
    return stats.variants.every((v) => v.completed === v.attempts) ? stats : null;
  });
};

/** What the platform itself says of a campaign that does not end. */
const stateOf = (api: RestClient, campaign: number): Promise<readonly string[]> =>
  Promise.all(
    ['progress', 'gates', 'traffic-stats', 'runs?page=1&limit=100&state=running'].map((what) =>
      api.get<unknown>(`/api/v1/campaign/${campaign}/${what}`).then(
        (answer) => `${what}: ${JSON.stringify(answer).slice(0, 4000)}`,
        (error: unknown) => `${what}: ${(error as Error).message}`,
      ),
    ),
  );

/**
 * Runs a campaign to its end, stops the processes, and answers everything that is off: by the ledger, by what the carrier saw, and by `verify`.
 */
export const campaignFaults = async (site: Site, plan: Plan): Promise<readonly string[]> => {
  await site.start();
  const api = site.cluster.api();
  const simulator = await startSimulatorProgram(['--seed', String(plan.seed), '--time-scale', '0.1']);
  try {
    await renameConfigurations(api);
    const carrier = { url: simulator.url, username: 'ledgerline', password: 'secret' };
    const csv = contactList(plan.contacts, plan.seed);
    const campaign = await startCampaign(api, carrier, csv, plan.contacts, quiet.line, plan.retries);
    if (plan.kills === 0) await follow(api, campaign, quiet, 180_000);
    else await killing(site, plan);
    const stats = await untilCompleted(api, campaign, 180_000).catch(async (error: Error) => {
      const output = site.cluster.nodes.map((node) => `--- ${node.name}\n${node.output()}`);
      output.push(`--- carrier, ${simulator.exited() ? 'ended' : 'running'}\n${simulator.output()}`);
      throw new Error([error.message, ...(await stateOf(api, campaign)), ...output].join('\n'));
    });
    await site.stop();
    const [runs, seen, verified] = [
      await runsAt(site.ledger, campaign),
      await recordedCalls(simulator.url),
      await site.verify(),
    ];
    const faults = [...judge(plan.contacts, runs, seen, stats)];
    if (seen.length < plan.contacts / 2)
      faults.push(`the carrier saw ${seen.length} calls of ${plan.contacts} contacts`);
    if (plan.retries > 0 && !runs.some((run) => run.attempts.filter((a) => !a.withdrawn).length > 1))
      faults.push('nobody was called again');
    if (verified.code !== 0 || !verified.output.includes('read models equal a fresh fold'))
      faults.push(`verify answered ${verified.code}:\n${verified.output}`);
    return faults;
  } finally {
    await simulator.kill('SIGKILL');
  }
};
