import { runRecord } from '../../projections/run_views';
import { runKey, runs, type RunDoc } from '../../projections/runs';
import { at, document, documents, expectValid, type Given } from './given-events';
import { attempted, call, CAMPAIGN, completed, ended, onRun, ORG } from './stories';

const run = (story: readonly Given[]): RunDoc => document(runs, runKey(ORG, 100), story);
const names = { workflows: new Map([[3, 'Sales']]), callers: new Map([[51, '+14155550001']]) };
const first = call(100);
const placed = onRun(100, { type: 'CallPlaced', data: { ...first, carrier_call_id: 'CA1' } });
const ringing = onRun(100, { type: 'CallRinging', data: { ...first, occurred_at: at(30) } });
const answered = onRun(100, {
  type: 'CallAnswered',
  data: { ...first, occurred_at: at(31), answered_by: 'human' },
});

it('is listed from its first attempt, in the words of the API', () => {
  const story = [
    attempted(first),
    placed,
    ringing,
    answered,
    ended(first, 'completed', 12.4),
    completed(first, 'completed'),
  ];
  expectValid(story, ['CallAttempted']);
  const doc = run(story);
  expect(runRecord(doc, names)).toEqual({
    id: 100,
    workflow_id: 3,
    workflow_name: 'Sales',
    version_number: 2,
    name: `WR-CAMPAIGN-${CAMPAIGN}-100`,
    mode: 'twilio',
    created_at: at(0),
    is_completed: true,
    state: 'completed',
    campaign_id: CAMPAIGN,
    transcript_url: null,
    recording_url: null,
    user_recording_url: null,
    bot_recording_url: null,
    transcript_public_url: null,
    recording_public_url: null,
    user_recording_public_url: null,
    bot_recording_public_url: null,
    public_access_token: null,
    cost_info: { dograh_token_usage: 0, call_duration_seconds: 12 },
    usage_info: { llm: {}, tts: {}, stt: {}, call_duration_seconds: 12.4 },
    definition_id: 31,
    initial_context: {
      first_name: 'Ada',
      campaign_id: CAMPAIGN,
      source_uuid: `csv_${CAMPAIGN}_row_1`,
      provider: 'twilio',
      direction: 'outbound',
      telephony_configuration_id: 11,
      caller_number: '+14155550001',
      called_number: '+14155550100',
      phone_number: '+14155550100',
    },
    gathered_context: {
      call_id: 'CA1',
      provider: 'twilio',
      call_tags: [],
      call_disposition: 'completed',
      mapped_call_disposition: 'completed',
      answered_by: 'human',
      customer_phone_number: '+14155550100',
      extracted_variables: {},
    },
    call_type: 'outbound',
    logs: {
      telephony_status_callbacks: [
        { status: 'initiated', timestamp: at(1), call_id: 'CA1', attempt: 1 },
        { status: 'ringing', timestamp: at(30), call_id: 'CA1', attempt: 1 },
        { status: 'in-progress', timestamp: at(31), call_id: 'CA1', attempt: 1, answered_by: 'human' },
        {
          status: 'completed',
          timestamp: at(30),
          call_id: 'CA1',
          attempt: 1,
          duration: 12.4,
          evidence: { cause: 16, cause_txt: 'Normal Clearing' },
        },
      ],
      campaign_dispatch: [
        expect.objectContaining({ attempt: 1, variant_id: '3:31', revision: 1, outcome: 'completed' }),
      ],
    },
    annotations: null,
  });
});

it.each([
  ['no_answer', 'no-answer', ['not_connected', 'telephony_no-answer']],
  ['busy', 'busy', ['not_connected', 'telephony_busy']],
  ['failed', 'failed', ['not_connected', 'telephony_failed']],
  ['uncertain', 'failed', ['not_connected', 'telephony_failed']],
  ['canceled', 'canceled', ['not_connected', 'telephony_canceled']],
  ['voicemail', 'voicemail_detected', ['voicemail_detected']],
] as const)('outcome %s is shown as %s', (outcome, word, tags) => {
  const { gathered_context } = runRecord(run([attempted(first), ended(first, outcome)]), names);
  expect(gathered_context).toMatchObject({ call_disposition: word, mapped_call_disposition: word, call_tags: tags });
});

