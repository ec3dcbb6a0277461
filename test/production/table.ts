/** What ran on which engine: made from what the suites reported, held against what was expected. Pure. */

/** One test, as jest's JSON tells of it. */
export interface Told {
  /** From the root of the repository. */
  readonly file: string;
  /** Titles of the blocks around it. */
  readonly within: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** An engine that a file's suites ran on, with the name and version that the server reports. */
export interface Seen {
  readonly engine: string;
  readonly reported: string;
  readonly from: string;
  readonly file: string;
}

/** What must be in the table. */
export interface Expected {
  readonly engines: readonly string[];
  readonly suite: string;
  readonly file: string;
  /** Which of the file's tests; none: all. Matched against the titles of the blocks and of the test, joined by spaces. */
  readonly like?: RegExp;
}

export interface Row {
  readonly engine: string;
  /** As the server reports itself; empty where none was to be had. */
  readonly reported: string;
  readonly suite: string;
  readonly result: 'passed' | 'failed' | 'skipped' | 'did not run';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of what did not pass. */
  readonly why: string;
}

const resultOf = (passed: number, failed: number, skipped: number): Row['result'] => {
  if (failed > 0) return 'failed';
  if (passed > 0) return 'passed';
  return skipped > 0 ? 'skipped' : 'did not run';
};

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Title of what did not pass; of a block that is skipped as a whole, the block's, which says why. */
const reasonOf = ({ within, title, status }: Told): string =>
  (status === 'failed' ? undefined : within.find((block) => block.includes('skipped'))) ?? title;

const SKIPPED = /^[a-z0-9]+: skipped, /;

const isNotExpected = (expected: readonly Expected[], file: string): boolean => expected.every((e) => e.file !== file);

/** Suites beside the expected ones: over a carrier, of the deployment, in a browser. They bring their own peers. */
const otherSuites = (expected: readonly Expected[], told: readonly Told[]): readonly Expected[] =>
  distinct(told.map(({ file }) => file).filter((file) => isNotExpected(expected, file))).map((file) => ({
    engines: ['other'],
    suite: file.replace(/^test\/|\.containers\.spec\.ts$/g, ''),
    file,
  }));

/** A row for each engine and suite that was expected, in the order of the expectations, then one for each other file. */
export const tableOf = (expected: readonly Expected[], told: readonly Told[], seen: readonly Seen[]): readonly Row[] =>
  [...expected, ...otherSuites(expected, told)].flatMap(({ engines, suite, file, like }) => {
    const tests = told.filter((t) => t.file === file);
    // A block that its engine is missing for is told of by one test, whatever it holds.
    const own = tests.filter(
      (t) => like === undefined || SKIPPED.test(t.title) || like.test([...t.within, t.title].join(' ')),
    );
    const count = (isSo: (status: string) => boolean): number => own.filter(({ status }) => isSo(status)).length;
    const passed = count((status) => status === 'passed');
    const failed = count((status) => status === 'failed');
    const skipped = own.length - passed - failed;
    const result = resultOf(passed, failed, skipped);
    const why = distinct(own.filter((t) => t.status !== 'passed').map(reasonOf)).join('; ');
    return engines.map((engine) => ({
      engine,
      reported: distinct(
        seen.filter((s) => s.file === file && s.engine === engine).map((s) => `${s.reported}, ${s.from}`),
      ).join('; '),
      suite,
      result,
      passed,
      failed,
      skipped,
      why: result === 'did not run' ? `${file} told of no such test` : why,
    }));
  });

/** Why the run as a whole must not pass: rows that failed or did not run, or ran on nothing that said what it is; with `all`, skipped ones too. */
export const tableFaults = (rows: readonly Row[], all: boolean): readonly string[] =>
  rows.flatMap(({ engine, suite, result, reported, skipped, why }) => {
    if (result === 'failed' || result === 'did not run') return [`${engine}, ${suite}: ${result} (${why})`];
    if (result === 'passed' && reported === '' && engine !== 'other')
      return [`${engine}, ${suite}: passed on a server that was not asked what it is`];
    return all && skipped > 0 ? [`${engine}, ${suite}: skipped (${why})`] : [];
  });

const pad = (text: string, width: number): string => text.padEnd(width);

/** As lines of text, columns aligned. */
export const printedTable = (rows: readonly Row[]): readonly string[] => {
  const cells = rows.map((row) => [
    row.engine,
    row.reported === '' ? '-' : row.reported,
    row.suite,
    row.result,
    `${row.passed} passed${row.failed > 0 ? `, ${row.failed} failed` : ''}${row.skipped > 0 ? `, ${row.skipped} skipped` : ''}`,
    row.why,
  ]);
  const head = ['engine', 'server, by its own report', 'suite', 'result', 'tests', 'why'];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)];
};
