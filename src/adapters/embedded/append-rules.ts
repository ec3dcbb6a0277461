/** What an append must be, whatever the engine. */
import { left, right, type Either } from 'fp-ts/Either';
import type { EventMetadata, SealedEvent } from '../../core/event';

/** Sum of the data of one append, bytes; the production engine's own limit is a little above it. */
export const MAX_APPEND_BYTES = 1_000_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Data as JSON, one text for each event; left: why the append can never work. */
export const serializeAppend = (
  stream: string,
  expected: number,
  events: readonly SealedEvent[],
  packMetadata: (metadata: EventMetadata) => string,
): Either<string, { readonly data: readonly string[]; readonly metadata: readonly string[] }> => {
  if (stream === '' || stream.startsWith('$')) return left(`not a stream name: "${stream}"`);
  if (!Number.isInteger(expected) || expected < -1) return left(`not an expected revision: ${expected}`);
  if (events.length === 0) return left('an append needs at least one event');
  const data: string[] = [];
  const metadata: string[] = [];
  let dataBytes = 0;
  let metadataBytes = 0;
  for (const event of events) {
    if (!UUID.test(event.id)) return left(`not a UUID in lower case: "${event.id}"`);
    if (event.type === '' || event.type.startsWith('$')) return left(`not an event type: "${event.type}"`);
    try {
      const text = JSON.stringify(event.data);
      const packed = packMetadata(event.metadata);
      if (text === undefined) return left(`the data of ${event.type} is not JSON`);
      dataBytes += Buffer.byteLength(text);
      metadataBytes += Buffer.byteLength(packed);
      data.push(text);
      metadata.push(packed);
    } catch (error) {
      return left(`${event.type} can't be written as JSON: ${(error as Error).message}`);
    }
  }
  if (dataBytes >= MAX_APPEND_BYTES || metadataBytes >= MAX_APPEND_BYTES)
    return left(
      `one change takes less than ${MAX_APPEND_BYTES} bytes, this one has ${Math.max(dataBytes, metadataBytes)}`,
    );
  return right({ data, metadata });
};
