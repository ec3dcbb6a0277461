/**
 * Codecs for what clients send. They are io-ts types that also carry a JSON Schema, so that one definition validates, words the faults
 * (the texts and types are those of pydantic 2, which clients of this API branch on) and documents itself as OpenAPI.
 */
import * as t from 'io-ts';
import { left, right } from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import type { Fault } from './failure';

/** A JSON Schema (2020-12) as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

/** An io-ts type over unknown input that knows its JSON Schema. */
export class Codec<A> extends t.Type<A, unknown, unknown> {
  constructor(
    name: string,
    validate: (u: unknown, c: t.Context) => t.Validation<A>,
    readonly schema: Schema,
    /** Children of an array are numbers in `loc`. */
    readonly indexed = false,
  ) {
    super(name, (_u): _u is A => true, validate, t.identity);
  }
}
export type Decoded<C> = C extends Codec<infer A> ? A : never;

interface Wording {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A fault at the place that `c` names. */
const fail = <A>(
  value: unknown,
  c: t.Context,
  type: string,
  msg: string,
  ctx?: Readonly<Record<string, unknown>>,
): t.Validation<A> => {
  const wording: Wording = { type, msg, ...(ctx === undefined ? {} : { ctx }) };
  return left([{ value, context: c, message: JSON.stringify(wording) }]);
};

/** A custom rule's fault, `value_error`, as `refine` reports it. */
const failValue = <A>(value: unknown, c: t.Context, text: string): t.Validation<A> =>
  fail(value, c, 'value_error', `Value error, ${text}`, { error: {} });

export const wellFormed = (s: string): boolean => (s as string & { isWellFormed(): boolean }).isWellFormed();
const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** Length in code points; exact wherever that decides against `max`, the upper bound `s.length` where it cannot. */
const codePoints = (s: string, max: number | undefined): number =>
  s.length < 1000 || (max !== undefined && s.length > max && s.length <= 2 * max) ? [...s].length : s.length;

export interface TextRules {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly example?: unknown;
}

/** Text. Lengths count Unicode code points. */
export const text = (rules: TextRules = {}): Codec<string> => {
  const pattern = rules.pattern === undefined ? undefined : new RegExp(rules.pattern, 'u');
  return new Codec<string>(
    'string',
    (u, c) => {
      if (typeof u !== 'string') return fail(u, c, 'string_type', 'Input should be a valid string');
      if (!wellFormed(u))
        return fail(
          '',
          c,
          'string_unicode',
          'Input should be a valid string, unable to parse raw data as a unicode string',
        );
      const length = codePoints(u, rules.max);
      if (rules.min !== undefined && length < rules.min)
        return fail(u, c, 'string_too_short', `String should have at least ${plural(rules.min, 'character')}`, {
          min_length: rules.min,
        });
      if (rules.max !== undefined && length > rules.max)
        return fail(u, c, 'string_too_long', `String should have at most ${plural(rules.max, 'character')}`, {
          max_length: rules.max,
        });
      if (pattern !== undefined && !pattern.test(u))
        return fail(u, c, 'string_pattern_mismatch', `String should match pattern '${rules.pattern}'`, {
          pattern: rules.pattern,
        });
      return t.success(u);
    },
    schemaOf('string', {
      minLength: rules.min,
      maxLength: rules.max,
      pattern: rules.pattern,
      description: rules.description,
      examples: rules.example === undefined ? undefined : [rules.example],
    }),
  );
};

export interface NumberRules {
  readonly gt?: number;
  readonly ge?: number;
  readonly le?: number;
  readonly description?: string;
}

const withinBounds = (n: number, u: unknown, c: t.Context, rules: NumberRules): t.Validation<number> => {
  if (rules.gt !== undefined && !(n > rules.gt))
    return fail(u, c, 'greater_than', `Input should be greater than ${rules.gt}`, { gt: rules.gt });
  if (rules.ge !== undefined && !(n >= rules.ge))
    return fail(u, c, 'greater_than_equal', `Input should be greater than or equal to ${rules.ge}`, { ge: rules.ge });
  if (rules.le !== undefined && !(n <= rules.le))
    return fail(u, c, 'less_than_equal', `Input should be less than or equal to ${rules.le}`, { le: rules.le });
  return t.success(n);
};
const numberSchema = (type: string, rules: NumberRules): Schema =>
  schemaOf(type, { exclusiveMinimum: rules.gt, minimum: rules.ge, maximum: rules.le, description: rules.description });

const INT_TYPE = 'Input should be a valid integer';
const INT_PARSING = 'Input should be a valid integer, unable to parse string as an integer';
const INT_SIZE = 'Unable to parse input string as an integer, exceeded maximum size';

/** A JSON number without fraction. `strict` words text as `int_type` where the others say `int_parsing`. */
export const integer = (rules: NumberRules & { readonly strict?: boolean } = {}): Codec<number> =>
  new Codec<number>(
    'integer',
    (u, c) => {
      if (typeof u === 'string' && rules.strict !== true) return fail(u, c, 'int_parsing', INT_PARSING);
      if (typeof u !== 'number') return fail(u, c, 'int_type', INT_TYPE);
      if (!Number.isFinite(u)) return fail(null, c, 'finite_number', 'Input should be a finite number');
      if (!Number.isInteger(u))
        return rules.strict === true
          ? fail(u, c, 'int_type', INT_TYPE)
          : fail(u, c, 'int_from_float', `${INT_TYPE}, got a number with a fractional part`);
      if (!Number.isSafeInteger(u)) return fail(u, c, 'int_parsing_size', INT_SIZE);
      return withinBounds(u, u, c, rules);
    },
    numberSchema('integer', rules),
  );

/** An integer written as text: path and query parameters. */
export const integerText = (rules: NumberRules = {}): Codec<number> =>
  new Codec<number>(
    'integer',
    (u, c) => {
      if (typeof u !== 'string' || !/^\s*[+-]?\d+\s*$/.test(u)) return fail(u, c, 'int_parsing', INT_PARSING);
      const n = Number(u);
      return Number.isSafeInteger(n) ? withinBounds(n, u, c, rules) : fail(u, c, 'int_parsing_size', INT_SIZE);
    },
    numberSchema('integer', rules),
  );

export const number = (rules: NumberRules = {}): Codec<number> =>
  new Codec<number>(
    'number',
    (u, c) => {
      if (typeof u === 'string')
        return fail(u, c, 'float_parsing', 'Input should be a valid number, unable to parse string as a number');
      if (typeof u !== 'number') return fail(u, c, 'float_type', 'Input should be a valid number');
      if (!Number.isFinite(u)) return fail(null, c, 'finite_number', 'Input should be a finite number');
      return withinBounds(u, u, c, rules);
    },
    numberSchema('number', rules),
  );

const BOOL_PARSING = 'Input should be a valid boolean, unable to interpret input';
export const boolean: Codec<boolean> = new Codec<boolean>(
  'boolean',
  (u, c) => {
    if (typeof u === 'boolean') return t.success(u);
    return typeof u === 'string' || typeof u === 'number'
      ? fail(u, c, 'bool_parsing', BOOL_PARSING)
      : fail(u, c, 'bool_type', 'Input should be a valid boolean');
  },
  { type: 'boolean' },
);

/** A truth value written as text: query parameters. */
export const booleanText: Codec<boolean> = new Codec<boolean>(
  'boolean',
  (u, c) => {
    const word = typeof u === 'string' ? u.toLowerCase() : '';
    if (['true', '1', 'yes', 'on', 't', 'y'].includes(word)) return t.success(true);
    if (['false', '0', 'no', 'off', 'f', 'n'].includes(word)) return t.success(false);
    return fail(u, c, 'bool_parsing', BOOL_PARSING);
  },
  { type: 'boolean' },
);

/** One of a few words. */
export const oneOf = <const V extends readonly string[]>(values: V): Codec<V[number]> => {
  const quoted = values.map((v) => `'${v}'`);
  const expected = quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return new Codec<V[number]>(
    values.join(' | '),
    (u, c) =>
      typeof u === 'string' && values.includes(u)
        ? t.success(u)
        : fail(u, c, 'enum', `Input should be ${expected}`, { expected }),
    { type: 'string', enum: [...values] },
  );
};

/** A constant, e.g. the tag of a variant. */
export const literal = <const V extends string>(value: V): Codec<V> =>
  new Codec<V>(
    `'${value}'`,
    (u, c) =>
      u === value
        ? t.success(value)
        : fail(u, c, 'literal_error', `Input should be '${value}'`, { expected: `'${value}'` }),
    { const: value },
  );

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
        if (decoded._tag === 'Left') errors.push(...decoded.left);
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
        if (decoded._tag === 'Left') errors.push(...decoded.left);
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
      const extra: t.Errors = Object.entries(u)
        .filter(([key]) => !names.includes(key))
        .flatMap(([key, value]) => {
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

/** Any JSON object, kept as it is. */
export const freeObject: Codec<Readonly<Record<string, unknown>>> = new Codec<Readonly<Record<string, unknown>>>(
  'object',
  (u, c) => {
    if (typeof u !== 'object' || u === null || Array.isArray(u))
      return fail(u, c, 'dict_type', 'Input should be a valid dictionary');
    return storable(u, 0)
      ? t.success(u as Record<string, unknown>)
      : fail(
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
  return Object.entries(u).every(([k, v]) => wellFormed(k) && storable(v, depth + 1));
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
  return decoded._tag === 'Right' ? decoded : left(decoded.left.map((e) => toFault(e, root, secrets)));
};

const toFault = (error: t.ValidationError, root: readonly (string | number)[], secrets: ReadonlySet<string>): Fault => {
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
    input: hidden ? '********' : maskSecrets(error.value, secrets),
    ...(wording.ctx === undefined ? {} : { ctx: wording.ctx }),
  };
};

const maskSecrets = (value: unknown, secrets: ReadonlySet<string>): unknown => {
  if (secrets.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((v) => maskSecrets(v, secrets));
  return Object.fromEntries(
    Object.entries(value).map(([k, v]) => [
      k,
      secrets.has(k) && v !== null && v !== '' ? '********' : maskSecrets(v, secrets),
    ]),
  );
};

function schemaOf(type: string, parts: Readonly<Record<string, unknown>>): Schema {
  return { type, ...Object.fromEntries(Object.entries(parts).filter(([, v]) => v !== undefined)) };
}
