import type { CallContext } from '../../src/carriers/ari/classify';
import { classifyAbsent, classifyEnded, evidenceOf } from '../../src/carriers/ari/classify';
import type { AriEvent } from '../../src/carriers/ari/wire';
import type { CallOutcome } from '../../src/ports/carrier';
import { answered, change, destroyed, dial, fold, leave, refusal, request, ringing, soft, start } from './ari-events';

interface Row {
  readonly what: string;
  readonly events: readonly AriEvent[];
  readonly outcome: CallOutcome;
  readonly detail?: string;
  readonly context?: Partial<CallContext>;
  /** Indexes of events that are the only witness of something: losing one of them may change the outcome. */
  readonly onlyWitness?: readonly number[];
}

const refused = (
  what: string,
  state: 'Down' | 'Ringing',
  status: string,
  cause: number,
  tech: number | null,
  outcome: CallOutcome,
  detail?: string,
): Row => ({ what, events: refusal(state, status, cause, tech), outcome, ...(detail === undefined ? {} : { detail }) });

const elapsed = { ringElapsed: true };
const hungUp = { hangUpAsked: true };

/** What was measured on Asterisk 22, row by row; [16]: as Asterisk 16 does it. */
// prettier-ignore
const rows: readonly Row[] = [
  { what: 'answered, callee BYE', events: [...answered, request('Up', null), leave(), destroyed('Up', 0)], outcome: 'completed' },
  { what: '[16] answered, callee BYE', events: [...answered, request('Up', null), leave(), destroyed('Up', 16)], outcome: 'completed' },
  { what: 'answered, BYE with a Reason', events: [...answered, request('Up', 31, 480), leave(), destroyed('Up', 31, 480)], outcome: 'completed' },
  { what: 'answered, our DELETE', events: [...answered, soft('Up', 32), leave(), destroyed('Up', 16)], outcome: 'completed', context: hungUp },
  { what: 'answered, our DELETE with reason busy', events: [...answered, soft('Up', 32), leave(), destroyed('Up', 17, 486)], outcome: 'completed', context: hungUp },
  { what: 'answered, absolute timeout', events: [...answered, leave(), destroyed('Up', 0)], outcome: 'completed' },
  { what: 'answered while nobody listened', events: [...ringing, change('Up'), dial('ANSWER', 'Up'), destroyed('Up', 0)], outcome: 'completed', detail: 'answered and dropped: nobody was listening' },
  { what: 'answered, rtp timeout', events: [...answered, soft('Up', 1), leave(), destroyed('Up', 44)], outcome: 'completed' },
  { what: 'answered by a machine', events: [...answered, leave(), start('amd=MACHINE', 'cause=LONGGREETING-1500-1500'), soft('Up', 32), leave(), destroyed('Up', 16)], outcome: 'voicemail', onlyWitness: [7] },
  { what: 'answered by someone who says nothing, a machine to Asterisk', events: [...answered, leave(), start('amd=MACHINE', 'cause=INITIALSILENCE-2500-2500'), destroyed('Up', 0)], outcome: 'completed' },
  { what: 'answered by a person, detection on', events: [...answered, leave(), start('amd=HUMAN'), request('Up', 16), leave(), destroyed('Up', 16)], outcome: 'completed' },
  refused('486', 'Ringing', 'BUSY', 17, 486, 'busy'),
  refused('486 without 180', 'Down', 'BUSY', 17, 486, 'busy'),
  refused('600', 'Ringing', 'BUSY', 17, 600, 'busy'),
  { what: '183 then 486', events: [dial('', 'Down'), dial('PROGRESS', 'Down'), request('Down', 17, 486), dial('BUSY', 'Down'), destroyed('Down', 17, 486)], outcome: 'busy' },
  refused('480', 'Ringing', 'NOANSWER', 19, 480, 'no_answer'),
  { what: '480 without 180', events: refusal('Down', 'NOANSWER', 19, 480), outcome: 'no_answer', onlyWitness: [1] },
  refused('483', 'Ringing', 'NOANSWER', 19, 483, 'failed'),
  refused('408', 'Ringing', 'NOANSWER', 18, 408, 'no_answer'),
  { what: 'ring timeout after 180', events: [...ringing, destroyed('Ringing', 19, 480)], outcome: 'no_answer', context: elapsed },
  { what: '[16] ring timeout after 180', events: [...ringing, destroyed('Ringing', 0)], outcome: 'no_answer', context: elapsed, onlyWitness: [2] },
  { what: 'ring timeout after 183', events: [dial('', 'Down'), dial('PROGRESS', 'Down'), destroyed('Down', 19, 480)], outcome: 'no_answer', context: elapsed, onlyWitness: [1] },
  { what: '[16] ring timeout after 183', events: [dial('', 'Down'), dial('PROGRESS', 'Down'), destroyed('Down', 0)], outcome: 'no_answer', context: elapsed, onlyWitness: [1] },
  { what: 'timeout, no reply at all', events: [dial('', 'Down'), destroyed('Down', 19, 480)], outcome: 'failed', detail: 'transient: silent until the timeout', context: elapsed },
  { what: '[16] timeout, no reply at all', events: [dial('', 'Down'), destroyed('Down', 0)], outcome: 'failed', context: elapsed },
  refused('no reply, timeout over 32 s', 'Down', 'NOANSWER', 18, 408, 'failed', 'transient: no response'),
  refused('603', 'Ringing', 'NOANSWER', 21, 603, 'failed', 'declined'),
  refused('401', 'Ringing', 'NOANSWER', 21, 401, 'failed', 'configuration'),
  refused('407', 'Ringing', 'NOANSWER', 21, 407, 'failed', 'configuration'),
  refused('403', 'Ringing', 'NOANSWER', 21, 403, 'failed', 'configuration'),
  refused('404', 'Ringing', 'NOANSWER', 1, 404, 'failed', 'number'),
  refused('404 without 180', 'Down', 'NOANSWER', 1, 404, 'failed', 'number'),
  refused('604', 'Ringing', 'NOANSWER', 1, 604, 'failed', 'number'),
  refused('410', 'Ringing', 'NOANSWER', 22, 410, 'failed', 'number'),
  refused('484', 'Ringing', 'NOANSWER', 28, 484, 'failed', 'number'),
  refused('420', 'Ringing', 'CHANUNAVAIL', 3, 420, 'failed', 'number'),
  refused('503', 'Ringing', 'CONGESTION', 34, 503, 'failed', 'transient'),
  refused('no DNS', 'Down', 'CONGESTION', 34, 503, 'failed', 'transient'),
  refused('500', 'Ringing', 'NOANSWER', 38, 500, 'failed', 'transient'),
  refused('502', 'Ringing', 'NOANSWER', 27, 502, 'failed', 'transient'),
  refused('504', 'Ringing', 'NOANSWER', 102, 504, 'failed', 'transient'),
  refused('488', 'Ringing', 'NOANSWER', 58, 488, 'failed', 'configuration'),
  refused('606', 'Ringing', 'NOANSWER', 58, 606, 'failed', 'configuration'),
  refused('501', 'Ringing', 'NOANSWER', 29, 501, 'failed', 'configuration'),
  refused('400', 'Ringing', 'NOANSWER', 127, 400, 'failed', 'interworking'),
  refused('402', 'Ringing', 'NOANSWER', 127, 402, 'failed', 'configuration'),
  refused('421', 'Ringing', 'NOANSWER', 127, 421, 'failed', 'interworking'),
  refused('429', 'Ringing', 'NOANSWER', 127, 429, 'failed', 'transient'),
  refused('433', 'Ringing', 'NOANSWER', 127, 433, 'failed', 'interworking'),
  refused('607', 'Ringing', 'NOANSWER', 127, 607, 'failed', 'declined'),
  refused('487 sent by the callee', 'Ringing', 'NOANSWER', 127, 487, 'no_answer'),
  { what: 'our DELETE while it rings', events: [...ringing, soft('Ringing', 32), dial('NOANSWER', 'Ringing'), destroyed('Ringing', 16)], outcome: 'canceled', context: hungUp },
  { what: 'our DELETE before it rings', events: [dial('', 'Down'), soft('Down', 32), dial('NOANSWER', 'Down'), destroyed('Down', 16)], outcome: 'canceled', context: hungUp },
  { what: 'another client’s DELETE', events: [...ringing, soft('Ringing', 32), dial('NOANSWER', 'Ringing'), destroyed('Ringing', 16)], outcome: 'canceled', onlyWitness: [3] },
  { what: 'our DELETE, overtaken by busy', events: refusal('Ringing', 'BUSY', 17, 486), outcome: 'busy', context: hungUp },
  refused('480 with a Reason', 'Ringing', 'NOANSWER', 19, 480, 'no_answer'),
  refused('[16] 480 with Reason cause 1', 'Ringing', 'NOANSWER', 1, null, 'failed', 'number'),
  refused('[16] 603', 'Ringing', 'NOANSWER', 21, null, 'failed', 'declined'),
  { what: 'Local, Busy()', events: [dial('', 'Down'), dial('BUSY', 'Down'), destroyed('Down', 0)], outcome: 'busy', onlyWitness: [1] },
  { what: 'Local, Congestion()', events: [dial('', 'Down'), dial('CONGESTION', 'Down'), destroyed('Down', 0)], outcome: 'failed', detail: 'transient', onlyWitness: [1] },
  refused('Local, Hangup(17)', 'Down', 'BUSY', 17, null, 'busy'),
  refused('Local, Hangup(34)', 'Down', 'CONGESTION', 34, null, 'failed', 'transient'),
  refused('Local, Hangup(1)', 'Down', 'NOANSWER', 1, null, 'failed', 'number'),
  refused('Local, Hangup()', 'Down', 'NOANSWER', 16, null, 'no_answer'),
  { what: 'Local, ring timeout', events: [...ringing, destroyed('Ringing', 19)], outcome: 'no_answer', context: elapsed },
  { what: '[16] Local, ring timeout', events: [...ringing, destroyed('Ringing', 0)], outcome: 'no_answer', context: elapsed, onlyWitness: [2] },
  { what: 'Local, no such extension', events: [destroyed('Down', 0)], outcome: 'failed', detail: 'configuration' },
  { what: 'Local to a trunk whose 603 the dialplan hides', events: [...ringing, dial('CONGESTION', 'Ringing'), destroyed('Ringing', 0)], outcome: 'failed', onlyWitness: [3] },
  { what: 'Local to a trunk that is busy', events: [...ringing, dial('BUSY', 'Ringing'), destroyed('Ringing', 0)], outcome: 'busy', onlyWitness: [3] },
  { what: 'Local to a trunk, 480', events: refusal('Ringing', 'NOANSWER', 19, null), outcome: 'no_answer' },
  refused('answered elsewhere', 'Ringing', 'NOANSWER', 26, null, 'canceled'),
  { what: 'an orderly shutdown of Asterisk while it rings', events: [...ringing, soft('Ringing', 4), dial('NOANSWER', 'Ringing'), destroyed('Ringing', 0)], outcome: 'failed', detail: 'transient: the carrier was shut down' },
  { what: 'an absolute timeout while it rings', events: [...ringing, destroyed('Ringing', 19, 480)], outcome: 'no_answer' },
];

