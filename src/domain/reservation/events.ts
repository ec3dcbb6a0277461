import * as t from 'io-ts';
import { eventType, type EventOf } from '../../core/event-types';

/** What may have one holder only. */
export const ReservedKind = t.keyof({ trigger_path: null, phone_number: null });
export type ReservedKind = t.TypeOf<typeof ReservedKind>;

/** Streams `reservation-<org>_<hash>`: one value, named by its hash, that only one holder may have. */
export const reservationEvents = {
  ValueReserved: eventType(
    t.type({
      kind: ReservedKind,
      organization: t.number,
      /** The agent of a trigger path, the telephony configuration of a number. */
      holder: t.number,
      /** ISO 8601; from then on the value is the holder's only if it really has it. */
      confirmed_by: t.string,
    }),
  ),
  ReservationReleased: eventType(t.type({ holder: t.number })),
};
export type ReservationEvent = EventOf<typeof reservationEvents>;
