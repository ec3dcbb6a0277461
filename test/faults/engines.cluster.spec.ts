/**
 * Every engine killed, paused, cut off and silent, every role killed, at random moments of a campaign, while commands come in. Afterwards: every
 * acknowledged command is in the ledger once, the read models equal a fresh fold, no attempt was placed twice, no contact was forgotten, and
 * nobody is behind. `SEED` repeats a run; `FAULT_CONTACTS` (5000) sets its size.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '../../projections';
import { startCampaign, type TrafficStats } from '../../src/demo/campaign';
import { contactList } from '../../src/demo/contacts';
import { judge } from '../../src/demo/judge';
import { ledgerRuns } from '../../src/commands/story';
import { telephonyStream } from '../../src/core/ids';
import { eventCatalog } from '../../src/domain/event-catalog';
import { verify } from '../../src/engine/verify';
import { engineSettings, startCluster, type Cluster } from '../support/cluster';
import { urlsOf, withEveryEngine, type Engine } from '../support/engines';
import { startProxy, type Proxy } from '../support/peer/proxy';
import { eventually, startSimulatorProgram, type Program } from '../support/programs';
import { faultsOfEngine, faultsOfNode, inflict, lossOfStore, shuffled, slowest } from '../support/trouble';
import { openLedger, recordedCalls } from '../support/witnesses';

const CONTACTS = Number(process.env['FAULT_CONTACTS'] ?? 5000);
const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);
const say = (text: string): void => void process.stderr.write(`    ${text}\n`);

/** Commands from a client that repeats whatever was not answered, under the same key; ends when told. */
const commanding = (cluster: Cluster, isOver: () => boolean) => {
  const acknowledged: string[] = [];
  let repeats = 0;
  const one = async (name: string): Promise<void> => {
    const key = randomUUID();
    for (let which = 0; ; which++) {
      const node = cluster.of('api')[which % cluster.of('api').length];
      const response = await fetch(`${node?.url}/api/v1/organizations/telephony-configs`, {
        method: 'POST',
        headers: { 'X-API-Key': cluster.key, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify({
          name,
          config: { provider: 'ari', ari_endpoint: 'http://127.0.0.1:9', app_name: 'a', app_password: 'b' },
        }),
        signal: AbortSignal.timeout(15_000),
      }).catch(() => null);
      const status = response?.status ?? 0;
      await response?.text().catch(() => '');
      if (status === 200) return void acknowledged.push(name);
      if (status !== 0 && status !== 503 && status !== 409) throw new Error(`${name} was answered ${status}`);
      repeats += 1;
      if (isOver() && repeats > 10_000) throw new Error(`${name} is never answered`);
      await new Promise((done) => setTimeout(done, 300));
    }
  };
  const run = async (): Promise<void> => {
    for (let i = 1; !isOver(); i++) {
      await one(`command ${i}`);
      await new Promise((done) => setTimeout(done, 150));
    }
  };
  return { acknowledged, repeats: () => repeats, done: run() };
};

withEveryEngine({ mayStop: true }, (engines) => {
  let folder: string;
  let cluster: Cluster;
  let simulator: Program;
  const proxies: Proxy[] = [];

  const proxied = async (engine: Engine): Promise<{ readonly url: string; readonly proxy: Proxy }> => {
    const { hostname, port } = new URL(engine.url);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    proxies.push(proxy);
    return { url: engine.url.replace(`${hostname}:${port}`, `127.0.0.1:${proxy.port}`), proxy };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-trouble-'));
    simulator = await startSimulatorProgram(['--seed', String(seed), '--time-scale', '0.25']);
  }, 60_000);

  afterAll(async () => {
    await cluster?.stop();
    await simulator?.kill('SIGKILL');
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it(`loses nothing and doubles nothing through every fault with ${CONTACTS} contacts (seed ${seed})`, async () => {
    const all = engines();
    const through = {
      eventstore: await proxied(all.eventstore),
      mongo: await proxied(all.mongo),
      nats: await proxied(all.nats),
      s3: await proxied(all.s3),
    };
    const urls = urlsOf(all);
    cluster = await startCluster({
      engines: {
        eventstore: through.eventstore.url,
        mongo: through.mongo.url,
        nats: through.nats.url,
        s3: through.s3.url,
      },
      roles: { api: 2, relay: 1, projector: 1, dialer: 2 },
      folder,
    });
    const carrier = { url: simulator.url, username: 'ledgerline', password: 'secret' };
    const begun = Date.now();
    const campaign = await startCampaign(cluster.api(), carrier, contactList(CONTACTS, seed), CONTACTS, say, 1);

    const faults = shuffled(
      [
        ...faultsOfEngine(all.eventstore, through.eventstore.proxy),
        ...faultsOfEngine(all.mongo, through.mongo.proxy),
        ...faultsOfEngine(all.nats, through.nats.proxy),
        ...faultsOfEngine(all.s3, through.s3.proxy),
        lossOfStore(all.nats.url),
        ...cluster.nodes.flatMap(faultsOfNode),
      ],
      seed,
    );
    let over = false;
    const commands = commanding(cluster, () => over);
    // A failure of the commands fails the test at its end, not as an unhandled rejection in its middle.
    commands.done.catch(() => undefined);
    await inflict(faults, seed, { shortestMs: 500, longestMs: 4000 }, say);
    over = true;
    await commands.done;

    let resumed = 0;
    await eventually(
      'the campaign completes',
      600_000,
      async () => {
        const { state } = await cluster.api().get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`);
        if (state === 'paused') {
          resumed += 1;
          await cluster.api().post(`/api/v1/campaign/${campaign}/resume`);
        }
        return state === 'completed' ? state : null;
      },
      500,
    );
    const tookS = Math.round((Date.now() - begun) / 1000);
    await eventually('nobody is behind', 60_000, async () => ((await slowest(cluster)) === 0 ? true : null), 500);
    const stats = await cluster.api().get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`);
    const seen = await recordedCalls(simulator.url);
    await cluster.stop();

    const ledger = await openLedger(engineSettings(urls));
    try {
      const runs = await ledgerRuns(ledger.platform, campaign);
      expect(judge(CONTACTS, runs, seen, stats)).toEqual([]);
      const names = (await ledger.platform.events.readStream(telephonyStream(1)))
        .filter((event) => event.type === 'ConfigCreated')
        .map((event) => String(event.data['name']));
      expect(commands.acknowledged.length).toBeGreaterThan(10);
      expect(names.filter((name) => name.startsWith('command '))).toEqual(commands.acknowledged);
      const report = await verify(ledger.platform, projections, eventCatalog, {});
      expect(report.faults).toEqual([]);
      const uncertain = runs.filter((run) => run.outcome === 'uncertain').length;
      say(
        `${faults.length} faults in ${tookS} s: ${CONTACTS} contacts, ${seen.length} calls, ${uncertain} ended uncertain, ` +
          `${commands.acknowledged.length} commands (${commands.repeats()} repeated), resumed ${resumed} times, ${report.events} events verified`,
      );
    } finally {
      await ledger.close();
    }
  }, 1_500_000);
});
