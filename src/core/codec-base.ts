/** What every codec is made of: a type of io-ts that knows its JSON Schema, and how a fault is worded on the way up. */
import * as t from 'io-ts';
import { left } from 'fp-ts/Either';

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

export interface Wording {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A fault at the place that `c` names. */
export const fail = <A>(
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
export const failValue = <A>(value: unknown, c: t.Context, text: string): t.Validation<A> =>
  fail(value, c, 'value_error', `Value error, ${text}`, { error: {} });

export const wellFormed = (s: string): boolean => (s as string & { isWellFormed(): boolean }).isWellFormed();
export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** Length in code points; exact wherever that decides against `max`, the upper bound `s.length` where it cannot. */
export const codePoints = (s: string, max: number | undefined): number =>
  s.length < 1000 || (max !== undefined && s.length > max && s.length <= 2 * max) ? [...s].length : s.length;

export function schemaOf(type: string, parts: Readonly<Record<string, unknown>>): Schema {
  return { type, ...Object.fromEntries(Object.entries(parts).filter(([, v]) => v !== undefined)) };
}
