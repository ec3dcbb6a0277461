import { appendVerdict, describeError } from '../../../src/adapters/production/eventstoredb-errors';
import { NoPlace } from '../../../src/adapters/production/waiting';
import { TimedOut } from '../../../src/engine/within';

const error = (fields: object, message = '') => Object.assign(new Error(message), fields);

it.each<[string, unknown, unknown]>([
  ['a wrong version', error({ type: 'wrong-expected-version', actualVersion: 7n }), { kind: 'conflict', actual: 7 }],
  [
    'a missing stream',
    error({ type: 'wrong-expected-version', actualVersion: 'no_stream' }),
    { kind: 'conflict', actual: -1 },
  ],
  ['a deleted stream', error({ type: 'stream-deleted' }), { kind: 'refused' }],
  ['too much data', error({ type: 'maximum-append-size-exceeded', code: 3 }), { kind: 'refused' }],
  [
    'nobody listening',
    error(
      { type: 'unavailable', code: 14 },
      '14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED',
    ),
    { kind: 'unavailable' },
  ],
  [
    'a plain error of the transport',
    error({ code: 14 }, 'connect ECONNREFUSED 127.0.0.1:2113'),
    { kind: 'unavailable' },
  ],
  [
    'a server that starts',
    error({ type: 'unknown' }, 'Could not recognize Server Is Not Ready'),
    { kind: 'unavailable' },
  ],
  ['another leader', error({ type: 'not-leader' }), { kind: 'unavailable' }],
  ['a user that may not write', error({ type: 'access-denied' }), { kind: 'unavailable' }],
  ['no free place', new NoPlace('all 90 places were taken'), { kind: 'unavailable' }],
  [
    'a connection lost under way',
    error({ type: 'unavailable', code: 14 }, '14 UNAVAILABLE: Connection dropped'),
    { kind: 'outcome_unknown' },
  ],
  [
    'a connection reset',
    error({ type: 'unavailable', code: 14 }, '14 UNAVAILABLE: read ECONNRESET'),
    { kind: 'outcome_unknown' },
  ],
  ['a deadline', error({ type: 'deadline-exceeded', code: 4 }), { kind: 'outcome_unknown' }],
  ['no answer', new TimedOut('append: no answer within 4500 ms'), { kind: 'outcome_unknown' }],
  [
    'a failing handler',
    error({ type: 'unknown', code: 2 }, '2 UNKNOWN: Exception was thrown by handler.'),
    { kind: 'outcome_unknown' },
  ],
])('an append that fails for %s is judged by it', (_, failure, verdict) => {
  expect(appendVerdict(failure)).toEqual(verdict);
});

it('describes errors whose message is empty', () => {
  expect(describeError(error({ type: 'stream-deleted', streamName: 'run-1_1' }))).toBe('stream-deleted run-1_1');
  expect(describeError(error({}, 'plain'))).toBe('plain');
  expect(describeError(error({}))).toBe('unknown error');
});
