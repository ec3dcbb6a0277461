/** The rules of an organization's greeting recordings. */
import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, notFound } from '../../core/failure';
import type { RecordingEvent } from './events';

export interface Recording {
  readonly id: number;
  readonly recording_id: string;
  readonly storage_key: string;
  readonly transcript: string;
}
/** By id, those that were not removed. */
export type RecordingsState = ReadonlyMap<number, Recording>;

/** Ids come from the sequence `recording`; that the audio was uploaded is found out before. */
export type RecordingCommand =
  | { readonly type: 'AddRecordings'; readonly recordings: readonly Recording[] }
  /** null: unchanged. */
  | {
      readonly type: 'ChangeRecording';
      readonly id: number;
      readonly recordingId: string | null;
      readonly transcript: string | null;
    }
  | { readonly type: 'RemoveRecording'; readonly id: number };

const taken = (id: string) => left(conflict(`There is already a recording with the id '${id}'.`));

const isTaken = (state: RecordingsState, recordingId: string, but: number | null): boolean =>
  [...state.values()].some((r) => r.recording_id === recordingId && r.id !== but);

export const recordingDecider: Decider<RecordingsState, RecordingCommand, RecordingEvent> = {
  name: 'recording',
  initial: new Map(),
  decide: (command, state) => {
    if (command.type === 'AddRecordings') {
      const ids = command.recordings.map((r) => r.recording_id);
      const twice = ids.find((id, i) => ids.indexOf(id) !== i || isTaken(state, id, null));
      return twice === undefined
        ? right(command.recordings.map((data) => ({ type: 'RecordingAdded', data })))
        : taken(twice);
    }
    const known = state.get(command.id);
    if (known === undefined) return left(notFound('Recording not found'));
    if (command.type === 'RemoveRecording') return right([{ type: 'RecordingRemoved', data: { id: known.id } }]);
    const recording_id = command.recordingId ?? known.recording_id;
    const transcript = command.transcript ?? known.transcript;
    if (isTaken(state, recording_id, known.id)) return taken(recording_id);
    return right(
      recording_id === known.recording_id && transcript === known.transcript
        ? []
        : [{ type: 'RecordingChanged', data: { id: known.id, recording_id, transcript } }],
    );
  },
  evolve: (state, event) => {
    const next = new Map(state);
    const { id } = event.data;
    if (event.type === 'RecordingAdded') return next.set(id, event.data);
    const known = state.get(id);
    if (event.type === 'RecordingChanged' && known !== undefined) return next.set(id, { ...known, ...event.data });
    next.delete(id);
    return next;
  },
};
