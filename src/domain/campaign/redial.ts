/**
 * Whom a redial calls: contacts of a completed campaign whose last call ended in a way that was chosen. Whoever was never called, was spoken to,
 * or whose last call failed, was canceled or is of unknown outcome, is not among them. Who was erased can't be called any more.
 */
import { left, right, type Either } from 'fp-ts/Either';
import { rejected, type Failure } from '../../core/failure';
import type { Outcome } from '../run/events';

export interface RedialReasons {
  readonly retry_on_busy: boolean;
  readonly retry_on_no_answer: boolean;
  readonly retry_on_voicemail: boolean;
}

/** Outcomes of a contact's last call for which it is called again. */
export const redialedOutcomes = (wanted: RedialReasons): readonly Outcome[] => [
  ...(wanted.retry_on_busy ? (['busy'] as const) : []),
  ...(wanted.retry_on_no_answer ? (['no_answer'] as const) : []),
  ...(wanted.retry_on_voicemail ? (['voicemail'] as const) : []),
];

/** A contact of the campaign that is redialed, as its run stands. */
export interface CalledContact {
  readonly run: number;
  /** Its terminal event is written. */
  readonly completed: boolean;
  /** Of its last call; null: there was none, or it lives. */
  readonly lastOutcome: Outcome | null;
  readonly erased: boolean;
}

export interface Redialed {
  /** Runs of those who are called again, in the order of the list, each once. */
  readonly runs: readonly number[];
  /** Those who would be and were erased. */
  readonly erased: number;
}

/** Chooses among contacts, in whatever order they come. */
export const chooseRedialed = (wanted: RedialReasons, contacts: Iterable<CalledContact>): Redialed => {
  const outcomes = new Set<Outcome | null>(redialedOutcomes(wanted));
  const chosen = new Set<number>();
  const erased = new Set<number>();
  for (const contact of contacts)
    if (contact.completed && outcomes.has(contact.lastOutcome)) (contact.erased ? erased : chosen).add(contact.run);
  return { runs: [...chosen].sort((a, b) => a - b), erased: erased.size };
};

/** The list that a redial is made from: run ids of the parent, one a line, ascending. It holds nothing personal. */
export const redialListText = (runs: readonly number[]): string => runs.map((run) => `${run}\n`).join('');

export const parseRedialList = (text: string): Either<Failure, readonly number[]> => {
  const runs = text === '' ? [] : text.replace(/\n$/, '').split('\n').map(Number);
  const ascending = runs.every((run, i) => Number.isSafeInteger(run) && run > (runs[i - 1] ?? 0));
  return ascending ? right(runs) : left(rejected('the list of contacts to be redialed is not one'));
};
