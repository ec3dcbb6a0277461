/**
 * Bounds of what a configuration and its numbers hold. All of an organization's telephony is one stream and one document, read whole with every
 * campaign that is shown: a few texts of a megabyte in it would slow all of them for good.
 */
import { freeObject, refine, text as anyText, type Codec } from '../../core/codec';

/** Characters of one field; a private key has about 3,200. */
const MAX_TEXT = 16_384;
/** Characters of an object of the client's own, as JSON. */
const MAX_OBJECT = 16_384;

/** Text of a length that credentials and settings may have. */
export const text: typeof anyText = (rules = {}) => anyText({ max: MAX_TEXT, ...rules });

/** Any JSON object of a size that is read with everything else. */
export const smallObject: Codec<Readonly<Record<string, unknown>>> = refine(freeObject, (value) =>
  JSON.stringify(value).length <= MAX_OBJECT ? null : `The object may have at most ${MAX_OBJECT} characters of JSON`,
);
