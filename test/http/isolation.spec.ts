/** Two organizations: every route of the table is walked with the other's ids. A route that takes an id and is not covered here fails the walk. */
import { allRoutes } from '../../src/http/routes';
import type { Route } from '../../src/http/route';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { CONFIGS, definition, furnish, makeCampaign, makeConfig, type Furnished } from './furnish';
import { makeRun } from './make-run';

/** Stands in every text of the owner. */
const MARK = 'Zephyrine';
const RUN = 7001;

let world: HttpWorld;
let owner: Client;
let stranger: Client;
let ground: Furnished;
let campaign: number;
let strangers: Furnished;
let routes: readonly Route[];
/** Of the owner, by the parameter that takes it. */
let ids: Readonly<Record<string, number | string>>;
const logged: string[] = [];

const record = async (by: Client): Promise<{ readonly id: number; readonly recording_id: string }> => {
  const at = '/api/v1/workflow-recordings';
  const files = [{ filename: `${MARK}.wav`, mime_type: 'audio/wav', file_size: 4 }];
  const [item] = (await by.post(`${at}/upload-url`, { files })).body.items;
  await fetch(item.upload_url, { method: 'PUT', headers: { 'Content-Type': 'audio/wav' }, body: 'RIFF' });
  const { upload_url: _url, ...kept } = item;
  return (await by.post(at, { recordings: [{ ...kept, transcript: MARK }] })).body.recordings[0];
};

beforeAll(async () => {
  const { default: pino } = await import('pino');
  world = await startHttp({}, { log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }) });
  [owner, stranger] = await Promise.all([world.client(), world.client()]);
  ground = await furnish(owner);
  strangers = await furnish(stranger);
  await owner.put(`/api/v1/workflow/${ground.agent}`, {
    name: `${MARK} agent`,
    workflow_definition: definition(`${MARK} greets {{name}}.`),
  });
  const definition_id = (await owner.get(`/api/v1/workflow/${ground.agent}/versions`)).body[0].id;
  const config = await makeConfig(
    owner,
    { provider: 'cloudonix', bearer_token: `${MARK}-token`, domain_id: MARK, application_name: MARK },
    { name: `${MARK} carrier` },
  );
  const settings = { region: 'India', sip_domain: `${MARK}.example.com` };
  const trunk = await owner.post(`${CONFIGS}/${config}/trunks`, { name: `${MARK} trunk`, settings });
  const number = await owner.post(`${CONFIGS}/${config}/phone-numbers`, { address: '+14155550123', label: MARK });
  campaign = await makeCampaign(owner, ground, { name: `${MARK} campaign` });
  await makeRun(world, {
    org: owner.org,
    campaign,
    agent: ground.agent,
    config: ground.config,
    run: RUN,
    phone: '+14155550100',
    outcome: 'completed',
    seconds: 9,
    variables: { name: MARK },
  });
  await world.caughtUp();
  ids = {
    config_id: config,
    phone_number_id: number.body.id,
    trunk_id: trunk.body.id,
    workflow_id: ground.agent,
    definition_id,
    campaign_id: campaign,
    run_id: RUN,
    recording_id: (await record(owner)).id,
    api_key_id: (await owner.get('/api/v1/user/api-keys')).body[0].id,
  };
  routes = allRoutes({ platform: world.platform, signedAccess: world.platform.objects, publicUrl: '' } as never);
});
afterAll(() => world.close());

const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1] as string);

/** Routes whose parameters name nothing of an organization, or carry a right of their own. */
const NOBODYS: ReadonlySet<string> = new Set([
  'GET /api/v1/node-types/{name}',
  'GET /api/v1/public/download/workflow/{token}/{artifact}',
  'PUT /objects/{key+}',
  'GET /objects/{key+}',
]);
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** A body that would be good for the route, if the resource were one's own. */
const bodyFor = ({ method, path }: Route): unknown => {
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (path.endsWith('/phone-numbers')) return { address: '+14155550199' };
  if (path.endsWith('/trunks')) return { name: 't', settings: {} };
  if (path.endsWith('/status')) return { status: 'archived' };
  return {};
};

