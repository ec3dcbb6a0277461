/** A redial from end to end, its process killed at its start: exactly those who were not reached are called again, once each. */
import { recordedCalls } from '../../src/demo/carrier-record';
import { judge } from '../../src/demo/judge';
import type { TrafficStats } from '../../src/demo/campaign';
import { eventually, runCli } from '../support/programs';
import { runsOfLedger } from '../support/witnesses';
import { makeCampaign, numbers, startWorld, type World } from '../support/world';

/** Endings that the simulator's phones give a meaning to: completed, busy, no answer, and a number that is none. */
const ENDINGS = { completed: '2', busy: '5', noAnswer: '6', failed: '9' } as const;
const EACH = 10;

interface Campaign {
  readonly id: number;
  readonly state: string;
  readonly total_rows: number;
  readonly processed_rows: number;
  readonly executed_count: number;
  readonly parent_campaign_id: number | null;
  readonly redialed_campaign_id: number | null;
}
interface RunList {
  readonly total_count: number;
  readonly runs: readonly {
    readonly initial_context: { readonly phone_number: string };
    readonly gathered_context: { readonly call_disposition: string };
  }[];
}

let world: World;
beforeAll(async () => {
  world = await startWorld(['--by-digit', '--time-scale', '0.05'], { RING_SECONDS: '5' });
});
afterAll(() => world?.dispose());

const campaign = (id: number): Promise<Campaign> => world.api.get(`/api/v1/campaign/${id}`);
const runsOf = (id: number): Promise<RunList> => world.api.get(`/api/v1/campaign/${id}/runs?limit=100`);
const numbersBy = (list: RunList, ...dispositions: readonly string[]): readonly string[] =>
  list.runs
    .filter((r) => dispositions.includes(r.gathered_context.call_disposition))
    .map((r) => r.initial_context.phone_number)
    .sort();
const completed = (id: number): Promise<Campaign> =>
  eventually(`campaign ${id} is completed`, 60_000, async () => {
    const now = await campaign(id);
    return now.state === 'completed' ? now : null;
  });

it('calls exactly the contacts that were busy or did not answer, once each, through a kill -9', async () => {
  const contacts = Object.values(ENDINGS).flatMap((ending) => numbers(EACH, ending));
  const parent = await makeCampaign(world.api, world.simulator.url, {
    numbers: contacts,
    settings: { rate_limit_per_second: 90, retry_config: { enabled: false } },
  });
  await completed(parent);
  const first = await runsOf(parent);
  const missed = numbersBy(first, 'busy', 'no-answer');
  expect(first.total_count).toBe(contacts.length);
  expect(missed).toEqual([...numbers(EACH, ENDINGS.busy), ...numbers(EACH, ENDINGS.noAnswer)].sort());

  const redials = await Promise.allSettled(
    [0, 1].map(() => world.api.post<Campaign>(`/api/v1/campaign/${parent}/redial`, {})),
  );
  const [child, none] = redials.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
  if (child === undefined) throw new Error(JSON.stringify(redials));
  expect(none).toBeUndefined();
  expect(child).toMatchObject({ state: 'draft', total_rows: missed.length, parent_campaign_id: parent });
  expect((await campaign(parent)).redialed_campaign_id).toBe(child.id);

  await world.api.post(`/api/v1/campaign/${child.id}/start`);
  await world.platform.kill('SIGKILL');
  await world.restart();
  expect(await completed(child.id)).toMatchObject({ total_rows: missed.length, processed_rows: missed.length });
  const again = await runsOf(child.id);
  expect(again.runs.map((r) => r.initial_context.phone_number).sort()).toEqual(missed);
  const stats = await world.api.get<TrafficStats>(`/api/v1/campaign/${child.id}/traffic-stats`);
  expect(await world.api.get(`/api/v1/campaign/${child.id}/progress`)).toMatchObject({
    state: 'completed',
    total_rows: missed.length,
    processed_rows: missed.length,
    progress_percentage: 100,
    source_sync: { status: 'completed' },
  });

  await world.platform.kill('SIGTERM');
  const ledger = await runsOfLedger(world.folder, child.id);
  const ids = new Set(ledger.map((r) => r.runId));
  const seen = (await recordedCalls(world.simulator.url)).filter((call) => ids.has(call.runId));
  expect(judge(missed.length, ledger, seen, stats)).toEqual([]);
  const verified = await runCli(['verify', '--data-dir', world.folder]);
  expect(verified.output).toContain('read models equal a fresh fold');
  expect(verified.code).toBe(0);
}, 120_000);
