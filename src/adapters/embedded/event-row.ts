/** Events as rows of the ledger's file. */
import type { EventMetadata, JsonObject, RecordedEvent } from '../../core/event';
import { positionOf } from '../../core/position';

/** Columns that `eventOf` reads, in this order. */
export const EVENT_COLUMNS = 'position, stream, revision, id, type, data, metadata';
export type EventRow = readonly [number, string, number, string, string, string, string];

const FIELDS = 8;
const SEPARATOR = '\n';

/**
 * Metadata as a line per field, in the order of EventMetadata, with a cause equal to the command left empty: half the size of its JSON and
 * several times as fast to read. What does not fit that form is stored as JSON, which begins with a brace.
 */
export const packMetadata = (metadata: EventMetadata): string => {
  const { org, actor, correlation_id, causation_id, command_id, schema, at, hash } = metadata;
  const fields = [
    org,
    actor,
    correlation_id === command_id ? '' : correlation_id,
    causation_id === command_id ? '' : causation_id,
    command_id,
    schema,
    at,
    hash,
  ];
  const packed = fields.join(SEPARATOR);
  return Object.keys(metadata).length === FIELDS && !packed.startsWith('{') && isSame(unpackMetadata(packed), metadata)
    ? packed
    : JSON.stringify(metadata);
};

export const unpackMetadata = (packed: string): EventMetadata => {
  if (packed.charCodeAt(0) === 0x7b) return JSON.parse(packed) as EventMetadata;
  const [org, actor, correlation, causation, command, schema, at, hash] = packed.split(SEPARATOR) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    org,
    actor,
    correlation_id: correlation === '' ? command : correlation,
    causation_id: causation === '' ? command : causation,
    command_id: command,
    schema: Number(schema),
    at,
    hash,
  };
};

const isSame = (a: EventMetadata, b: EventMetadata): boolean =>
  a.org === b.org &&
  a.actor === b.actor &&
  a.correlation_id === b.correlation_id &&
  a.causation_id === b.causation_id &&
  a.command_id === b.command_id &&
  a.schema === b.schema &&
  a.at === b.at &&
  a.hash === b.hash;

export const eventOf = ([position, stream, revision, id, type, data, metadata]: EventRow): RecordedEvent => ({
  id,
  type,
  data: JSON.parse(data) as JsonObject,
  metadata: unpackMetadata(metadata),
  stream,
  revision,
  position: positionOf(position),
});
