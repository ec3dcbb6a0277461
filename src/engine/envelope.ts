/** The envelope around events: canonical form, hash chain, ids. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { EventMetadata, JsonObject, RecordedEvent, SealedEvent } from '../core/event';

/** The hash before the first event of a stream. */
export const NO_HASH = '0'.repeat(64);

/** What all events of one command share. */
export interface Provenance {
  readonly org: string;
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly commandId: string;
  /** ISO 8601. */
  readonly at: string;
}

/** RFC 8785. Throws on what JSON can't carry (NaN, BigInt): such data is refused before it is stored. */
const canonical = (value: unknown): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('not a JSON value');
  return text;
};

const eventHash = (
  previous: string,
  stream: string,
  revision: number,
  type: string,
  data: JsonObject,
  metadata: Omit<EventMetadata, 'hash'>,
): string =>
  createHash('sha256')
    .update(previous)
    .update(canonical([stream, revision, type, data, metadata]))
    .digest('hex');

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** UUID v5 (RFC 9562) of the event's hash in the namespace of the command's id (of its text, where a caller's id is no UUID). */
const eventId = (commandId: string, hash: string): string => {
  const namespace = UUID.test(commandId) ? Buffer.from(commandId.replaceAll('-', ''), 'hex') : Buffer.from(commandId);
  const digest = createHash('sha1').update(namespace).update(hash).digest();
  digest[6] = ((digest[6] as number) & 0x0f) | 0x50;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

export interface ToSeal {
  readonly type: string;
  readonly data: unknown;
  readonly schema: number;
}

/**
 * Chains events behind `(revision, hash)` of a stream. Data is taken as JSON would store it.
 * Throws on data that JSON can't carry.
 */
export const chain = (
  stream: string,
  tail: { readonly revision: number; readonly hash: string },
  events: readonly ToSeal[],
  by: Provenance,
): readonly SealedEvent[] => {
  let { revision, hash } = tail;
  return events.map((event) => {
    revision += 1;
    const data = event.data as JsonObject;
    const metadata = {
      org: by.org,
      actor: by.actor,
      correlation_id: by.correlationId,
      causation_id: by.causationId,
      command_id: by.commandId,
      schema: event.schema,
      at: by.at,
    };
    hash = eventHash(hash, stream, revision, event.type, data, metadata);
    return { id: eventId(by.commandId, hash), type: event.type, data, metadata: { ...metadata, hash } };
  });
};

/** Whether an event as read continues the chain after `previous` (NO_HASH for revision 0): one flipped byte is found. */
export const continuesChain = (previous: string, event: RecordedEvent): boolean => {
  try {
    const { hash, ...metadata } = event.metadata;
    return (
      hash === eventHash(previous, event.stream, event.revision, event.type, event.data, metadata) &&
      event.id === eventId(metadata.command_id, hash)
    );
  } catch {
    return false;
  }
};
