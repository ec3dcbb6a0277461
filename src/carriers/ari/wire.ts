/**
 * What this adapter reads of ARI's JSON: channels and events, reduced to the fields that are used. Everything that arrives is foreign: a
 * field of another type counts as absent, an event that cannot be read as null.
 */

/** One event, flattened: `channelId` and `state` come from `channel`, or from `peer` in a Dial. */
export interface AriEvent {
  readonly type: string;
  /** ISO 8601 with milliseconds, UTC; the server's clock. Null when the event has none that can be read. */
  readonly at: string | null;
  readonly channelId: string | null;
  readonly state: string | null;
  readonly dialStatus: string | null;
  readonly cause: number | null;
  readonly causeText: string | null;
  readonly techCause: number | null;
  readonly soft: boolean;
  readonly args: readonly string[];
}

/** A channel as `GET /channels` shows it. */
export interface AriChannel {
  readonly id: string;
  readonly state: string;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Asterisk writes `2026-11-21T10:26:06.260+0000`, without the colon that ISO 8601 wants in the offset. */
export const isoTime = (timestamp: string): string | null => {
  const parsed = Date.parse(timestamp.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(parsed) ? null : new Date(parsed).toISOString();
};

/** A channel object; null when it has no id. */
export const readChannel = (value: unknown): AriChannel | null => {
  const fields = fieldsOf(value);
  const id = textOf(fields?.['id']);
  return fields === null || id === null ? null : { id, state: textOf(fields['state']) ?? 'Unknown' };
};

/** The text of one WebSocket message. Null: not an event. */
export const readEvent = (text: string): AriEvent | null => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const fields = fieldsOf(parsed);
  const type = textOf(fields?.['type']);
  if (fields === null || type === null) return null;
  const channel = readChannel(fields['channel']) ?? readChannel(fields['peer']);
  const timestamp = textOf(fields['timestamp']);
  const args = fields['args'];
  return {
    type,
    at: timestamp === null ? null : isoTime(timestamp),
    channelId: channel?.id ?? null,
    state: channel?.state ?? null,
    dialStatus: textOf(fields['dialstatus']),
    cause: numberOf(fields['cause']),
    causeText: textOf(fields['cause_txt']),
    techCause: numberOf(fields['tech_cause']),
    soft: fields['soft'] === true,
    args: Array.isArray(args) ? args.filter((arg): arg is string => typeof arg === 'string') : [],
  };
};

/** The `message` of an error reply, null when the body is not ARI's JSON error. */
export const errorMessage = (body: unknown): string | null => textOf(fieldsOf(body)?.['message']);

/** The `error` of a failed allocation: the one 500 that proves that nothing was placed. */
export const allocationError = (body: unknown): string | null => textOf(fieldsOf(body)?.['error']);

/** `value` of a variable's reply. */
export const variableValue = (body: unknown): string | null => textOf(fieldsOf(body)?.['value']);

/** `status.startup_time` of `GET /asterisk/info`. */
export const startupTime = (body: unknown): string | null =>
  textOf(fieldsOf(fieldsOf(body)?.['status'])?.['startup_time']);

/** The channels of `GET /channels`; null when the body is no list. */
export const readChannels = (body: unknown): readonly AriChannel[] | null =>
  Array.isArray(body) ? body.map(readChannel).filter((channel): channel is AriChannel => channel !== null) : null;

/** `channel_ids` of `GET /applications/{app}`. */
export const applicationChannels = (body: unknown): readonly string[] => {
  const ids = fieldsOf(body)?.['channel_ids'];
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
};
