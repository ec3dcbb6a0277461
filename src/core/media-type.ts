/** Media types, as clients name those of what they will upload. */
import { text, type Codec } from './codec';

const TOKEN = '[\\w!#$&^.+-]+';

/** RFC 9110 section 8.3.1, quoted values aside; `kind` is a top-level type, absent: any. */
export const mediaType = (kind: string = TOKEN): Codec<string> =>
  text({
    max: 255,
    pattern: `^${kind}/${TOKEN}( ?; ?${TOKEN}=${TOKEN})*$`,
    description: 'The Content-Type that the PUT will have',
  });
