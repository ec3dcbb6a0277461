/** Where an object lies in the folder of the embedded object store. */
import { createHash } from 'node:crypto';
import { MAX_KEY_BYTES } from '../../core/object-key';

/** File systems take names of 255 bytes. */
const MAX_NAME = 180;

const encodeSegment = (segment: string): string => {
  const encoded = [...Buffer.from(segment)]
    .map((byte, i) => {
      const char = String.fromCharCode(byte);
      const isPlain = /[A-Za-z0-9_-]/.test(char) || (char === '.' && i > 0);
      return isPlain ? char : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (encoded.length <= MAX_NAME) return encoded;
  return `${encoded.slice(0, 100)}~${createHash('sha256').update(segment).digest('hex')}`;
};

/**
 * Relative path of a key: a folder per segment, and a name that ends in `~` for the object itself, so that `a` and `a/b` are two objects.
 * No key leads out of the folder, and no two keys to one path. Throws on a key that is empty or too long.
 */
export const objectPath = (key: string): readonly string[] => {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new Error(`a key has 1 to ${MAX_KEY_BYTES} bytes: "${key.slice(0, 100)}"`);
  const segments = key.split('/').map((segment) => (segment === '' ? '%' : encodeSegment(segment)));
  return [...segments.slice(0, -1), `${segments.at(-1)}~`];
};
