/** Signed URLs of the embedded object store: the signature is the right, so no key is asked for. */
import { Transform, type Readable } from 'node:stream';
import { left, right } from 'fp-ts/Either';
import type { Context } from 'koa';
import { object, required, text } from '../../core/codec';
import type { Failure } from '../../core/failure';
import type { SignedAccess } from '../../ports/object-store';
import type { Api } from '../api';
import { discardBody } from '../middleware';
import { Refusal } from '../problem';
import { route, type Handled, type Route } from '../route';

const ObjectPath = object('ObjectPath', { key: required(text()) });

const DENIED: Failure = { kind: 'forbidden', message: 'This URL is not valid for this request, or has expired' };

/** Passes bytes on and fails with 413 as soon as they are more than `limit`. */
const upTo = (limit: number): Transform => {
  let seen = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      seen += chunk.length;
      if (seen > limit) done(new Refusal({ kind: 'too_large', limit }));
      else done(null, chunk);
    },
  });
};

export const objectRoutes = (api: Api): readonly Route[] => {
  const access = api.signedAccess;
  if (access === null) return [];
  const path = `${access.prefix}{key+}`;
  return [
    route({
      method: 'PUT',
      path,
      scope: null,
      tag: 'uploads',
      summary: 'Upload to a signed URL, with the content type that it was signed for',
      params: ObjectPath,
      rawBody: true,
      response: { schema: { type: 'object', properties: { key: { type: 'string' } } } },
      failures: [400, 403, 413],
      handle: (request) => upload(api, access, request.koa),
    }),
    route({
      method: 'GET',
      path,
      scope: null,
      tag: 'uploads',
      summary: 'Download from a signed URL',
      params: ObjectPath,
      response: { mediaType: 'application/octet-stream' },
      failures: [403, 404],
      handle: (request) => download(api, access, request.koa),
    }),
  ];
};

const upload = async (api: Api, access: SignedAccess, ctx: Context): Promise<Handled> => {
  const contentType = ctx.get('Content-Type') === '' ? null : ctx.get('Content-Type');
  const signed = access.verify('PUT', ctx.path, new URLSearchParams(ctx.querystring), contentType);
  const limit = api.uploadMaxBytes;
  if (signed === null || Number(ctx.get('Content-Length') || 0) > limit) {
    discardBody(ctx.req);
    if (signed === null) return left(DENIED);
    throw new Refusal({ kind: 'too_large', limit });
  }
  const body = upTo(limit);
  const failed = new Promise<never>((_, reject) => {
    body.once('error', reject);
    ctx.req.once('error', reject);
    ctx.req.once('aborted', () => {
      const cut = new Refusal({ kind: 'malformed', message: 'The upload ended before it was complete' });
      body.destroy(cut);
      reject(cut);
    });
  });
  ctx.req.pipe(body);
  try {
    await Promise.race([api.platform.objects.put(signed.key, body, contentType ?? 'application/octet-stream'), failed]);
  } catch (error) {
    ctx.req.unpipe(body);
    body.destroy();
    discardBody(ctx.req);
    throw error;
  }
  return right({ body: { key: signed.key } });
};

const download = async (api: Api, access: SignedAccess, ctx: Context): Promise<Handled> => {
  const signed = access.verify('GET', ctx.path, new URLSearchParams(ctx.querystring), null);
  if (signed === null) return left(DENIED);
  const [info, stream] = await Promise.all([
    api.platform.objects.head(signed.key),
    api.platform.objects.get(signed.key),
  ]);
  if (info === null || stream === null) return left({ kind: 'not_found', message: 'There is no such object' });
  return right({
    body: stream satisfies Readable,
    type: info.contentType,
    headers: {
      'Content-Length': String(info.size),
      'Content-Disposition': disposition(signed.inline, signed.fileName),
      'X-Content-Type-Options': 'nosniff',
    },
  });
};

/** RFC 6266, with the name in the encoding of RFC 8187. */
export const disposition = (inline: boolean, fileName: string | null): string => {
  const kind = inline ? 'inline' : 'attachment';
  if (fileName === null) return kind;
  const plain = fileName.replaceAll(/[^\w.-]/g, '_');
  return plain === fileName
    ? `${kind}; filename="${fileName}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
};
