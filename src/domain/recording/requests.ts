/** Bodies of the requests about greeting recordings. */
import { integer, list, nullable, object, optional, required, text, withDefault, type Decoded } from '../../core/codec';
import { mediaType } from '../../core/media-type';
import { objectKey } from '../../core/object-key';

/** Largest recording, bytes. */
export const MAX_RECORDING_BYTES = 5_242_880;
/** Recordings of one request. */
const MAX_AT_ONCE = 20;

const publicId = text({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Public id that contact lists name' });

/** Body of POST /workflow-recordings/upload-url. */
export const RecordingUploads = object('RecordingUploads', {
  files: required(
    list(
      object('RecordingFile', {
        filename: required(text({ min: 1, max: 255, example: 'hello.wav' })),
        mime_type: withDefault(mediaType('audio'), 'audio/wav'),
        file_size: required(integer({ gt: 0, le: MAX_RECORDING_BYTES })),
      }),
      { min: 1, max: MAX_AT_ONCE },
    ),
  ),
});
export type RecordingUploads = Decoded<typeof RecordingUploads>;

/** Body of POST /workflow-recordings. */
export const RecordingsCreate = object('RecordingsCreate', {
  recordings: required(
    list(
      object('RecordingCreate', {
        recording_id: required(publicId),
        storage_key: required(objectKey({ min: 1 })),
        transcript: withDefault(text({ max: 10_000 }), ''),
      }),
      { min: 1, max: MAX_AT_ONCE },
    ),
  ),
});
export type RecordingsCreate = Decoded<typeof RecordingsCreate>;

/** Body of PATCH /workflow-recordings/{id}: what is null or left out stays. */
export const RecordingUpdate = object('RecordingUpdate', {
  recording_id: optional(nullable(publicId)),
  transcript: optional(nullable(text({ max: 10_000 }))),
});
export type RecordingUpdate = Decoded<typeof RecordingUpdate>;
