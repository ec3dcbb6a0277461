/**
 * kill -9 of the whole platform at random moments of a running campaign, restarted each time. The judge is the simulator's own record, with the
 * ledger. Small in `npm test`; `FAULTS=full` (npm run test:faults) is the figure of the README: 20 kills, 2,000 contacts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contactList, seeded } from '../../src/demo/contacts';
import { restClient, type RestClient } from '../../src/demo/client';
import { startCampaign, type TrafficStats } from '../../src/demo/campaign';
import { judge } from '../../src/demo/judge';
import { freePort, runCli, startPlatform, startSimulatorProgram, type Program } from '../support/programs';
import { recordedCalls, runsOfLedger } from '../support/witnesses';

const full = process.env.FAULTS === 'full';
const KILLS = full ? 20 : 4;
const CONTACTS = full ? 2000 : 250;
const seed = Number(process.env.SEED ?? Date.now() % 100_000);

let folder: string;
let simulator: Program;
let platform: Program | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-kill-'));
  simulator = await startSimulatorProgram(['--seed', String(seed), '--time-scale', '0.25']);
});

afterAll(async () => {
  await platform?.kill('SIGKILL');
  await simulator?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it(`ends every contact exactly once and places no attempt twice through ${KILLS} kills (seed ${seed})`, async () => {
  const random = seeded(seed);
  const port = await freePort();
  const key = 'llk_kill_test_0123456789abcdef';
  const start = (): Promise<Program> => startPlatform({ folder, port, key });
  platform = await start();
  const api: RestClient = restClient(platform.url, key);
  const carrier = { url: simulator.url, username: 'ledgerline', password: 'secret' };
  const campaign = await startCampaign(
    api,
    carrier,
    contactList(CONTACTS, seed),
    CONTACTS,
    () => undefined,
    full ? 2 : 1,
  );

  const state = async (): Promise<string> =>
    (await api.get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`)).state;
  let kills = 0;
  while (kills < KILLS && (await state()) !== 'completed') {
    await new Promise((done) => setTimeout(done, 300 + random() * (full ? 3500 : 2500)));
    await platform.kill('SIGKILL');
    kills += 1;
    platform = await start();
  }
  expect(kills).toBe(KILLS);

  const end = Date.now() + 240_000;
  for (;;) {
    const progress = await api.get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`);
    if (progress.state === 'completed') break;
    if (progress.state === 'paused') await api.post(`/api/v1/campaign/${campaign}/resume`);
    if (Date.now() > end) throw new Error(`not completed: ${JSON.stringify(progress)}\n${platform.output()}`);
    await new Promise((done) => setTimeout(done, 500));
  }
  const stats = await api.get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`);
  await platform.kill('SIGTERM');

  const runs = await runsOfLedger(folder, campaign);
  const seen = await recordedCalls(simulator.url);
  expect(seen.length).toBeGreaterThan(CONTACTS / 2);
  expect(judge(CONTACTS, runs, seen, stats)).toEqual([]);

  const verified = await runCli(['verify', '--data-dir', folder]);
  expect(verified.output).toContain('read models equal a fresh fold');
  expect(verified.code).toBe(0);
}, 600_000);
