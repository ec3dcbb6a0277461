import * as t from 'io-ts';
import { eventType, orNull, JsonValue, Sealed, type EventOf } from '../../core/event-types';

/** Streams `request-<org>_<hash>`: one Idempotency-Key. */
export const requestEvents = {
  RequestClaimed: eventType(t.type({ body_hash: t.string, reserved: JsonValue })),
  /** What was claimed was refused after all, because another request came in between: the key is free again. */
  RequestReleased: eventType(t.type({})),
  RequestAnswered: eventType(t.type({ status: t.number, body: orNull(Sealed) })),
};
export type RequestEvent = EventOf<typeof requestEvents>;
