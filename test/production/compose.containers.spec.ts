/**
 * The deployment of docker-compose.yml, from outside: images built here, a campaign through its published ports, every kind of container killed on
 * the way, taken down and brought up again. Unless EVENTSTORE_IMAGE names an image of EventStoreDB, the peer stands in for it; an image in
 * MONGO_IMAGE without mongosh is taken for FerretDB's.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { projections } from '../../projections';
import { follow, startCampaign, type TrafficStats } from '../../src/demo/campaign';
import { restClient, type RestClient } from '../../src/demo/client';
import { contactList } from '../../src/demo/contacts';
import { judge } from '../../src/demo/judge';
import type { Screen } from '../../src/demo/show';
import { eventCatalog } from '../../src/domain/event-catalog';
import { verify } from '../../src/engine/verify';
import { ledgerRuns } from '../../src/commands/story';
import { composeProject, ENGINES, fillIn, hasProgram, ROLES, type Project } from '../support/compose';
import { peerImage } from '../support/engine-containers';
import { noteEngine } from '../support/engine-versions';
import { dockerAnswers } from '../support/engines';
import { eventually, freePort } from '../support/programs';
import { tempFolder, type TempFolder } from '../support/temp';
import { openLedger, recordedCalls } from '../support/witnesses';

const CONTACTS = 100;
const DOWN_MS = 2000;
const silent: Screen = { line: () => undefined, progress: () => undefined };

const why = ((): string | null => {
  if (!dockerAnswers) return 'no Docker engine answers';
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'docker compose is not installed';
  }
})();

const declare = (): void => {
  const key = 'llk_compose_0123456789abcdef';
  let temp: TempFolder;
  let project: Project;
  let ports: Readonly<Record<'api' | 's3' | 'eventstore' | 'mongo' | 'nats' | 'simulator', number>>;
  let secrets: Readonly<Record<'VAULT_MASTER_KEY' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY', string>>;
  let campaign = 0;
  let stats: TrafficStats;

  const api = (withKey = key): RestClient => patient(restClient(`http://127.0.0.1:${ports.api}`, withKey));
  const simulator = (): string => `http://127.0.0.1:${ports.simulator}`;
  /** The settings by which a program of this machine reaches the project's engines. */
  const seenFromHere = () => ({
    EVENTSTORE_URL: `esdb://127.0.0.1:${ports.eventstore}?tls=false`,
    MONGO_URL: `mongodb://127.0.0.1:${ports.mongo}/ledgerline?directConnection=true`,
    NATS_URL: `nats://127.0.0.1:${ports.nats}`,
    S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
    S3_BUCKET: 'ledgerline',
    VAULT_MASTER_KEY: secrets.VAULT_MASTER_KEY,
  });

  beforeAll(async () => {
    temp = await tempFolder();
    const [apiPort, s3, eventstore, mongo, nats, sim] = await Promise.all(Array.from({ length: 6 }, freePort));
    ports = { api: apiPort!, s3: s3!, eventstore: eventstore!, mongo: mongo!, nats: nats!, simulator: sim! };
    secrets = {
      VAULT_MASTER_KEY: randomBytes(32).toString('hex'),
      S3_ACCESS_KEY: 'compose',
      S3_SECRET_KEY: randomBytes(16).toString('hex'),
    };
    process.env['AWS_ACCESS_KEY_ID'] = secrets.S3_ACCESS_KEY;
    process.env['AWS_SECRET_ACCESS_KEY'] = secrets.S3_SECRET_KEY;
    process.env['AWS_REGION'] = 'us-east-1';
    const given = process.env['LEDGERLINE_IMAGE'] ?? '';
    const eventstoreImage = process.env['EVENTSTORE_IMAGE'] ?? '';
    const isMongo = await hasProgram(process.env['MONGO_IMAGE'] ?? 'mongo:8', 'mongosh');
    const envFile = join(temp.path, 'env');
    await fillIn(envFile, {
      ...secrets,
      LEDGERLINE_BOOTSTRAP_KEY: key,
      LEDGERLINE_IMAGE: given === '' ? 'ledgerline:of-the-compose-test' : given,
      EVENTSTORE_IMAGE: eventstoreImage === '' ? await peerImage() : eventstoreImage,
      BUILD_NETWORK: process.env['BUILD_NETWORK'] ?? 'host',
      PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
      S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
      LEDGERLINE_PORT: String(ports.api),
      S3_PORT: String(ports.s3),
      SIMULATOR_PORT: String(ports.simulator),
      EVENTSTORE_PORT: String(ports.eventstore),
      MONGO_PORT: String(ports.mongo),
      NATS_PORT: String(ports.nats),
      // Long enough calls that every kill finds some under way, short enough limits that what a kill left unknown is closed soon.
      SIMULATOR_TIME_SCALE: '1',
      ARI_AMD_CONTEXT: 'amdback',
      RING_SECONDS: '12',
      UNCERTAIN_LIMIT_SECONDS: '15',
      LOG_LEVEL: 'warn',
    });
    const files = [
      'docker-compose.yml',
      'test/production/compose/outside.yml',
      ...(eventstoreImage === '' ? ['test/production/compose/peer.yml'] : []),
      ...(isMongo ? [] : ['test/production/compose/ferretdb.yml']),
    ];
    project = await composeProject(`ledgerline-${randomBytes(4).toString('hex')}`, files, 'demo', envFile);
    if (given === '') await project.compose('build', 'api');
    await project.compose('up', '-d', '--no-build');
    await project.healthy(project.services, 120_000);
    const { EVENTSTORE_URL, MONGO_URL, NATS_URL, S3_ENDPOINT } = seenFromHere();
    await noteEngine('eventstore', EVENTSTORE_URL, 'compose');
    await noteEngine('mongo', MONGO_URL, 'compose');
    await noteEngine('nats', NATS_URL, 'compose');
    await noteEngine('s3', S3_ENDPOINT, 'compose');
  }, 900_000);

  afterAll(async () => {
    await project?.compose('down', '-v', '--timeout', '5');
    await temp?.remove();
  }, 120_000);

  /** What the roles said, for the report of a failure. */
  const withLogs = async <A>(work: Promise<A>): Promise<A> => {
    try {
      return await work;
    } catch (error) {
      const logs = await project.compose('logs', '--no-color', '--tail', '40', ...ROLES).catch(String);
      throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
    }
  };

  it('is refused without its secrets, by the name of one that is missing', async () => {
    const unfilled = composeProject('ledgerline-unfilled', ['docker-compose.yml'], 'demo', '.env.example');
    await expect(unfilled).rejects.toThrow(/required variable [A-Z0-9_]+ is missing a value: set [A-Z0-9_]+ in \.env/);
  });

  it('has one service for each role and engine, and the simulator', () => {
    expect([...project.services].sort()).toEqual([...ENGINES, ...ROLES, 'simulator'].sort());
  });

  it.each(ROLES)('runs %s without privileges, on a root that is not written', async (role) => {
    const [container] = await project.containers(role);
    expect(container).toMatchObject({ user: 'node', readOnly: true, droppedCapabilities: ['ALL'] });
  });

  it('ends a campaign right although a container of every kind is killed on the way', async () => {
    await withLogs(
      (async () => {
        const access = { url: 'http://simulator:8088', username: 'ledgerline', password: 'secret' };
        campaign = await startCampaign(api(), access, contactList(CONTACTS, 7), CONTACTS, silent.line);
        const killed: string[] = [];
        const killing = async (): Promise<void> => {
          await eventually('the first call', 30_000, async () =>
            (await recordedCalls(simulator())).length > 0 ? true : null,
          );
          for (const service of [...ROLES, ...ENGINES]) {
            const { state } = await api().get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`);
            if (state === 'completed') return;
            await project.kill(service);
            await new Promise((done) => setTimeout(done, DOWN_MS));
            await project.start(service);
            await project.healthy([service], 60_000);
            killed.push(service);
          }
        };
        await Promise.all([killing(), follow(api(), campaign, silent, 300_000)]);
        expect(killed).toEqual([...ROLES, ...ENGINES]);
        await project.healthy(project.services, 60_000);
      })(),
    );
  }, 400_000);

  it('is proven by ledger and simulator together', async () => {
    const { platform, close } = await openLedger(seenFromHere());
    try {
      const runs = await ledgerRuns(platform, campaign);
      const seen = await recordedCalls(simulator());
      expect(seen.length).toBeGreaterThanOrEqual(CONTACTS);
      // The figures are the projector's, which follows the ledger.
      let faults: readonly string[] = [];
      await eventually('figures that equal the ledger', 20_000, async () => {
        stats = await api().get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`);
        faults = judge(CONTACTS, runs, seen, stats);
        return faults.length === 0 ? true : null;
      }).catch(() => undefined);
      expect(faults).toEqual([]);
      const report = await verify(platform, projections, eventCatalog, {});
      expect(report.faults).toEqual([]);
      expect(report.events).toBeGreaterThan(CONTACTS * 4);
    } finally {
      await close();
    }
  }, 120_000);

  it('stops every role by itself when it is asked to, and finds everything again after down and up', async () => {
    const made = await project.compose(
      'exec',
      '-T',
      'api',
      'node',
      'dist/src/cli.js',
      'key',
      'create',
      '--org',
      '1',
      '--name',
      'Second',
    );
    const second = (JSON.parse(made) as { readonly api_key: string }).api_key;
    await project.compose('stop', ...ROLES);
    for (const role of ROLES) expect([role, (await project.containers(role))[0]?.exitCode]).toEqual([role, 0]);
    await project.compose('down');
    await project.compose('up', '-d', '--no-build', '--scale', 'dialer=2');
    await withLogs(project.healthy(project.services, 120_000));
    expect(await project.containers('dialer')).toHaveLength(2);
    expect(await api(second).get(`/api/v1/campaign/${campaign}/traffic-stats`)).toEqual(stats);
    expect(await api().get(`/api/v1/campaign/${campaign}/progress`)).toMatchObject({
      state: 'completed',
      contacts_ended: CONTACTS,
    });
  }, 240_000);

  it('is verified by the command in a container of its own', async () => {
    const said = await project.compose('run', '--rm', '-T', '--no-deps', 'api', 'verify');
    expect(said).toContain('read models equal a fresh fold');
  }, 120_000);
};

/**
 * A client that asks again, for a minute, while nobody listens or the answer is that an engine is away. What it asks for while containers are
 * killed may be repeated.
 */
const patient = (client: RestClient): RestClient => {
  const again = async <A>(ask: () => Promise<A>): Promise<A> => {
    for (const until = Date.now() + 60_000; ;)
      try {
        return await ask();
      } catch (error) {
        const { message } = error as Error;
        if (Date.now() > until || (/ answered /.test(message) && !/ answered 503/.test(message))) throw error;
        await new Promise((done) => setTimeout(done, 250));
      }
  };
  return {
    get: (path) => again(() => client.get(path)),
    post: (path, body) => again(() => client.post(path, body)),
    put: (path, body) => again(() => client.put(path, body)),
    patch: (path, body) => again(() => client.patch(path, body)),
  };
};

if (why === null) describe('the deployment of docker-compose.yml', declare);
else {
  const title = `docker-compose.yml: skipped, ${why}`;
  if (process.env['REQUIRE_ENGINES'] === 'all')
    it(title, () => {
      throw new Error(`REQUIRE_ENGINES=all, but ${why}`);
    });
  else {
    process.stderr.write(`${title}\n`);
    it.skip(title, () => undefined);
  }
}