it('shows agent, version and outcome of the latest attempt, and is not completed before the last', () => {
  const second = call(100, {
    attempt: 2,
    retry: 1,
    workflow_id: 4,
    definition_id: 41,
    version_number: 5,
    variant_id: '4:latest',
  });
  const story = [
    attempted(first),
    ended(first, 'busy'),
    onRun(100, { type: 'RetryScheduled', data: { ...first, due_at: at(9), reason: 'busy' } }),
    attempted(second, { retry_reason: 'busy', provider: 'ari' }),
  ];
  expectValid(story, ['CallAttempted']);
  expect(story.map((_, i) => run(story.slice(0, i + 1)).state)).toEqual([
    'initialized',
    'initialized',
    'retry_scheduled',
    'initialized',
  ]);
  const record = runRecord(run(story), names);
  expect(record).toMatchObject({
    workflow_id: 4,
    workflow_name: null,
    definition_id: 41,
    version_number: 5,
    mode: 'ari',
    is_completed: false,
    created_at: at(0),
    initial_context: {
      is_retry: true,
      retry_attempt: 1,
      retry_reason: 'busy',
      source_uuid: `csv_${CAMPAIGN}_row_1_retry_1`,
    },
    gathered_context: { call_tags: ['retry', 'retry_reason_busy'] },
  });
  expect(record.gathered_context).not.toHaveProperty('call_disposition');
});

it('a withdrawn claim leaves the attempt before as the latest', () => {
  const second = call(100, { attempt: 2, retry: 1, workflow_id: 4 });
  const told = [
    attempted(first),
    ended(first, 'busy'),
    onRun(100, { type: 'RetryScheduled', data: { ...first, due_at: at(9), reason: 'busy' } }),
  ];
  const withdrawn = [
    ...told,
    attempted(second),
    onRun(100, { type: 'CallWithdrawn', data: { ...second, reason: 'window closed' } }),
  ];
  expect(run(withdrawn)).toEqual(run(told));
});

it('a run whose only attempt was withdrawn is not listed until it is attempted again', () => {
  const withdrawn = [attempted(first), onRun(100, { type: 'CallWithdrawn', data: { ...first, reason: 'paused' } })];
  expect(documents(runs, withdrawn).size).toBe(0);
  const again = run([...withdrawn, attempted(call(100, { attempt: 2 }))]);
  expect(again).toMatchObject({ created_at: at(2), attempts: [{ attempt: 2 }] });
});

it('a contact that ends uncalled, or whose turn was burnt, is not listed', () => {
  const never = call(100, { attempt: 0 });
  const story = [
    onRun(100, { type: 'CallWithdrawn', data: { ...first, reason: 'the claim never came' } }),
    completed(never, 'canceled'),
  ];
  expectValid(story);
  expect(documents(runs, story).size).toBe(0);
});

it('erasure takes number, variables, transcript, recordings and what carriers said; outcome and times stay', () => {
  const refused = onRun(100, { type: 'CallRefused', data: { ...first, code: '21211', message: 'bad +14155550100' } });
  const erased = onRun(100, { type: 'PersonalDataErased', data: { ...first, request: {} } });
  const story = [
    attempted(first),
    refused,
    completed(first, 'failed'),
    onRun(100, { type: 'TranscriptStored', data: { ...first, key: 'transcripts/100.txt' } }),
    onRun(100, { type: 'RecordingStored', data: { ...first, key: 'recordings/100.wav', track: 'mixed' } }),
  ];
  expect(runRecord(run(story), names)).toMatchObject({
    transcript_url: 'transcripts/100.txt',
    recording_url: 'recordings/100.wav',
  });
  const doc = run([...story, erased]);
  const text = JSON.stringify([doc, runRecord(doc, names)]);
  for (const personal of ['+14155550100', 'Ada', 'transcripts/', 'recordings/']) expect(text).not.toContain(personal);
  expect(doc).toMatchObject({ is_completed: true, disposition: 'failed', created_at: at(0) });
});

it('a contact whose key is destroyed reads the same before and after its erasure event', () => {
  const erased = onRun(100, { type: 'PersonalDataErased', data: { ...first, request: {} } });
  const readable = [attempted(first), ended(first, 'busy')];
  const unreadable = [attempted(first, {}, null), ended(first, 'busy')];
  expect(run([...unreadable, erased])).toEqual(run([...readable, erased]));
});

it('a test call has no campaign and a name of its own', () => {
  const record = runRecord(run([attempted(call(100, { campaign_id: null }))]), names);
  expect(record).toMatchObject({ name: 'WR-TEL-OUT-00000100', campaign_id: null });
  expect(record.initial_context).not.toHaveProperty('campaign_id');
});
