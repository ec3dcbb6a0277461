/** URLs that carry their own right: bound to method, key, content type and expiry by an HMAC, taken by our own server. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../ports/clock';
import type { SignedAccess } from '../../ports/object-store';

/** What a URL allows. `expires`: epoch seconds. */
interface Grant {
  readonly method: 'PUT' | 'GET';
  readonly key: string;
  readonly expires: number;
  readonly contentType: string | null;
  readonly fileName: string | null;
  readonly inline: boolean;
}

const signatureOf = (secret: Buffer, { method, key, expires, contentType, fileName, inline }: Grant): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([method, key, expires, contentType, fileName, inline]))
    .digest();

const PREFIX = '/objects/';
const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/');
const decodeKey = (path: string): string | null => {
  try {
    return path.split('/').map(decodeURIComponent).join('/');
  } catch {
    return null;
  }
};

export interface SignedUrls extends SignedAccess {
  sign(grant: Omit<Grant, 'expires'>, expiresIn: number): string;
}

export const signedUrls = (secret: Buffer, publicUrl: () => string, clock: Clock): SignedUrls => ({
  prefix: PREFIX,
  sign: (grant, expiresIn) => {
    const expires = Math.ceil(clock.now() / 1000 + expiresIn);
    const query = new URLSearchParams({ expires: String(expires) });
    if (grant.contentType !== null) query.set('type', grant.contentType);
    if (grant.fileName !== null) query.set('name', grant.fileName);
    if (grant.inline) query.set('inline', '1');
    query.set('signature', signatureOf(secret, { ...grant, expires }).toString('base64url'));
    return `${publicUrl().replace(/\/+$/, '')}${PREFIX}${encodeKey(grant.key)}?${query.toString()}`;
  },
  verify: (method, path, query, contentType) => {
    const key = path.startsWith(PREFIX) ? decodeKey(path.slice(PREFIX.length)) : null;
    const expires = Number(query.get('expires') ?? Number.NaN);
    if (key === null || !Number.isSafeInteger(expires) || clock.now() >= expires * 1000) return null;
    const fileName = query.get('name');
    const inline = query.get('inline') === '1';
    const signed = query.get('type');
    if (method === 'PUT' && signed !== contentType) return null;
    const expected = signatureOf(secret, { method, key, expires, contentType: signed, fileName, inline });
    const given = Buffer.from(query.get('signature') ?? '', 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    return { key, fileName, inline };
  },
});
