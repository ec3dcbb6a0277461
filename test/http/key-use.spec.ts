import { systemClock } from '../../src/adapters/embedded/clock';
import { startHttp, type Client, type HttpWorld } from '../support/http';

const KEYS = '/api/v1/user/api-keys';
/** How far the platform's clock is ahead of the real one, ms. */
let ahead = 0;
const real = systemClock();
const clock = {
  now: () => real.now() + ahead,
  monotonic: () => real.monotonic(),
  after: (ms: number, run: () => void) => real.after(ms, run),
};

let world: HttpWorld;
let keeper: Client;
beforeAll(async () => {
  world = await startHttp({}, { clock });
  keeper = await world.client();
});
afterAll(() => world.close());

/** The key's last use as the list shows it, once it is another one than `before`; it is written behind the answer. */
const lastUse = async (id: number, before: string | null): Promise<string | null> => {
  const until = performance.now() + 5000;
  for (;;) {
    const shown = (await keeper.get(KEYS)).body.find((k: { id: number }) => k.id === id).last_used_at as string | null;
    if (shown !== before || performance.now() > until) return shown;
  }
};

it('last_used_at is null before the first use, then the time of the last one, to the minute', async () => {
  const { id, api_key } = (await keeper.post(KEYS, { name: 'used' })).body;
  const user = world.clientWith(api_key);
  expect((await keeper.get(KEYS)).body.find((k: { id: number }) => k.id === id).last_used_at).toBeNull();

  const head = await world.head();
  await user.get(KEYS);
  const first = await lastUse(id, null);
  expect(Math.abs(Date.parse(first ?? '') - clock.now())).toBeLessThan(10_000);

  expect((await user.get(KEYS)).body.find((k: { id: number }) => k.id === id).last_used_at).toBe(first);

  ahead += 61_000;
  await user.get(KEYS);
  const second = await lastUse(id, first);
  expect(Date.parse(second ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(61_000);

  // A wrong key is nobody’s use, and no use is in the ledger.
  ahead += 61_000;
  await world.clientWith(`${api_key}x`).get(KEYS);
  await keeper.get(KEYS);
  expect((await keeper.get(KEYS)).body.find((k: { id: number }) => k.id === id).last_used_at).toBe(second);
  expect(await world.head()).toBe(head);
});

it('a key’s use shows in the very answer that it got', async () => {
  const { id, api_key } = (await keeper.post(KEYS, { name: 'shows itself' })).body;
  const shown = (await world.clientWith(api_key).get(KEYS)).body.find((k: { id: number }) => k.id === id);
  expect(shown.last_used_at).toEqual(expect.any(String));
});
