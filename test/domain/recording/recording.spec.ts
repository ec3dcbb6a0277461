import { isLeft, isRight } from 'fp-ts/Either';
import { recordingDecider, type RecordingCommand, type RecordingsState } from '../../../src/domain/recording/decider';

const one = { id: 1, recording_id: 'hello', storage_key: 'recordings/7/hello/a.wav', transcript: 'Hello' };
const two = { ...one, id: 2, recording_id: 'bye' };

const after = (...commands: readonly RecordingCommand[]): RecordingsState =>
  commands.reduce<RecordingsState>((state, command) => {
    const decided = recordingDecider.decide(command, state, { now: 0 });
    if (isLeft(decided)) throw new Error(JSON.stringify(decided.left));
    return decided.right.reduce(recordingDecider.evolve, state);
  }, recordingDecider.initial);
const decide = (command: RecordingCommand, state: RecordingsState) =>
  recordingDecider.decide(command, state, { now: 0 });

const both = after({ type: 'AddRecordings', recordings: [one, two] });

test('recordings have public ids of their own', () => {
  expect([...both.known.values()]).toEqual([
    { ...one, revision: 0 },
    { ...two, revision: 1 },
  ]);
  expect(decide({ type: 'AddRecordings', recordings: [{ ...one, id: 3 }] }, both)).toMatchObject({
    left: { kind: 'conflict' },
  });
  const twice = [one, { ...one, id: 4 }];
  expect(decide({ type: 'AddRecordings', recordings: twice }, after())).toMatchObject({ left: { kind: 'conflict' } });
});

test('a recording is renamed, unless the name is taken', () => {
  const renamed = after(
    { type: 'AddRecordings', recordings: [one, two] },
    { type: 'ChangeRecording', id: 1, recordingId: 'hi', transcript: null },
  );
  expect(renamed.known.get(1)).toEqual({ ...one, recording_id: 'hi', revision: 2 });
  const clash = decide({ type: 'ChangeRecording', id: 1, recordingId: 'bye', transcript: null }, both);
  expect(clash).toMatchObject({ left: { kind: 'conflict' } });
  const same = decide({ type: 'ChangeRecording', id: 1, recordingId: 'hello', transcript: 'Hello' }, both);
  expect(isRight(same) && same.right).toEqual([]);
});

test('a recording is changed only at the revision that was seen; changes of others are none of it', () => {
  const change = { type: 'ChangeRecording', id: 1, recordingId: 'hi', transcript: null } as const;
  expect(isRight(decide({ ...change, ifRevision: 0 }, both))).toBe(true);
  expect(decide({ ...change, ifRevision: 1 }, both)).toMatchObject({ left: { kind: 'stale' } });
});

test('a removed recording frees its id and is not found any more', () => {
  const rest = after({ type: 'AddRecordings', recordings: [one, two] }, { type: 'RemoveRecording', id: 1 });
  expect([...rest.known.keys()]).toEqual([2]);
  expect(decide({ type: 'RemoveRecording', id: 1 }, rest)).toMatchObject({ left: { kind: 'not_found' } });
  expect(isRight(decide({ type: 'AddRecordings', recordings: [{ ...one, id: 5 }] }, rest))).toBe(true);
});
