import { runStream } from '../../src/core/ids';
import { runDecider } from '../../src/domain/run/decider';
import { answerOf, startHttp, type Client, type HttpWorld } from '../support/http';
import { furnish, makeCampaign, type Furnished } from './furnish';
import { makeRun, type MadeRun } from './make-run';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
let campaign: number;
const RUNS: readonly Partial<MadeRun>[] = [
  { outcome: 'completed', seconds: 42 },
  { outcome: 'completed', seconds: 7.5 },
  { outcome: 'busy' },
  { outcome: 'no_answer' },
  { outcome: 'voicemail', seconds: 3 },
  { outcome: null },
];
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
  campaign = await makeCampaign(client, ground);
  for (const [i, more] of RUNS.entries())
    await makeRun(world, {
      org: client.org,
      campaign,
      agent: ground.agent,
      config: ground.config,
      run: 9000 + i,
      phone: `+1415555020${i}`,
      outcome: null,
      variables: { name: `Ann "${i}", the first` },
      ...more,
    });
  await world.caughtUp();
});
afterAll(() => world.close());

const ids = async (query: string): Promise<readonly number[]> =>
  (await client.get(`/api/v1/campaign/${campaign}/runs?${query}`)).body.runs.map((r: { id: number }) => r.id);
const filter = (...filters: readonly object[]): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`;

describe('runs of a campaign', () => {
  it('are paged, newest first', async () => {
    const all = (await client.get(`/api/v1/campaign/${campaign}/runs`)).body;
    expect(all).toMatchObject({ total_count: 6, page: 1, limit: 50, total_pages: 1 });
    expect(all.runs[0].id).toBe(9005);
    const second = (await client.get(`/api/v1/campaign/${campaign}/runs?page=2&limit=4`)).body;
    expect(second).toMatchObject({ total_count: 6, page: 2, limit: 4, total_pages: 2 });
    expect(second.runs.map((r: { id: number }) => r.id)).toEqual([9001, 9000]);
    expect((await client.get(`/api/v1/campaign/${campaign}/runs?page=99`)).body.runs).toEqual([]);
    const page = await client.get(`/api/v1/campaign/${campaign}/runs?limit=1&page=999&page=1`);
    expect(page.body.page).toBe(1);
  });

  it('are sorted by time or duration, those without one last', async () => {
    expect(await ids('sort_order=asc')).toEqual([9000, 9001, 9002, 9003, 9004, 9005]);
    expect((await ids('sort_by=duration')).slice(0, 3)).toEqual([9000, 9001, 9004]);
    expect((await ids('sort_by=duration&sort_order=asc')).slice(0, 3)).toEqual([9004, 9001, 9000]);
    expect(await ids('sort_by=whatever&sort_order=whatever')).toEqual(await ids(''));
  });

  it('are filtered by every attribute, all filters together', async () => {
    const codes = (...c: string[]) => ({ attribute: 'dispositionCode', type: 'multiSelect', value: { codes: c } });
    const status = (s: string) => ({ attribute: 'status', type: 'radio', value: { status: s } });
    const range = (attribute: string, value: object) => ({ attribute, type: 'numberRange', value });
    expect(await ids(filter(codes('busy', 'no-answer')))).toEqual([9003, 9002]);
    expect(await ids(filter(codes('voicemail_detected')))).toEqual([9004]);
    expect(await ids(filter(status('in_progress')))).toEqual([9005]);
    expect(await ids(filter(status('completed'), range('duration', { min: 7.5 })))).toEqual([9001, 9000]);
    expect(await ids(filter(range('duration', { min: 3, max: 8 })))).toEqual([9004, 9001]);
    expect(await ids(filter(range('tokenUsage', { min: 1 })))).toEqual([]);
    expect(
      await ids(filter({ attribute: 'dateRange', type: 'dateRange', value: { to: '2020-01-01T00:00:00Z' } })),
    ).toEqual([]);
    const since = { attribute: 'dateRange', type: 'dateRange', value: { from: '2020-01-01T00:00:00+02:00', to: null } };
    expect(await ids(filter(since))).toHaveLength(6);
    expect(await ids('filters=[]')).toHaveLength(6);
  });

  it('have every field of the record, the contact readable', async () => {
    const [listed] = (await client.get(`/api/v1/campaign/${campaign}/runs?sort_order=asc&limit=1`)).body.runs;
    const record = (await client.get(`/api/v1/workflow/${ground.agent}/runs/9000`)).body;
    expect(record).toEqual(listed);
    expect(record).toMatchObject({
      id: 9000,
      workflow_id: ground.agent,
      mode: 'ari',
      is_completed: true,
      state: 'completed',
      call_type: 'outbound',
      usage_info: { call_duration_seconds: 42 },
      initial_context: { phone_number: '+14155550200', name: 'Ann "0", the first', campaign_id: campaign },
      gathered_context: { call_disposition: 'completed' },
      transcript_public_url: null,
      public_access_token: null,
    });
  });

  it('are those of the agent too, and counted there', async () => {
    const page = (await client.get(`/api/v1/workflow/${ground.agent}/runs?limit=2`)).body;
    expect(page).toMatchObject({ total_count: 6, total_pages: 3, applied_filters: [] });
    expect((await client.get(`/api/v1/workflow/fetch/${ground.agent}`)).body.total_runs).toBe(6);
    expect((await client.get(`/api/v1/workflow/${ground.agent}/runs/1`)).body.detail).toBe('Workflow run not found');
  });

  it('show in progress and statistics', async () => {
    expect((await client.get(`/api/v1/campaign/${campaign}/progress`)).body).toMatchObject({
      processed_rows: 6,
      failed_calls: 2,
      calls_in_flight: 1,
    });
    const stats = (await client.get(`/api/v1/campaign/${campaign}/traffic-stats`)).body;
    expect(stats).toMatchObject({
      total_attempts: 6,
      variants: [{ attempts: 6, completed: 5, actual_percentage: 100 }],
    });
  });
});

describe('a report', () => {
  it('is a CSV of the answered calls, newest first', async () => {
    for (const [path, name] of [
      [`/api/v1/campaign/${campaign}/report`, `campaign_${campaign}_report.csv`],
      [`/api/v1/workflow/${ground.agent}/report`, `workflow_${ground.agent}_report.csv`],
    ] as const) {
      const answer = await client.get(path);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
      const [head, ...rows] = answer.text.trimEnd().split('\r\n');
      expect(head).toBe(
        'Run ID,Campaign ID,Agent ID,Agent Definition ID,Created At,Phone Number,Call Disposition,Call Duration (s),Call Tags,Transcript URL,Recording URL',
      );
      expect(rows.map((row) => row.split(',')[0])).toEqual(['9004', '9001', '9000']);
      expect(rows[1]).toContain(',+14155550201,completed,7.5,');
    }
  });

  it('covers a period', async () => {
    const rows = async (query: string) =>
      (await client.get(`/api/v1/campaign/${campaign}/report?${query}`)).text.trimEnd().split('\r\n').length - 1;
    expect(await rows('end_date=2020-01-01')).toBe(0);
    expect(await rows('start_date=2020-01-01T00:00:00Z')).toBe(3);
    const wrong = await client.get(`/api/v1/campaign/${campaign}/report?start_date=soon&end_date=later`);
    expect([wrong.status, wrong.body.detail.length]).toEqual([422, 2]);
  });
});

describe('artifacts of a run', () => {
  it('have public links with a right of their own', async () => {
    const { platform } = world;
    await platform.objects.put('transcripts/9000.txt', Buffer.from('Hello?'), 'text/plain');
    const stream = runStream(client.org, 9000);
    const [attempted] = await platform.events.readStream(stream);
    const call = attempted?.data as never;
    await platform.execute.run(
      runDecider,
      stream,
      { type: 'StoreTranscript', call, key: 'transcripts/9000.txt' },
      { actor: 'dialer' },
    );
    await world.caughtUp();
    const record = (await client.get(`/api/v1/workflow/${ground.agent}/runs/9000`)).body;
    expect(record).toMatchObject({ transcript_url: 'transcripts/9000.txt', recording_public_url: null });
    const path = new URL(record.transcript_public_url).pathname;
    const got = await fetch(`${world.url}${path}`);
    expect([got.status, await got.text()]).toEqual([200, 'Hello?']);
    expect((await answerOf(await fetch(`${world.url}${path.replace('transcript', 'recording')}`))).status).toBe(404);
    expect((await answerOf(await fetch(`${world.url}${path.replace(/transcript$/, 'soul')}`))).status).toBe(400);
    const forged = path.replace(record.public_access_token, `${record.public_access_token.slice(0, -4)}AAAA`);
    expect((await answerOf(await fetch(`${world.url}${forged}`))).body).toEqual({ detail: 'Invalid or expired token' });

    const signed = await client.get('/api/v1/s3/signed-url?key=transcripts/9000.txt&expires_in=60');
    expect(await (await fetch(signed.body.url)).text()).toBe('Hello?');
    const stranger = await world.client();
    expect((await stranger.get('/api/v1/s3/signed-url?key=transcripts/9000.txt')).status).toBe(403);
    expect((await stranger.get(`/api/v1/s3/signed-url?key=${ground.source}`)).status).toBe(403);
    expect((await client.get('/api/v1/s3/signed-url?key=../../etc/passwd')).status).toBe(400);
    const metadata = await client.get(`/api/v1/s3/file-metadata?key=${ground.source}`);
    expect(metadata.body).toMatchObject({ key: ground.source, metadata: { content_type: 'text/csv' } });
  });

  it('include the contact list of the campaign', async () => {
    const link = (await client.get(`/api/v1/campaign/${campaign}/source-download-url`)).body;
    expect(link.expires_in).toBe(3600);
    const got = await fetch(link.download_url);
    expect(got.headers.get('content-disposition')).toContain('contacts.csv');
    expect(await got.text()).toMatch(/^phone_number,name\n/);
  });
});
