import { left, right } from 'fp-ts/Either';
import { agentDecider } from '../../src/domain/agent/decider';
import type { LanguageModel } from '../../src/ports/language-model';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { definition, makeAgent } from './furnish';

let model: LanguageModel['compose'] = async () => left('no model');
let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp({ languageModel: { compose: (...asked) => model(...asked) } });
  client = await world.client();
});
afterAll(() => world.close());

const create = (workflow_definition: unknown, name = 'Agent') =>
  client.post('/api/v1/workflow/create/definition', { name, workflow_definition });

describe('an agent', () => {
  it('is created with version 1 published and shows every field', async () => {
    const { status, body } = await create(definition('Call {{name}}.'), 'Reminder');
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(Number),
        name: 'Reminder',
        status: 'active',
        created_at: expect.any(String),
        workflow_definition: definition('Call {{name}}.'),
        current_definition_id: expect.any(Number),
        template_context_variables: {},
        call_disposition_codes: { disposition_codes: [] },
        total_runs: 0,
        workflow_configurations: {},
        version_number: 1,
        version_status: 'published',
        workflow_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect((await client.get(`/api/v1/workflow/fetch/${body.id}`)).body).toEqual(body);
  });

  it('is counted, listed and summarized by status', async () => {
    const before = (await client.get('/api/v1/workflow/count')).body;
    const [a, b] = [await makeAgent(client), await makeAgent(client)];
    expect((await client.put(`/api/v1/workflow/${a}/status`, { status: 'archived' })).body.status).toBe('archived');
    expect((await client.get('/api/v1/workflow/count')).body).toEqual({
      total: before.total + 2,
      active: before.active + 1,
      archived: before.archived + 1,
    });
    const ids = async (path: string) => (await client.get(path)).body.map((w: { id: number }) => w.id);
    expect(await ids('/api/v1/workflow/fetch?status=archived')).toEqual([a]);
    expect(await ids('/api/v1/workflow/fetch?status=active')).toContain(b);
    expect(await ids('/api/v1/workflow/fetch')).toEqual(expect.arrayContaining([a, b]));
    expect(await ids('/api/v1/workflow/summary?status=active,archived')).toEqual(expect.arrayContaining([a, b]));
    expect((await client.delete(`/api/v1/workflow/${b}`)).body.status).toBe('archived');
    expect((await client.put(`/api/v1/workflow/${b}/status`, { status: 'active' })).body.status).toBe('active');
  });

  it('is written by the language model, repaired once, and 502 when the model fails', async () => {
    const at = '/api/v1/workflow/create/template';
    const body = { use_case: 'Reminder', activity_description: 'Remind people.' };
    model = async (request) => {
      expect(request).toEqual({ callType: 'outbound', useCase: 'Reminder', activityDescription: 'Remind people.' });
      return right({ name: 'Written', definition: definition('Hello.'), generatedBy: 'a-model' });
    };
    const written = await client.post(at, body);
    expect(written.body).toMatchObject({ name: 'Written', workflow_configurations: { generated_by: 'a-model' } });
    model = async (_request, repair) =>
      right({ name: 'Mended', definition: repair === undefined ? { nodes: [] } : definition('Hi.'), generatedBy: 'm' });
    expect((await client.post(at, { ...body, call_type: 'inbound' })).body.name).toBe('Mended');
    const before = await world.head();
    model = async () => right({ name: 'Bad', definition: { nodes: 5 }, generatedBy: 'm' });
    expect((await client.post(at, body)).status).toBe(502);
    model = async () => left('the model is out of tokens');
    expect(await client.post(at, body)).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('out of tokens') },
    });
    model = async () => Promise.reject(new Error('ECONNREFUSED'));
    expect((await client.post(at, body)).status).toBe(502);
    expect((await client.post(at, { ...body, call_type: 'sideways' })).status).toBe(422);
    expect(await world.head()).toBe(before);
  });

  it('is copied with its draft', async () => {
    const id = await makeAgent(client, 'One.');
    await client.put(`/api/v1/workflow/${id}`, { workflow_definition: definition('Two.') });
    const copy = await client.post(`/api/v1/workflow/${id}/duplicate`);
    expect(copy.body).toMatchObject({
      version_number: 2,
      version_status: 'draft',
      name: expect.stringMatching(/ - Duplicate$/),
    });
    expect(copy.body.id).not.toBe(id);
  });

  it('gets a path for each trigger without one, and no path of another agent', async () => {
    const withTrigger = (trigger_path: string) => ({
      ...definition('Hi.'),
      nodes: [
        ...definition('Hi.').nodes,
        { id: 't', type: 'trigger', position: { x: 0, y: 0 }, data: { name: 'API', enabled: true, trigger_path } },
      ],
    });
    const made = await create(withTrigger(''));
    const path = made.body.workflow_definition.nodes[2].data.trigger_path;
    expect(path).toMatch(/^[0-9a-f-]{36}$/);
    const before = await world.head();
    const clash = await create(withTrigger(path));
    expect([clash.status, clash.body.detail.is_valid]).toEqual([409, false]);
    expect(await world.head()).toBe(before);
    expect(
      (await client.put(`/api/v1/workflow/${made.body.id}`, { workflow_definition: withTrigger(path) })).status,
    ).toBe(200);
  });

  it('never shows a secret of its nodes, and keeps one whose mask is sent back', async () => {
    const withSecret = (qa_api_key: string) => ({
      ...definition('Hi.'),
      nodes: [
        ...definition('Hi.').nodes,
        {
          id: 'q',
          type: 'qa',
          position: { x: 0, y: 0 },
          data: { name: 'QA', qa_use_workflow_llm: false, qa_provider: 'openai', qa_api_key },
        },
      ],
    });
    const made = await create(withSecret('sk-very-secret'));
    expect(made.status).toBe(200);
    expect(made.text).not.toContain('very');
    const masked = made.body.workflow_definition;
    expect(masked.nodes[2].data.qa_api_key).toBe('**********cret');
    const path = `/api/v1/workflow/${made.body.id}`;
    const saved = await client.put(path, { workflow_definition: masked, name: 'Same secret' });
    expect(saved.body.workflow_definition.nodes[2].data.qa_api_key).toBe('**********cret');
    const { state } = await world.platform.execute.load(agentDecider, `agent-${client.org}_${made.body.id}`);
    expect(JSON.stringify(state)).not.toContain('very');
    const ledger = await world.platform.events.readStream(`agent-${client.org}_${made.body.id}`);
    expect(JSON.stringify(ledger)).not.toContain('sk-very');
  });
});

