/** What stored files look like when they are read about. */
import { nullable, object, required } from '../../core/codec';
import { dateTime, int, string } from './values';

export const SignedUrl = object('SignedUrl', { url: required(string), expires_in: required(int) });

export const FileMetadata = object('FileMetadata', {
  key: required(string),
  metadata: required(
    nullable(
      object('StoredFile', {
        size: required(int),
        content_type: required(string),
        last_modified: required(dateTime),
      }),
    ),
  ),
});
