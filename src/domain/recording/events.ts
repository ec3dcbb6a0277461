import * as t from 'io-ts';
import { eventType, type EventOf } from '../../core/event-types';

/** Streams `recordings-<org>`: audio that greetings may be replaced with. */
export const recordingEvents = {
  RecordingAdded: eventType(
    t.type({
      id: t.number,
      /** The public id that contact lists name; unique among the organization's recordings. */
      recording_id: t.string,
      /** Where the audio lies in the object store. */
      storage_key: t.string,
      /** What is said in it. */
      transcript: t.string,
    }),
  ),
  RecordingChanged: eventType(t.type({ id: t.number, recording_id: t.string, transcript: t.string })),
  /** It leaves lists and can be named no more; its audio stays for calls that have begun. */
  RecordingRemoved: eventType(t.type({ id: t.number })),
};
export type RecordingEvent = EventOf<typeof recordingEvents>;
