/** Accounts at carriers: credentials, numbers, applications, against a peer that speaks the carriers' REST APIs. */
import { isLeft, left, right } from 'fp-ts/Either';
import { ACCOUNT_CARRIERS, carrierAccounts } from '../../src/carriers/accounts';
import type { CarrierAccounts } from '../../src/ports/carrier-accounts';
import { startHttp, type HttpWorld } from '../support/http';
import { accountsPeer, PEER_CREDENTIALS, PEER_NUMBER, type AccountsPeer } from './accounts-peer';

const CONFIGS = '/api/v1/organizations/telephony-configs';
const INBOUND = 'https://ours.example.com/api/v1/telephony/inbound/run';

let peer: AccountsPeer;
let accounts: CarrierAccounts;
beforeAll(async () => {
  peer = await accountsPeer();
  accounts = carrierAccounts({
    publicUrl: () => 'https://ours.example.com',
    urls: Object.fromEntries(ACCOUNT_CARRIERS.map((carrier) => [carrier, peer.url])),
    timeoutMs: 500,
  });
});
afterAll(() => peer.close());
beforeEach(() => {
  peer.fail(null);
  peer.requests.length = 0;
});

/** As configured after an application was made or named. */
const APPLICATION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plivo: { application_id: '77' },
  vobiz: { application_id: '78' },
  telnyx: { connection_id: '1293' },
  cloudonix: { application_name: 'ours' },
};
const account = (provider: string, more: Readonly<Record<string, unknown>> = {}) => ({
  provider,
  credentials: { ...PEER_CREDENTIALS[provider], ...APPLICATION[provider], ...more },
});
const SECRET: Readonly<Record<string, string>> = {
  twilio: 'auth_token',
  plivo: 'auth_token',
  vobiz: 'auth_token',
  telnyx: 'api_key',
  vonage: 'api_secret',
  exotel: 'api_token',
  cloudonix: 'bearer_token',
};

describe.each(ACCOUNT_CARRIERS)('%s', (provider) => {
  it('takes good credentials and refuses wrong ones', async () => {
    expect(await accounts.check(account(provider))).toEqual(
      right(provider === 'cloudonix' ? { domain_uuid: 'd-1' } : null),
    );
    const wrong = await accounts.check(account(provider, { [SECRET[provider] as string]: 'wrong-secret' }));
    expect(wrong).toMatchObject(left({ kind: 'refused', message: expect.stringContaining('wrong credentials') }));
  });

  it('knows its own numbers', async () => {
    expect(await accounts.ownsNumber(account(provider), PEER_NUMBER)).toEqual(right(null));
    expect(await accounts.ownsNumber(account(provider), '+14155550178')).toMatchObject(
      left({ kind: 'refused', message: expect.stringContaining('+14155550178') }),
    );
  });

  it('sends the inbound calls of a number to us, and lets go of it', async () => {
    expect(await accounts.routeNumber(account(provider), PEER_NUMBER, true)).toEqual(right(null));
    expect(JSON.stringify(peer.requests.map((r) => r.body))).toContain(INBOUND);
    expect(await accounts.routeNumber(account(provider), PEER_NUMBER, false)).toEqual(right(null));
  });

  it('that fails, keeps silent, sends us elsewhere or is not there is unreachable, and no secret is in the reason', async () => {
    for (const how of [500, 503, 429, 'silence', 'redirect'] as const) {
      peer.fail(how);
      const answer = await accounts.check(account(provider));
      expect(answer).toMatchObject(left({ kind: 'unreachable' }));
      const told = JSON.stringify(answer);
      for (const value of Object.values(PEER_CREDENTIALS[provider] ?? {}))
        if (value.length >= 4) expect(told).not.toContain(value);
    }
    const nowhere = carrierAccounts({ publicUrl: () => '', urls: { [provider]: 'http://127.0.0.1:1' } });
    expect(await nowhere.check(account(provider))).toMatchObject(left({ kind: 'unreachable' }));
  });

  it('is not asked with what can be no path or header', async () => {
    for (const value of ['..', '', 'a\r\nX-Evil: 1', '\u0000', '💥']) {
      const credentials = Object.fromEntries(Object.keys(account(provider).credentials).map((name) => [name, value]));
      expect(isLeft(await accounts.check({ provider, credentials }))).toBe(true);
    }
    expect(peer.requests.filter((r) => 'x-evil' in r.headers)).toEqual([]);
  });
});

it.each(['twilio', 'exotel'])('a number that %s has not any more needs no letting go', async (provider) => {
  expect(await accounts.routeNumber(account(provider), '+14155550178', false)).toEqual(right(null));
  expect(await accounts.routeNumber(account(provider), '+14155550178', true)).toMatchObject(left({ kind: 'refused' }));
});