/** What of the owner an answer shows. */
const leaksOf = (answer: Answer): readonly string[] => {
  const told = `${answer.text}\n${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}`;
  return [MARK, '1415555', owner.key, ground.source, `/${owner.org}/`].filter((secret) =>
    told.toLowerCase().includes(secret.toLowerCase()),
  );
};

const fill = (path: string, values: Readonly<Record<string, number | string>>): string =>
  path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => String(values[name]));

/** Everything of the owner's that a GET shows. */
const owned = async (): Promise<readonly string[]> => {
  const shown: string[] = [];
  for (const route of routes) {
    if (route.method !== 'GET' || route.scope === null || NOBODYS.has(nameOf(route))) continue;
    const answer = await owner.get(fill(route.path, ids));
    // Times of reading, and links that are signed anew each time, differ.
    shown.push(
      `${route.path} ${answer.status} ${answer.text.replaceAll(/"(last_used_at|download_url)":"[^"]*"/g, '')}`,
    );
  }
  return shown;
};

describe('another organization', () => {
  it('gets 404 on every route that takes an id, stores nothing, learns nothing and changes nothing', async () => {
    const before = await owned();
    expect(before.filter((line) => line.includes(MARK)).length).toBeGreaterThan(10);
    const head = await world.head();
    const wrong: string[] = [];
    let walked = 0;
    for (const route of routes) {
      const parameters = parametersOf(route.path);
      if (parameters.length === 0 || NOBODYS.has(nameOf(route))) continue;
      const unknown = parameters.filter((name) => !(name in ids));
      if (unknown.length > 0) wrong.push(`${nameOf(route)} is not covered: whose is ${unknown.join(', ')}?`);
      for (const path of [route.path, ...(route.aliases ?? [])]) {
        const url = fill(path, ids);
        const answer = await stranger.request(route.method, url, bodyFor(route));
        walked++;
        if (answer.status !== 404) wrong.push(`${route.method} ${url}: ${answer.status} ${answer.text}`);
        if (answer.headers.get('etag') !== null) wrong.push(`${route.method} ${url} answers an ETag`);
        wrong.push(...leaksOf(answer).map((secret) => `${route.method} ${url} tells ${secret}`));
      }
    }
    expect(wrong).toEqual([]);
    expect(walked).toBeGreaterThan(45);
    expect(await world.head()).toBe(head);
    expect(await owned()).toEqual(before);
  });

  it('gets 404 for what is the other’s under what is its own', async () => {
    const mine = {
      config_id: await makeConfig(stranger, {
        provider: 'cloudonix',
        bearer_token: 't',
        domain_id: 'mine',
        application_name: 'a',
      }),
      workflow_id: strangers.agent,
      campaign_id: await makeCampaign(stranger, strangers),
    };
    const head = await world.head();
    const wrong: string[] = [];
    let walked = 0;
    for (const route of routes) {
      const parameters = parametersOf(route.path);
      if (parameters.length < 2 || NOBODYS.has(nameOf(route))) continue;
      const url = fill(route.path, { ...ids, ...mine });
      const answer = await stranger.request(route.method, url, bodyFor(route));
      walked++;
      if (answer.status !== 404) wrong.push(`${route.method} ${url}: ${answer.status} ${answer.text}`);
      wrong.push(...leaksOf(answer).map((secret) => `${route.method} ${url} tells ${secret}`));
    }
    expect(wrong).toEqual([]);
    expect(walked).toBeGreaterThan(6);
    expect(await world.head()).toBe(head);
  });

  it('sees none of it in any list or count', async () => {
    const fresh = await world.client();
    const wrong: string[] = [];
    for (const route of routes) {
      if (route.method !== 'GET' || route.scope === null || parametersOf(route.path).length > 0) continue;
      const answer = await fresh.get(route.path);
      wrong.push(...leaksOf(answer).map((secret) => `${nameOf(route)} tells ${secret}`));
    }
    expect(wrong).toEqual([]);
    for (const path of [CONFIGS, '/api/v1/campaign/', '/api/v1/workflow/fetch', '/api/v1/workflow/summary'])
      expect(JSON.stringify((await fresh.get(path)).body).replaceAll(/"\w+":/g, '')).toMatch(/^[{[\]}]*$/);
    expect((await fresh.get('/api/v1/workflow/count')).body).toEqual({ total: 0, active: 0, archived: 0 });
  });

  /** Requests whose body or query names what is the other's, and what they are answered. */
  const references = (): readonly (readonly [string, string, unknown, number])[] => {
    const number = { address: '+14155550190', inbound_workflow_id: ground.agent };
    const create = (more: object) => ({ ...strangers.campaign, ...more });
    const variants = [{ workflow_id: ground.agent, weight: 100 }];
    const pinned = [{ workflow_id: strangers.agent, workflow_definition_id: ids['definition_id'], weight: 100 }];
    const key = encodeURIComponent(ground.source);
    return [
      ['POST', '/api/v1/campaign/create', create({ workflow_id: ground.agent }), 404],
      ['POST', '/api/v1/campaign/create', create({ telephony_configuration_id: ground.config }), 400],
      ['POST', '/api/v1/campaign/create', create({ source_id: ground.source }), 403],
      ['POST', '/api/v1/campaign/create', create({ workflow_id: null, traffic_split: { variants } }), 400],
      ['POST', '/api/v1/campaign/create', create({ workflow_id: null, traffic_split: { variants: pinned } }), 400],
      ['POST', `${CONFIGS}/${strangers.config}/phone-numbers`, number, 404],
      ['GET', `/api/v1/s3/signed-url?key=${key}`, undefined, 403],
      ['GET', `/api/v1/s3/file-metadata?key=${key}`, undefined, 403],
      ['GET', `/api/v1/s3/signed-url?key=transcripts/${RUN}.txt`, undefined, 403],
      ['GET', `/api/v1/s3/file-metadata?key=recordings/${owner.org}/x/y.wav`, undefined, 403],
      // A run's recording, although its number is that of the organization that asks.
      ['GET', `/api/v1/s3/signed-url?key=recordings/${stranger.org}/user.wav`, undefined, 403],
    ];
  };

  it('cannot build upon what is not its own', async () => {
    const head = await world.head();
    const wrong: string[] = [];
    for (const [method, path, body, status] of references()) {
      const answer = await stranger.request(method, path, body);
      if (answer.status !== status) wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
      // It may hear again what it said itself.
      const said = `${path}${JSON.stringify(body ?? '')}`;
      wrong.push(
        ...leaksOf(answer)
          .filter((secret) => !said.includes(secret) && !decodeURIComponent(said).includes(secret))
          .map((secret) => `${method} ${path} tells ${secret}`),
      );
    }
    expect(wrong).toEqual([]);
    expect(await world.head()).toBe(head);
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
  it('names request, route and organization, and no key, number, credential or text of anybody', () => {
    const text = logged.join('');
    const requests = logged.map((line) => JSON.parse(line)).filter((entry) => entry.msg === 'request');
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.some((r) => r.org === owner.org && r.route === '/api/v1/campaign/create' && r.status === 200)).toBe(
      true,
    );
    expect(requests.some((r) => r.org === stranger.org && r.status === 404)).toBe(true);
    expect(requests.some((r) => r.campaign === campaign)).toBe(true);
    for (const secret of [owner.key, stranger.key, '1415555', 'ari-password', 'signature=', 'Ann', MARK, ground.source])
      expect(text).not.toContain(secret);
  });
});
