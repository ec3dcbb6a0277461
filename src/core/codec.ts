/**
 * Codecs for what clients send. They are io-ts types that also carry a JSON Schema, so that one definition validates, words the faults
 * (the texts and types are those of pydantic 2, which clients of this API branch on) and documents itself as OpenAPI.
 */
import type * as t from 'io-ts';
import { left } from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import { Codec, type Wording } from './codec-base';
import type { Fault } from './failure';
import { mapFields } from './map-fields';

export { Codec, wellFormed, type Decoded, type Schema } from './codec-base';
export * from './codec-scalars';
export * from './codec-composites';

/**
 * Decodes; every fault at once. `loc` starts with `root` (`body`, `query`, `path`).
 * Values of fields named in `secrets` are masked wherever a fault's `input` would show them.
 */
export const decode = <A>(
  codec: Codec<A>,
  value: unknown,
  root: readonly (string | number)[],
  secrets: ReadonlySet<string> = new Set(),
): Either<readonly Fault[], A> => {
  const decoded = codec.decode(value);
  if (decoded._tag === 'Right') return decoded;
  // Each field that is missing shows the same object.
  const masked = new Map<unknown, unknown>();
  const mask = (shown: unknown): unknown => {
    if (!masked.has(shown)) masked.set(shown, maskSecrets(shown, secrets));
    return masked.get(shown);
  };
  return left(decoded.left.map((e) => toFault(e, root, secrets, mask)));
};

const toFault = (
  error: t.ValidationError,
  root: readonly (string | number)[],
  secrets: ReadonlySet<string>,
  mask: (shown: unknown) => unknown,
): Fault => {
  const loc: (string | number)[] = [...root];
  error.context.forEach((entry, i) => {
    if (i === 0) return;
    const parent = error.context[i - 1]?.type;
    loc.push(parent instanceof Codec && parent.indexed ? Number(entry.key) : entry.key);
  });
  const wording = JSON.parse(error.message ?? '{"type":"value_error","msg":"Value error"}') as Wording;
  const within = loc.slice(root.length, wording.type === 'missing' ? -1 : undefined);
  const hidden =
    error.value !== null && error.value !== '' && within.some((part) => typeof part === 'string' && secrets.has(part));
  return {
    type: wording.type,
    loc,
    msg: wording.msg,
    input: hidden ? '********' : mask(error.value),
    ...(wording.ctx === undefined ? {} : { ctx: wording.ctx }),
  };
};

const maskSecrets = (value: unknown, secrets: ReadonlySet<string>): unknown => {
  if (secrets.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((v) => maskSecrets(v, secrets));
  return mapFields(value as Readonly<Record<string, unknown>>, (v, k) =>
    secrets.has(k) && v !== null && v !== '' ? '********' : maskSecrets(v, secrets),
  );
};
