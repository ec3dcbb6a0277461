import type { RunCommand } from '../../../src/domain/run/commands';
import { runDecider } from '../../../src/domain/run/decider';
import type { RunEvent } from '../../../src/domain/run/events';
import { fold, given, NOW } from '../../support/given';
import {
  answered,
  AT,
  attempted,
  claim,
  completed,
  ended,
  placed,
  recordEnded,
  ref,
  RETRY,
  retryScheduled,
  ringing,
  uncertain,
  withdrawn,
} from './fixtures';

const run = (...events: readonly RunEvent[]) => given(runDecider, events);
const DUE = new Date(NOW + 120_000).toISOString();
const attempt = (n = 1, retry = 0): RunCommand => ({ type: 'AttemptCall', call: claim(n, retry) });
const withdraw = (n = 1, retry = 0): RunCommand => ({ type: 'WithdrawCall', call: ref(n, retry), reason: 'shut out' });
const place = (n = 1): RunCommand => ({ type: 'RecordPlaced', attempt: n, carrierCallId: 'c1' });
const refuse = (n = 1): RunCommand => ({ type: 'RecordRefused', attempt: n, code: '404', message: 'no such endpoint' });
const doubt = (n = 1): RunCommand => ({ type: 'RecordUncertain', attempt: n, reason: 'timeout' });
const ring = (n = 1): RunCommand => ({ type: 'RecordRinging', attempt: n, at: AT });
const answer = (n = 1): RunCommand => ({ type: 'RecordAnswered', attempt: n, at: AT, answeredBy: null });
const cancel: RunCommand = { type: 'CancelRun', call: ref() };
const eraseData: RunCommand = { type: 'ErasePersonalData', call: ref(), request: { by: 'person' } };

describe('a claim', () => {
  it('is written for the first attempt', () => run().when(attempt()).then([attempted()]));
  it('is a conflict while the attempt before is not over', () =>
    run(attempted())
      .when(attempt(2))
      .thenFails('conflict', /not over/));
  it('is a conflict when the attempt number is taken', () =>
    run(attempted(), withdrawn())
      .when(attempt(1))
      .thenFails('conflict', /next attempt .* is 2/));
  it('is a conflict when it leaves an attempt number out', () => run().when(attempt(2)).thenFails('conflict'));
  it('is a conflict when it names another budget than the contact has left', () =>
    run(attempted(), ended('busy'), retryScheduled(DUE, 'busy'))
      .when(attempt(2, 0))
      .thenFails('conflict', /2 with 1 retries used/));
  it('follows a scheduled retry with the next number and one retry used', () =>
    run(attempted(), ended('busy'), retryScheduled(DUE, 'busy'))
      .when(attempt(2, 1))
      .then([attempted(2, 1)]));
  it('is a conflict after the end', () =>
    run(attempted(), ended('completed'), completed('completed'))
      .when(attempt(2))
      .thenFails('conflict', /completed/));
});

describe('a withdrawal', () => {
  it('gives the contact back with its budget and burns the number', () => {
    run(attempted()).when(withdraw()).then([withdrawn()]);
    run(attempted(), withdrawn())
      .when(attempt(2, 0))
      .then([attempted(2, 0)]);
  });
  it('burns the number of a turn whose claim never came, so that the claim loses when it comes late', () => {
    run().when(withdraw()).then([withdrawn()]);
    run(withdrawn()).when(attempt(1)).thenFails('conflict');
  });
  it('keeps the retry of a contact that waits for one', () =>
    run(attempted(), ended('busy'), retryScheduled(DUE, 'busy'), attempted(2, 1), withdrawn(2, 1))
      .when(attempt(3, 1))
      .then([attempted(3, 1)]));
  it('changes nothing twice', () => run(attempted(), withdrawn()).when(withdraw()).thenNothing());
  it.each([
    ['placed', placed()],
    ['uncertain', uncertain()],
    ['ringing', ringing()],
    ['answered', answered()],
  ])('changes nothing once the call is %s', (_, event) => run(attempted(), event).when(withdraw()).thenNothing());
  it('of a later number changes nothing while a call is in flight', () =>
    run(attempted()).when(withdraw(2)).thenNothing());
  it('changes nothing after the end', () =>
    run(attempted(), ended('failed'), completed('failed')).when(withdraw(2)).thenNothing());
});

