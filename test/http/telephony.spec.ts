import { left, right } from 'fp-ts/Either';
import { applicationName } from '../../src/carriers/ari';
import type { CarrierAccounts } from '../../src/ports/carrier-accounts';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, furnish, makeAgent, makeCampaign, makeConfig } from './furnish';

/** What the carrier was asked to do, in order. */
const asked: string[] = [];
let applications = 0;
/** A carrier that knows all numbers but two, refuses the token `bad`, and is away for the token `away`. */
const accounts: CarrierAccounts = {
  check: async ({ credentials }) =>
    Object.values(credentials).includes('bad')
      ? left({ kind: 'refused', message: 'wrong token' })
      : Object.values(credentials).includes('away')
        ? left({ kind: 'unreachable', message: 'no route' })
        : right(null),
  createApplication: async ({ credentials }) =>
    Object.values(credentials).includes('away')
      ? left({ kind: 'unreachable', message: 'no route' })
      : right(Object.values(credentials).includes('counted') ? `made-${++applications}` : 'made-for-us'),
  ownsNumber: async (_account, address) => {
    asked.push(`owns ${address}`);
    return address === '+14155550000' || address === lost
      ? left({ kind: 'refused', message: 'not yours' })
      : right(null);
  },
  routeNumber: async (_account, address, attached) => {
    asked.push(`${attached ? 'attach' : 'detach'} ${address}`);
    return away ? left({ kind: 'unreachable', message: 'no route' }) : right(null);
  },
};
/** A number that the account has lost since. */
let lost: string | null = null;
/** Whether numbers can't be routed for now. */
let away = false;

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp({ carrierAccounts: accounts });
  client = await world.client();
});
afterAll(() => world.close());

const VARIANTS: readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>][] = [
  [
    { ...ARI, external_pbx: { agent_api: { url: 'https://pbx.example.com', username: 'user-1', password: 'pass-1' } } },
    {
      ari_endpoint: 'http://localhost:8088',
      app_name: 'asterisk',
      app_password: '*************1234',
      ws_client_name: '',
      dial_string_template: 'PJSIP/{number}',
      external_pbx: {
        type: 'vicidial',
        agent_api: { url: 'https://pbx.example.com', username: '**er-1', password: '**ss-1', source: 'ledgerline' },
        non_agent_api: null,
        timeout_seconds: 8,
      },
      stasis_app_name: expect.stringMatching(/^ledgerline_/),
    },
  ],
  [
    { provider: 'cloudonix', bearer_token: 'token-123456', domain_id: 'Acme.' },
    { bearer_token: '********3456', domain_id: 'acme.cloudonix.net', application_name: 'made-for-us' },
  ],
  [
    { provider: 'exotel', account_sid: 'acme', api_key: 'key-12345', api_token: 'token-12345', from_numbers: ['+1'] },
    { account_sid: 'acme', api_key: '*****2345', api_token: '*******2345', api_base_url: 'https://api.in.exotel.com' },
  ],
  [
    { provider: 'plivo', auth_id: 'MA123456', auth_token: 'tok' },
    { auth_id: '****3456', auth_token: '***', application_id: 'made-for-us' },
  ],
  [
    { provider: 'telnyx', api_key: 'KEY0123', connection_id: 'c1' },
    { api_key: '***0123', connection_id: 'c1', webhook_public_key: null },
  ],
  [
    { provider: 'twilio', account_sid: 'AC123456', auth_token: 'token-1234' },
    { account_sid: '****3456', auth_token: '******1234' },
  ],
  [
    { provider: 'vobiz', auth_id: 'MA123456', auth_token: 'token-1234', application_id: 'app' },
    { auth_id: '****3456', auth_token: '******1234', application_id: 'app' },
  ],
  [
    { provider: 'vonage', api_key: 'abc12345', api_secret: 'secret99', application_id: 'app', private_key: 'PEM-KEY' },
    {
      api_key: '****2345',
      api_secret: '****et99',
      application_id: 'app',
      private_key: '***-KEY',
      signature_secret: null,
    },
  ],
];

