/** Contact lists come in two steps: ask for a signed URL, PUT the file there. */
import { randomUUID } from 'node:crypto';
import { integer, object, required, text, withDefault } from '../../core/codec';
import { mediaType } from '../../core/media-type';
import type { Api } from '../api';
import { ok, route, type Route } from '../route';

/** Seconds that an upload URL lives. */
const EXPIRES_IN = 900;

/** Where an organization's contact lists lie. */
export const campaignPrefix = (org: number): string => `campaigns/${org}/`;

const UploadResponse = object('UploadResponse', {
  upload_url: required(text()),
  file_key: required(text()),
  expires_in: required(integer()),
});

export const uploadRoutes = (api: Api): readonly Route[] => {
  const UploadRequest = object('UploadRequest', {
    // Without a leading `.*`, which would be tried from each character of a long name on.
    file_name: required(text({ pattern: '\\.csv$', example: 'contacts.csv' })),
    file_size: required(integer({ gt: 0, le: api.uploadMaxBytes })),
    content_type: withDefault(mediaType(), 'text/csv'),
  });

  return [
    route({
      method: 'POST',
      path: '/api/v1/s3/presigned-upload-url',
      scope: 'write',
      tag: 'uploads',
      summary: 'Ask for a URL to PUT a contact list to',
      description: 'PUT the raw CSV to `upload_url` with the same content type; then use `file_key` as `source_id`.',
      body: UploadRequest,
      example: { file_name: 'contacts.csv', file_size: 1024, content_type: 'text/csv' },
      response: { schema: UploadResponse.schema },
      handle: async ({ org, body }) => {
        const name = body.file_name.replaceAll(/[^a-zA-Z0-9._-]/g, '_').slice(-200);
        const key = `${campaignPrefix(org)}${randomUUID()}_${name}`;
        const url = await api.platform.objects.signUpload(key, body.content_type, EXPIRES_IN);
        return ok({ upload_url: url, file_key: key, expires_in: EXPIRES_IN });
      },
    }),
  ];
};
