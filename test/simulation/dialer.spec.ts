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

describe('a dialer whose ledger and network fail, with a feed that is late', () => {
  it.each(seeds(101, 3))(
    'ends every contact once, within every limit, and is silent when paused (seed %d)',
    async (seed) => {
      const run = await holds({ seed, pauses: 2, feedLag: 40 });
      expect(run.law.silences.length).toBeGreaterThan(0);
    },
  );
});

describe('a dialer killed again and again', () => {
  it.each(seeds(201, 4))('loses nobody and calls nobody twice (seed %d)', async (seed) => {
    const run = await holds({ seed, kills: 5, pauses: 1 });
    expect(new Set(run.world.data('TurnTaken').map((t) => t['owner'])).size).toBeGreaterThan(1);
  });
});

describe('two dialers that both believe to own everything', () => {
  it.each(seeds(301, 3))('call nobody twice and exceed no limit (seed %d)', async (seed) => {
    await holds({ seed, dialers: 2, kills: 2, pauses: 1 });
  });
  it.each(seeds(401, 3))(
    'stand still for seconds, between turn, claim and call too, and do not call late (seed %d)',
    async (seed) => {
      await holds({ seed, dialers: 2, freezes: 12, feedLag: 30 });
    },
  );
  it.each(seeds(501, 2))('share the rate of a second (seed %d)', async (seed) => {
    await holds({ seed, dialers: 2, kills: 4, rateBound: true, feedLag: 30 });
  });
});

describe('a carrier that answers no question and loses most of its news', () => {
  it.each(seeds(601, 3))('has its slots held until its calls cannot live any more (seed %d)', async (seed) => {
    const run = await holds({ seed, kills: 2, silentCarrier: true });
    expect(count(run, 'CallUncertain')).toBeGreaterThan(0);
  });
});
