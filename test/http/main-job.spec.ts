import { answerOf, startHttp, type Client, type HttpWorld } from '../support/http';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

const definition = (prompt = 'Greet {{name}}.') => ({
  nodes: [
    { id: 's', type: 'startCall', position: { x: 0, y: 0 }, data: { name: 'Start', prompt } },
    { id: 'e', type: 'endCall', position: { x: 0, y: 100 }, data: { name: 'End', prompt: 'Say goodbye.' } },
  ],
  edges: [{ id: 'se', source: 's', target: 'e', data: { label: 'done', condition: 'all is said' } }],
});

describe('the main job', () => {
  it('goes from configuration to a started campaign', async () => {
    const config = await client.post('/api/v1/organizations/telephony-configs', {
      name: 'PBX',
      is_default_outbound: true,
      config: { provider: 'ari', ari_endpoint: 'http://localhost:8088', app_name: 'a', app_password: 'secret-1234' },
    });
    expect([config.status, config.body]).toEqual([200, expect.objectContaining({ name: 'PBX', provider: 'ari' })]);
    expect(config.text).not.toContain('secret-1234');
    expect((await client.get(`/api/v1/organizations/telephony-configs/${config.body.id}`)).body).toEqual(config.body);

    const agent = await client.post('/api/v1/workflow/create/definition', {
      name: 'Reminder',
      workflow_definition: definition(),
    });
    expect([agent.status, agent.body.version_status]).toEqual([200, 'published']);
    const second = await client.post('/api/v1/workflow/create/definition', {
      name: 'Other',
      workflow_definition: definition('Hello.'),
    });

    const upload = await client.post('/api/v1/s3/presigned-upload-url', { file_name: 'c.csv', file_size: 100 });
    expect(Object.keys(upload.body).sort()).toEqual(['expires_in', 'file_key', 'upload_url']);
    const put = await answerOf(
      await fetch(upload.body.upload_url, {
        method: 'PUT',
        headers: { 'Content-Type': 'text/csv' },
        body: 'phone_number,name\n+14155550100,Ann\n+14155550101,Bob\n',
      }),
    );
    expect([put.status, put.body]).toEqual([200, { key: upload.body.file_key }]);

    const campaign = await client.post('/api/v1/campaign/create', {
      name: 'First',
      source_type: 'csv',
      source_id: upload.body.file_key,
      traffic_split: {
        variants: [
          { workflow_id: agent.body.id, weight: 60 },
          { workflow_id: second.body.id, weight: 40 },
        ],
      },
    });
    expect([campaign.status, campaign.body]).toEqual([200, expect.objectContaining({ state: 'draft', total_rows: 2 })]);
    const path = `/api/v1/campaign/${campaign.body.id}`;
    expect((await client.get(path)).body).toEqual(campaign.body);

    const started = await client.post(`${path}/start`);
    expect([started.status, started.body.state]).toEqual([200, 'running']);
    const revised = await client.patch(path, {
      traffic_split: {
        variants: [
          { workflow_id: agent.body.id, weight: 30 },
          { workflow_id: second.body.id, weight: 70 },
        ],
      },
    });
    expect([revised.status, revised.body.traffic_split?.revision]).toEqual([200, 2]);
    expect((await client.post(`${path}/pause`)).body.state).toBe('paused');
    expect((await client.post(`${path}/resume`)).body.state).toBe('running');
    expect((await client.get(`${path}/progress`)).body).toMatchObject({ state: 'running', total_rows: 2 });
    expect((await client.get(`${path}/traffic-stats`)).body.variants).toHaveLength(2);
    expect((await client.get(`${path}/runs`)).body).toMatchObject({ runs: [], total_count: 0, page: 1, limit: 50 });
  });
});