describe('versions', () => {
  it('go from draft to published to archived', async () => {
    const id = await makeAgent(client, 'One.');
    const path = `/api/v1/workflow/${id}`;
    expect((await client.post(`${path}/publish`)).body.detail).toMatch(/no draft|No draft/);
    const saved = await client.put(path, {
      name: 'Renamed',
      workflow_definition: definition('Two.'),
      workflow_configurations: {
        max_call_duration: 60,
        call_dispositions: [{ code: 'sold', description: 'It was sold' }],
      },
      template_context_variables: { city: 'Paris' },
    });
    expect(saved.body).toMatchObject({
      name: 'Renamed',
      version_number: 2,
      version_status: 'draft',
      call_disposition_codes: { disposition_codes: ['sold'] },
      template_context_variables: { city: 'Paris' },
    });
    expect(saved.body.current_definition_id).not.toBeNull();
    const draft = (await client.post(`${path}/create-draft`)).body;
    expect(draft).toMatchObject({ version_number: 2, status: 'draft' });
    expect((await client.post(`${path}/validate`)).body).toEqual({ is_valid: true, errors: [] });
    const published = await client.post(`${path}/publish`, { version_name: 'Second' });
    expect(published.body).toEqual({
      id: draft.id,
      version_number: 2,
      status: 'published',
      published_at: expect.any(String),
    });
    const versions = (await client.get(`${path}/versions`)).body;
    expect(versions.map((v: { version_number: number; status: string }) => [v.version_number, v.status])).toEqual([
      [2, 'published'],
      [1, 'archived'],
    ]);
    expect(versions[0]).toMatchObject({ version_name: 'Second', workflow_configurations: { max_call_duration: 60 } });
    expect((await client.get(`${path}/versions?limit=1&offset=1`)).body).toEqual([versions[1]]);
    expect((await client.get(`${path}/versions?status=archived&version_number=1`)).body).toEqual([versions[1]]);
    expect((await client.get(`${path}/versions?limit=0&status=x`)).body.detail).toHaveLength(2);
    expect((await client.get(`${path}/version-summaries`)).body).toHaveLength(2);
    const metadata = `${path}/versions/${draft.id}/metadata`;
    const described = await client.patch(metadata, { version_name: null, change_description: 'Because' });
    expect(described.body).toEqual({ id: draft.id, version_name: null, change_description: 'Because' });
    expect((await client.patch(metadata, { version: 'x' })).body.detail[0].type).toBe('extra_forbidden');
    expect((await client.patch(`${path}/versions/999999/metadata`, {})).status).toBe(404);
  });

  it('that are unfinished can be saved and not published', async () => {
    const id = await makeAgent(client, 'One.');
    const path = `/api/v1/workflow/${id}`;
    expect((await client.put(path, { workflow_definition: { nodes: [], edges: [] } })).status).toBe(200);
    for (const action of ['validate', 'publish']) {
      const answer = await client.post(`${path}/${action}`);
      expect([answer.status, answer.body.detail.is_valid]).toEqual([422, false]);
    }
    expect((await client.get(`${path}/version-summaries`)).body).toHaveLength(1);
  });
});

describe('node types', () => {
  it('are a catalogue', async () => {
    const { body } = await client.get('/api/v1/node-types');
    expect(body.spec_version).toBe('1.0.0');
    expect(body.node_types.map((t: { name: string }) => t.name)).toEqual([
      'agentNode',
      'endCall',
      'globalNode',
      'noveum',
      'paygent',
      'qa',
      'startCall',
      'trigger',
      'tuner',
      'webhook',
    ]);
    expect((await client.get('/api/v1/node-types/startCall')).body.display_name).toBe('Start Call');
    expect(await client.get('/api/v1/node-types/zzz')).toMatchObject({
      status: 404,
      body: { detail: "Unknown node type: 'zzz'" },
    });
  });
});
