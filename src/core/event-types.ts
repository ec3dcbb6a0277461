import * as t from 'io-ts';
import { isRight } from 'fp-ts/Either';
import type { Json, JsonObject } from './event';

/**
 * One type of event: the io-ts codec of its data as it is on disk today, its schema number, and how older shapes become today's.
 * `upcast(data, from)` gets data stored with schema `from` (< schema) and returns today's shape.
 */
export interface EventType<Data = unknown> {
  readonly schema: number;
  readonly codec: t.Decoder<unknown, Data>;
  readonly upcast?: (data: JsonObject, from: number) => JsonObject;
}

export type EventTypes = Readonly<Record<string, EventType>>;

/** Declares today's shape of an event that has never had another. */
export const eventType = <Data>(codec: t.Decoder<unknown, Data>): EventType<Data> => ({ schema: 1, codec });

/** The union of events that a table of event types describes. */
export type EventOf<T extends EventTypes> = {
  [K in keyof T & string]: { readonly type: K; readonly data: T[K] extends EventType<infer D> ? D : never };
}[keyof T & string];

/** A value sealed with AES-256-GCM; engine/seal.ts makes and opens it. */
export const Sealed = t.readonly(
  t.type({
    /** base64 of nonce (12 bytes), ciphertext, tag (16 bytes). */
    $sealed: t.string,
    /** Which key opens it: `org/<org>/<key number>` or `page/<page id>/<index>` (a contact's own). */
    key: t.string,
    /** What it is, bound into the seal: e.g. `telephony.credentials`. */
    field: t.string,
  }),
  'Sealed',
);
export type Sealed = t.TypeOf<typeof Sealed>;

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { $sealed?: unknown }).$sealed === 'string' &&
  typeof (value as { key?: unknown }).key === 'string';

export const JsonValue: t.Type<Json, Json, unknown> = new t.Type<Json, Json, unknown>(
  'Json',
  (u): u is Json => isJson(u),
  (u, c) => (isJson(u) ? t.success(u) : t.failure(u, c)),
  t.identity,
);
export const JsonRecord: t.Type<JsonObject, JsonObject, unknown> = new t.Type<JsonObject, JsonObject, unknown>(
  'JsonObject',
  (u): u is JsonObject => isJsonObject(u),
  (u, c) => (isJsonObject(u) ? t.success(u) : t.failure(u, c)),
  t.identity,
);

const isJsonObject = (u: unknown): u is JsonObject =>
  typeof u === 'object' && u !== null && !Array.isArray(u) && Object.values(u).every(isJson);
const isJson = (u: unknown): u is Json => {
  if (u === null || typeof u === 'boolean' || typeof u === 'string') return true;
  if (typeof u === 'number') return Number.isFinite(u);
  return Array.isArray(u) ? u.every(isJson) : isJsonObject(u);
};

/** Today's data of a stored event; throws on an unknown type or a shape that no version ever had: a poison event stops its reader. */
export const upcast = (types: EventTypes, type: string, data: JsonObject, schema: number): JsonObject => {
  const known = types[type];
  if (known === undefined) throw new Error(`unknown event type ${type}`);
  if (schema === known.schema) return data;
  if (schema > known.schema || known.upcast === undefined)
    throw new Error(`event type ${type} has schema ${schema}, this program knows up to ${known.schema}`);
  return known.upcast(data, schema);
};

/** Checks data against its type, thoroughly; for tests and `verify`. */
export const isValidData = (types: EventTypes, type: string, data: unknown): boolean => {
  const known = types[type];
  return known !== undefined && isRight(known.codec.decode(data));
};

export const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null]);