describe('an application', () => {
  it.each([
    ['plivo', '77'],
    ['vobiz', '78'],
    ['telnyx', '1293'],
    ['cloudonix', expect.stringMatching(/^ledgerline-[0-9a-f]{12}$/)],
  ])('is made at %s, with our address', async (provider, id) => {
    const made = await accounts.createApplication({ provider, credentials: PEER_CREDENTIALS[provider] ?? {} });
    expect(made).toEqual(right(id));
    expect(JSON.stringify(peer.requests[0]?.body)).toContain(INBOUND);
  });

  it('of Vonage keeps what it had beside the changed address', async () => {
    await accounts.routeNumber(account('vonage'), PEER_NUMBER, true);
    expect(peer.requests.at(-1)?.body).toEqual({
      name: 'Ours',
      privacy: { improve_ai: false },
      capabilities: {
        rtc: {},
        voice: {
          signed_callbacks: true,
          webhooks: { event_url: { address: 'https://e' }, answer_url: { address: INBOUND, http_method: 'POST' } },
        },
      },
    });
  });
});

it('credentials for Exotel go to Exotel, whatever address a configuration names', async () => {
  const direct = carrierAccounts({ publicUrl: () => '', timeoutMs: 500 });
  for (const api_base_url of [peer.url, 'http://api.exotel.com', 'https://exotel.com.evil.example', 'https://a@x/'])
    expect(await direct.check(account('exotel', { api_base_url }))).toMatchObject(
      left({ kind: 'unreachable', message: 'api_base_url is no address of Exotel' }),
    );
  expect(peer.requests).toEqual([]);
});

it('there is no way to a carrier that nobody knows', async () => {
  expect(await accounts.check({ provider: 'ari', credentials: {} })).toMatchObject(left({ kind: 'unreachable' }));
});

describe('through HTTP', () => {
  let world: HttpWorld;
  beforeAll(async () => {
    world = await startHttp({ carrierAccounts: accounts });
  });
  afterAll(() => world.close());

  it.each(['plivo', 'vobiz', 'telnyx', 'cloudonix'])(
    'a %s configuration without an application gets one, and its number is checked and routed',
    async (provider) => {
      const client = await world.client();
      const { config_id, field } = await (async () => {
        const config = { provider, ...PEER_CREDENTIALS[provider] };
        const made = await client.post(CONFIGS, { name: 'With application', config });
        expect(made.status).toBe(200);
        const name = Object.keys(APPLICATION[provider] ?? {})[0] as string;
        return { config_id: made.body.id, field: made.body.credentials[name] };
      })();
      expect(field).toEqual(expect.stringMatching(provider === 'cloudonix' ? /^ledgerline-/ : /^\d+$/));
      const owned = await client.post(`${CONFIGS}/${config_id}/phone-numbers`, { address: PEER_NUMBER });
      expect([owned.status, owned.body.provider_sync]).toEqual([200, { ok: true, message: null }]);
      const before = await world.head();
      const foreign = await client.post(`${CONFIGS}/${config_id}/phone-numbers`, { address: '+14155550179' });
      expect([foreign.status, foreign.body.detail]).toEqual([400, expect.stringContaining('does not belong')]);
      expect(await world.head()).toBe(before);
      peer.fail(503);
      const refused = await client.post(CONFIGS, {
        name: 'Carrier away',
        config: { provider, ...PEER_CREDENTIALS[provider] },
      });
      expect(refused.status).toBe(502);
      expect(await world.head()).toBe(before);
      await client.delete(`${CONFIGS}/${config_id}/phone-numbers/${owned.body.id}`);
    },
  );

  it('Cloudonix’s domain says where SIP calls go, until the domain is another one', async () => {
    const client = await world.client();
    const config = { provider: 'cloudonix', ...PEER_CREDENTIALS['cloudonix'] };
    const made = (await client.post(CONFIGS, { name: 'SIP', config })).body;
    expect(made.sip_connectivity).toMatchObject({
      provider_display_name: 'Cloudonix',
      regions: [
        {
          region: 'India',
          outbound_origin_ip: expect.any(String),
          inbound_transports: [
            { transport: 'UDP', hostname: 'd-1.in.dimi.tel', port: 9060, uri: 'd-1.in.dimi.tel:9060' },
            { transport: 'TCP' },
            { transport: 'TLS' },
          ],
        },
        { region: 'UAE' },
        { region: 'Global' },
      ],
    });
    expect(made.credentials).not.toHaveProperty('domain_uuid');
    const put = (domain_id: string) =>
      client.put(`${CONFIGS}/${made.id}`, { config: { ...config, domain_id, application_name: 'ours' } });
    peer.fail(503);
    expect((await put('acme')).body.sip_connectivity).toEqual(made.sip_connectivity);
    expect((await put('other')).body.sip_connectivity).toBeNull();
  });

  it('wrong credentials are 400, and nothing is stored', async () => {
    const client = await world.client();
    const before = await world.head();
    const config = { provider: 'twilio', account_sid: 'AC1', auth_token: 'not-the-token' };
    const answer = await client.post(CONFIGS, { name: 'Wrong', config });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('Twilio refused')]);
    expect(answer.text).not.toContain('not-the-token');
    expect(await world.head()).toBe(before);
  });
});
