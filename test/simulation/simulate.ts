/** One simulated world by one seed: campaigns, faults of ledger and network, processes that die and come back, people who pause and resume. */
import { ORG, world, type DialerProcess, type World } from '../support/dialer-world';
import { seeded } from '../support/random';
import { judge, type Law, type Verdict } from './judge';

export interface SimulationOptions {
  readonly seed: number;
  /** Dialers at once, all of which believe to own everything. */
  readonly dialers?: number;
  readonly kills?: number;
  /** Times that one of them stands still for some seconds. */
  readonly freezes?: number;
  readonly pauses?: number;
  /** ms by which the feed is behind, at most. */
  readonly feedLag?: number;
  /** The carrier answers no question, loses many answers and news, and calls are long. */
  readonly silentCarrier?: boolean;
  /** Many calls at once and few per second, so that only the rate limits. */
  readonly rateBound?: boolean;
  /** Told of the world before anything happens in it, for whoever looks into a seed that failed. */
  readonly look?: (world: World) => void;
  /** Whether network and ledger fail now and then. */
  readonly faults?: boolean;
  readonly campaigns?: number;
  /** Test calls that are asked for meanwhile. */
  readonly testCalls?: number;
  readonly contacts?: readonly [number, number];
}

export interface Simulated extends Verdict {
  readonly world: World;
  readonly law: Law;
  /** Deeds done: processes killed, frozen, campaigns paused. */
  readonly deeds: number;
  /** Virtual ms that it took. */
  readonly took: number;
}

/** Faults end then, so that every campaign can end. */
const FAULTY_MS = 60_000;
const LONGEST_MS = 7_200_000;

