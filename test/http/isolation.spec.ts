import { startHttp, type Client, type HttpWorld } from '../support/http';
import { CONFIGS, furnish, makeCampaign, type Furnished } from './furnish';

let world: HttpWorld;
let owner: Client;
let stranger: Client;
let ground: Furnished;
let campaign: number;
let number: number;
let key: number;
const logged: string[] = [];
beforeAll(async () => {
  const { default: pino } = await import('pino');
  world = await startHttp({}, { log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }) });
  [owner, stranger] = await Promise.all([world.client(), world.client()]);
  ground = await furnish(owner);
  campaign = await makeCampaign(owner, ground, { name: 'Owned campaign' });
  const added = await owner.post(`${CONFIGS}/${ground.config}/phone-numbers`, { address: '+14155550123' });
  number = added.body.id;
  key = (await owner.get('/api/v1/user/api-keys')).body[0].id;
});
afterAll(() => world.close());

/** Every id of the owner, where a path takes one of its kind. */
const idFor = (parameter: string): number | string =>
  ({
    config_id: ground.config,
    phone_number_id: number,
    trunk_id: 1,
    workflow_id: ground.agent,
    definition_id: 1,
    campaign_id: campaign,
    run_id: 1,
    api_key_id: key,
  })[parameter] ?? 'unknown';

/** A body that would be good for the route, if the resource were one's own. */
const bodyFor = (method: string, path: string): unknown => {
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (path.endsWith('/phone-numbers')) return { address: '+14155550199' };
  if (path.endsWith('/trunks')) return { name: 't', settings: {} };
  if (path.endsWith('/status')) return { status: 'archived' };
  return {};
};

describe('another organization', () => {
  it('gets 404 on every route that names a resource, stores nothing and learns nothing', async () => {
    const routes = Object.entries(world.document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
    const named = routes.filter(({ path }) =>
      /\{(config|workflow|campaign|api_key|phone_number|run|trunk|definition)_id\}/.test(path),
    );
    expect(named.length).toBeGreaterThan(25);
    const before = await world.head();
    const wrong: string[] = [];
    for (const { path, method } of named) {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(idFor(name)));
      const answer = await stranger.request(method, url, bodyFor(method, path));
      if (answer.status !== 404) wrong.push(`${method} ${url}: ${answer.status} ${answer.text}`);
      if (answer.text.includes('Owned') || answer.text.includes('1415555')) wrong.push(`${method} ${url} leaks`);
    }
    expect(wrong).toEqual([]);
    expect(await world.head()).toBe(before);
  });

  it('sees none of it in any list', async () => {
    for (const path of [CONFIGS, '/api/v1/campaign/', '/api/v1/workflow/fetch', '/api/v1/workflow/summary'])
      expect(JSON.stringify((await stranger.get(path)).body).replaceAll(/"\w+":/g, '')).toMatch(/^[{[\]}]*$/);
    expect((await stranger.get('/api/v1/workflow/count')).body).toEqual({ total: 0, active: 0, archived: 0 });
  });

  it('cannot build upon what is not its own', async () => {
    const own = await furnish(stranger);
    const create = (more: object) => stranger.post('/api/v1/campaign/create', { ...own.campaign, ...more });
    const before = await world.head();
    expect((await create({ workflow_id: ground.agent })).status).toBe(404);
    expect((await create({ telephony_configuration_id: ground.config })).body.detail).toBe(
      'telephony_configuration_not_found',
    );
    expect((await create({ source_id: ground.source })).status).toBe(403);
    const variants = [{ workflow_id: ground.agent, weight: 100 }];
    expect((await create({ workflow_id: null, traffic_split: { variants } })).status).toBe(400);
    const number = { address: '+14155550190', inbound_workflow_id: ground.agent };
    expect((await stranger.post(`${CONFIGS}/${own.config}/phone-numbers`, number)).status).toBe(404);
    expect(await world.head()).toBe(before);
  });

  it('may use the same names and numbers', async () => {
    const config = await stranger.post(CONFIGS, {
      name: 'Config 1',
      config: { provider: 'ari', ari_endpoint: 'http://x', app_name: 'a', app_password: 'p' },
    });
    expect(config.status).toBe(200);
    const added = await stranger.post(`${CONFIGS}/${config.body.id}/phone-numbers`, { address: '+14155550123' });
    expect(added.status).toBe(200);
  });
});

describe('the log', () => {
  it('names request, route and organization, and no key, number or credential', () => {
    const text = logged.join('');
    const requests = logged.map((line) => JSON.parse(line)).filter((entry) => entry.msg === 'request');
    expect(requests.length).toBeGreaterThan(30);
    expect(requests.some((r) => r.org === owner.org && r.route === '/api/v1/campaign/create' && r.status === 200)).toBe(
      true,
    );
    expect(requests.some((r) => r.campaign === campaign)).toBe(true);
    for (const secret of [owner.key, stranger.key, '1415555', 'ari-password', 'signature=', 'Ann'])
      expect(text).not.toContain(secret);
  });
});
