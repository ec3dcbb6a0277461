/**
 * One value that only one holder may have, where holder and value lie in different streams: who wants the value reserves it here first, then
 * appends to its own stream within the time of the reservation. A reservation that came to nothing, because its process died or the command was
 * refused, can be taken over once its time has passed and the holder is seen not to have the value.
 */
import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict } from '../../core/failure';
import type { ReservationCommand } from './commands';
import type { ReservationEvent } from './events';

/** How long a holder has for the append that makes the value its own, ms. */
export const RESERVED_MS = 60_000;

export interface Reservation {
  readonly organization: number;
  readonly holder: number;
  /** Epoch ms. */
  readonly confirmedBy: number;
}

export interface ReservationState {
  /** Counts the reservations of the value, renewals included. */
  readonly serial: number;
  /** null: the value is free. */
  readonly held: Reservation | null;
}

export const isHolder = (
  held: Pick<Reservation, 'organization' | 'holder'>,
  who: Pick<Reservation, 'organization' | 'holder'>,
): boolean => held.organization === who.organization && held.holder === who.holder;

export const reservationDecider: Decider<ReservationState, ReservationCommand, ReservationEvent> = {
  name: 'reservation',
  initial: { serial: 0, held: null },
  decide: (command, { serial, held }, { now }) => {
    if (command.type === 'Release')
      return right(
        held === null || serial !== command.serial
          ? []
          : [{ type: 'ReservationReleased', data: { holder: held.holder } }],
      );
    const hasLapsed = held !== null && command.lapsed === serial && now >= held.confirmedBy;
    if (held !== null && !isHolder(held, command) && !hasLapsed) return left(conflict('It is in use elsewhere.'));
    const { kind, organization, holder } = command;
    // Its own once more is a renewal: whoever saw the reservation before can neither release it nor take it over any more.
    const confirmed_by = new Date(now + RESERVED_MS).toISOString();
    return right([{ type: 'ValueReserved', data: { kind, organization, holder, confirmed_by } }]);
  },
  evolve: ({ serial }, event) =>
    event.type === 'ReservationReleased'
      ? { serial, held: null }
      : {
          serial: serial + 1,
          held: {
            organization: event.data.organization,
            holder: event.data.holder,
            confirmedBy: Date.parse(event.data.confirmed_by),
          },
        },
};