describe('a telephony configuration', () => {
  it.each(VARIANTS.map(([config, shown]) => [String(config.provider), config, shown] as const))(
    'of %s shows every field, its secrets masked',
    async (provider, config, shown) => {
      const created = await client.post(CONFIGS, { name: `All of ${provider}`, config });
      expect([created.status, created.body]).toEqual([
        200,
        {
          id: expect.any(Number),
          name: `All of ${provider}`,
          provider,
          connectivity: provider === 'ari' || provider === 'cloudonix' ? 'sip' : 'api',
          is_default_outbound: false,
          inactive: false,
          inactive_since: null,
          inactive_reason: null,
          credentials: shown,
          sip_connectivity: null,
          setup_checklist: expect.objectContaining({ ready_for_outbound: provider === 'ari' }),
          supports_trunks: provider === 'cloudonix',
          trunks: [],
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ]);
      expect((await client.get(`${CONFIGS}/${created.body.id}`)).body).toEqual(created.body);
    },
  );

  it('names the Stasis application that the ARI connection registers', async () => {
    const id = await makeConfig(client);
    const { stasis_app_name } = (await client.get(`${CONFIGS}/${id}`)).body.credentials;
    expect(stasis_app_name).toBe(applicationName({ installation: world.platform.installation, configurationId: id }));
  });

  it('keeps a secret whose mask is sent back, and takes any other text as it is', async () => {
    const config = { provider: 'twilio', account_sid: 'AC-account-1', auth_token: 'token-abcd' };
    const { id, credentials } = (await client.post(CONFIGS, { name: 'Masked', config })).body;
    const put = (changed: object) =>
      client.put(`${CONFIGS}/${id}`, { config: { provider: 'twilio', ...credentials, ...changed } });
    expect((await put({})).body.credentials).toEqual(credentials);
    expect((await put({ auth_token: '*****' })).body.credentials).toEqual({ ...credentials, auth_token: '*****' });
    expect((await put({ auth_token: 'token-wxyz' })).body.credentials.auth_token).toBe('******wxyz');
  });

  it.each([
    { ...ARI, external_pbx: { agent_api: { url: 'https://p', username: 'agent', password: 'battery' } } },
    { provider: 'cloudonix', bearer_token: 'token-7', domain_id: 'same' },
    { provider: 'twilio', account_sid: 'AC-account-7', auth_token: 'away' },
  ])('that is sent back as it was shown is not changed: $provider', async (config) => {
    const made = await client.post(CONFIGS, { name: `Same ${config.provider}`, config });
    const before = await world.head();
    const again = await client.put(`${CONFIGS}/${made.body.id}`, {
      name: made.body.name,
      is_default_outbound: made.body.is_default_outbound,
      config: { provider: made.body.provider, ...made.body.credentials },
    });
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, made.body, made.headers.get('etag')]);
    expect(await world.head()).toBe(before);
    const blank = {
      ...config,
      ...('auth_token' in config ? { auth_token: '' } : { application_name: 'other', app_name: '' }),
    };
    expect((await client.put(`${CONFIGS}/${made.body.id}`, { config: blank })).headers.get('etag')).not.toBe(
      made.headers.get('etag'),
    );
  });

  it('keeps its application and its Stasis name over an update that leaves them out', async () => {
    const { id, credentials } = (await client.post(CONFIGS, { name: 'Kept', config: ARI })).body;
    const again = await client.put(`${CONFIGS}/${id}`, { config: { ...ARI, app_password: 'another-one' } });
    expect(again.body.credentials).toEqual({ ...credentials, app_password: '*******-one' });
    const plivo = (
      await client.post(CONFIGS, { name: 'Kept too', config: { provider: 'plivo', auth_id: 'a', auth_token: 't' } })
    ).body;
    const changed = await client.put(`${CONFIGS}/${plivo.id}`, {
      config: { provider: 'plivo', auth_id: 'b', auth_token: 't' },
    });
    expect(changed.body.credentials.application_id).toBe('made-for-us');
  });

  it.each([
    ['plivo', 'auth_id', 'application_id'],
    ['vobiz', 'auth_id', 'application_id'],
    ['cloudonix', 'domain_id', 'application_name'],
  ])('of %s that moves to another account gets an application there', async (provider, account, application) => {
    const secret = provider === 'cloudonix' ? 'bearer_token' : 'auth_token';
    const config = { provider, [account]: 'one.example', [secret]: 'counted' };
    const made = (await client.post(CONFIGS, { name: `Moves ${provider}`, config })).body;
    const put = async (to: object) =>
      (await client.put(`${CONFIGS}/${made.id}`, { config: { ...config, ...to } })).body;
    const first = made.credentials[application];
    expect((await put({})).credentials[application]).toBe(first);
    const moved = (await put({ [account]: 'two.example' })).credentials[application];
    expect(moved).toMatch(/^made-/);
    expect(moved).not.toBe(first);
  });

  it('of Telnyx keeps its application with another key: keys do not tell whose they are', async () => {
    const config = { provider: 'telnyx', api_key: 'counted' };
    const made = (await client.post(CONFIGS, { name: 'Moves telnyx', config })).body;
    const put = await client.put(`${CONFIGS}/${made.id}`, { config: { ...config, api_key: 'another-key' } });
    expect(put.body.credentials.connection_id).toBe(made.credentials.connection_id);
    await client.delete(`${CONFIGS}/${made.id}`);
  });

  it('is refused when the carrier refuses, stored when it is away, and not stored when an application is needed', async () => {
    const twilio = (auth_token: string) => ({ provider: 'twilio', account_sid: 'AC1', auth_token });
    const before = await world.head();
    expect(await client.post(CONFIGS, { name: 'Bad', config: twilio('bad') })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('wrong token') },
    });
    const away = { provider: 'vobiz', auth_id: 'a', auth_token: 'away' };
    expect((await client.post(CONFIGS, { name: 'Away', config: away })).status).toBe(502);
    expect(await world.head()).toBe(before);
    const stored = await client.post(CONFIGS, { name: 'Later', config: twilio('away') });
    const step = stored.body.setup_checklist.steps.find((s: { key: string }) => s.key === 'credentials');
    expect(step).toMatchObject({ complete: false, blocks_outbound: false });
  });

  it('can become the default, and stop being it', async () => {
    const [a, b] = [await makeConfig(client), await makeConfig(client)];
    const isDefault = async (id: number) => (await client.get(`${CONFIGS}/${id}`)).body.is_default_outbound;
    expect((await client.post(`${CONFIGS}/${a}/set-default-outbound`)).body.is_default_outbound).toBe(true);
    expect((await client.put(`${CONFIGS}/${b}`, { is_default_outbound: true })).body.is_default_outbound).toBe(true);
    expect([await isDefault(a), await isDefault(b)]).toEqual([false, true]);
    expect((await client.put(`${CONFIGS}/${b}`, { is_default_outbound: null })).body.is_default_outbound).toBe(true);
    expect((await client.put(`${CONFIGS}/${b}`, { is_default_outbound: false })).body.is_default_outbound).toBe(false);
    expect((await client.post(`${CONFIGS}/${b}/reactivate`)).body.inactive).toBe(false);
  });

  it('that stops being the default for a new one is changed by it, ETag too', async () => {
    const create = (name: string) => client.post(CONFIGS, { name, is_default_outbound: true, config: ARI });
    const first = await create('First default');
    await create('Second default');
    const at = `${CONFIGS}/${first.body.id}`;
    const now = await client.get(at);
    expect(now.body.is_default_outbound).toBe(false);
    expect(now.headers.get('etag')).not.toBe(first.headers.get('etag'));
    expect(now.body.updated_at >= first.body.updated_at).toBe(true);
    const stale = await client.put(at, { name: 'Renamed' }, { 'If-Match': first.headers.get('etag') ?? '' });
    expect(stale.status).toBe(412);
    const fresh = await client.put(at, { name: 'Renamed' }, { 'If-Match': now.headers.get('etag') ?? '' });
    expect([fresh.status, fresh.body.name]).toEqual([200, 'Renamed']);
  });

  it('cannot change its provider, nor take a taken name, nor go while a campaign refers to it', async () => {
    const id = await makeConfig(client);
    const other = (await client.post(CONFIGS, { name: 'Other name', config: ARI })).body;
    expect(
      (await client.put(`${CONFIGS}/${id}`, { config: { provider: 'twilio', account_sid: 'a', auth_token: 'b' } }))
        .status,
    ).toBe(400);
    expect((await client.put(`${CONFIGS}/${id}`, { name: other.name })).status).toBe(409);
    const ground = await furnish(client);
    await makeCampaign(client, ground);
    expect((await client.delete(`${CONFIGS}/${ground.config}`)).status).toBe(409);
    expect((await client.delete(`${CONFIGS}/${id}`)).body).toEqual({ message: 'Telephony configuration deleted' });
    expect((await client.get(`${CONFIGS}/${id}`)).status).toBe(404);
  });

  it('is listed without credentials, in order of creation', async () => {
    const { configurations } = (await client.get(CONFIGS)).body;
    expect(configurations.length).toBeGreaterThan(8);
    const times = configurations.map((c: { created_at: string }) => c.created_at);
    expect(times).toEqual([...times].sort());
    expect(JSON.stringify(configurations)).not.toContain('credentials');
  });
});

