/** Outcomes in the words of the API. */
import type { Outcome } from '../src/domain/run/events';

const WORDS: Readonly<Record<Outcome, string>> = {
  completed: 'completed',
  busy: 'busy',
  no_answer: 'no-answer',
  voicemail: 'voicemail_detected',
  failed: 'failed',
  canceled: 'canceled',
  // Whether the person was reached is not known: shown as what it is at worst.
  uncertain: 'failed',
};

/** The disposition that the API shows for an outcome. */
export const disposition = (outcome: Outcome): string => WORDS[outcome];

/** The outcome that a disposition tells of; `failed` also where it was not known. */
export const outcomeOf = (word: string): Outcome | null =>
  (Object.keys(WORDS) as Outcome[]).find((outcome) => WORDS[outcome] === word) ?? null;
