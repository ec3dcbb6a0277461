/** API keys: `llk_` and 43 url-safe base64 characters of 32 random bytes. Only the SHA-256 of a key is ever stored. */
import { createHash, randomBytes } from 'node:crypto';

const TAG = 'llk_';
const RANDOM_BYTES = 32;
const PREFIX_LENGTH = 8;

/** Lower-case hex SHA-256 of the whole key. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The first 8 characters, by which people tell their keys apart. */
export const prefixOf = (key: string): string => [...key].slice(0, PREFIX_LENGTH).join('');

/** A new key. `random` is given by tests only. */
export const makeKey = (random: (bytes: number) => Buffer = randomBytes): string =>
  TAG + random(RANDOM_BYTES).toString('base64url');
