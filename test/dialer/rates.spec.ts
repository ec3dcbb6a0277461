/** The rates of an organization: what is worth claiming. */
import { virtualClock } from '../../src/adapters/embedded/clock';
import { settingsOf } from '../../src/dialer/options';
import { organizationRates } from '../../src/dialer/rates';

const { rate, horizonMs } = settingsOf({} as never);

it('never lets more claims wait than a slow ledger writes before they are too old, however high the rate', async () => {
  const clock = virtualClock(0);
  const rates = organizationRates(clock, rate, horizonMs);
  rates.setRate(null, 20_000);
  rates.setRate(1, 20_000);
  await clock.advance(10_000);
  expect(rates.room(1)).toEqual({ room: 128, waitMs: 0 });
  for (let i = 0; i < 128; i++) rates.waits(1);
  expect(rates.room(1).room).toBe(0);
  for (let i = 0; i < 65; i++) rates.waitsNoLonger(1);
  expect(rates.room(1)).toEqual({ room: 65, waitMs: 0 });
});

it('claims what a low rate lets go within the horizon', async () => {
  const clock = virtualClock(0);
  const rates = organizationRates(clock, rate, horizonMs);
  rates.setRate(null, 100);
  rates.setRate(1, 20);
  await clock.advance(10_000);
  const { room } = rates.room(1);
  expect(room).toBeGreaterThan(0);
  expect(room).toBeLessThanOrEqual(20);
});
