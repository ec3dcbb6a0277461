/** Path, query and body of a request by the route's codecs, and its Idempotency-Key; every fault of all of them at once. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { decode, type Codec } from '../core/codec';
import { valueError, type Fault } from '../core/failure';
import { parseJson } from './json';
import { IDEMPOTENCY_KEY, type Route } from './route';

export interface RawRequest {
  /** As the router matched them. */
  readonly params: Readonly<Record<string, string>>;
  /** The query string without its question mark. */
  readonly querystring: string;
  /** Empty where there is none, or none is heeded. */
  readonly idempotencyKey: string;
  /** The body's text; empty when there was none. */
  readonly body: string;
}

export interface DecodedRequest {
  readonly params: never;
  readonly query: never;
  readonly body: never;
}

/** The last of repeated parameters counts. */
const queryOf = (querystring: string): Record<string, string> => Object.fromEntries(new URLSearchParams(querystring));

const keyFaults = (key: string): readonly Fault[] =>
  key === '' || IDEMPOTENCY_KEY.test(key)
    ? []
    : [valueError(['header', 'idempotency-key'], 'An Idempotency-Key is 1 to 255 visible ASCII characters', key)];

export const decodeRequest = (route: Route, raw: RawRequest): Either<readonly Fault[], DecodedRequest> => {
  const faults: Fault[] = [];
  const part = <A>(codec: Codec<A> | undefined, value: () => unknown, root: string): A | undefined => {
    if (codec === undefined) return undefined;
    const decoded = decode(codec, value(), [root], route.secrets);
    if (!isLeft(decoded)) return decoded.right;
    faults.push(...decoded.left);
    return undefined;
  };
  const params = part(route.params, () => raw.params, 'path');
  const query = part(route.query, () => queryOf(raw.querystring), 'query');
  faults.push(...keyFaults(raw.idempotencyKey));
  const body = bodyOf(route, raw.body, faults);
  return faults.length > 0 ? left(faults) : right({ params, query, body } as unknown as DecodedRequest);
};

const bodyOf = (route: Route, text: string, faults: Fault[]): unknown => {
  const codec = route.body as Codec<unknown> | undefined;
  if (codec === undefined) return undefined;
  let value: unknown = {};
  if (text.trim() !== '') {
    const parsed = parseJson(text);
    if (isLeft(parsed)) {
      faults.push({
        type: 'json_invalid',
        loc: ['body', parsed.left.offset],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: parsed.left.message },
      });
      return undefined;
    }
    // A body that may be left out may be null too.
    value = parsed.right === null && route.bodyOptional === true ? {} : parsed.right;
  } else if (route.bodyOptional !== true) {
    faults.push({ type: 'missing', loc: ['body'], msg: 'Field required', input: null });
    return undefined;
  }
  const decoded = decode(codec, value, ['body'], route.secrets);
  if (!isLeft(decoded)) return decoded.right;
  faults.push(...decoded.left);
  return undefined;
};
