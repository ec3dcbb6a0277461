/** Codecs of single values: text, numbers, truth values, words. */
import * as t from 'io-ts';
import { Codec, codePoints, fail, plural, schemaOf, wellFormed, type Schema } from './codec-base';

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
