/**
 * Why a command was not carried out. Failures are data; http/problem.ts alone turns them into status codes.
 * `message` is shown to the user and says what to do next; `code` is a machine code where the contract gives one.
 */
export type Failure =
  /** A request that can't be accepted as it is (400). */
  | {
      readonly kind: 'rejected';
      readonly message: string;
      readonly code?: string;
      readonly errors?: readonly unknown[];
      readonly error_count?: number;
    }
  /** Fields at fault (422), all at once. */
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  /** A definition at fault: `detail` is an object (422). */
  | { readonly kind: 'invalid_definition'; readonly errors: readonly unknown[]; readonly taken?: boolean }
  | { readonly kind: 'not_found'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  /** Clashes with what exists (409). */
  | { readonly kind: 'conflict'; readonly message: string }
  /** `If-Match` names an older state (412). */
  | { readonly kind: 'stale'; readonly message: string }
  /** The carrier or another peer could not be reached (502). */
  | { readonly kind: 'peer_failed'; readonly message: string }
  /** Too many at once (429). */
  | { readonly kind: 'too_many'; readonly message: string }
  /** An engine is away (503); `stored` tells whether the command may have been stored all the same. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly stored: 'no' | 'maybe' };

/** One fault of a request, in the shape of the wire. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

export const rejected = (message: string, code?: string): Failure => ({
  kind: 'rejected',
  message,
  ...(code === undefined ? {} : { code }),
});
export const notFound = (message: string): Failure => ({ kind: 'not_found', message });
export const conflict = (message: string): Failure => ({ kind: 'conflict', message });
export const invalid = (faults: readonly Fault[]): Failure => ({ kind: 'invalid', faults });

/** A rule that spans fields: reported as `value_error`, the way a validator of a whole object reports it. */
export const valueError = (loc: readonly (string | number)[], text: string, input?: unknown): Fault => ({
  loc,
  msg: `Value error, ${text}`,
  type: 'value_error',
  ...(input === undefined ? {} : { input }),
  ctx: { error: {} },
});

/** A short text of any failure, for logs and for callers that are not HTTP. */
export const describeFailure = (failure: Failure): string => {
  switch (failure.kind) {
    case 'invalid':
      return failure.faults.map((f) => `${f.loc.join('.')}: ${f.msg}`).join('; ');
    case 'invalid_definition':
      return `the definition is not valid: ${JSON.stringify(failure.errors)}`;
    case 'rejected':
      return failure.code === undefined ? failure.message : `${failure.code}: ${failure.message}`;
    default:
      return failure.message;
  }
};
