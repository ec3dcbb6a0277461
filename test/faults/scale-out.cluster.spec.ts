/**
 * Three dialers, two api processes and two projectors over one campaign: its limits hold as if there were one dialer, partitions spread, and a
 * process that is killed delays its partitions by no more than the lease. `SCALE_CONTACTS` (20,000) sets the size.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '../../projections';
import { ledgerRuns } from '../../src/commands/story';
import { startCampaign, type TrafficStats } from '../../src/demo/campaign';
import { contactList } from '../../src/demo/contacts';
import { judge } from '../../src/demo/judge';
import { eventCatalog } from '../../src/domain/event-catalog';
import { verify } from '../../src/engine/verify';
import { densest, longestSilence, mostAtOnce, SECOND } from '../support/carrier-load';
import { engineSettings, startCluster, type Cluster, type EngineUrls, type Node } from '../support/cluster';
import { urlsOf, withEveryEngine } from '../support/engines';
import { eventually, startSimulatorProgram, type Program } from '../support/programs';
import { openLedger, recordedCalls } from '../support/witnesses';

const CONTACTS = Number(process.env['SCALE_CONTACTS'] ?? 20_000);
/** The campaign's own limits, as startCampaign sets them for long lists. */
const MAX_CONCURRENCY = 80;
const RATE = 60;
/** How long a partition may stand still when its owner is killed: found and taken over, ms. */
const LEASE_MS = 4000;
/** What a busy machine may add to it. */
const SLACK_MS = 4000;
const say = (text: string): void => void process.stderr.write(`    ${text}\n`);

const figure = async (node: Node, name: string): Promise<number> => {
  const figures = await (await fetch(`${node.url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(figures)?.[1] ?? NaN);
};

withEveryEngine({ mayStop: true }, (engines) => {
  let folder: string;
  let cluster: Cluster;
  let simulator: Program;
  let urls: EngineUrls;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-scale-'));
    simulator = await startSimulatorProgram(['--seed', '11', '--time-scale', '0.25']);
    urls = urlsOf(engines());
    cluster = await startCluster({
      engines: urls,
      roles: { api: 2, relay: 1, projector: 2, dialer: 3 },
      folder,
      env: { UPLOAD_MAX_BYTES: '100000000' },
    });
  }, 120_000);

  afterAll(async () => {
    await cluster?.stop();
    await simulator?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it(`drives one campaign of ${CONTACTS} contacts, whatever process is killed`, async () => {
    const dialers = cluster.of('dialer');
    const owned = await eventually('the partitions are spread', 30_000, async () => {
      const counts = await Promise.all(dialers.map((node) => figure(node, 'ledgerline_partitions_owned')));
      return counts.reduce((sum, n) => sum + n, 0) === 64 && counts.every((n) => n > 8) ? counts : null;
    });
    const carrier = { url: simulator.url, username: 'ledgerline', password: 'secret' };
    const begun = Date.now();
    const campaign = await startCampaign(cluster.api(), carrier, contactList(CONTACTS, 11), CONTACTS, say, 0);
    const progress = (which = 1) =>
      cluster.api(which).get<{ state: string; contacts_ended: number }>(`/api/v1/campaign/${campaign}/progress`);

    // Each process is killed once, spread over the campaign; it comes back when its work has been taken over.
    const victims = [...dialers, ...cluster.of('projector'), ...cluster.of('relay'), cluster.of('api')[0] as Node];
    for (const [i, victim] of victims.entries()) {
      const share = Math.floor((CONTACTS * (i + 1)) / (victims.length + 2));
      await eventually(`${share} contacts are over`, 900_000, async () =>
        (await progress()).contacts_ended >= share ? true : null,
      );
      await victim.kill('SIGKILL');
      await new Promise((done) => setTimeout(done, 6000));
      await victim.start();
    }
    await eventually('the campaign completes', 900_000, async () => {
      const { state } = await progress();
      if (state === 'paused') await cluster.api(1).post(`/api/v1/campaign/${campaign}/resume`);
      return state === 'completed' ? state : null;
    });
    const tookS = (Date.now() - begun) / 1000;
    const stats = await cluster.api().get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`);
    const calls = await recordedCalls(simulator.url);
    await cluster.stop();

    say(
      `${CONTACTS} contacts in ${tookS.toFixed(0)} s (${(calls.length / tookS).toFixed(0)} calls/s); partitions ${owned.join('/')}; ` +
        `at most ${mostAtOnce(calls)} calls at once (limit ${MAX_CONCURRENCY}), ${densest(calls, SECOND)} in any second (limit ${RATE}); ` +
        `longest silence after a kill ${Math.round(longestSilence(calls))} ms (lease ${LEASE_MS} ms)`,
    );
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(MAX_CONCURRENCY);
    expect(densest(calls, SECOND)).toBeLessThanOrEqual(RATE);
    expect(longestSilence(calls)).toBeLessThan(LEASE_MS + SLACK_MS);

    const ledger = await openLedger(engineSettings(urls));
    try {
      expect(judge(CONTACTS, await ledgerRuns(ledger.platform, campaign), calls, stats)).toEqual([]);
      const report = await verify(ledger.platform, projections, eventCatalog, {});
      expect(report.faults).toEqual([]);
    } finally {
      await ledger.close();
    }
  }, 2_400_000);
});
