/** More worlds than these: SIMULATION_SEEDS=500 SIMULATION_FROM=10000 (per kind). A seed that fails becomes a test with a name. */
import { count, simulate, type SimulationOptions } from './simulate';

const more = Number(process.env['SIMULATION_SEEDS'] ?? 0);
const from = Number(process.env['SIMULATION_FROM'] ?? 10_000);
const seeds = (first: number, n: number): readonly number[] => [
  ...Array.from({ length: n }, (_, i) => first + i),
  ...Array.from({ length: more }, (_, i) => from + i),
];

const holds = async (options: SimulationOptions) => {
  const run = await simulate(options);
  expect(run.faults).toEqual([]);
  // A world in which nothing happens would prove nothing.
  expect(run.placed).toBeGreaterThan(run.law.contacts / 2);
  // Claims are given back because of faults only, not as a way of life.
  expect(count(run, 'CallWithdrawn')).toBeLessThan(run.law.contacts);
  return run;
};

describe('a dialer without faults', () => {
  it.each(seeds(1, 2))(
    'ends every contact once, within every limit, and gives nothing back (seed %d)',
    async (seed) => {
      const run = await holds({ seed, faults: false });
      expect(run.placed).toBeGreaterThanOrEqual(run.law.contacts);
      expect(count(run, 'CallUncertain') + count(run, 'CallWithdrawn')).toBe(0);
    },
  );
});

it('gives the same world for the same seed', async () => {
  const story = async (): Promise<readonly string[]> => {
    const { world } = await simulate({ seed: 42, dialers: 2, kills: 2, freezes: 3, pauses: 1, feedLag: 30 });
    return world.ledger.all.map((e) => `${e.metadata.at} ${e.stream} ${e.type}`);
  };
  const first = await story();
  expect(first.length).toBeGreaterThan(100);
  expect(await story()).toEqual(first);
});

/** What the worlds of a kind went through, summed up: a kind that never meets what it is named after would prove nothing. */
const kind = (
  name: string,
  which: readonly number[],
  test: string,
  options: Omit<SimulationOptions, 'seed'>,
  met: RegExp,
): void =>
  describe(name, () => {
    const events: string[] = [];
    let deeds = 0;
    it.each(which)(`${test} (seed %d)`, async (seed) => {
      const run = await holds({ ...options, seed });
      deeds += run.deeds;
      events.push(...run.world.ledger.all.map((e) => `${e.type} ${JSON.stringify(e.data['reason'] ?? '')}`));
    });
    it('in worlds that were as bad as they should be', () => {
      expect(deeds).toBeGreaterThanOrEqual(which.length);
      expect(events.filter((e) => met.test(e)).length).toBeGreaterThan(0);
    });
  });

kind(
  'a dialer whose ledger and network fail, with a feed that is late',
  seeds(101, 3),
  'ends every contact once, within every limit, and is silent when paused',
  { pauses: 2, feedLag: 40 },
  /CampaignPaused/,
);
kind(
  'a dialer killed again and again',
  seeds(201, 4),
  'loses nobody and calls nobody twice',
  { kills: 5, pauses: 1 },
  /its process ended/,
);
kind(
  'two dialers, killed and standing still, that are asked for test calls beside their campaigns',
  seeds(251, 3),
  'end each of them once and make none twice',
  { dialers: 2, kills: 4, freezes: 3, testCalls: 12 },
  /CallRequested/,
);
kind(
  'two dialers that both believe to own everything',
  seeds(301, 3),
  'call nobody twice and exceed no limit',
  { dialers: 2, kills: 2, pauses: 1 },
  /TurnTaken/,
);
kind(
  'two dialers that stand still for seconds, between turn, claim and call too',
  seeds(401, 3),
  'call nobody twice, exceed no limit and do not call late',
  { dialers: 2, freezes: 12, feedLag: 30 },
  /CallWithdrawn "it could not be sent in time|its process ended/,
);
kind(
  'two dialers that only the rate limits',
  seeds(501, 2),
  'share the rate of a second',
  { dialers: 2, kills: 4, rateBound: true, feedLag: 30 },
  /TurnTaken/,
);
kind(
  'a carrier that answers no question and loses most of its news',
  seeds(601, 3),
  'has its slots held until its calls cannot live any more',
  { kills: 2, silentCarrier: true },
  /CallUncertain/,
);
