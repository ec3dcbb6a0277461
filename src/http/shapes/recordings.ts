/** What greeting recordings look like when they are read. */
import { boolean, list, object, required } from '../../core/codec';
import { anyObject, dateTime, int, nullableInt, nullableString, string } from './values';

export const Recording = object('Recording', {
  id: required(int),
  recording_id: required(string),
  workflow_id: required(nullableInt),
  organization_id: required(int),
  tts_provider: required(nullableString),
  tts_model: required(nullableString),
  tts_voice_id: required(nullableString),
  transcript: required(string),
  storage_key: required(string),
  storage_backend: required(string),
  metadata: required(anyObject),
  created_by: required(string),
  created_at: required(dateTime),
  is_active: required(boolean),
});
export const RecordingList = object('RecordingList', { recordings: required(list(Recording)), total: required(int) });

export const RecordingUploadUrls = object('RecordingUploadUrls', {
  items: required(
    list(
      object('RecordingUploadUrl', {
        upload_url: required(string),
        recording_id: required(string),
        storage_key: required(string),
      }),
    ),
  ),
});
