import { isLeft } from 'fp-ts/Either';
import { text } from 'node:stream/consumers';
import { campaignStream, runStream } from '../../src/core/ids';
import type { CampaignCommand } from '../../src/domain/campaign/commands';
import { campaignDecider } from '../../src/domain/campaign/decider';
import type { Campaign } from '../../src/domain/campaign/state';
import { runDecider } from '../../src/domain/run/decider';
import type { CallRef, Outcome } from '../../src/domain/run/events';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { furnish, makeCampaign, upload, type Furnished } from './furnish';
import { makeRun } from './make-run';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

const contacts = [
  ['+14155550300', 'Ann, "the first"', 'completed'],
  ['+14155550301', 'Bob', 'busy'],
  ['+14155550302', 'Eve\nMarie', 'no_answer'],
  ['+14155550303', 'Joe', 'voicemail'],
] as const;

/** A campaign that has run to its end. */
const completed = async (more: Readonly<Record<string, unknown>> = {}): Promise<number> => {
  const csv = contacts.map(([phone, name]) => `${phone},"${name.replaceAll('"', '""')}"`).join('\n');
  const source_id = await upload(client, `phone_number,name\n${csv}\n`);
  const id = await makeCampaign(client, ground, { source_id, ...more });
  await client.post(`/api/v1/campaign/${id}/start`);
  for (const [i, [phone, name, outcome]] of contacts.entries())
    await makeRun(world, {
      org: client.org,
      campaign: id,
      agent: ground.agent,
      config: ground.config,
      run: id * 100 + i,
      phone,
      variables: { name },
      outcome: outcome as Outcome,
    });
  for (const command of [
    { type: 'CompleteImport', contacts: 4, batches: 1 },
    { type: 'CompleteCampaign' },
  ] as CampaignCommand[]) {
    const done = await world.platform.execute.run(campaignDecider, campaignStream(client.org, id), command, {
      actor: 'dialer',
    });
    if (isLeft(done)) throw new Error(JSON.stringify(done.left));
  }
  await world.caughtUp();
  return id;
};

const sourceOf = async (campaign: number): Promise<string> => {
  const link = (await client.get(`/api/v1/campaign/${campaign}/source-download-url`)).body.download_url;
  return (await fetch(link)).text();
};

const listOf = async (campaign: number): Promise<string> => {
  const { state } = await world.platform.execute.load(campaignDecider, campaignStream(client.org, campaign));
  const list = await world.platform.objects.get(state.campaign?.redial?.list_key ?? '');
  return list === null ? 'none' : text(list);
};

const erase = async (campaign: number, row: number): Promise<void> => {
  const run = campaign * 100 + row;
  const stream = runStream(client.org, run);
  const attempted = (await world.platform.events.readStream(stream))[0]?.data as unknown as CallRef;
  const command = { type: 'ErasePersonalData', call: attempted, request: {} } as const;
  const done = await world.platform.execute.run(runDecider, stream, command, { actor: 'test' });
  if (isLeft(done)) throw new Error(JSON.stringify(done.left));
  await world.caughtUp();
};

