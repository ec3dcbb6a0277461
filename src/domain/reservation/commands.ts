import type { ReservedKind } from './events';

export interface Reserve {
  readonly type: 'Reserve';
  readonly kind: ReservedKind;
  readonly organization: number;
  readonly holder: number;
  /** Serial of a reservation whose holder was looked at after its time and did not have the value: it may be taken over. */
  readonly lapsed: number | null;
}

/** Gives back the reservation of that serial; one that was renewed since stays. */
export interface Release {
  readonly type: 'Release';
  readonly serial: number;
}

export type ReservationCommand = Reserve | Release;
