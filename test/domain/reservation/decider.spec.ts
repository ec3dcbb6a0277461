import { RESERVED_MS, reservationDecider } from '../../../src/domain/reservation/decider';
import type { ReservationEvent } from '../../../src/domain/reservation/events';
import { fold, given, NOW } from '../../support/given';

const until = (now: number): string => new Date(now + RESERVED_MS).toISOString();
const reserve = (holder: number, lapsed: number | null = null, organization = 1) =>
  ({ type: 'Reserve', kind: 'trigger_path', organization, holder, lapsed }) as const;
const reserved = (holder: number, now = NOW, organization = 1): ReservationEvent => ({
  type: 'ValueReserved',
  data: { kind: 'trigger_path', organization, holder, confirmed_by: until(now) },
});
const released: ReservationEvent = { type: 'ReservationReleased', data: { holder: 5 } };

test('a free value is reserved for a minute', () => {
  given(reservationDecider)
    .when(reserve(5))
    .then([reserved(5)]);
  given(reservationDecider, [reserved(5), released])
    .when(reserve(6))
    .then([reserved(6)]);
});

test('a value of another holder, or of one with the same number in another organization, is in use', () => {
  given(reservationDecider, [reserved(5)])
    .when(reserve(6))
    .thenFails('conflict');
  given(reservationDecider, [reserved(5)])
    .when(reserve(5, null, 2))
    .thenFails('conflict');
});

test('the holder renews it', () => {
  given(reservationDecider, [reserved(5)])
    .when(reserve(5), NOW + 10)
    .then([reserved(5, NOW + 10)]);
});

test('a lapsed one is taken over when its time has passed and nobody renewed it since', () => {
  const later = NOW + RESERVED_MS;
  given(reservationDecider, [reserved(5)])
    .when(reserve(6, 1), later)
    .then([reserved(6, later)]);
  given(reservationDecider, [reserved(5)])
    .when(reserve(6, 1), later - 1)
    .thenFails('conflict');
  given(reservationDecider, [reserved(5), reserved(5)])
    .when(reserve(6, 1), later)
    .thenFails('conflict');
});

test('only the reservation that was seen is released, once', () => {
  given(reservationDecider, [reserved(5)])
    .when({ type: 'Release', serial: 1 })
    .then([released]);
  given(reservationDecider, [reserved(5), reserved(5)])
    .when({ type: 'Release', serial: 1 })
    .thenNothing();
  given(reservationDecider, [reserved(5), released])
    .when({ type: 'Release', serial: 1 })
    .thenNothing();
  given(reservationDecider).when({ type: 'Release', serial: 0 }).thenNothing();
  expect(fold(reservationDecider, [reserved(5), released, reserved(6)]).serial).toBe(2);
});
