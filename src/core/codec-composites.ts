/** Codecs made of codecs: lists, objects, unions, rules over what was decoded. */
import * as t from 'io-ts';
import { left, right } from 'fp-ts/Either';
import { Codec, fail, failValue, plural, wellFormed, type Decoded, type Schema } from './codec-base';
import { isSealed } from './event-types';

export const nullable = <A>(codec: Codec<A>): Codec<A | null> =>
  new Codec<A | null>(
    `${codec.name} | null`,
    (u, c) => (u === null ? t.success(null) : codec.validate(u, c)),
    { anyOf: [codec.schema, { type: 'null' }] },
    codec.indexed,
  );

export const list = <A>(
  item: Codec<A>,
  rules: { readonly min?: number; readonly max?: number } = {},
): Codec<readonly A[]> =>
  new Codec<readonly A[]>(
    `${item.name}[]`,
    (u, c) => {
      if (!Array.isArray(u)) return fail(u, c, 'list_type', 'Input should be a valid list');
      const n = u.length;
      if (rules.max !== undefined && n > rules.max)
        return fail(
          u,
          c,
          'too_long',
          `List should have at most ${plural(rules.max, 'item')} after validation, not ${n}`,
          { field_type: 'List', max_length: rules.max, actual_length: n },
        );
      if (rules.min !== undefined && n < rules.min)
        return fail(
          u,
          c,
          'too_short',
          `List should have at least ${plural(rules.min, 'item')} after validation, not ${n}`,
          { field_type: 'List', min_length: rules.min, actual_length: n },
        );
      const out: A[] = [];
      const errors: t.Errors = [];
      u.forEach((value: unknown, i) => {
        const decoded = item.validate(value, t.appendContext(c, String(i), item, value));
        if (decoded._tag === 'Left') decoded.left.forEach((e) => errors.push(e));
        else out.push(decoded.right);
      });
      return errors.length > 0 ? left(errors) : right(out);
    },
    {
      type: 'array',
      items: item.schema,
      ...(rules.min === undefined ? {} : { minItems: rules.min }),
      ...(rules.max === undefined ? {} : { maxItems: rules.max }),
    },
    true,
  );

/** A field of an object: required, or with what it becomes when it is left out. */
export interface Field<A> {
  readonly codec: Codec<A>;
  readonly required: boolean;
  readonly fallback?: (() => A) | undefined;
}
export const required = <A>(codec: Codec<A>): Field<A> => ({ codec, required: true });
/** Left out: `value`. */
export const withDefault = <A>(codec: Codec<A>, value: A): Field<A> => ({
  codec,
  required: false,
  fallback: () => value,
});
/** Left out: undefined, so that a rule can tell it from null. */
export const optional = <A>(codec: Codec<A>): Field<A | undefined> => ({
  codec: codec as Codec<A | undefined>,
  required: false,
  fallback: () => undefined,
});

// `any` as in io-ts itself (t.Any): a codec is invariant in what it decodes to, so that no other bound takes every codec.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyCodec = Codec<any>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Fields = Readonly<Record<string, Field<any>>>;
export type ObjectOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never };

/** An object; unknown fields are ignored; every fault of every field is reported. */
export const object = <F extends Fields>(name: string, fields: F): Codec<ObjectOf<F>> => {
  const entries = Object.entries(fields);
  return new Codec<ObjectOf<F>>(
    name,
    (u, c) => {
      if (typeof u !== 'object' || u === null || Array.isArray(u))
        return fail(
          u,
          c,
          'model_attributes_type',
          'Input should be a valid dictionary or object to extract fields from',
        );
      const out: Record<string, unknown> = {};
      const errors: t.Errors = [];
      for (const [key, field] of entries) {
        const value: unknown = Object.hasOwn(u, key) ? (u as Record<string, unknown>)[key] : undefined;
        if (value === undefined) {
          if (field.required) errors.push(...missing(u, t.appendContext(c, key, field.codec, u)));
          else out[key] = field.fallback?.();
          continue;
        }
        const decoded = field.codec.validate(value, t.appendContext(c, key, field.codec, value));
        if (decoded._tag === 'Left') decoded.left.forEach((e) => errors.push(e));
        else out[key] = decoded.right;
      }
      return errors.length > 0 ? left(errors) : right(out as ObjectOf<F>);
    },
    objectSchema(name, fields),
  );
};

const missing = (value: unknown, c: t.Context): t.Errors => {
  const failed = fail(value, c, 'missing', 'Field required');
  return failed._tag === 'Left' ? failed.left : [];
};

const objectSchema = (name: string, fields: Fields): Schema => {
  const names = Object.keys(fields).filter((k) => fields[k]?.required === true);
  const properties: Record<string, Schema> = {};
  for (const [k, f] of Object.entries(fields)) {
    const fallback = f.fallback?.();
    properties[k] = fallback === undefined ? f.codec.schema : { ...f.codec.schema, default: fallback };
  }
  return { type: 'object', title: name, properties, ...(names.length > 0 ? { required: names } : {}) };
};

/** `codec`, and a fault for each field that it does not have. */
export const closed = <A>(codec: Codec<A>, names: readonly string[]): Codec<A> =>
  new Codec<A>(
    codec.name,
    (u, c) => {
      const decoded = codec.validate(u, c);
      if (typeof u !== 'object' || u === null || Array.isArray(u)) return decoded;
      const extra: t.Errors = Object.keys(u)
        .filter((key) => !names.includes(key))
        .flatMap((key) => {
          const value = fieldOf(u, key);
          const failed = fail(
            value,
            t.appendContext(c, key, codec, value),
            'extra_forbidden',
            'Extra inputs are not permitted',
          );
          return failed._tag === 'Left' ? failed.left : [];
        });
      if (extra.length === 0) return decoded;
      return left(decoded._tag === 'Left' ? [...decoded.left, ...extra] : extra);
    },
    { ...codec.schema, additionalProperties: false },
  );

