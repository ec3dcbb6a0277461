import { simulate, count } from './simulate';

const seeds = (from: number, n: number): readonly number[] => Array.from({ length: n }, (_, i) => from + i);

describe('a campaign of one dialer without faults', () => {
  it.each(seeds(1, 4))('ends every contact once, within every limit (seed %d)', async (seed) => {
    const run = await simulate({ seed, faults: false });
    expect(run.faults).toEqual([]);
    expect(run.placed).toBeGreaterThanOrEqual(run.law.contacts);
    expect(count(run, 'CallUncertain')).toBe(0);
    expect(count(run, 'CallWithdrawn')).toBe(0);
  });
});

describe('a campaign whose ledger and network fail', () => {
  it.each(seeds(101, 6))('ends every contact once, within every limit (seed %d)', async (seed) => {
    const run = await simulate({ seed, pauses: 2 });
    expect(run.faults).toEqual([]);
    expect(run.placed).toBeGreaterThan(run.law.contacts / 2);
  });
});

describe('a dialer killed again and again', () => {
  it.each(seeds(201, 8))('loses nobody and calls nobody twice (seed %d)', async (seed) => {
    const run = await simulate({ seed, kills: 5, pauses: 1 });
    expect(run.faults).toEqual([]);
    expect(run.placed).toBeGreaterThan(run.law.contacts / 2);
  });
});

describe('two dialers that both believe to own everything', () => {
  it.each(seeds(301, 8))('call nobody twice and exceed no limit (seed %d)', async (seed) => {
    const run = await simulate({ seed, dialers: 2, kills: 2, pauses: 1 });
    expect(run.faults).toEqual([]);
    expect(run.placed).toBeGreaterThan(run.law.contacts / 2);
  });
});