describe('news of a call', () => {
  it('is written once each, in the order that it comes', () => {
    run(attempted()).when(place()).then([placed()]);
    run(attempted(), placed()).when(ring()).then([ringing()]);
    run(attempted(), placed(), ringing()).when(answer()).then([answered()]);
    run(attempted(), placed(), ringing(), answered())
      .when(recordEnded('completed'))
      .then([ended('completed'), completed('completed')]);
  });
  it.each([
    ['placed', [attempted(), placed()], place()],
    ['uncertain', [attempted(), uncertain()], doubt()],
    ['ringing', [attempted(), ringing()], ring()],
    ['answered', [attempted(), answered()], answer()],
  ])('repeated is recognised: %s', (_, events, command) =>
    run(...events)
      .when(command)
      .thenNothing(),
  );
  it('of ringing is nothing after the answer', () => run(attempted(), answered()).when(ring()).thenNothing());
  it('of any kind is nothing after the end', () => {
    const over = [attempted(), ended('no_answer'), completed('no_answer')];
    for (const command of [place(), refuse(), doubt(), ring(), answer(), recordEnded('completed')])
      run(...over)
        .when(command)
        .thenNothing();
  });
  it('of an attempt that is not the last is nothing', () => {
    const second = [attempted(), ended('busy'), retryScheduled(DUE, 'busy'), attempted(2, 1)];
    for (const command of [place(), refuse(), doubt(), ring(), answer(), recordEnded('completed')])
      run(...second)
        .when(command)
        .thenNothing();
  });
  it('of a withdrawn attempt is nothing', () => {
    for (const command of [place(), refuse(), doubt(), ring(), answer(), recordEnded('completed')])
      run(attempted(), withdrawn()).when(command).thenNothing();
  });
  it('keeps the id that the carrier gives the call, also when ringing was told first', () =>
    run(attempted(), ringing()).when(place()).then([placed()]));
  it('does not go back to placed by a late acceptance', () =>
    run(attempted(), answered(), placed()).when(ring()).thenNothing());
});

describe('a refusal', () => {
  it('ends the contact as failed', () =>
    run(attempted())
      .when(refuse())
      .then([
        { type: 'CallRefused', data: { ...ref(), code: '404', message: 'no such endpoint' } },
        completed('failed'),
      ]));
  it('resolves an uncertain call', () => expect(run(attempted(), uncertain()).when(refuse()).events()).toHaveLength(2));
  it.each([
    ['accepted', placed()],
    ['seen ringing', ringing()],
    ['answered', answered()],
  ])('is nothing for a call that was %s', (_, event) => run(attempted(), event).when(refuse()).thenNothing());
});

describe('an uncertain call', () => {
  it('is one that was claimed and never told of', () => run(attempted()).when(doubt()).then([uncertain()]));
  it('is none once the carrier has it', () => {
    for (const event of [placed(), ringing(), answered()]) run(attempted(), event).when(doubt()).thenNothing();
  });
  it('is resolved by the carrier acceptance, by ringing, and by its end', () => {
    run(attempted(), uncertain()).when(place()).then([placed()]);
    run(attempted(), uncertain()).when(ring()).then([ringing()]);
    run(attempted(), uncertain())
      .when(recordEnded('completed'))
      .then([ended('completed'), completed('completed')]);
  });
  it('may be retried when the carrier says that it was busy', () =>
    run(attempted(), uncertain())
      .when(recordEnded('busy'))
      .then([ended('busy'), retryScheduled(DUE, 'busy')]));
  it('closed as uncertain is never called again', () => {
    run(attempted(), uncertain())
      .when(recordEnded('uncertain'))
      .then([ended('uncertain'), completed('uncertain')]);
    run(attempted(), uncertain(), ended('uncertain'), completed('uncertain')).when(attempt(2)).thenFails('conflict');
  });
});

describe('the end of a call', () => {
  it.each(['busy', 'no_answer', 'voicemail'] as const)(
    'schedules a retry after %s, from the time of the decision',
    (o) =>
      run(attempted())
        .when(recordEnded(o))
        .then([ended(o), retryScheduled(DUE, o)]),
  );
  it.each(['completed', 'failed', 'canceled', 'uncertain'] as const)('completes the contact after %s', (outcome) =>
    run(attempted())
      .when(recordEnded(outcome))
      .then([ended(outcome), completed(outcome)]),
  );
  it('completes the contact when the budget is used up', () =>
    run(attempted(1), ended('busy'), retryScheduled(DUE, 'busy'), attempted(2, 1))
      .when(recordEnded('busy', 2, { ...RETRY, max_retries: 1 }))
      .then([ended('busy', 2, 1), completed('busy', 2, 1)]));
  it('completes a test call whatever it ended with', () =>
    run(attempted())
      .when(recordEnded('busy', 1, null))
      .then([ended('busy'), completed('busy')]));
  it('keeps duration and evidence', () => {
    const evidence = { cause: 16, cause_txt: 'Normal Clearing' };
    run(attempted(), answered())
      .when({ ...recordEnded('completed'), durationSeconds: 42, evidence } as RunCommand)
      .then([
        {
          type: 'CallEnded',
          data: { ...ref(), outcome: 'completed', occurred_at: AT, duration_seconds: 42, evidence },
        },
        completed('completed'),
      ]);
  });
});