const contextOf = (row: Row): CallContext => ({
  hangUpAsked: false,
  ringElapsed: false,
  unbroken: true,
  ...row.context,
});

const outcomeOf = (events: readonly AriEvent[], context: CallContext): CallOutcome | null => {
  const state = fold(events);
  return (state.destroyed === null ? classifyAbsent(state, context) : classifyEnded(state, context))?.outcome ?? null;
};

it('covers the measured table', () => {
  expect(rows.length).toBeGreaterThan(60);
});

describe.each(rows.map((row) => [row.what, row] as const))('%s', (_, row) => {
  it(`is ${row.outcome}`, () => {
    const verdict = classifyEnded(fold(row.events), contextOf(row));
    expect(verdict.outcome).toBe(row.outcome);
    if (row.detail !== undefined) expect(verdict.detail).toBe(row.detail);
  });

  it('is the same with any one event lost that is not an only witness', () => {
    const losable = row.events.map((_event, i) => i).filter((i) => row.onlyWitness?.includes(i) !== true);
    for (const lost of losable.filter((i) => row.events[i]?.type !== 'ChannelDestroyed')) {
      const left = row.events.filter((_event, i) => i !== lost);
      expect([lost, outcomeOf(left, contextOf(row))]).toEqual([lost, row.outcome]);
    }
  });

  it('is the same, or unknown, when its end is lost', () => {
    const left = row.events.filter(({ type }) => type !== 'ChannelDestroyed');
    const outcome = outcomeOf(left, contextOf(row));
    const witnessed = left.some(({ type, cause }) => type === 'ChannelHangupRequest' && cause !== null);
    if (outcome === null) expect(witnessed || row.outcome === 'completed').toBe(false);
    else expect(outcome).toBe(row.outcome);
  });

  it('is the same whatever the order of its events', () => {
    const reversed = [...row.events].reverse();
    expect(outcomeOf(reversed, contextOf(row))).toBe(row.outcome);
  });
});

