/** The rules of an organization's greeting recordings. */
import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { NO_STREAM } from '../../core/event';
import { conflict, notFound } from '../../core/failure';
import type { RecordingEvent } from './events';

export interface Recording {
  readonly id: number;
  readonly recording_id: string;
  readonly storage_key: string;
  readonly transcript: string;
}
export interface RecordingsState {
  /** Of the stream's last event. */
  readonly revision: number;
  /** Those that were not removed, by id; each with the stream revision of the last event that changed it. */
  readonly known: ReadonlyMap<number, Recording & { readonly revision: number }>;
}

/** Ids come from the sequence `recording`; that the audio was uploaded is found out before. */
export type RecordingCommand =
  | { readonly type: 'AddRecordings'; readonly recordings: readonly Recording[] }
  /** null: unchanged. `ifRevision` (from `If-Match`): what the caller saw as the recording's revision; another one is `stale`. */
  | {
      readonly type: 'ChangeRecording';
      readonly id: number;
      readonly recordingId: string | null;
      readonly transcript: string | null;
      readonly ifRevision?: number;
    }
  | { readonly type: 'RemoveRecording'; readonly id: number; readonly ifRevision?: number };

const taken = (id: string) => left(conflict(`There is already a recording with the id '${id}'.`));

const isTaken = (state: RecordingsState, recordingId: string, but: number | null): boolean =>
  [...state.known.values()].some((r) => r.recording_id === recordingId && r.id !== but);

export const recordingDecider: Decider<RecordingsState, RecordingCommand, RecordingEvent> = {
  name: 'recording',
  initial: { revision: NO_STREAM, known: new Map() },
  decide: (command, state) => {
    if (command.type === 'AddRecordings') {
      const ids = command.recordings.map((r) => r.recording_id);
      const twice = ids.find((id, i) => ids.indexOf(id) !== i || isTaken(state, id, null));
      return twice === undefined
        ? right(command.recordings.map((data) => ({ type: 'RecordingAdded', data })))
        : taken(twice);
    }
    const known = state.known.get(command.id);
    if (known === undefined) return left(notFound('Recording not found'));
    if (command.ifRevision !== undefined && command.ifRevision !== known.revision)
      return left({ kind: 'stale', message: 'The recording was changed since; read it again.' });
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
    const revision = state.revision + 1;
    const known = new Map(state.known);
    const { id } = event.data;
    const before = state.known.get(id);
    if (event.type === 'RecordingAdded') known.set(id, { ...event.data, revision });
    else if (event.type === 'RecordingChanged' && before !== undefined)
      known.set(id, { ...before, ...event.data, revision });
    else known.delete(id);
    return { revision, known };
  },
};
