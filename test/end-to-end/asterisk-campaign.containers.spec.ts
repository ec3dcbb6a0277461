/**
 * Campaigns of the real program over a real Asterisk, whose phones behave by the last digit of their number. Judged from the ledger and from
 * Asterisk's own view: every outcome right, one channel for an attempt, no limit exceeded, whatever is killed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restClient, type RestClient } from '../../src/demo/client';
import type { TrafficStats } from '../../src/demo/campaign';
import { asteriskAbsence, startAsterisk, type Asterisk } from '../support/asterisk';
import { ledgerView, publishDraft, type Attempt } from '../support/asterisk-attempts';
import {
  channelFaults,
  digitOf,
  excusedInFlight,
  inFlightAt,
  outcomeFaults,
  tally,
  type Evidence,
} from '../support/asterisk-judge';
import { mostOpen, watchAsterisk, type Witness } from '../support/asterisk-witness';
import { eventually, freePort, runCli, startPlatform, type Program } from '../support/programs';
import { makeCampaign, numbers as numberList } from '../support/world';

const absence = asteriskAbsence();
const describeOrSkip = absence === null ? describe : describe.skip;

const RETRY_SECONDS = 30;
/** Figures of a run, for its log. */
const say = (text: string): void => void process.stderr.write(`    ${text}\n`);

interface Plan {
  readonly contacts: number;
  readonly maxConcurrency: number;
  readonly ringSeconds: number;
  readonly talkSeconds: number;
}

