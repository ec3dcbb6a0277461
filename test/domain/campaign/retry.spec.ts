import { decideRetry, RETRY_WHEN_OMITTED } from '../../../src/domain/campaign/retry';

const ALL = { ...RETRY_WHEN_OMITTED, max_retries: 2, retry_on_voicemail: true };

it('a campaign made without retry_config retries busy and no answer once, after 120 s', () => {
  expect(decideRetry(RETRY_WHEN_OMITTED, 'busy', 0)).toEqual({ delaySeconds: 120, reason: 'busy' });
  expect(decideRetry(RETRY_WHEN_OMITTED, 'no_answer', 0)).toEqual({ delaySeconds: 120, reason: 'no_answer' });
  expect(decideRetry(RETRY_WHEN_OMITTED, 'voicemail', 0)).toBeNull();
  expect(decideRetry(RETRY_WHEN_OMITTED, 'busy', 1)).toBeNull();
});

it.each(['busy', 'no_answer', 'voicemail'] as const)('%s is retried until the budget is used', (outcome) => {
  expect(decideRetry(ALL, outcome, 0)?.reason).toBe(outcome);
  expect(decideRetry(ALL, outcome, 1)?.reason).toBe(outcome);
  expect(decideRetry(ALL, outcome, 2)).toBeNull();
});

it.each(['completed', 'failed', 'canceled', 'uncertain'] as const)('%s is never retried', (outcome) =>
  expect(decideRetry(ALL, outcome, 0)).toBeNull(),
);

it.each([
  ['busy', { ...ALL, retry_on_busy: false }],
  ['no_answer', { ...ALL, retry_on_no_answer: false }],
  ['voicemail', { ...ALL, retry_on_voicemail: false }],
  ['busy', { ...ALL, enabled: false }],
  ['busy', { ...ALL, max_retries: 0 }],
] as const)('%s is not retried when %j', (outcome, config) => expect(decideRetry(config, outcome, 0)).toBeNull());

it('the delay is the same for every attempt', () =>
  expect([0, 1].map((used) => decideRetry({ ...ALL, retry_delay_seconds: 30 }, 'busy', used)?.delaySeconds)).toEqual([
    30, 30,
  ]));

it('a test call has no retries', () => expect(decideRetry(null, 'busy', 0)).toBeNull());