export const simulate = async (options: SimulationOptions): Promise<Simulated> => {
  const random = seeded(options.seed);
  const faulty = options.faults ?? true;
  let calm = false;
  const fate = (): 'ok' | 'unavailable' | 'lost_answer' | 'unknown' => {
    if (calm || !faulty) return 'ok';
    const roll = random.next();
    if (roll < 0.01) return 'unavailable';
    if (roll < 0.02) return 'lost_answer';
    return roll < 0.03 ? 'unknown' : 'ok';
  };
  const limits =
    options.rateBound === true
      ? { concurrent_calls: 200, calls_per_second: random.int(3, 12) }
      : { concurrent_calls: random.int(3, 20), calls_per_second: random.int(5, 40) };
  const mishaps = {
    lostAnswer: 0.02,
    lostRequest: 0.02,
    refused: 0.02,
    notNow: 0.02,
    lostNews: 0.02,
    unreachable: 0.2,
  };
  const silence = { lostAnswer: 0.4, lostRequest: 0.1, lostNews: 0.8, unreachable: 1 };
  const w = await world({
    limits,
    feedLag: () => random.int(0, options.feedLag ?? 0),
    store: { latency: () => random.int(0, 6), fate },
    network: {
      seed: options.seed + 1,
      faults: !faulty ? {} : options.silentCarrier === true ? silence : mishaps,
      writeLatency: [0, 3],
      ...(options.silentCarrier === true ? { talkMs: [10_000, 50_000] as const } : {}),
    },
  });
  options.look?.(w);
  const campaigns: Law['campaigns'][number][] = [];
  let firstRun = 1;
  for (let i = 0; i < (options.campaigns ?? 2); i++) {
    const contacts = random.int(...(options.contacts ?? [20, 60]));
    const concurrency = random.chance(0.5) ? random.int(1, 12) : null;
    const rate = random.int(2, 30);
    const maxRetries = random.int(0, 2);
    const id = await w.campaign(contacts, {
      max_concurrency: concurrency,
      rate_limit_per_second: rate,
      retry_config: {
        enabled: maxRetries > 0,
        max_retries: maxRetries,
        retry_delay_seconds: 30,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: random.chance(0.5),
      },
    });
    campaigns.push({ id, firstRun, contacts, rate, concurrency, maxRetries });
    firstRun += contacts;
  }

  const start = (): Promise<DialerProcess> =>
    w.process({
      uncertainLimitMs: options.silentCarrier === true ? 4000 : 20_000,
      snapshotMs: 5000,
      snapshotEvents: 50,
    });
  const living: DialerProcess[] = [];
  for (let i = 0; i < (options.dialers ?? 1); i++) living.push(await start());
  const silences: Law['silences'][number][] = [];
  const begun = w.clock.monotonic();
  const completed = (): boolean => w.events('CampaignCompleted').length >= campaigns.length;

  type Deed = { readonly at: number; readonly kind: 'kill' | 'pause' | 'freeze' | 'test_call' };
  const deeds: Deed[] = [
    ...Array.from({ length: options.kills ?? 0 }, () => ({ at: random.int(50, FAULTY_MS), kind: 'kill' as const })),
    ...Array.from({ length: options.freezes ?? 0 }, () => ({ at: random.int(50, FAULTY_MS), kind: 'freeze' as const })),
    ...Array.from({ length: options.pauses ?? 0 }, () => ({ at: random.int(500, 30_000), kind: 'pause' as const })),
    ...Array.from({ length: options.testCalls ?? 0 }, () => ({
      at: random.int(50, 20_000),
      kind: 'test_call' as const,
    })),
  ].sort((a, b) => a.at - b.at);
  const testCalls: number[] = [];

  const pauseAndResume = async (): Promise<void> => {
    const campaign = campaigns[random.int(0, campaigns.length - 1)]?.id ?? 1;
    let position: Awaited<ReturnType<World['fenced']>>;
    try {
      position = await w.fenced(campaign, { type: 'PauseCampaign' });
    } catch {
      return; // it is over already
    }
    let settled = 0;
    for (const { dialer } of living) void dialer.settled(ORG, position, 1000).then(() => (settled += 1));
    await w.until(() => settled >= living.length, 5000, 'settled');
    const from = w.clock.monotonic();
    await w.clock.advance(random.int(500, 4000));
    silences.push({ campaign, from, to: w.clock.monotonic() });
    await w.fenced(campaign, { type: 'ResumeCampaign' });
  };

  let done = 0;
  for (const deed of deeds) {
    await w.until(() => w.clock.monotonic() - begun >= deed.at || completed(), LONGEST_MS, 'the time of a deed');
    if (completed()) break;
    done += 1;
    if (deed.kind === 'pause') await pauseAndResume();
    else if (deed.kind === 'test_call') testCalls.push(await w.testCall(`+1666${1_000_000 + testCalls.length}`));
    else if (deed.kind === 'freeze') {
      const after = [undefined, 'TurnTaken', 'CallAttempted', 'CallAttempted'][random.int(0, 3)];
      living[random.int(0, living.length - 1)]?.freeze(random.int(500, 6000), after);
    } else {
      const after = [undefined, 'TurnTaken', 'CallAttempted', 'ContactsQueued'][random.int(0, 3)];
      living.splice(random.int(0, living.length - 1), 1)[0]?.kill(after);
      await w.clock.advance(random.int(0, 3000));
      living.push(await start());
    }
  }
  await w.until(() => w.clock.monotonic() - begun >= FAULTY_MS || completed(), LONGEST_MS, 'the end of the faults');
  calm = true;
  w.network.setFaults({});
  const over = (): boolean =>
    completed() && testCalls.every((run) => w.events('RunCompleted').some((e) => e.data['run_id'] === run));
  await w.until(over, LONGEST_MS, `seed ${options.seed}: every campaign completed`);
  // Whatever would come too late, or once too often, comes now.
  await w.clock.advance(5000);
  const took = w.clock.monotonic() - begun;
  const law: Law = { contacts: firstRun - 1, campaigns, testCalls, limits, silences };
  const verdict = judge(law, w.ledger.all, w.network.seen);
  for (const { dialer } of living) {
    let stopped = false;
    void dialer.stop().then(() => (stopped = true));
    await w.until(() => stopped, 20_000, 'stopped');
  }
  return { ...verdict, world: w, law, deeds: done, took };
};

/** How often an event of this type is in the ledger. */
export const count = ({ world: w }: Simulated, type: string): number => w.events(type).length;
