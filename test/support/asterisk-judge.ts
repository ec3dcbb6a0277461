/** Holds a campaign over phones that behave by their last digit against the ledger and against Asterisk's own view. Pure. */
import { judge, type Statistics } from '../../src/demo/judge';
import type { Outcome } from '../../src/domain/run/events';
import type { Attempt, LedgerView } from './asterisk-attempts';
import type { SeenChannel } from './asterisk-witness';

/** What becomes of a call to the phone whose number ends so, told from machines where it answers. */
const byDigit: readonly Outcome[] = [
  'completed',
  'completed',
  'completed',
  'completed',
  'completed',
  'busy',
  'no_answer',
  'voicemail',
  'failed',
  'failed',
];

const retried: ReadonlySet<Outcome> = new Set(['busy', 'no_answer', 'voicemail']);

export const digitOf = (number: string): number => Number(number.slice(-1));

const expectedOf = (number: string): Outcome => byDigit[digitOf(number)] as Outcome;

export interface Evidence {
  /** The contact list, in order. */
  readonly numbers: readonly string[];
  readonly maxRetries: number;
  readonly ledger: LedgerView;
  readonly stats: Statistics;
  readonly channels: readonly SeenChannel[];
}

/** Outcomes that an attempt may have besides its phone's own, because something was killed while it was in flight; empty: none. */
export type Excused = (attempt: Attempt, digit: number) => readonly Outcome[];

const nothing: Excused = () => [];

const lineOf = (a: Attempt, number: string): string =>
  `attempt ${a.attempt} of run ${a.runId}, phone ${digitOf(number)}: ${a.outcome ?? 'no end'} (${a.detail})`;

/** Outcomes and retries of every contact by its phone. */
export const outcomeFaults = (evidence: Evidence, excused: Excused = nothing): readonly string[] => {
  const { numbers, ledger, maxRetries } = evidence;
  const faults: string[] = [];
  const byRun = new Map<number, Attempt[]>();
  for (const a of ledger.attempts) if (!a.withdrawn) byRun.set(a.runId, [...(byRun.get(a.runId) ?? []), a]);
  for (const run of ledger.runs) {
    const made = (byRun.get(run.runId) ?? []).sort((a, b) => a.attempt - b.attempt);
    const last = made.at(-1);
    if (last === undefined) {
      faults.push(`run ${run.runId} was never attempted`);
      continue;
    }
    const number = numbers[last.row] ?? '';
    made.forEach((a, i) => {
      const allowed = [expectedOf(number), ...excused(a, digitOf(number))];
      if (a.outcome === null || !allowed.includes(a.outcome)) faults.push(lineOf(a, number));
      const next = made[i + 1];
      const again = a.outcome !== null && retried.has(a.outcome) && i < maxRetries;
      if (again !== (next !== undefined)) faults.push(`${lineOf(a, number)}: ${again ? 'not retried' : 'retried'}`);
    });
    if (run.outcome !== last.outcome)
      faults.push(`run ${run.runId} ended ${run.outcome ?? 'not'}, its last call ${last.outcome ?? 'not'}`);
  }
  return faults;
};

/** Attempts that were claimed and not over at any of these moments (epoch ms). */
export const inFlightAt = ({ ledger }: Evidence, moments: readonly number[]): ReadonlySet<Attempt> =>
  new Set(
    ledger.attempts.filter(
      (a) => !a.withdrawn && moments.some((at) => a.claimedAt <= at && (a.endedAt ?? Infinity) >= at),
    ),
  );

/** What was in flight may be uncertain; a machine that answered, and whose detection was cut off, counts as answered. */
export const excusedInFlight =
  (inFlight: ReadonlySet<Attempt>): Excused =>
  (attempt, digit) =>
    !inFlight.has(attempt) ? [] : digit === 7 ? ['uncertain', 'completed'] : ['uncertain'];

/** One channel for an attempt, to the contact's own number; none for a claim that was given back. */
export const channelFaults = (evidence: Evidence): readonly string[] => {
  const { numbers, ledger, stats, channels } = evidence;
  const byReference = new Map(ledger.attempts.map((a) => [a.reference, a]));
  const seen = channels.map(({ id }) => {
    const a = byReference.get(id);
    return { reference: id, runId: a?.runId ?? NaN, attempt: a?.attempt ?? NaN };
  });
  const faults = [...judge(numbers.length, ledger.runs, seen, stats)];
  for (const { id, number } of channels) {
    const a = byReference.get(id);
    if (a === undefined) continue;
    if (a.withdrawn)
      faults.push(`attempt ${a.attempt} of run ${a.runId} was given back, and a channel was made for it`);
    if (number !== null && number !== numbers[a.row])
      faults.push(`attempt ${a.attempt} of run ${a.runId} called another number`);
  }
  const ids = new Set(channels.map(({ id }) => id));
  for (const a of ledger.attempts)
    if (!a.withdrawn && a.outcome !== 'uncertain' && !ids.has(a.reference))
      faults.push(`${lineOf(a, numbers[a.row] ?? '')}: Asterisk never had a channel for it`);
  return faults;
};

/** How many attempts ended how, by digit: for the log of a run. */
export const tally = ({ ledger, numbers }: Evidence): string => {
  const counts = new Map<string, number>();
  for (const a of ledger.attempts) {
    const key = `${digitOf(numbers[a.row] ?? '')} ${a.withdrawn ? 'withdrawn' : (a.outcome ?? 'open')}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort()
    .map(([key, n]) => `${key} ${n}`)
    .join(', ');
};