/** An object that is kept as it was sent, unknown fields too and nothing filled in; the fields named are checked where they are present. */
export const sparseObject = (
  name: string,
  fields: Readonly<Record<string, AnyCodec>>,
): Codec<Readonly<Record<string, unknown>>> => {
  const known = object(name, Object.fromEntries(Object.entries(fields).map(([k, codec]) => [k, optional(codec)])));
  return new Codec<Readonly<Record<string, unknown>>>(
    name,
    (u, c) => {
      const whole = freeObject.validate(u, c);
      if (whole._tag === 'Left') return whole;
      const checked = known.validate(u, c);
      return checked._tag === 'Left' ? checked : whole;
    },
    { ...known.schema, additionalProperties: true },
  );
};

/** Whether the value looks sealed somewhere: a forged seal would stop whoever tries to open it. */
const holdsSeal = (u: unknown): boolean =>
  typeof u === 'object' &&
  u !== null &&
  (isSealed(u) || (Array.isArray(u) ? u.some(holdsSeal) : Object.keys(u).some((k) => holdsSeal(fieldOf(u, k)))));

/** By `Object.keys`: of a wide object `Object.entries` takes several times as long. */
const fieldOf = (u: object, key: string): unknown => (u as Readonly<Record<string, unknown>>)[key];

/** Any JSON object, kept as it is. */
export const freeObject: Codec<Readonly<Record<string, unknown>>> = new Codec<Readonly<Record<string, unknown>>>(
  'object',
  (u, c) => {
    if (typeof u !== 'object' || u === null || Array.isArray(u))
      return fail(u, c, 'dict_type', 'Input should be a valid dictionary');
    if (storable(u, 0))
      return holdsSeal(u)
        ? failValue({}, c, 'An object with the fields $sealed and key is reserved for what we seal ourselves')
        : t.success(u as Record<string, unknown>);
    return fail(
      {},
      c,
      'string_unicode',
      'Input should hold valid unicode text and finite numbers only, nested at most 100 levels',
    );
  },
  { type: 'object', additionalProperties: true },
);

/** Whether JSON can carry the value unchanged (RFC 8785 refuses the rest). */
export const storable = (u: unknown, depth: number): boolean => {
  if (depth > 100) return false;
  if (u === null || typeof u === 'boolean') return true;
  if (typeof u === 'string') return wellFormed(u);
  if (typeof u === 'number') return Number.isFinite(u);
  if (Array.isArray(u)) return u.every((x) => storable(x, depth + 1));
  if (typeof u !== 'object') return false;
  return Object.keys(u).every((k) => wellFormed(k) && storable(fieldOf(u, k), depth + 1));
};

/** Variants told apart by a field; `loc` of a variant's faults contains the tag. */
export const taggedUnion = <V extends Readonly<Record<string, AnyCodec>>>(
  tag: string,
  variants: V,
): Codec<Decoded<V[keyof V]>> => {
  const names = Object.keys(variants);
  const expected = names.map((n) => `'${n}'`).join(', ');
  const discriminator = `'${tag}'`;
  return new Codec(
    names.join(' | '),
    (u, c) => {
      if (typeof u !== 'object' || u === null || Array.isArray(u))
        return fail(
          u,
          c,
          'model_attributes_type',
          'Input should be a valid dictionary or object to extract fields from',
        );
      const value: unknown = Object.hasOwn(u, tag) ? (u as Record<string, unknown>)[tag] : undefined;
      if (value === undefined || value === null)
        return fail(u, c, 'union_tag_not_found', `Unable to extract tag using discriminator ${discriminator}`, {
          discriminator,
        });
      const variant = typeof value === 'string' && Object.hasOwn(variants, value) ? variants[value] : undefined;
      if (variant === undefined)
        return fail(
          u,
          c,
          'union_tag_invalid',
          `Input tag '${String(value)}' found using ${discriminator} does not match any of the expected tags: ${expected}`,
          {
            discriminator,
            tag: String(value),
            expected_tags: expected,
          },
        );
      return variant.validate(u, t.appendContext(c, String(value), variant, u)) as t.Validation<never>;
    },
    { oneOf: names.map((n) => variants[n]?.schema ?? {}), discriminator: { propertyName: tag } },
  );
};

/** A rule over the decoded value; `rule` returns what is wrong, or null. Reported as `value_error` at the value itself. */
export const refine = <A>(codec: Codec<A>, rule: (a: A) => string | null): Codec<A> =>
  new Codec<A>(
    codec.name,
    (u, c) => {
      const decoded = codec.validate(u, c);
      if (decoded._tag === 'Left') return decoded;
      const wrong = rule(decoded.right);
      return wrong === null ? decoded : failValue(u, c, wrong);
    },
    codec.schema,
    codec.indexed,
  );

/** Changes the decoded value (trimming, defaults that depend on other fields). */
export const mapped = <A, B>(codec: Codec<A>, f: (a: A) => B): Codec<B> =>
  new Codec<B>(
    codec.name,
    (u, c) => {
      const decoded = codec.validate(u, c);
      return decoded._tag === 'Left' ? decoded : t.success(f(decoded.right));
    },
    codec.schema,
    codec.indexed,
  );
