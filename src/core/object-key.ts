/** Keys of stored objects, as clients name them. */
import { refine, text, type Codec, type TextRules } from './codec';

/** Bytes of a key in UTF-8, as S3 has it. No store holds an object under a longer one. */
export const MAX_KEY_BYTES = 1024;

/** Text that may be a key: it fits, whatever its characters are made of. */
export const objectKey = (rules: Omit<TextRules, 'max' | 'pattern'> = {}): Codec<string> =>
  refine(text({ ...rules, max: MAX_KEY_BYTES }), (key) =>
    Buffer.byteLength(key) > MAX_KEY_BYTES ? `A key has at most ${MAX_KEY_BYTES} bytes` : null,
  );
