/**
 * What a failed append of EventStoreDB's client means. The client's errors are not all of one class: `type` is its own word, `code` is gRPC's
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html), and just after a start there is neither, only a text.
 */
import { NO_STREAM } from '../../core/event';
import { NoPlace } from './waiting';

export type AppendVerdict =
  | { readonly kind: 'conflict'; readonly actual: number }
  /** Nothing was stored. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'outcome_unknown' }
  | { readonly kind: 'refused' };

interface ClientError {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly actualVersion?: unknown;
  readonly streamName?: unknown;
  readonly message?: unknown;
}

const REFUSED = new Set(['stream-deleted', 'maximum-append-size-exceeded', 'invalid-argument']);
/** The server says so before it looks at the events. */
const NOTHING_STORED = new Set(['access-denied', 'not-leader']);
/** No request left: there was no connection, or the server was not serving yet. */
const NEVER_SENT =
  /Server Is Not Ready|No connection established|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Name resolution failed|Channel has been shut down/;

export const appendVerdict = (error: unknown): AppendVerdict => {
  const { type, actualVersion, message } = error as ClientError;
  if (type === 'wrong-expected-version')
    return { kind: 'conflict', actual: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM };
  if (typeof type === 'string' && REFUSED.has(type)) return { kind: 'refused' };
  if (typeof type === 'string' && NOTHING_STORED.has(type)) return { kind: 'unavailable' };
  if (error instanceof NoPlace) return { kind: 'unavailable' };
  if (typeof message === 'string' && NEVER_SENT.test(message)) return { kind: 'unavailable' };
  return { kind: 'outcome_unknown' };
};

export const isStreamNotFound = (error: unknown): boolean => (error as ClientError).type === 'stream-not-found';

/** A text for people; several of the client's errors have an empty message. */
export const describeError = (error: unknown): string => {
  const { type, code, message, streamName } = error as ClientError;
  if (typeof message === 'string' && message !== '') return message;
  const words = [type ?? code ?? 'unknown error', streamName].filter((w) => w !== undefined && w !== null);
  return words.map(String).join(' ');
};