describe('a call that is gone and whose end was not seen', () => {
  const context: CallContext = { hangUpAsked: false, ringElapsed: true, unbroken: true };

  it('was not answered if the socket was unbroken and its ring timeout has passed', () => {
    expect(classifyAbsent(fold(ringing), context)?.outcome).toBe('no_answer');
  });

  it('failed if nothing ever rang', () => {
    expect(classifyAbsent(fold([dial('', 'Down')]), context)?.outcome).toBe('failed');
  });

  it('is beyond knowing if the socket was away: it may have been answered and dropped', () => {
    expect(classifyAbsent(fold(ringing), { ...context, unbroken: false })).toBeNull();
  });

  it('is beyond knowing before its ring timeout', () => {
    expect(classifyAbsent(fold(ringing), { ...context, ringElapsed: false })).toBeNull();
  });

  it('is beyond knowing if no event of it ever came', () => {
    expect(classifyAbsent(fold([]), context)).toBeNull();
  });

  it('was canceled if we hung up and the socket was unbroken', () => {
    expect(classifyAbsent(fold(ringing), { ...context, hangUpAsked: true, ringElapsed: false })?.outcome).toBe(
      'canceled',
    );
    expect(classifyAbsent(fold(ringing), { ...context, hangUpAsked: true, unbroken: false })).toBeNull();
  });
});

it('keeps the raw evidence', () => {
  expect(evidenceOf(fold(refusal('Ringing', 'NOANSWER', 21, 603)), 'declined')).toEqual({
    cause: 21,
    cause_txt: 'as told',
    tech_cause: 603,
    state: 'Ringing',
    dial_status: 'NOANSWER',
    detail: 'declined',
  });
  expect(evidenceOf(fold([]), 'gone')).toEqual({ detail: 'gone' });
});
