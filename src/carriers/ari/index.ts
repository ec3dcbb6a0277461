/** The ARI carrier: Asterisk's REST interface and its events WebSocket. */
import * as E from 'fp-ts/Either';
import type { Carrier, CarrierConnection } from '../../ports/carrier';
import { connectAri } from './connection';
import { readCredentials } from './credentials';
import type { AriOptions } from './options';

export { applicationName } from './connection';
export type { AriLog, AriOptions, AriTiming } from './options';
export { defaultTiming } from './options';

/** A connection that never becomes ready, for a configuration that cannot be read. */
const unusable = (reason: string): CarrierConnection => ({
  readiness: () => ({ ready: false, reason, until: null }),
  place: () => Promise.resolve({ kind: 'not_now', code: 'configuration', message: reason, retryAfterMs: 30_000 }),
  hangUp: () => Promise.resolve(false),
  ask: () => Promise.resolve({ kind: 'unreachable', message: reason }),
  adopt: () => undefined,
  placing: () => 0,
  close: () => Promise.resolve(),
});

/** The carrier variant `ari`. */
export const ariCarrier = (options: AriOptions): Carrier => ({
  provider: 'ari',
  connect: (account, listener) => {
    const credentials = readCredentials(account.credentials);
    return E.isLeft(credentials)
      ? unusable(credentials.left)
      : connectAri(account, credentials.right, options, listener);
  },
});
