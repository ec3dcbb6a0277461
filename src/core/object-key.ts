/** Keys of stored objects, as clients name them. */
import { refine, text, type Codec, type TextRules } from './codec';

/** Bytes of a key in UTF-8, as S3 has it. No store holds an object under a longer one. */
export const MAX_KEY_BYTES = 1024;

/** Text that may be a key in every store: another one is a mistake of whoever asks, and no store is asked for it. */
export const objectKey = (rules: Omit<TextRules, 'max' | 'pattern'> = {}): Codec<string> =>
  refine(text({ ...rules, max: MAX_KEY_BYTES }), (key) => {
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `A key has at most ${MAX_KEY_BYTES} bytes`;
    return /\p{Cc}/u.test(key) ? 'A key has no control characters' : null;
  });
