/** Greeting recordings. One document each; a removed one has none. */
import type { RecordingEvent } from '../src/domain/recording/events';
import type { Projected, Projection } from '../src/engine/projection';

export interface RecordingDoc {
  readonly organization: number;
  readonly id: number;
  readonly recording_id: string;
  readonly storage_key: string;
  readonly transcript: string;
  readonly created_by: string;
  readonly created_at: string;
  /** Position and stream revision of the last event that changed it. */
  readonly etag: string;
  readonly revision: number;
}

export const recordingKey = (org: number, id: number): string => `${org}/${id}`;

export const recordings: Projection<RecordingDoc> = {
  name: 'recordings',
  version: 2,
  categories: ['recordings'],
  opens: [],
  indexes: [{ fields: ['organization', 'created_at'] }],
  keys: (event) => [recordingKey(event.org, (event.data as unknown as { id: number }).id)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Projected<RecordingEvent>;
    const version = { etag: event.position, revision: event.revision };
    switch (event.type) {
      case 'RecordingAdded':
        return { organization: event.org, ...event.data, created_by: event.actor, created_at: event.at, ...version };
      case 'RecordingChanged':
        return doc && { ...doc, ...event.data, ...version };
      case 'RecordingRemoved':
        return null;
      default:
        return doc;
    }
  },
};

/** A recording as the API shows it. Fields of speech synthesis are null: what is here was spoken and uploaded. */
export const recordingRecord = (doc: RecordingDoc) => ({
  id: doc.id,
  recording_id: doc.recording_id,
  workflow_id: null,
  organization_id: doc.organization,
  tts_provider: null,
  tts_model: null,
  tts_voice_id: null,
  transcript: doc.transcript,
  storage_key: doc.storage_key,
  storage_backend: 'default',
  metadata: {},
  created_by: doc.created_by,
  created_at: doc.created_at,
  is_active: true,
});