describe('carriers', () => {
  it('are listed with the fields of their credentials, sorted by name', async () => {
    const { providers } = (await client.get('/api/v1/organizations/telephony-providers/metadata')).body;
    expect(providers.map((p: { provider: string }) => p.provider)).toEqual([
      'ari',
      'cloudonix',
      'exotel',
      'plivo',
      'telnyx',
      'twilio',
      'vobiz',
      'vonage',
    ]);
  });

  it('whose webhooks cannot be verified are counted', async () => {
    const { body } = await client.get('/api/v1/organizations/telephony-config-warnings');
    expect(body).toEqual({ telnyx_missing_webhook_public_key_count: 1, vonage_missing_signature_secret_count: 1 });
  });
});

describe('a phone number', () => {
  it('is normalized, listed with its agent, changed, made the default and removed', async () => {
    const [config, agent] = [await makeConfig(client), await makeAgent(client)];
    const at = `${CONFIGS}/${config}/phone-numbers`;
    const added = await client.post(at, {
      address: '(415) 555-0111',
      country_code: 'US',
      label: 'Sales',
      inbound_workflow_id: agent,
    });
    expect([added.status, added.body]).toEqual([
      200,
      {
        id: expect.any(Number),
        telephony_configuration_id: config,
        address: '(415) 555-0111',
        address_normalized: '+14155550111',
        address_type: 'pstn',
        country_code: 'US',
        label: 'Sales',
        inbound_workflow_id: agent,
        inbound_workflow_name: expect.stringContaining('Agent'),
        telephony_trunk_id: null,
        is_active: true,
        is_default_caller_id: false,
        extra_metadata: {},
        created_at: expect.any(String),
        updated_at: expect.any(String),
        provider_sync: null,
      },
    ]);
    const sip = await client.post(at, { address: 'sip:Bob@Example.COM:5060', is_default_caller_id: true });
    expect(sip.body).toMatchObject({
      address_normalized: 'sip:Bob@example.com',
      address_type: 'sip_uri',
      is_default_caller_id: true,
    });
    expect((await client.post(at, { address: '100' })).body.address_type).toBe('sip_extension');
    expect((await client.post(at, { address: '+1 415 555 0111' })).status).toBe(409);
    const one = `${at}/${added.body.id}`;
    const before = (await client.get(`${at}/${sip.body.id}`)).body;
    await client.post(at, { address: '101', is_default_caller_id: true });
    expect((await client.get(`${at}/${sip.body.id}`)).body).toEqual({
      ...before,
      is_default_caller_id: false,
      updated_at: expect.any(String),
    });
    expect((await client.put(one, { label: 'Support', clear_inbound_workflow: true })).body).toMatchObject({
      label: 'Support',
      inbound_workflow_id: null,
    });
    expect((await client.post(`${one}/set-default-caller`)).body.is_default_caller_id).toBe(true);
    const { phone_numbers } = (await client.get(at)).body;
    expect(phone_numbers.filter((n: { is_default_caller_id: boolean }) => n.is_default_caller_id)).toHaveLength(1);
    expect((await client.delete(one)).body).toEqual({ message: 'Phone number deleted', provider_sync: null });
    expect((await client.get(one)).body).toEqual({ detail: 'Phone number not found' });
  });

  it('of a carrier must be owned there', async () => {
    const config = await makeConfig(client, { provider: 'twilio', account_sid: 'AC2', auth_token: 't' });
    const at = `${CONFIGS}/${config}/phone-numbers`;
    const before = await world.head();
    expect(await client.post(at, { address: '+14155550000' })).toMatchObject({
      status: 400,
      body: { detail: 'not yours' },
    });
    expect(await world.head()).toBe(before);
    expect((await client.post(at, { address: '+14155550112' })).body.provider_sync).toEqual({
      ok: true,
      message: null,
    });
    expect((await client.get(`${CONFIGS}/${config}`)).body.setup_checklist.ready_for_outbound).toBe(true);
  });
});

