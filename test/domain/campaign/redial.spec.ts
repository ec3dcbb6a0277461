import * as fc from 'fast-check';
import { isRight } from 'fp-ts/Either';
import {
  chooseRedialed,
  parseRedialList,
  redialListText,
  type CalledContact,
  type RedialReasons,
} from '../../../src/domain/campaign/redial';
import type { Outcome } from '../../../src/domain/run/events';

const OUTCOMES: readonly Outcome[] = ['completed', 'busy', 'no_answer', 'voicemail', 'failed', 'canceled', 'uncertain'];
const all: RedialReasons = { retry_on_busy: true, retry_on_no_answer: true, retry_on_voicemail: true };
const none: RedialReasons = { retry_on_busy: false, retry_on_no_answer: false, retry_on_voicemail: false };

/** One contact for each outcome: runs 1 to 7, in the order above. */
const oneOfEach: readonly CalledContact[] = OUTCOMES.map((lastOutcome, i) => ({
  run: i + 1,
  completed: true,
  lastOutcome,
  erased: false,
}));
const chosen = (wanted: Partial<RedialReasons>, contacts = oneOfEach) =>
  chooseRedialed({ ...none, ...wanted }, contacts);

describe('who is redialed', () => {
  it('are those whose last call was busy, not answered or a voicemail, where all is wanted', () => {
    expect(chosen(all)).toEqual({ runs: [2, 3, 4], erased: 0 });
  });

  it.each([
    ['retry_on_busy', 2],
    ['retry_on_no_answer', 3],
    ['retry_on_voicemail', 4],
  ])('with %s alone is run %d alone', (reason, run) => {
    expect(chosen({ [reason]: true })).toEqual({ runs: [run], erased: 0 });
  });

  it('is nobody where nothing is wanted', () => {
    expect(chosen({})).toEqual({ runs: [], erased: 0 });
  });

  it('is not who was never called, nor whose run is not over', () => {
    const contacts: CalledContact[] = [
      { run: 1, completed: true, lastOutcome: null, erased: false },
      { run: 2, completed: false, lastOutcome: 'busy', erased: false },
    ];
    expect(chosen(all, contacts)).toEqual({ runs: [], erased: 0 });
  });

  it('is not who was erased; who would have been is counted', () => {
    const contacts = oneOfEach.map((contact) => ({ ...contact, erased: contact.run !== 3 }));
    expect(chosen(all, contacts)).toEqual({ runs: [3], erased: 2 });
  });
});

const contact = fc.record({
  run: fc.integer({ min: 1, max: 60 }),
  completed: fc.boolean(),
  lastOutcome: fc.option(fc.constantFrom(...OUTCOMES)),
  erased: fc.boolean(),
});

it('whoever comes in whatever order and however often, the list is ascending, each contact once, and read back as it is', () => {
  let redialed = 0;
  fc.assert(
    fc.property(fc.uniqueArray(contact, { selector: (c) => c.run, maxLength: 40 }), (contacts) => {
      const { runs } = chooseRedialed(all, contacts);
      redialed += runs.length;
      expect(chooseRedialed(all, [...contacts].reverse().concat(contacts)).runs).toEqual(runs);
      expect([...runs].sort((a, b) => a - b)).toEqual(runs);
      const read = parseRedialList(redialListText(runs));
      expect(isRight(read) && read.right).toEqual(runs);
    }),
  );
  expect(redialed).toBeGreaterThan(0);
});

it.each(['1\n1\n', '2\n1\n', 'x\n', '1\n\n2\n', '0\n', '1.5\n'])('the text %j is no list of runs', (text) => {
  expect(isRight(parseRedialList(text))).toBe(false);
});
