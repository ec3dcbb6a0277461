/** Reads a JSON body as text, with a limit that counts what really arrives, unpacked. */
import { koaBody } from 'koa-body';
import type { Context, Middleware } from 'koa';
import { discardBody } from './middleware';
import { Refusal } from './problem';

const isJsonType = (type: string): boolean => type === '' || type === 'application/json' || type.endsWith('+json');

/** Answers the body's text; empty when there is none. Refuses other media types, other encodings and what exceeds `limit` bytes. */
export const bodyReader = (limit: number): ((ctx: Context) => Promise<string>) => {
  // Bytes first, so that text that is not UTF-8 is refused and not repaired.
  const read = koaBody({
    encoding: 'binary',
    textLimit: limit,
    text: true,
    textTypes: ['*/*'],
    json: false,
    urlencoded: false,
    patchNode: false,
    parsedMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error: Error) => {
      throw refusalOf(error, limit);
    },
  }) as unknown as Middleware;

  return async (ctx) => {
    if (!hasBody(ctx)) return '';
    const type = ctx.request.type.toLowerCase();
    if (!isJsonType(type)) {
      discardBody(ctx.req);
      throw new Refusal({ kind: 'media_type', message: `Send the body as application/json, not as ${type}` });
    }
    if (type === '') ctx.req.headers['content-type'] = 'application/json';
    try {
      await read(ctx, () => Promise.resolve());
    } catch (error) {
      discardBody(ctx.req);
      throw error;
    }
    const text: unknown = (ctx.request as { body?: unknown }).body;
    if (typeof text !== 'string' || text === '') return '';
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'binary'));
    } catch {
      throw new Refusal({ kind: 'malformed', message: 'The body is not UTF-8 text' });
    }
  };
};

/** RFC 9112 section 6: a request has a body when it says how long it is. */
const hasBody = (ctx: Context): boolean =>
  ctx.get('Transfer-Encoding') !== '' || (ctx.get('Content-Length') !== '' && ctx.get('Content-Length') !== '0');

const refusalOf = (error: Error & { status?: number }, limit: number): Error => {
  if (error.status === 413) return new Refusal({ kind: 'too_large', limit });
  if (error.status === 415) return new Refusal({ kind: 'media_type', message: error.message });
  // Whatever else goes wrong while a body is read is the sender's: cut off, of another length, packed badly.
  return new Refusal({ kind: 'malformed', message: 'The body could not be read: it is cut off or packed badly' });
};
