/** A test call from end to end: over HTTP, through the simulator, and through a kill -9 right after it was asked for. */
import { recordedCalls } from '../../src/demo/carrier-record';
import { eventually, runCli } from '../support/programs';
import { makeCampaign, startWorld, type World } from '../support/world';

interface Run {
  readonly id: number;
  readonly is_completed: boolean;
  readonly gathered_context: { readonly call_disposition?: string };
}

let world: World;
beforeAll(async () => {
  world = await startWorld(['--by-digit', '--time-scale', '0.05'], { UNCERTAIN_LIMIT_SECONDS: '2' });
});
afterAll(() => world?.dispose());

const KILLS = 3;

it('is made at once and ends with its outcome; killed, it is made at most once and ends all the same', async () => {
  // A campaign that is never started: its configuration and agent are what is needed.
  const made = await makeCampaign(world.api, world.simulator.url, { numbers: ['+15550000001'], start: false });
  const { workflow_id, telephony_configuration_id } = await world.api.get<{
    workflow_id: number;
    telephony_configuration_id: number;
  }>(`/api/v1/campaign/${made}`);
  const ask = async (phone_number: string): Promise<number> =>
    (
      await world.api.post<{ workflow_run_id: number }>('/api/v1/telephony/initiate-call', {
        workflow_id,
        phone_number,
        telephony_configuration_id,
      })
    ).workflow_run_id;
  const over = (run: number): Promise<Run> =>
    eventually(`run ${run} is over`, 30_000, async () => {
      const now = await world.api.get<Run>(`/api/v1/workflow/${workflow_id}/runs/${run}`);
      return now.is_completed ? now : null;
    });

  const [answered, busy] = [await ask('+15551000002'), await ask('+15551000005')];
  expect((await over(answered)).gathered_context.call_disposition).toBe('completed');
  expect((await over(busy)).gathered_context.call_disposition).toBe('busy');

  const killed: number[] = [];
  for (let i = 0; i < KILLS; i++) {
    killed.push(await ask(`+1555200000${i}`));
    await new Promise((done) => setTimeout(done, i * 15));
    await world.platform.kill('SIGKILL');
    await world.restart();
  }
  for (const run of killed) await over(run);

  const seen = await recordedCalls(world.simulator.url);
  const calls = (run: number): number => seen.filter((call) => call.runId === run).length;
  expect([calls(answered), calls(busy)]).toEqual([1, 1]);
  for (const run of killed) expect(calls(run)).toBeLessThanOrEqual(1);
  const { runs } = await world.api.get<{ runs: readonly Run[] }>(`/api/v1/workflow/${workflow_id}/runs`);
  expect(runs.map((r) => r.id).sort()).toEqual([answered, busy, ...killed].sort());

  await world.platform.kill('SIGTERM');
  const verified = await runCli(['verify', '--data-dir', world.folder]);
  expect(verified.output).toContain('read models equal a fresh fold');
  expect(verified.code).toBe(0);
}, 120_000);