describeOrSkip(`campaigns on a real Asterisk${absence === null ? '' : ` (skipped: ${absence})`}`, () => {
  let asterisk: Asterisk;
  let witness: Witness;
  let folder: string;
  let platform: Program;
  let api: RestClient;
  let url: string;
  let start: (ringSeconds: number) => Promise<Program>;

  beforeEach(async () => {
    const hostPort = await freePort();
    asterisk = await startAsterisk('', hostPort);
    url = `http://${asterisk.host}:${hostPort}`;
    witness = await watchAsterisk(url);
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-asterisk-'));
    const port = await freePort();
    const key = 'llk_asterisk_0123456789abcdef';
    start = (ringSeconds) => startPlatform({ folder, port, key, env: { RING_SECONDS: String(ringSeconds) } });
    platform = await start(8);
    api = restClient(platform.url, key);
  }, 120_000);

  afterEach(async () => {
    witness?.stop();
    await platform?.kill('SIGKILL');
    await asterisk?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  /** Starts a campaign with retries and machine detection, whose agent talks for a few seconds at most. */
  const begin = async (plan: Plan): Promise<{ readonly campaign: number; readonly numbers: readonly string[] }> => {
    const numbers = numberList(plan.contacts);
    const campaign = await makeCampaign(api, url, {
      numbers,
      start: false,
      settings: {
        max_concurrency: plan.maxConcurrency,
        rate_limit_per_second: 25,
        retry_config: { max_retries: 1, retry_delay_seconds: RETRY_SECONDS },
      },
    });
    const { workflow_id: agent } = await api.get<{ workflow_id: number }>(`/api/v1/campaign/${campaign}`);
    await api.put(`/api/v1/workflow/${agent}`, { workflow_configurations: { max_call_duration: plan.talkSeconds } });
    await platform.kill('SIGTERM');
    await publishDraft(folder, agent);
    platform = await start(plan.ringSeconds);
    await api.post(`/api/v1/campaign/${campaign}/start`);
    return { campaign, numbers };
  };

  const contactsCalled = (campaign: number, atLeast: number): Promise<number> =>
    eventually(`${atLeast} contacts are called`, 60_000, async () => {
      const { processed_rows: n } = await api.get<{ processed_rows: number }>(`/api/v1/campaign/${campaign}/progress`);
      return n >= atLeast ? n : null;
    });

  /** So many of the open calls are older than machine detection takes. */
  const wellUnderWay = (calls: number): Promise<true> =>
    eventually(
      `${calls} calls are well under way`,
      30_000,
      () => {
        const open = new Set(witness.samples().at(-1)?.open ?? []);
        const old = witness.channels().filter(({ id, firstSeen }) => open.has(id) && firstSeen < Date.now() - 3_500);
        return Promise.resolve(old.length >= calls ? true : null);
      },
      50,
    );

  const carrierReady = (campaign: number): Promise<number> =>
    eventually(
      'the carrier is ready',
      30_000,
      async () => {
        const { gates } = await api.get<{ gates: readonly { gate: string; open: boolean }[] }>(
          `/api/v1/campaign/${campaign}/gates`,
        );
        return gates.some(({ gate, open }) => gate === 'carrier' && open) ? Date.now() : null;
      },
      20,
    );

  const firstChannelAfter = (at: number): Promise<number> =>
    eventually(
      'a call is placed',
      30_000,
      () => Promise.resolve(witness.channels().find((channel) => channel.firstSeen > at)?.firstSeen ?? null),
      20,
    );

  /** Waits for the campaign's end, stops the platform, and collects what ledger and Asterisk say. */
  const evidenceOf = async (campaign: number, numbers: readonly string[]): Promise<Evidence> => {
    const began = Date.now();
    await eventually(
      'the campaign completes',
      100_000,
      async () => {
        const { state } = await api.get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`);
        return state === 'completed' ? state : null;
      },
      300,
    );
    say(`completed ${Math.round((Date.now() - began) / 1000)} s later`);
    const stats = await api.get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`);
    await platform.kill('SIGTERM');
    const ledger = await ledgerView(folder, campaign);
    const evidence = { numbers, maxRetries: 1, ledger, stats, channels: witness.channels() };
    say(`${tally(evidence)}; ${mostOpen(witness.samples())} channels at once in ${witness.samples().length} samples`);
    return evidence;
  };

  const holds = async (evidence: Evidence, plan: Plan): Promise<void> => {
    expect(channelFaults(evidence)).toEqual([]);
    expect(mostOpen(witness.samples())).toBeLessThanOrEqual(plan.maxConcurrency);
    expect(mostOpen(witness.samples())).toBeGreaterThan(plan.maxConcurrency / 2);
    expect(await asterisk.channels()).toEqual([]);
    const verify = await runCli(['verify', '--data-dir', folder]);
    expect(verify.output).toContain('read models equal a fresh fold');
    expect(verify.code).toBe(0);
  };

  it('has the outcome of every contact by its phone, one channel for an attempt, and its limit held', async () => {
    const plan = { contacts: 300, maxConcurrency: 50, ringSeconds: 8, talkSeconds: 6 };
    const { campaign, numbers } = await begin(plan);
    const evidence = await evidenceOf(campaign, numbers);

    expect(outcomeFaults(evidence)).toEqual([]);
    expect(witness.samples().every(({ open }) => open !== null)).toBe(true);
    expect(witness.samples().length).toBeGreaterThan(200);
    const made = evidence.ledger.attempts.filter((a) => !a.withdrawn);
    const of = (digit: number): readonly Attempt[] => made.filter((a) => digitOf(numbers[a.row] ?? '') === digit);
    for (const a of of(4)) expect(Math.abs((a.durationSeconds ?? 0) - plan.talkSeconds)).toBeLessThan(1.5);
    for (const a of of(7)) expect(a.answeredBy).toBe('machine');
    for (const a of of(1)) expect(a.answeredBy).toBe('human');
    for (const a of made.filter((each) => each.attempt > 1)) {
      const before = made.filter((each) => each.runId === a.runId && each.attempt < a.attempt).at(-1);
      expect(a.claimedAt - (before?.endedAt ?? Infinity)).toBeGreaterThan(RETRY_SECONDS * 1000 - 250);
    }
    await holds(evidence, plan);
  }, 150_000);

  it('goes on when Asterisk is killed and started: calls in flight end as uncertain, all others unharmed', async () => {
    const plan = { contacts: 200, maxConcurrency: 40, ringSeconds: 8, talkSeconds: 6 };
    const { campaign, numbers } = await begin(plan);
    await contactsCalled(campaign, 100);
    const killedAt = Date.now();
    await asterisk.kill();
    const goneAt = Date.now();
    await asterisk.start();
    const startedAt = Date.now();
    const answersAt = await eventually(
      'Asterisk answers',
      60_000,
      () => Promise.resolve(witness.samples().find(({ at, open }) => at > startedAt && open !== null)?.at ?? null),
      20,
    );
    const [readyAt, placesAt] = await Promise.all([carrierReady(campaign), firstChannelAfter(startedAt)]);
    say(
      `started ${startedAt - killedAt} ms after the kill; it answers ${answersAt - startedAt} ms later; then ready in ${readyAt - answersAt} ms, the first call in ${placesAt - answersAt} ms`,
    );
    const evidence = await evidenceOf(campaign, numbers);

    // The kill itself takes a while, in which calls are still placed.
    const inFlight = inFlightAt(evidence, [killedAt, goneAt]);
    expect(inFlight.size).toBeGreaterThan(10);
    expect(outcomeFaults(evidence, excusedInFlight(inFlight))).toEqual([]);
    expect(placesAt - answersAt).toBeLessThan(10_000);
    await holds(evidence, plan);
  }, 150_000);

  it('goes on when the platform is killed and started: its calls are adopted, none is placed twice, its limit held', async () => {
    const plan = { contacts: 110, maxConcurrency: 30, ringSeconds: 12, talkSeconds: 12 };
    const { campaign, numbers } = await begin(plan);
    const kills: { readonly at: number; readonly readyAt: number }[] = [];
    for (const called of [35, 60, 85]) {
      await contactsCalled(campaign, called);
      await wellUnderWay(4);
      const at = Date.now();
      await platform.kill('SIGKILL');
      platform = await start(plan.ringSeconds);
      const servesAt = Date.now();
      const readyAt = await carrierReady(campaign);
      const placesAt = await firstChannelAfter(servesAt);
      say(
        `killed; serves ${servesAt - at} ms later, then ready in ${readyAt - servesAt} ms, the first call in ${placesAt - servesAt} ms`,
      );
      kills.push({ at, readyAt });
    }
    const evidence = await evidenceOf(campaign, numbers);

    const inFlight = inFlightAt(
      evidence,
      kills.map(({ at }) => at),
    );
    expect(inFlight.size).toBeGreaterThan(30);
    expect(outcomeFaults(evidence, excusedInFlight(inFlight))).toEqual([]);
    // What ended while the platform was there, it followed to the end, although it had been killed meanwhile.
    const adopted = witness.channels().filter((channel) => {
      const ended = channel.ended ?? 0;
      const outlived = kills.some(({ at, readyAt }) => channel.firstSeen < at && ended > readyAt + 500);
      return outlived && !kills.some(({ at, readyAt }) => ended >= at - 500 && ended <= readyAt + 500);
    });
    say(`${inFlight.size} calls in flight at a kill, ${adopted.length} of them lived on and ended under its eyes`);
    expect(adopted.length).toBeGreaterThan(5);
    const attempts = new Map(evidence.ledger.attempts.map((a) => [a.reference, a]));
    expect(adopted.map(({ id }) => attempts.get(id)).filter((a) => a?.outcome === 'uncertain')).toEqual([]);
    await holds(evidence, plan);
  }, 150_000);
});
