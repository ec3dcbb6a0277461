/** What must act at once acts on the next call, not on the next batch. */
import { recordedCalls } from '../../src/demo/carrier-record';
import { eventually } from '../support/programs';
import { makeCampaign, numbers, startWorld, type World } from '../support/world';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--by-digit', '--time-scale', '0.3']);
});
afterAll(() => world?.dispose());

const seen = async (): Promise<number> => (await recordedCalls(world.simulator.url)).length;
const underWay = (from: number): Promise<number> =>
  eventually(
    'calls are placed',
    20_000,
    async () => {
      const n = await seen();
      return n >= from ? n : null;
    },
    20,
  );

it('places no further call after the 200 of pause, and goes on after resume', async () => {
  const campaign = await makeCampaign(world.api, world.simulator.url, {
    numbers: numbers(2000, '2'),
    settings: { rate_limit_per_second: 90 },
  });
  let least = 20;
  for (let round = 0; round < 5; round += 1) {
    await underWay(least);
    await world.api.post(`/api/v1/campaign/${campaign}/pause`);
    const atPause = await seen();
    await new Promise((done) => setTimeout(done, 700));
    expect(await seen()).toBe(atPause);
    least = atPause + 15;
    await world.api.post(`/api/v1/campaign/${campaign}/resume`);
  }
  await world.api.post(`/api/v1/campaign/${campaign}/pause`);
}, 60_000);

it('places no call after a window was closed by PATCH', async () => {
  const before = await seen();
  const campaign = await makeCampaign(world.api, world.simulator.url, {
    numbers: numbers(1000, '3'),
    settings: { rate_limit_per_second: 90 },
  });
  await underWay(before + 30);
  const yesterday = (new Date().getUTCDay() + 5) % 7;
  await world.api.patch(`/api/v1/campaign/${campaign}`, {
    schedule_config: {
      enabled: true,
      timezone: 'UTC',
      slots: [{ day_of_week: yesterday, start_time: '00:00', end_time: '00:01' }],
    },
  });
  const atClose = await seen();
  await new Promise((done) => setTimeout(done, 1000));
  expect(await seen()).toBe(atClose);
  const { gates } = await world.api.get<{ gates: { gate: string; open: boolean }[] }>(
    `/api/v1/campaign/${campaign}/gates`,
  );
  expect(gates.find((g) => !g.open)?.gate).toBe('schedule');
}, 60_000);

it('uses a revised split for every attempt claimed after the 200', async () => {
  const before = await seen();
  const campaign = await makeCampaign(world.api, world.simulator.url, {
    numbers: numbers(1500, '1'),
    settings: { rate_limit_per_second: 90 },
  });
  await underWay(before + 30);
  const { workflow_id: first } = await world.api.get<{ workflow_id: number }>(`/api/v1/campaign/${campaign}`);
  const second = await world.api.post<{ id: number }>(`/api/v1/workflow/${first}/duplicate`);
  const revised = await world.api.patch<{ traffic_split: { revision: number } }>(`/api/v1/campaign/${campaign}`, {
    traffic_split: { variants: [{ workflow_id: second.id, weight: 100 }] },
  });
  expect(revised.traffic_split.revision).toBe(1);
  const attemptsOf = async (agent: number): Promise<number> => {
    const stats = await world.api.get<{ variants: { workflow_id: number; attempts: number }[] }>(
      `/api/v1/campaign/${campaign}/traffic-stats`,
    );
    return stats.variants.filter((v) => v.workflow_id === agent).reduce((n, v) => n + v.attempts, 0);
  };
  const ofFirst = await attemptsOf(first);
  await eventually('the second agent is called with', 20_000, async () =>
    (await attemptsOf(second.id)) > 50 ? true : null,
  );
  // A claim of before may still be given back; no new one is made.
  expect(await attemptsOf(first)).toBeLessThanOrEqual(ofFirst);
  await world.api.post(`/api/v1/campaign/${campaign}/pause`);
}, 60_000);
