/** The table at the end of `npm run test:production`: nothing expected may be missing from it in silence. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPECTED } from './expected';
import { printedTable, tableFaults, tableOf, type Expected, type Seen, type Told } from './table';

const file = 'test/production/x.engines.spec.ts';
const expected: readonly Expected[] = [
  { engines: ['mongo'], suite: 'main job', file, like: /main job/ },
  { engines: ['mongo'], suite: 'kill -9', file, like: /kill -9/ },
];
const told = (title: string, status: string, within: readonly string[] = ['mongo (container)']): Told => ({
  file,
  within,
  title,
  status,
});
const seen: readonly Seen[] = [{ engine: 'mongo', reported: 'MongoDB 8.0.1', from: 'container', file }];

it('has a row for each engine and suite, with the name that the server gives itself', () => {
  const rows = tableOf(expected, [told('main job: ends', 'passed'), told('kill -9: holds', 'passed')], seen);
  expect(rows.map(({ suite, result, reported }) => [suite, result, reported])).toEqual([
    ['main job', 'passed', 'MongoDB 8.0.1, container'],
    ['kill -9', 'passed', 'MongoDB 8.0.1, container'],
  ]);
  expect(tableFaults(rows, true)).toEqual([]);
});

it('fails when a suite that was expected told nothing', () => {
  const rows = tableOf(expected, [told('main job: ends', 'passed')], seen);
  expect(rows[1]).toMatchObject({ result: 'did not run', passed: 0 });
  expect(tableFaults(rows, false)).toEqual([`mongo, kill -9: did not run (${file} told of no such test)`]);
});

it('fails when a test failed, and names it', () => {
  const rows = tableOf(expected, [told('main job: ends', 'failed'), told('kill -9: holds', 'passed')], seen);
  expect(tableFaults(rows, false)).toEqual(['mongo, main job: failed (main job: ends)']);
});

it('reports an engine that can’t be had as skipped in every suite, with the reason; a failure only where all are required', () => {
  const rows = tableOf(expected, [told('mongo: skipped, MONGO_URL is not set', 'pending', [])], []);
  expect(rows.map(({ result, why, reported }) => [result, why, reported])).toEqual([
    ['skipped', 'mongo: skipped, MONGO_URL is not set', ''],
    ['skipped', 'mongo: skipped, MONGO_URL is not set', ''],
  ]);
  expect(tableFaults(rows, false)).toEqual([]);
  expect(tableFaults(rows, true)).toHaveLength(2);
});

it('fails when a suite passed on a server that nobody asked what it is', () => {
  const rows = tableOf(expected, [told('main job: ends', 'passed'), told('kill -9: holds', 'passed')], []);
  expect(tableFaults(rows, false)).toHaveLength(2);
});

it('has a row for each engine of a suite over several', () => {
  const rows = tableOf(
    [{ engines: ['mongo', 'nats'], suite: 'together', file }],
    [told('nats: skipped, none', 'pending')],
    seen,
  );
  expect(rows.map(({ engine, result }) => [engine, result])).toEqual([
    ['mongo', 'skipped'],
    ['nats', 'skipped'],
  ]);
});

it('has a row for each suite beside the expected ones too, with the reason where it was skipped', () => {
  const other = 'test/carriers/asterisk.containers.spec.ts';
  const block = 'a real Asterisk (skipped: no Docker engine)';
  const rows = tableOf([], [{ file: other, within: [block], title: 'calls', status: 'pending' }], seen);
  expect(rows).toMatchObject([{ engine: 'other', suite: 'carriers/asterisk', result: 'skipped', why: block }]);
  expect([tableFaults(rows, false).length, tableFaults(rows, true).length]).toEqual([0, 1]);
});

it('is printed with aligned columns', () => {
  const lines = printedTable(tableOf(expected, [told('main job: ends', 'passed')], seen));
  expect(lines).toHaveLength(4);
  expect(lines[2]?.indexOf('main job')).toBe(lines[0]?.indexOf('suite'));
});

it('expects only suites that exist, each of them over an engine that it names', () => {
  const root = join(__dirname, '..', '..');
  expect(EXPECTED.length).toBeGreaterThan(15);
  for (const { file: path, engines } of EXPECTED) {
    expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
    const source = readFileSync(join(root, path), 'utf8');
    for (const engine of engines)
      expect(source).toMatch(new RegExp(`(withEngine|noteEngine)\\('${engine}'|withEveryEngine\\(`));
  }
});
