/** What the phone at a number does with one call. Pure: a function of the settings, the number and how often it was called before. */
import { chance } from './chance';
import type { SimulatorSettings } from './options';

/** How a call is refused: what SIP answers, as Asterisk shows it. */
export interface Refusal {
  readonly afterMs: number;
  readonly cause: number;
  readonly causeText: string;
  readonly techCause: number;
  readonly dial: string;
}

/** Unscaled milliseconds from `continue` to the verdict. */
export interface Detection {
  readonly afterMs: number;
  readonly status: string;
  readonly cause: string;
}

const human: Detection = { afterMs: 2_000, status: 'HUMAN', cause: 'HUMAN-800-800' };
const greeting: Detection = { afterMs: 1_600, status: 'MACHINE', cause: 'LONGGREETING-1500-1500' };
/** Who says nothing is a machine to Asterisk. */
const silent: Detection = { afterMs: 2_600, status: 'MACHINE', cause: 'INITIALSILENCE-2500-2500' };

/** Unscaled milliseconds. */
export interface Phone {
  readonly kind: string;
  /** After the call was made; null: it never rings. */
  readonly ringMs: number | null;
  /** After the call was made; null: never. */
  readonly answerMs: number | null;
  /** After the answer; null: it stays until we hang up. */
  readonly talkMs: number | null;
  /** The Q.850 cause that its BYE names; 0: none. */
  readonly byeCause: number;
  /** What AMD() finds, and how long it takes. */
  readonly amd: Detection;
  readonly refusal: Refusal | null;
}

const refuse = (
  kind: string,
  ringMs: number | null,
  afterMs: number,
  [cause, causeText, techCause, dial]: readonly [number, string, number, string],
): Phone => ({
  kind,
  ringMs,
  answerMs: null,
  talkMs: null,
  byeCause: 0,
  amd: human,
  refusal: { afterMs, cause, causeText, techCause, dial },
});

// The Dial status lies: a declined and an unknown number both read NOANSWER (measured on Asterisk 22).
const busy = [17, 'User busy', 486, 'BUSY'] as const;
const declined = [21, 'Call Rejected', 603, 'NOANSWER'] as const;
const forbidden = [21, 'Call Rejected', 403, 'NOANSWER'] as const;
const unallocated = [1, 'Unallocated (unassigned) number', 404, 'NOANSWER'] as const;
const congested = [34, 'Circuit/channel congestion', 503, 'CONGESTION'] as const;

const answers = (
  kind: string,
  ringMs: number,
  answerMs: number,
  talkMs: number | null,
  more?: Partial<Phone>,
): Phone => ({
  kind,
  ringMs,
  answerMs,
  talkMs,
  byeCause: 0,
  amd: human,
  refusal: null,
  ...more,
});

const ringsForEver = (ringMs: number): Phone => ({
  kind: 'rings for ever',
  ringMs,
  answerMs: null,
  talkMs: null,
  byeCause: 0,
  amd: human,
  refusal: null,
});

/** Nobody listens at the address: not a word until the timeout. */
export const silentTrunk: Phone = { ...ringsForEver(0), kind: 'silent', ringMs: null };

/** As the phones of a test exchange do it: by the last digit. */
const byDigit = (number: string): Phone => {
  switch (number.slice(-1)) {
    case '4':
      return answers('stays', 3, 305, null, { amd: silent });
    case '5':
      return refuse('busy', null, 205, busy);
    case '6':
      return ringsForEver(3);
    case '7':
      return answers('machine', 3, 305, 26_500, { amd: greeting, byeCause: 16 });
    case '8':
      return refuse('declines', 3, 305, forbidden);
    case '9':
      return refuse('unknown', null, 4, unallocated);
    default:
      return answers('person', 3, 305, 3_200, { byeCause: 16 });
  }
};

/** A skewed duration around its mean: between a fifth and three times of it. */
const around = (mean: number, draw: number): number => mean * (0.2 + 2.8 * draw ** 2.5);

const seeded = (settings: SimulatorSettings, number: string, nth: number): Phone => {
  const draw = chance(settings.seed, `${number}#${nth}`);
  const what = draw();
  const ring = 20 + 180 * draw();
  const answer = ring + around(settings.answerSeconds * 1000, draw());
  const talk = around(settings.talkSeconds * 1000, draw());
  const { mix } = settings;
  let share = mix.busy;
  if (what < share) return refuse('busy', draw() < 0.5 ? ring : null, ring + 150, busy);
  if (what < (share += mix.noAnswer)) return ringsForEver(ring);
  if (what < (share += mix.voicemail)) return answers('machine', ring, answer, talk, { amd: greeting });
  if (what < (share += mix.declined)) return refuse('declines', ring, answer, declined);
  if (what < (share += mix.unavailable)) return refuse('unavailable', draw() < 0.5 ? ring : null, ring + 30, congested);
  if (what < share + mix.unallocated) return refuse('unknown', null, ring, unallocated);
  return answers('person', ring, answer, talk, { byeCause: draw() < 0.5 ? 16 : 0 });
};

/** The phone at `number` when it is called for the `nth` time (from 1). */
export const phoneAt = (settings: SimulatorSettings, number: string, nth: number): Phone =>
  settings.mode === 'by-digit' ? byDigit(number) : seeded(settings, number, nth);
