/**
 * `npm run test:production`: every suite over served engines, then a table of what ran on which server. The platform's suites go first, two
 * files at a time, since they mostly wait (and need a ledger that nobody has written to); then the suites of the adapters and what else needs
 * containers. The table is printed, and kept under `.production`. Exit code 1: a test failed, or the table has a gap.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXPECTED } from './expected';
import { printedTable, tableFaults, tableOf, type Seen, type Told } from './table';

const root = process.cwd();
const folder = join(root, '.production');
const seenFile = join(folder, 'engines.jsonl');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface JestResults {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

const fromRoot = (path: string): string => relative(root, path).replaceAll('\\', '/');

/** Runs jest and answers what it tells; null: it told nothing. */
const runJest = async (name: string, args: readonly string[]): Promise<JestResults | null> => {
  const output = join(folder, `${name}.json`);
  const begun = performance.now();
  const child = spawn(process.execPath, [jest, ...args, '--json', '--outputFile', output], {
    env: { ...process.env, ENGINES_SEEN: seenFile },
    // With --json the reports go to stderr, and stdout has nothing for a reader.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise<void>((done) => child.once('exit', () => done()));
  say(`${name}: ${Math.round((performance.now() - begun) / 1000)} s`);
  const text = await readFile(output, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as JestResults);
};

const toldBy = (results: JestResults): readonly Told[] =>
  results.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: fromRoot(name),
      within: ancestorTitles,
      title,
      status,
    })),
  );

const readSeen = async (): Promise<readonly Seen[]> => {
  const lines = (await readFile(seenFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const seen = JSON.parse(line) as Seen;
    return { ...seen, file: fromRoot(seen.file) };
  });
};

const main = async (): Promise<number> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const inProcess = 'eventstoredb.contract';
  const phases = [
    await runJest('platform', ['--selectProjects', 'engines', '--maxWorkers', '2']),
    await runJest('contract', ['--selectProjects', 'suites', '--testPathPatterns', inProcess, '--runInBand']),
    await runJest('containers', ['--selectProjects', 'containers', '--runInBand']),
  ];
  const ran = phases.flatMap((phase) => (phase === null ? [] : [phase]));
  const rows = tableOf(EXPECTED, ran.flatMap(toldBy), await readSeen());
  const table = printedTable(rows);
  await writeFile(join(folder, 'table.txt'), `${table.join('\n')}\n`);
  await writeFile(join(folder, 'table.json'), `${JSON.stringify(rows, null, 2)}\n`);
  say(`\n${table.join('\n')}\n`);

  const faults = tableFaults(rows, process.env['REQUIRE_ENGINES'] === 'all').map((fault) => `  - ${fault}`);
  if (ran.length < phases.length) faults.push('  - a run of the suites ended without telling anything');
  if (ran.some(({ success }) => !success)) faults.push('  - a test failed, see above');
  say(faults.length === 0 ? 'every suite that could run passed' : `not passed:\n${faults.join('\n')}`);
  return faults.length === 0 ? 0 : 1;
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