describe('at the carrier', () => {
  const at = async () =>
    `${CONFIGS}/${await makeConfig(client, { provider: 'twilio', account_sid: 'AC3', auth_token: 't' })}/phone-numbers`;
  const add = async (path: string, address: string, more: object = {}) => {
    const { id } = (await client.post(path, { address, ...more })).body;
    asked.length = 0;
    return `${path}/${id}`;
  };

  it('a number that no agent answers is looked up by a change, never routed', async () => {
    const one = await add(await at(), '+14155550114');
    const changed = await client.put(one, { label: 'Front desk', is_active: false });
    expect([changed.body.provider_sync, asked]).toEqual([{ ok: true, message: null }, ['owns +14155550114']]);
    lost = '+14155550114';
    const since = await client.put(one, { label: 'Back desk' });
    expect([since.status, since.body.label, since.body.provider_sync]).toEqual([
      200,
      'Back desk',
      { ok: false, message: 'not yours' },
    ]);
    lost = null;
  });

  it('a number is routed to its agent, away from it, and away again where that is asked for once more', async () => {
    const path = await at();
    const agent = await makeAgent(client);
    const one = await add(path, '+14155550115', { inbound_workflow_id: agent });
    for (const change of [
      { label: 'Sales' },
      { clear_inbound_workflow: true },
      { clear_inbound_workflow: true },
      { inbound_workflow_id: agent, clear_inbound_workflow: true },
    ])
      expect((await client.put(one, change)).body.provider_sync).toEqual({ ok: true, message: null });
    expect((await client.delete(one)).body.provider_sync).toEqual({ ok: true, message: null });
    expect(asked.map((a) => a.split(' ')[0])).toEqual(['attach', 'detach', 'detach', 'attach', 'detach']);
  });

  it('that is away a change is stored and says so, and a removal is not carried out', async () => {
    const one = await add(await at(), '+14155550116', { inbound_workflow_id: await makeAgent(client) });
    const sync = { ok: false, message: 'Twilio could not be reached: no route' };
    away = true;
    const changed = await client.put(one, { label: 'Night desk' });
    expect([changed.status, changed.body.label, changed.body.provider_sync]).toEqual([200, 'Night desk', sync]);
    const kept = await client.delete(one);
    expect([kept.status, kept.body]).toEqual([502, { detail: sync.message }]);
    expect((await client.get(one)).body).toEqual({ ...changed.body, provider_sync: null });
    expect((await client.put(one, { clear_inbound_workflow: true })).body.provider_sync).toEqual(sync);
    expect((await client.delete(one)).body).toEqual({ message: 'Phone number deleted', provider_sync: null });
    away = false;
  });
});

