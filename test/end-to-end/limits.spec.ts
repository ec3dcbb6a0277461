/** Limits as the carrier sees them: the simulator's own record is the judge. */
import { recordedCalls } from '../../src/demo/carrier-record';
import { densest, mostAtOnce, SECOND } from '../support/carrier-load';
import { eventually, runCli } from '../support/programs';
import { makeCampaign, numbers, startWorld, type World } from '../support/world';

let world: World;
beforeEach(async () => {
  world = await startWorld(['--by-digit', '--time-scale', '0.2']);
});
afterEach(() => world?.dispose());

const completed = (campaign: number): Promise<string> =>
  eventually('the campaign completes', 60_000, async () => {
    const { state } = await world.api.get<{ state: string }>(`/api/v1/campaign/${campaign}/progress`);
    return state === 'completed' ? state : null;
  });

it.each([
  { rate: 20, contacts: 80 },
  { rate: 200, contacts: 900 },
])(
  'places at most $rate calls in any second',
  async ({ rate, contacts }) => {
    const raised = await runCli([
      'org',
      'limits',
      '--org',
      '1',
      '--calls-per-second',
      '400',
      '--concurrent-calls',
      '400',
      '--data-dir',
      world.folder,
    ]);
    expect(raised).toMatchObject({ code: 0 });
    const campaign = await makeCampaign(world.api, world.simulator.url, {
      numbers: numbers(contacts, '0'),
      settings: { rate_limit_per_second: rate },
    });
    await completed(campaign);
    const calls = await recordedCalls(world.simulator.url);
    expect(calls).toHaveLength(contacts);
    expect(densest(calls, SECOND)).toBeLessThanOrEqual(rate);
  },
  90_000,
);

it('never holds more calls than the campaign may', async () => {
  const campaign = await makeCampaign(world.api, world.simulator.url, {
    numbers: numbers(120, '1'),
    settings: { rate_limit_per_second: 100, max_concurrency: 15 },
  });
  await completed(campaign);
  const calls = await recordedCalls(world.simulator.url);
  expect(calls).toHaveLength(120);
  expect(mostAtOnce(calls)).toBeLessThanOrEqual(15);
}, 90_000);
