/**
 * Values that only one holder may have, where holder and value lie in different streams. Reserve, then append within the time of the reservation;
 * release once the holder does not have the value any more. What happens in between: see domain/reservation/decider.ts.
 */
import { createHmac } from 'node:crypto';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Failure } from '../core/failure';
import { reservationStream, type OrganizationId } from '../core/ids';
import { isHolder, RESERVED_MS, reservationDecider, type Reservation } from '../domain/reservation/decider';
import type { ReservedKind } from '../domain/reservation/events';
import type { CommandContext } from '../engine/execute';
import type { Platform } from '../engine/platform';

export interface ReservedValue {
  readonly kind: ReservedKind;
  /** Among whom it is unique; null: all organizations. */
  readonly within: OrganizationId | null;
  readonly value: string;
  /** Whether the holder of a reservation has the value in its own stream. */
  readonly isHeld: (by: Reservation) => Promise<boolean>;
}
export type Holder = Pick<Reservation, 'organization' | 'holder'>;

/** A reservation as it was seen; with it the value can be given back unless the reservation was renewed since. */
export interface SeenReservation {
  readonly stream: string;
  readonly serial: number;
}

/** Of the time of a reservation, what is left for the append after clocks that differ and processes that pause, ms. */
const APPEND_WITHIN_MS = RESERVED_MS / 2;

const CONTEXT: CommandContext = { actor: 'reservations' };

export const reservations = (platform: Platform) => {
  const { clock, execute, vault } = platform;

  /** The hash is keyed: names of streams tell nobody a phone number. */
  const streamOf = async ({ kind, within, value }: ReservedValue): Promise<string> => {
    const secret = await vault.secret('reservations');
    const hash = createHmac('sha256', secret).update(`${kind}|${value}`).digest('hex').slice(0, 32);
    return reservationStream(within, hash);
  };

  const look = async (wanted: ReservedValue, who: Holder | null) => {
    const stream = await streamOf(wanted);
    const { serial, held } = (await execute.load(reservationDecider, stream)).state;
    const others = held !== null && (who === null || !isHolder(held, who)) ? held : null;
    const lapsed = others !== null && clock.now() >= others.confirmedBy && !(await wanted.isHeld(others));
    return { stream, serial, held, taken: others !== null && !lapsed, lapsed };
  };

  return {
    /** Whether somebody else than `who` has the value, or is about to. */
    isTaken: async (wanted: ReservedValue, who: Holder | null): Promise<boolean> => (await look(wanted, who)).taken,

    /** Left: `conflict` where another has it. Right: call it right before the append; false when too much time has passed to append safely. */
    reserve: async (wanted: ReservedValue, who: Holder): Promise<Either<Failure, () => boolean>> => {
      const begun = clock.monotonic();
      const { stream, serial, lapsed } = await look(wanted, who);
      const done = await execute.run(
        reservationDecider,
        stream,
        { type: 'Reserve', kind: wanted.kind, ...who, lapsed: lapsed ? serial : null },
        CONTEXT,
      );
      return isLeft(done) ? done : right(() => clock.monotonic() - begun < APPEND_WITHIN_MS);
    },

    /** What `who` has reserved of the value, to be released after the append that gives the value up; null: nothing. */
    seen: async (wanted: ReservedValue, who: Holder): Promise<SeenReservation | null> => {
      const stream = await streamOf(wanted);
      const { serial, held } = (await execute.load(reservationDecider, stream)).state;
      return held !== null && isHolder(held, who) ? { stream, serial } : null;
    },

    /** One that can't be released now lapses: it is found not to be held when somebody wants the value. */
    release: async (seen: SeenReservation | null): Promise<void> => {
      if (seen === null) return;
      const done = await execute.run(
        reservationDecider,
        seen.stream,
        { type: 'Release', serial: seen.serial },
        CONTEXT,
      );
      if (isLeft(done)) platform.log.warn({ stream: seen.stream }, 'a reservation could not be released');
    },
  };
};
export type Reservations = ReturnType<typeof reservations>;

/** What an append answers that would come after the time of its reservation. */
export const tooLate: Failure = {
  kind: 'unavailable',
  message: 'It took too long to make sure that nobody else has the value; try again',
  stored: 'no',
};

/** Reserves all values or says which are taken; what was reserved before the refusal lapses by itself. */
export const reserveAll = async (
  { reserve }: Reservations,
  wanted: readonly ReservedValue[],
  who: Holder,
): Promise<Either<{ readonly failure: Failure; readonly value: string }, () => boolean>> => {
  const inTime: (() => boolean)[] = [];
  for (const one of wanted) {
    const done = await reserve(one, who);
    if (isLeft(done)) return left({ failure: done.left, value: one.value });
    inTime.push(done.right);
  }
  return right(() => inTime.every((check) => check()));
};
