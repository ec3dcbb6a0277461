import { startHttp, type Client, type HttpWorld } from '../support/http';
import { furnish, upload } from './furnish';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

const AT = '/api/v1/workflow-recordings';

/** Asks for a URL, PUTs the audio, keeps it. */
const record = async (by: Client, filename = 'hello.wav', body = 'RIFF') => {
  const files = [{ filename, mime_type: 'audio/wav', file_size: 4 }];
  const [item] = (await by.post(`${AT}/upload-url`, { files })).body.items;
  const put = await fetch(item.upload_url, { method: 'PUT', headers: { 'Content-Type': 'audio/wav' }, body });
  expect(put.status).toBe(200);
  const { upload_url: _url, ...kept } = item;
  return by.post(AT, { recordings: [{ ...kept, transcript: 'Hello!' }] });
};

describe('a greeting recording', () => {
  it('is uploaded, kept, listed, renamed and removed', async () => {
    const made = await record(client);
    const [recording] = made.body.recordings;
    expect([made.status, recording]).toEqual([
      200,
      expect.objectContaining({ organization_id: client.org, transcript: 'Hello!', is_active: true }),
    ]);
    expect((await client.get(`${AT}/`)).body).toEqual({ recordings: [recording], total: 1 });
    const renamed = await client.patch(`${AT}/${recording.id}`, { recording_id: 'spring' });
    expect(renamed.body).toEqual({ ...recording, recording_id: 'spring' });
    expect((await client.patch(`${AT}/spring`, { transcript: 'Hi!' })).body.transcript).toBe('Hi!');
    expect((await client.delete(`${AT}/spring`)).status).toBe(200);
    expect((await client.get(AT)).body).toEqual({ recordings: [], total: 0 });
    expect((await client.delete(`${AT}/spring`)).status).toBe(404);
  });

  it('is refused without its audio, under another key, twice, and of another organization', async () => {
    const stranger = await world.client();
    const [foreign] = (await record(stranger)).body.recordings;
    const files = [{ filename: 'x.wav', file_size: 4 }];
    const [item] = (await client.post(`${AT}/upload-url`, { files })).body.items;
    const before = await world.head();
    const keep = (recording_id: string, storage_key: string) =>
      client.post(AT, { recordings: [{ recording_id, storage_key, transcript: '' }] });
    expect((await keep(item.recording_id, item.storage_key)).status).toBe(400);
    expect((await keep('other', item.storage_key)).status).toBe(400);
    expect((await keep(foreign.recording_id, foreign.storage_key)).status).toBe(400);
    expect((await client.patch(`${AT}/${foreign.id}`, { transcript: 'mine' })).status).toBe(404);
    expect((await client.delete(`${AT}/${foreign.recording_id}`)).status).toBe(404);
    expect(await world.head()).toBe(before);
    const [own] = (await record(client)).body.recordings;
    expect((await keep(own.recording_id, own.storage_key)).status).toBe(409);
  });

  it('is read by its id, and changed only in the state that was seen', async () => {
    const [{ id }, other] = [(await record(client)).body.recordings[0], (await record(client)).body.recordings[0]];
    const seen = (await client.get(`${AT}/${id}`)).headers.get('etag') as string;
    await client.patch(`${AT}/${other.id}`, { transcript: 'Another one' });
    const changed = await client.patch(`${AT}/${id}`, { transcript: 'Hi!' }, { 'If-Match': seen });
    expect([changed.status, changed.body.transcript]).toEqual([200, 'Hi!']);
    expect(changed.headers.get('etag')).not.toBe(seen);
    expect((await client.patch(`${AT}/${id}`, { transcript: 'Hey!' }, { 'If-Match': seen })).status).toBe(412);
    expect((await client.patch(`${AT}/999999`, {}, { 'If-Match': seen })).status).toBe(404);
    expect((await client.request('DELETE', `${AT}/${id}`, undefined, { 'If-Match': seen })).status).toBe(412);
    expect((await client.get(`${AT}/${id}`)).body).toEqual(changed.body);
    expect((await client.get(`${AT}/999999`)).status).toBe(404);
  });

  it('keeps its id in paths, whatever another one is called', async () => {
    const [first] = (await record(client)).body.recordings;
    const [second] = (await record(client)).body.recordings;
    expect((await client.patch(`${AT}/${second.id}`, { recording_id: String(first.id) })).status).toBe(200);
    expect((await client.get(`${AT}/${first.id}`)).body).toEqual(first);
    expect((await client.get(`${AT}/0x${first.id.toString(16)}`)).status).toBe(404);
  });

  it('of no audio, or of more than 5 MiB, is not kept', async () => {
    for (const body of ['', 'x'.repeat(5_242_881)])
      expect(await record(client, 'wrong.wav', body)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(`has ${body.length} bytes`) },
      });
  });

  it('may be what a browser records', async () => {
    const files = [{ filename: 'hello.webm', mime_type: 'audio/webm;codecs=opus', file_size: 4 }];
    const [item] = (await client.post(`${AT}/upload-url`, { files })).body.items;
    const headers = { 'Content-Type': 'audio/webm;codecs=opus' };
    expect((await fetch(item.upload_url, { method: 'PUT', headers, body: 'webm' })).status).toBe(200);
  });

  it('of a wrong kind or size is 422', async () => {
    const wrong = await client.post(`${AT}/upload-url`, {
      files: [{ filename: '', mime_type: 'text/plain', file_size: 5_242_881 }],
    });
    expect(wrong.body.detail.map((f: { loc: unknown[]; type: string }) => `${f.loc.join('.')}: ${f.type}`)).toEqual([
      'body.files.0.filename: string_too_short',
      'body.files.0.mime_type: string_pattern_mismatch',
      'body.files.0.file_size: less_than_equal',
    ]);
    expect((await client.post(`${AT}/upload-url`, { files: [] })).body.detail[0].type).toBe('too_short');
  });

  it('can be named by a contact list of its own organization only', async () => {
    const [recording] = (await record(client)).body.recordings;
    const ground = await furnish(client);
    const create = async (id: string) =>
      client.post('/api/v1/campaign/create', {
        ...ground.campaign,
        source_id: await upload(
          client,
          `phone_number,name,greeting_override_type,greeting_override_recording_id\n+14155550100,Ann,audio,${id}\n`,
        ),
      });
    expect((await create(recording.recording_id)).status).toBe(200);
    const unknown = await create('nobody');
    expect([unknown.status, unknown.body.errors]).toEqual([
      400,
      [{ row: 2, column: 'greeting_override_recording_id', message: 'There is no recording of this id' }],
    ]);
  });
});