describe('a cancelled run', () => {
  it('ends as canceled at attempt 0 when it was never called', () =>
    run()
      .when(cancel)
      .then([completed('canceled', 0)]));
  it('counts a withdrawn attempt as never called', () =>
    run(attempted(), withdrawn())
      .when(cancel)
      .then([completed('canceled', 0)]));
  it('ends a contact that waits for a retry, under its last call', () =>
    run(attempted(), ended('busy'), retryScheduled(DUE, 'busy'))
      .when(cancel)
      .then([completed('canceled', 1)]));
  it('waits for a call in flight', () => run(attempted()).when(cancel).thenNothing());
  it('changes nothing after the end', () => run(completed('canceled', 0)).when(cancel).thenNothing());
});

describe('an erasure', () => {
  const erased: RunEvent = { type: 'PersonalDataErased', data: { ...ref(0), request: { by: 'person' } } };
  it('ends a contact not yet called', () =>
    run()
      .when(eraseData)
      .then([completed('canceled', 0), erased]));
  it('lets a call in flight end, without a retry', () => {
    const inFlightErased: RunEvent = { type: 'PersonalDataErased', data: { ...ref(), request: { by: 'person' } } };
    run(attempted()).when(eraseData).then([inFlightErased]);
    run(attempted(), inFlightErased)
      .when(recordEnded('busy'))
      .then([ended('busy'), completed('busy')]);
  });
  it('ends the contact when its claim is withdrawn', () =>
    run(attempted(), { type: 'PersonalDataErased', data: { ...ref(), request: {} } })
      .when(withdraw())
      .then([withdrawn(), completed('canceled', 0)]));
  it('is written after the end too, and once', () => {
    run(attempted(), ended('busy'), completed('busy'))
      .when(eraseData)
      .then([{ type: 'PersonalDataErased', data: { ...ref(), request: { by: 'person' } } }]);
    run(completed('canceled', 0), erased).when(eraseData).thenNothing();
  });
});

describe('artifacts of a call', () => {
  const transcript: RunCommand = { type: 'StoreTranscript', call: ref(), key: 'transcripts/31-1' };
  const recording: RunCommand = { type: 'StoreRecording', call: ref(), key: 'recordings/31-1', track: 'user' };
  const over = [attempted(), ended('completed'), completed('completed')];
  it('are stored after the end', () => {
    run(...over)
      .when(transcript)
      .then([{ type: 'TranscriptStored', data: { ...ref(), key: 'transcripts/31-1' } }]);
    run(...over)
      .when(recording)
      .then([{ type: 'RecordingStored', data: { ...ref(), key: 'recordings/31-1', track: 'user' } }]);
  });
  it('are stored once per attempt and track', () => {
    const stored = run(...over)
      .when(transcript)
      .events();
    run(...over, ...stored)
      .when(transcript)
      .thenNothing();
    expect(
      run(...over, ...stored)
        .when(recording)
        .events(),
    ).toHaveLength(1);
  });
  it('of an attempt that never was are a conflict', () =>
    run()
      .when(transcript)
      .thenFails('conflict', /no attempt 1/));
  it('are refused once personal data is erased', () =>
    run(...over, { type: 'PersonalDataErased', data: { ...ref(), request: {} } })
      .when(recording)
      .thenFails('conflict', /erased/));
});

describe('a test call', () => {
  const asked: Extract<RunEvent, { type: 'CallRequested' }>['data'] = {
    ...ref(0),
    campaign_id: null,
    telephony_configuration_id: 2,
    provider: 'ari',
    caller_phone_number_id: null,
    place_until: DUE,
    contact: { $sealed: 'AAAA', key: 'page/p/0', field: 'contact' },
  };
  const requested: RunEvent = { type: 'CallRequested', data: asked };
  const request: RunCommand = { type: 'RequestCall', call: asked };
  const fail: RunCommand = { type: 'FailRequest', call: ref(0), reason: 'nobody dialed it in time' };
  const failed: RunEvent = {
    type: 'RunCompleted',
    data: { ...ref(0), outcome: 'failed', reason: 'nobody dialed it in time' },
  };
  it('is asked for once, as the first event of a run', () => {
    run().when(request).then([requested]);
    run(requested).when(request).thenNothing();
    run(attempted())
      .when(request)
      .thenFails('conflict', /that of a contact/);
  });
  it('is claimed like every call', () =>
    run(requested)
      .when({ type: 'AttemptCall', call: claim() })
      .then([{ type: 'CallAttempted', data: claim() }]));
  it('fails where it was not made, and only then', () => {
    run(requested).when(fail).then([failed]);
    run(requested, attempted(), withdrawn()).when(fail).then([failed]);
    run(requested, attempted()).when(fail).thenNothing();
    run(requested, failed).when(fail).thenNothing();
    run().when(fail).thenNothing();
  });
  it('is not called any more once it has failed', () =>
    run(requested, failed)
      .when({ type: 'AttemptCall', call: claim() })
      .thenFails('conflict', /completed/));
});

it('the state of a run stays small', () => {
  const state = fold(runDecider, [
    attempted(),
    placed(),
    ringing(),
    answered(),
    ended('busy'),
    retryScheduled(DUE, 'busy'),
  ]);
  expect(JSON.stringify(state).length).toBeLessThan(500);
});