describe('a trunk', () => {
  it('belongs to Cloudonix, its settings checked by the carrier’s schema', async () => {
    const config = await makeConfig(client, { provider: 'cloudonix', bearer_token: 't', domain_id: 'd' });
    const at = `${CONFIGS}/${config}/trunks`;
    const settings = { region: 'india', sip_domain: 'sip.example.com' };
    const added = await client.post(at, { name: ' Mumbai ', settings });
    expect([added.status, added.body]).toEqual([
      200,
      expect.objectContaining({
        name: 'Mumbai',
        enabled: true,
        settings: { region: 'India', sip_domain: 'sip.example.com' },
        phone_number_count: 0,
      }),
    ]);
    const wrong = await client.post(at, { name: 'x', settings: { region: 'Mars' } });
    expect([wrong.status, wrong.body.detail.map((f: { loc: unknown[] }) => f.loc)]).toEqual([
      422,
      [
        ['body', 'settings', 'region'],
        ['body', 'settings', 'sip_domain'],
      ],
    ]);
    expect((await client.post(at, { name: 'Mumbai', settings })).status).toBe(409);
    const one = `${at}/${added.body.id}`;
    const number = { address: '+14155550113', telephony_trunk_id: added.body.id };
    await client.post(`${CONFIGS}/${config}/phone-numbers`, number);
    expect((await client.delete(one)).status).toBe(409);
    expect((await client.put(one, { enabled: false })).body).toMatchObject({ enabled: false });
    expect((await client.get(at)).body.trunks[0].phone_number_count).toBe(1);
  });

  it('is 400 elsewhere', async () => {
    const config = await makeConfig(client);
    expect((await client.post(`${CONFIGS}/${config}/trunks`, { name: 'x' })).status).toBe(400);
    expect((await client.get(`${CONFIGS}/${config}/trunks`)).body).toEqual({ trunks: [] });
  });
});
