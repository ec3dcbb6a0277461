/** The one place that knows HTTP status codes: failures become answers in the contract's shapes. */
import { valueError, type Failure, type Fault } from '../core/failure';
import { workflowError } from '../domain/agent/graph';

/** What only HTTP can get wrong. */
export type HttpFailure =
  | Failure
  | { readonly kind: 'unauthorized'; readonly message: string }
  | { readonly kind: 'no_route' }
  | { readonly kind: 'method_not_allowed'; readonly allowed: readonly string[] }
  | { readonly kind: 'too_large'; readonly limit: number }
  | { readonly kind: 'media_type'; readonly message: string }
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'crashed' };

/** Carries a failure out of a middleware; caught by the problem middleware only. */
export class Refusal extends Error {
  constructor(readonly failure: HttpFailure) {
    super(failure.kind);
  }
}

export interface Problem {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const detail = (status: number, text: string, headers?: Readonly<Record<string, string>>): Problem => ({
  status,
  body: { detail: text },
  ...(headers === undefined ? {} : { headers }),
});

/** Answer to a failure. */
export const problemOf = (failure: HttpFailure): Problem => {
  switch (failure.kind) {
    case 'rejected':
      return {
        status: 400,
        body: {
          detail: failure.code ?? failure.message,
          ...(failure.code === undefined || failure.code === failure.message ? {} : { message: failure.message }),
          ...(failure.errors === undefined ? {} : { errors: failure.errors }),
          ...(failure.error_count === undefined ? {} : { error_count: failure.error_count }),
        },
      };
    case 'invalid':
      return { status: 422, body: { detail: bounded(failure.faults) } };
    case 'invalid_definition':
      return {
        status: failure.taken === true ? 409 : 422,
        body: { detail: { is_valid: false, errors: named(failure.errors, (left) => workflowError(null, left)) } },
      };
    case 'not_found':
      return detail(404, failure.message);
    case 'forbidden':
      return detail(403, failure.message);
    case 'conflict':
      return detail(409, failure.message);
    case 'stale':
      return detail(412, failure.message);
    case 'peer_failed':
      return detail(502, failure.message);
    case 'too_many':
      return detail(429, failure.message, { 'Retry-After': '1' });
    case 'unavailable':
      return detail(
        503,
        failure.stored === 'no'
          ? failure.message
          : `${failure.message}. The change may have been stored: repeat it with the same Idempotency-Key, or look before repeating it`,
        { 'Retry-After': '1' },
      );
    case 'unauthorized':
      return detail(401, failure.message);
    case 'no_route':
      return detail(404, 'Not Found');
    case 'method_not_allowed':
      return detail(405, 'Method Not Allowed', { Allow: failure.allowed.join(', ') });
    case 'too_large':
      return detail(413, `The request body is larger than ${failure.limit} bytes`);
    case 'media_type':
      return detail(415, failure.message);
    case 'malformed':
      return detail(400, failure.message);
    case 'crashed':
      return detail(500, 'Internal Server Error');
  }
};

/** Faults that one answer names; a list of a million wrong items would make a larger answer than the request. */
const MAX_FAULTS = 1000;
/** Characters of the faults of an answer: each may name the same long id. */
const MAX_CHARACTERS = 200_000;
/** Characters of `input` over all faults of an answer; beyond them `input` is left out. */
const MAX_INPUT = 100_000;

/** The faults, as many as one answer holds; `rest` words the last one where there are more. */
const named = <F>(faults: readonly F[], rest: (left: string) => F): readonly F[] => {
  let room = MAX_CHARACTERS;
  const most = faults.length > MAX_FAULTS ? MAX_FAULTS - 1 : MAX_FAULTS;
  const fitting = faults.slice(0, most).findIndex((fault, i) => (room -= sizeOf(fault, room)) < 0 && i > 0);
  const count = fitting < 0 ? most : fitting;
  return count >= faults.length
    ? faults
    : [...faults.slice(0, count), rest(`${faults.length - count} more faults are not listed`)];
};

const bounded = (faults: readonly Fault[]): readonly Fault[] => {
  let budget = MAX_INPUT;
  const shown = faults.slice(0, MAX_FAULTS + 1).map((fault) => {
    if (fault.input === undefined) return fault;
    budget -= sizeOf(fault.input, budget);
    if (budget >= 0) return fault;
    const { input: _input, ...rest } = fault;
    return rest;
  });
  return named([...shown, ...faults.slice(shown.length)], (left) =>
    valueError((faults[0]?.loc ?? []).slice(0, 1), left),
  );
};

/** Characters of a value as JSON, about; counted no further than `most`. */
const sizeOf = (value: unknown, most: number): number => {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let size = 2;
  for (const key in value) {
    size += key.length + 4 + sizeOf((value as Readonly<Record<string, unknown>>)[key], most - size);
    if (size > most) break;
  }
  return size;
};