describe('a redial', () => {
  it('is a new campaign of the contacts that were not reached, with split, settings and configuration', async () => {
    const split = { variants: [{ workflow_id: ground.agent, weight: 100 }] };
    const parent = await completed({
      workflow_id: null,
      traffic_split: split,
      max_concurrency: 3,
      rate_limit_per_second: 7,
    });
    const child = await client.post(`/api/v1/campaign/${parent}/redial`, { retry_on_voicemail: false });
    expect([child.status, child.body]).toMatchObject([
      200,
      {
        state: 'draft',
        name: expect.stringMatching(/ \(Redial\)$/),
        total_rows: 2,
        parent_campaign_id: parent,
        max_concurrency: 3,
        rate_limit_per_second: 7,
        telephony_configuration_id: ground.config,
        traffic_split: { revision: 1, variants: [{ workflow_id: ground.agent, weight: 100 }] },
      },
    ]);
    expect(child.body.logs[0]).toMatchObject({
      message: `Created as a redial of campaign ${parent}`,
      details: { total_rows: 2, skipped_erased: 0 },
    });
    // The source is the parent's; whom the child calls is a list of the parent's runs.
    expect(await sourceOf(child.body.id)).toBe(await sourceOf(parent));
    expect(await listOf(child.body.id)).toBe(`${parent * 100 + 1}\n${parent * 100 + 2}\n`);
    const seeds = await Promise.all(
      [parent, child.body.id].map(
        async (id) =>
          (await world.platform.execute.load(campaignDecider, campaignStream(client.org, id))).state.campaign
            ?.traffic_split?.seed,
      ),
    );
    expect(seeds[0]).toBe(seeds[1]);
    expect((await client.get(`/api/v1/campaign/${parent}`)).body.redialed_campaign_id).toBe(child.body.id);
    expect((await client.post(`/api/v1/campaign/${child.body.id}/start`)).body.state).toBe('running');
  });

  it('passes over who was erased, and says how many', async () => {
    const parent = await completed();
    await erase(parent, 1);
    const child = await client.post(`/api/v1/campaign/${parent}/redial`, {});
    expect(child.body).toMatchObject({ total_rows: 2, logs: [{ details: { skipped_erased: 1 } }] });
    expect(child.body.logs[0].message).toMatch(/; 1 erased contact is skipped$/);
    expect(await listOf(child.body.id)).toBe(`${parent * 100 + 2}\n${parent * 100 + 3}\n`);
  });

  it('of nobody but erased contacts is refused with a text that tells so', async () => {
    const parent = await completed();
    await erase(parent, 1);
    const only = { retry_on_voicemail: false, retry_on_no_answer: false };
    const refused = await client.post(`/api/v1/campaign/${parent}/redial`, only);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringMatching(/1 who would match was erased$/),
    ]);
  });

  it('of a campaign with the longest name there is has another name all the same', async () => {
    const parent = await completed({ name: 'é'.repeat(255) });
    expect((await client.post(`/api/v1/campaign/${parent}/redial`, {})).body.name).toBe(`${'é'.repeat(246)} (Redial)`);
  });

  it('happens once, whoever asks at once', async () => {
    const parent = await completed();
    const answers = await Promise.all(
      [0, 1, 2].map(() => client.post(`/api/v1/campaign/${parent}/redial`, { name: 'Again' })),
    );
    expect(answers.map((a) => a.status).sort()).toEqual([200, 400, 400]);
    const { campaigns } = (await client.get('/api/v1/campaign')).body;
    expect(campaigns.filter((c: { parent_campaign_id: number }) => c.parent_campaign_id === parent)).toHaveLength(1);
  });

  it('that ended between its two events is finished by the next one who asks', async () => {
    const parent = await completed();
    const stream = campaignStream(client.org, parent);
    const { state } = await world.platform.execute.load(campaignDecider, stream);
    const {
      status: _s,
      first_run_id: _f,
      imported: _i,
      redialed_campaign_id: _r,
      resumes: _n,
      ...data
    } = state.campaign as Campaign;
    const campaign = { ...data, campaign_id: 77_000, parent_campaign_id: parent, name: 'Orphan' };
    const command = { type: 'RedialCampaign', childId: 77_000, request: { campaign: campaign as never } } as const;
    await world.platform.execute.run(campaignDecider, stream, command, { actor: 'test' });
    expect((await client.get('/api/v1/campaign/77000')).status).toBe(404);
    expect((await client.post(`/api/v1/campaign/${parent}/redial`, {})).status).toBe(400);
    await world.caughtUp();
    expect((await client.get('/api/v1/campaign/77000')).body).toMatchObject({
      name: 'Orphan',
      parent_campaign_id: parent,
    });
  });

  it('is refused before the end, for nobody, and without a reason to redial', async () => {
    const draft = await makeCampaign(client, ground);
    expect((await client.post(`/api/v1/campaign/${draft}/redial`, {})).status).toBe(400);
    const none = { retry_on_voicemail: false, retry_on_no_answer: false, retry_on_busy: false };
    expect((await client.post(`/api/v1/campaign/${draft}/redial`, none)).body.detail[0].type).toBe('value_error');
    expect((await client.post('/api/v1/campaign/999999/redial', {})).status).toBe(404);
    expect((await client.post(`/api/v1/campaign/${draft}/redial`)).body.detail[0].type).toBe('missing');
  });
});

describe('deleting', () => {
  it('takes a campaign that is over out of sight', async () => {
    const id = await makeCampaign(client, ground);
    const path = `/api/v1/campaign/${id}`;
    await client.post(`${path}/start`);
    expect((await client.delete(path)).status).toBe(400);
    const over = await completed();
    expect((await client.delete(`/api/v1/campaign/${over}`)).status).toBe(200);
    expect((await client.get(`/api/v1/campaign/${over}`)).status).toBe(404);
  });
});

describe('campaign defaults', () => {
  it('are what a form begins with', async () => {
    await makeCampaign(client, ground, { max_concurrency: 9 });
    expect((await client.get('/api/v1/organizations/campaign-defaults')).body).toMatchObject({
      concurrent_call_limit: 100,
      from_numbers_count: 0,
      default_retry_config: { max_retries: 1, retry_on_voicemail: false },
      last_campaign_settings: { max_concurrency: 9, circuit_breaker: null },
    });
  });
});
