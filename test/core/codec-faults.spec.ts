/** The texts, types and contexts that clients of the contract branch on, word for word. */
import { isLeft } from 'fp-ts/Either';
import {
  boolean,
  booleanText,
  closed,
  decode,
  freeObject,
  integer,
  integerText,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  refine,
  required,
  taggedUnion,
  text,
  withDefault,
  type AnyCodec,
} from '../../src/core/codec';
import type { Fault } from '../../src/core/failure';

const faultsOf = (codec: AnyCodec, value: unknown, secrets?: ReadonlySet<string>): readonly Fault[] => {
  const decoded = decode(codec, value, ['body'], secrets);
  return isLeft(decoded) ? decoded.left : [];
};
const body = (codec: AnyCodec): AnyCodec => object('Body', { field: required(codec) });

const union = taggedUnion('provider', {
  ari: object('A', { provider: required(literal('ari')), secret: required(text()) }),
  twilio: object('T', { provider: required(literal('twilio')), auth_token: required(text()) }),
});

interface Row {
  readonly when: string;
  readonly codec: AnyCodec;
  readonly input: unknown;
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

const PARSING = 'Input should be a valid integer, unable to parse string as an integer';
const rows: readonly Row[] = [
  {
    when: 'text is empty where a character is needed',
    codec: text({ min: 1 }),
    input: '',
    type: 'string_too_short',
    msg: 'String should have at least 1 character',
    ctx: { min_length: 1 },
  },
  {
    when: 'text is too long',
    codec: text({ max: 64 }),
    input: 'x'.repeat(65),
    type: 'string_too_long',
    msg: 'String should have at most 64 characters',
    ctx: { max_length: 64 },
  },
  {
    when: 'text is a number',
    codec: text(),
    input: 5,
    type: 'string_type',
    msg: 'Input should be a valid string',
  },
  {
    when: 'text does not match its pattern',
    codec: text({ pattern: '^csv$' }),
    input: 'xls',
    type: 'string_pattern_mismatch',
    msg: "String should match pattern '^csv$'",
    ctx: { pattern: '^csv$' },
  },
  {
    when: 'an integer is not above its bound',
    codec: integer({ gt: 0 }),
    input: 0,
    type: 'greater_than',
    msg: 'Input should be greater than 0',
    ctx: { gt: 0 },
  },
  {
    when: 'an integer is below its least value',
    codec: integer({ ge: 1 }),
    input: 0,
    type: 'greater_than_equal',
    msg: 'Input should be greater than or equal to 1',
    ctx: { ge: 1 },
  },
  {
    when: 'an integer is above its greatest value',
    codec: integer({ le: 100 }),
    input: 101,
    type: 'less_than_equal',
    msg: 'Input should be less than or equal to 100',
    ctx: { le: 100 },
  },
  { when: 'an integer is text', codec: integer(), input: '5', type: 'int_parsing', msg: PARSING },
  { when: 'a query integer is not one', codec: integerText(), input: 'five', type: 'int_parsing', msg: PARSING },
  {
    when: 'an integer has a fraction',
    codec: integer(),
    input: 1.5,
    type: 'int_from_float',
    msg: 'Input should be a valid integer, got a number with a fractional part',
  },
  {
    when: 'an integer is true',
    codec: integer(),
    input: true,
    type: 'int_type',
    msg: 'Input should be a valid integer',
  },
  {
    when: 'a strict integer is text',
    codec: integer({ strict: true }),
    input: '2',
    type: 'int_type',
    msg: 'Input should be a valid integer',
  },
  {
    when: 'a strict integer has a fraction',
    codec: integer({ strict: true }),
    input: 1.5,
    type: 'int_type',
    msg: 'Input should be a valid integer',
  },
  {
    when: 'a number is text',
    codec: number(),
    input: '0.5',
    type: 'float_parsing',
    msg: 'Input should be a valid number, unable to parse string as a number',
  },
  {
    when: 'a truth value is text',
    codec: boolean,
    input: 'true',
    type: 'bool_parsing',
    msg: 'Input should be a valid boolean, unable to interpret input',
  },
  {
    when: 'a query truth value is neither yes nor no',
    codec: booleanText,
    input: 'perhaps',
    type: 'bool_parsing',
    msg: 'Input should be a valid boolean, unable to interpret input',
  },
  {
    when: 'a list is empty where an item is needed',
    codec: list(text(), { min: 1 }),
    input: [],
    type: 'too_short',
    msg: 'List should have at least 1 item after validation, not 0',
    ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
  },
  {
    when: 'a list is too long',
    codec: list(text(), { max: 5 }),
    input: ['', '', '', '', '', ''],
    type: 'too_long',
    msg: 'List should have at most 5 items after validation, not 6',
    ctx: { field_type: 'List', max_length: 5, actual_length: 6 },
  },
  {
    when: 'a list is none',
    codec: list(text()),
    input: {},
    type: 'list_type',
    msg: 'Input should be a valid list',
  },
  {
    when: 'a rule of our own is broken',
    codec: refine(text(), () => 'it rains'),
    input: 'x',
    type: 'value_error',
    msg: 'Value error, it rains',
    ctx: { error: {} },
  },
  {
    when: 'a word is none of the few',
    codec: oneOf(['active', 'archived']),
    input: 'gone',
    type: 'enum',
    msg: "Input should be 'active' or 'archived'",
    ctx: { expected: "'active' or 'archived'" },
  },
  {
    when: 'a constant is another',
    codec: literal('vicidial'),
    input: 'other',
    type: 'literal_error',
    msg: "Input should be 'vicidial'",
    ctx: { expected: "'vicidial'" },
  },
  {
    when: 'the tag of a union is unknown',
    codec: union,
    input: { provider: 'x' },
    type: 'union_tag_invalid',
    msg: "Input tag 'x' found using 'provider' does not match any of the expected tags: 'ari', 'twilio'",
    ctx: { discriminator: "'provider'", tag: 'x', expected_tags: "'ari', 'twilio'" },
  },
  {
    when: 'the tag of a union is missing',
    codec: union,
    input: {},
    type: 'union_tag_not_found',
    msg: "Unable to extract tag using discriminator 'provider'",
    ctx: { discriminator: "'provider'" },
  },
  {
    when: 'an object is null',
    codec: object('O', {}),
    input: null,
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
  {
    when: 'a free object is a list',
    codec: freeObject,
    input: [],
    type: 'dict_type',
    msg: 'Input should be a valid dictionary',
  },
];

describe('the wording of a fault', () => {
  test.each(rows)('when $when', ({ codec, input, type, msg, ctx }) => {
    expect(faultsOf(body(codec), { field: input })).toEqual([
      { type, loc: ['body', 'field'], msg, input, ...(ctx === undefined ? {} : { ctx }) },
    ]);
  });

  test('of a missing field shows the object that lacks it', () => {
    expect(faultsOf(body(text()), { other: 1 })).toEqual([
      { type: 'missing', loc: ['body', 'field'], msg: 'Field required', input: { other: 1 } },
    ]);
  });

  test('of a field that a closed object does not have', () => {
    const codec = closed(object('C', { a: optional(text()) }), ['a']);
    expect(faultsOf(codec, { a: 1, b: 2 })).toEqual([
      { type: 'string_type', loc: ['body', 'a'], msg: 'Input should be a valid string', input: 1 },
      { type: 'extra_forbidden', loc: ['body', 'b'], msg: 'Extra inputs are not permitted', input: 2 },
    ]);
  });
});

describe('the faults of a request', () => {
  const codec = object('Split', {
    name: required(text({ min: 1 })),
    size: withDefault(integer({ ge: 1 }), 1),
    variants: required(list(object('Variant', { weight: required(integer({ strict: true })) }), { min: 1 })),
  });

  test('are reported all at once, with numbers for the items of lists', () => {
    expect(faultsOf(codec, { name: '', size: 'x', variants: [{ weight: 1 }, { weight: '2' }, {}] })).toEqual([
      expect.objectContaining({ type: 'string_too_short', loc: ['body', 'name'] }),
      expect.objectContaining({ type: 'int_parsing', loc: ['body', 'size'] }),
      expect.objectContaining({ type: 'int_type', loc: ['body', 'variants', 1, 'weight'] }),
      expect.objectContaining({ type: 'missing', loc: ['body', 'variants', 2, 'weight'] }),
    ]);
  });

  test('inside a nullable list keep numbers too', () => {
    const tags = object('Tags', { tags: required(nullable(list(text()))) });
    expect(faultsOf(tags, { tags: ['a', 1] })[0]?.loc).toEqual(['body', 'tags', 1]);
    expect(faultsOf(tags, { tags: null })).toEqual([]);
  });

  test('inside a union name the variant', () => {
    const config = object('Request', { config: required(union) });
    expect(faultsOf(config, { config: { provider: 'twilio' } })).toEqual([
      {
        type: 'missing',
        loc: ['body', 'config', 'twilio', 'auth_token'],
        msg: 'Field required',
        input: { provider: 'twilio' },
      },
    ]);
  });

  test('hide secrets in the input: of the field itself and of the object around a missing one', () => {
    const secrets = new Set(['auth_token', 'secret']);
    const config = object('Request', { config: required(union) });
    const [wrongType] = faultsOf(config, { config: { provider: 'twilio', auth_token: 12345 } }, secrets);
    const [missing] = faultsOf(config, { config: { provider: 'ari', auth_token: 'abc' } }, secrets);
    const [wrongTag] = faultsOf(
      config,
      { config: { provider: 'x', secret: 'abc', deep: [{ auth_token: 'abc' }] } },
      secrets,
    );
    expect(wrongType?.input).toBe('********');
    expect(missing?.input).toEqual({ provider: 'ari', auth_token: '********' });
    expect(wrongTag?.input).toEqual({ provider: 'x', secret: '********', deep: [{ auth_token: '********' }] });
  });

  test('hide what is nested in a secret', () => {
    const nested = object('N', { credentials: required(list(text())) });
    expect(faultsOf(nested, { credentials: [7] }, new Set(['credentials']))[0]?.input).toBe('********');
  });

  test('show a secret that is null or empty, since there is nothing to hide', () => {
    const codecOfKey = object('K', { api_key: required(text({ min: 1 })) });
    expect(faultsOf(codecOfKey, { api_key: '' }, new Set(['api_key']))[0]?.input).toBe('');
    expect(faultsOf(codecOfKey, { api_key: null }, new Set(['api_key']))[0]?.input).toBeNull();
  });
});
