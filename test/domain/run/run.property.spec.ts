import fc from 'fast-check';
import { isLeft } from 'fp-ts/Either';
import type { RetryConfig } from '../../../src/domain/campaign/events';
import type { RunCommand } from '../../../src/domain/run/commands';
import { runDecider } from '../../../src/domain/run/decider';
import type { RunEvent } from '../../../src/domain/run/events';
import type { RunState } from '../../../src/domain/run/state';
import { NOW } from '../../support/given';
import { AT, claim, ref } from './fixtures';

const OUTCOMES = ['completed', 'busy', 'no_answer', 'voicemail', 'failed', 'canceled', 'uncertain'] as const;

const TYPES = [
  'RequestCall',
  'FailRequest',
  'AttemptCall',
  'WithdrawCall',
  'RecordPlaced',
  'RecordRefused',
  'RecordUncertain',
  'RecordRinging',
  'RecordAnswered',
  'RecordEnded',
  'CancelRun',
  'StoreTranscript',
  'ErasePersonalData',
] as const;

/** One command as it arrives: about the newest attempt (`lag` 0) or an older one, as the network repeats, loses and reorders. */
interface Step {
  readonly type: (typeof TYPES)[number];
  readonly lag: number;
  readonly outcome: (typeof OUTCOMES)[number];
}

const WEIGHTS: Readonly<Partial<Record<Step['type'], number>>> = {
  AttemptCall: 8,
  RecordEnded: 6,
  CancelRun: 1,
  FailRequest: 1,
  ErasePersonalData: 1,
};

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.oneof(...TYPES.map((type) => ({ weight: WEIGHTS[type] ?? 3, arbitrary: fc.constant(type) }))),
  lag: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })),
  outcome: fc.oneof({ weight: 3, arbitrary: fc.constant('busy' as const) }, fc.constantFrom(...OUTCOMES)),
});

const commandOf = ({ type, lag, outcome }: Step, state: RunState, retry: RetryConfig): RunCommand => {
  const last = Math.max(1, state.attempt - lag);
  switch (type) {
    case 'RequestCall': {
      const { contact, telephony_configuration_id, provider, caller_phone_number_id } = claim();
      const asked = { telephony_configuration_id, provider, caller_phone_number_id, contact, place_until: AT };
      return { type, call: { ...ref(0), campaign_id: null, ...asked } };
    }
    case 'FailRequest':
      return { type, call: ref(0), reason: 'late' };
    case 'AttemptCall':
      return { type, call: claim(Math.max(1, state.attempt + 1 - lag), Math.max(0, state.retry - lag)) };
    case 'WithdrawCall':
      return { type, call: ref(Math.max(1, state.attempt + 1 - lag), state.retry), reason: 'late' };
    case 'RecordPlaced':
      return { type, attempt: last, carrierCallId: 'c' };
    case 'RecordRefused':
      return { type, attempt: last, code: '500', message: 'no' };
    case 'RecordUncertain':
      return { type, attempt: last, reason: 'timeout' };
    case 'RecordRinging':
      return { type, attempt: last, at: AT };
    case 'RecordAnswered':
      return { type, attempt: last, at: AT, answeredBy: 'human' };
    case 'RecordEnded':
      return { type, attempt: last, outcome, at: AT, durationSeconds: null, evidence: null, retry };
    case 'CancelRun':
      return { type, call: ref() };
    case 'StoreTranscript':
      return { type, call: ref(last), key: 'k' };
    case 'ErasePersonalData':
      return { type, call: ref(), request: {} };
  }
};

const config = fc.record({
  enabled: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  max_retries: fc.integer({ min: 0, max: 3 }),
  retry_delay_seconds: fc.integer({ min: 30, max: 3600 }),
  retry_on_busy: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  retry_on_no_answer: fc.boolean(),
  retry_on_voicemail: fc.boolean(),
});

const scripts = fc.record({ retry: config, steps: fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }) });

const play = (
  retry: RetryConfig,
  steps: readonly Step[],
): { readonly log: readonly RunEvent[]; readonly state: RunState } => {
  const log: RunEvent[] = [];
  let state = runDecider.initial;
  for (const one of steps) {
    const decided = runDecider.decide(commandOf(one, state, retry), state, { now: NOW });
    if (isLeft(decided)) continue;
    for (const event of decided.right) {
      log.push(event);
      state = runDecider.evolve(state, event);
    }
  }
  return { log, state };
};

const AFTER_THE_END = ['TranscriptStored', 'RecordingStored', 'PersonalDataErased'];

it('whatever is repeated, lost and reordered, attempts are unique, the end is one, and the budget holds', () => {
  let ends = 0;
  let retried = 0;
  fc.assert(
    fc.property(scripts, ({ retry, steps }) => {
      const { log } = play(retry, steps);
      const claims = log.filter((e) => e.type === 'CallAttempted').map((e) => e.data.attempt);
      expect(new Set(claims).size).toBe(claims.length);
      expect([...claims].sort((a, b) => a - b)).toEqual(claims);

      const burnt = log.filter((e) => e.type === 'CallWithdrawn').map((e) => e.data.attempt);
      expect(new Set(burnt).size).toBe(burnt.length);
      const effective = claims.filter((n) => !burnt.includes(n));
      expect(effective.length).toBeLessThanOrEqual(1 + (retry.enabled ? retry.max_retries : 0));

      const completions = log.filter((e) => e.type === 'RunCompleted');
      expect(completions.length).toBeLessThanOrEqual(1);
      const end = log.findIndex((e) => e.type === 'RunCompleted');
      if (end >= 0) for (const event of log.slice(end + 1)) expect(AFTER_THE_END).toContain(event.type);

      for (const type of ['CallPlaced', 'CallUncertain', 'CallRinging', 'CallAnswered'] as const) {
        const numbers = log.filter((e) => e.type === type).map((e) => e.data.attempt);
        expect(new Set(numbers).size).toBe(numbers.length);
      }
      const overs = log.filter((e) => e.type === 'CallEnded' || e.type === 'CallRefused').map((e) => e.data.attempt);
      expect(new Set(overs).size).toBe(overs.length);
      for (const n of overs) expect(burnt).not.toContain(n);
      ends += completions.length;
      retried += effective.length > 1 ? 1 : 0;
    }),
    { numRuns: 600 },
  );
  expect(ends).toBeGreaterThan(100);
  expect(retried).toBeGreaterThan(50);
});

it('nothing of an attempt is told after it is over', () => {
  fc.assert(
    fc.property(scripts, ({ retry, steps }) => {
      const over = new Set<number>();
      for (const event of play(retry, steps).log) {
        if (['CallPlaced', 'CallUncertain', 'CallRinging', 'CallAnswered', 'CallEnded'].includes(event.type))
          expect(over.has(event.data.attempt)).toBe(false);
        if (['CallEnded', 'CallRefused', 'CallWithdrawn'].includes(event.type)) over.add(event.data.attempt);
      }
    }),
    { numRuns: 300 },
  );
});

it('after the end, every command but artifacts and erasure adds nothing', () => {
  let ended = 0;
  fc.assert(
    fc.property(scripts, fc.array(step, { minLength: 1 }), ({ retry, steps }, more) => {
      const { state } = play(retry, steps);
      if (state.phase !== 'completed') return;
      ended += 1;
      for (const late of more) {
        const decided = runDecider.decide(commandOf(late, state, retry), state, { now: NOW });
        if (isLeft(decided)) continue;
        for (const event of decided.right) expect(AFTER_THE_END).toContain(event.type);
      }
    }),
    { numRuns: 300 },
  );
  expect(ended).toBeGreaterThan(100);
});
