import { startHttp, type Client, type HttpWorld } from '../support/http';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

const KEYS = '/api/v1/user/api-keys';
const withHeaders = (headers: Record<string, string>) => fetch(`${world.url}${KEYS}`, { headers });

describe('a request', () => {
  it('without a key is 401', async () => {
    const answer = await withHeaders({});
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ detail: expect.stringContaining('API key') });
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });

  it.each<[string, Record<string, string>]>([
    ['an unknown key', { 'X-API-Key': 'llk_wrong' }],
    ['an empty key', { 'X-API-Key': '' }],
    ['an empty bearer token', { Authorization: 'Bearer ' }],
    ['an unknown bearer token', { Authorization: 'Bearer llk_wrong' }],
    ['a password', { Authorization: 'Basic dXNlcjpwYXNz' }],
    ['a key of 8000 characters', { 'X-API-Key': 'x'.repeat(8000) }],
  ])('with %s is 401', async (_name, headers) => {
    expect((await withHeaders(headers)).status).toBe(401);
  });

  it('carries its key in X-API-Key or as a bearer token', async () => {
    expect((await withHeaders({ 'X-API-Key': client.key })).status).toBe(200);
    expect((await withHeaders({ Authorization: `Bearer ${client.key}` })).status).toBe(200);
    expect((await withHeaders({ Authorization: `bearer ${client.key}` })).status).toBe(200);
    expect((await withHeaders({ Authorization: client.key })).status).toBe(200);
  });

  it('with a bad X-API-Key is 401 even when its Authorization is good', async () => {
    expect((await withHeaders({ 'X-API-Key': 'llk_bad', Authorization: `Bearer ${client.key}` })).status).toBe(401);
    expect((await withHeaders({ 'X-API-Key': '', Authorization: `Bearer ${client.key}` })).status).toBe(200);
  });

  it('needs no key for an unknown path', async () => {
    expect((await fetch(`${world.url}/api/v1/nothing`)).status).toBe(404);
  });
});

describe('an API key', () => {
  it('is shown once, listed without its secret, and can be used at once', async () => {
    const created = await client.post(KEYS, { name: 'CI' });
    expect(created.status).toBe(200);
    expect(Object.keys(created.body).sort()).toEqual(['api_key', 'created_at', 'id', 'key_prefix', 'name', 'scopes']);
    expect(created.body.api_key).toMatch(/^llk_[A-Za-z0-9_-]{43}$/);
    expect(created.body.key_prefix).toBe(created.body.api_key.slice(0, 8));
    const listed = await world.clientWith(created.body.api_key).get(KEYS);
    const record = listed.body.find((k: { id: number }) => k.id === created.body.id);
    expect(Object.keys(record).sort()).toEqual(
      ['archived_at', 'created_at', 'id', 'is_active', 'key_prefix', 'last_used_at', 'name', 'scopes'].sort(),
    );
    expect(listed.text).not.toContain(created.body.api_key);
  });

  it('remembers when it was last used', async () => {
    await client.get(KEYS);
    const until = Date.now() + 3000;
    let used: unknown = null;
    while (used === null && Date.now() < until)
      used = (await client.get(KEYS)).body.find((k: { key_prefix: string }) =>
        client.key.startsWith(k.key_prefix),
      ).last_used_at;
    expect(Math.abs(Date.parse(String(used)) - Date.now())).toBeLessThan(60_000);
  });

  it('is dead when it is archived and alive when it is reactivated, each on the very next request', async () => {
    const created = await client.post(KEYS, { name: 'on and off' });
    const other = world.clientWith(created.body.api_key);
    for (let round = 0; round < 15; round++) {
      const archived = await client.delete(`${KEYS}/${created.body.id}`);
      expect(archived.body).toEqual({ success: true, message: 'API key archived successfully' });
      expect((await other.get(KEYS)).status).toBe(401);
      const again = await client.put(`/user/api-keys/${created.body.id}/reactivate`);
      expect(again.body).toEqual({ success: true, message: 'API key reactivated successfully' });
      expect((await other.get(KEYS)).status).toBe(200);
    }
  });

  it('is archived and reactivated twice as well as once', async () => {
    const { id } = (await client.post(KEYS, { name: 'twice' })).body;
    for (let i = 0; i < 2; i++) expect((await client.delete(`${KEYS}/${id}`)).status).toBe(200);
    for (let i = 0; i < 2; i++) expect((await client.put(`${KEYS}/${id}/reactivate`)).status).toBe(200);
  });

  it('is left out of lists when it is archived, unless one asks for it', async () => {
    const { id } = (await client.post(KEYS, { name: 'gone' })).body;
    await client.delete(`${KEYS}/${id}`);
    const ids = async (query: string) => (await client.get(`${KEYS}${query}`)).body.map((k: { id: number }) => k.id);
    expect(await ids('')).not.toContain(id);
    expect(await ids('?include_archived=true')).toContain(id);
    expect(await ids('?include_archived=true&include_archived=0')).not.toContain(id);
    expect((await client.get(`${KEYS}?include_archived=perhaps`)).status).toBe(422);
  });

  it('may archive itself', async () => {
    const { id, api_key } = (await client.post(KEYS, { name: 'suicidal' })).body;
    const self = world.clientWith(api_key);
    expect((await self.delete(`${KEYS}/${id}`)).status).toBe(200);
    expect((await self.get(KEYS)).status).toBe(401);
  });

  it('of another organization is 404', async () => {
    const stranger = await world.client();
    const { id } = (await client.post(KEYS, { name: 'mine' })).body;
    const before = await world.head();
    expect(await stranger.delete(`${KEYS}/${id}`)).toMatchObject({
      status: 404,
      body: { detail: 'API key not found' },
    });
    expect((await stranger.put(`${KEYS}/${id}/reactivate`)).status).toBe(404);
    expect(await world.head()).toBe(before);
    expect((await stranger.get(KEYS)).text).not.toContain('"mine"');
  });

  it('does only what its scopes allow, each on its own', async () => {
    const [reader, writer] = await Promise.all([
      world.client({ org: client.org, scopes: ['read'] }),
      world.client({ org: client.org, scopes: ['write'] }),
    ]);
    expect((await reader.get(KEYS)).status).toBe(200);
    expect((await writer.get(KEYS)).status).toBe(403);
    const before = await world.head();
    const refused = await reader.post(KEYS, { name: 'more' });
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("'write'")]);
    expect((await writer.post(KEYS, { name: 'read for me', scopes: ['read'] })).status).toBe(403);
    expect(await world.head()).toBe(before);
    expect((await writer.post(KEYS, { name: 'same' })).body.scopes).toEqual(['write']);
    for (const scopes of [[], ['admin'], 'read'])
      expect((await client.post(KEYS, { name: 'bad', scopes })).status).toBe(422);
  });
});
