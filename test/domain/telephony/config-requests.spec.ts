import { isLeft } from 'fp-ts/Either';
import { decode, type AnyCodec } from '../../../src/core/codec';
import {
  accountOf,
  applicationFieldOf,
  ConfigRequest,
  credentialsOf,
  fieldsSetOf,
  SECRET_FIELDS,
  TelephonyConfigCreate,
  TelephonyConfigUpdate,
} from '../../../src/domain/telephony/config';
import { PhoneNumberCreate } from '../../../src/domain/telephony/requests';

const decoded = (config: unknown): ConfigRequest => {
  const answer = decode(ConfigRequest, config, ['body', 'config']);
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
};
const faultsOf = (codec: AnyCodec, body: unknown) => {
  const answer = decode(codec, body, ['body'], SECRET_FIELDS);
  return isLeft(answer) ? answer.left : [];
};

/** The least that each provider takes, and what is stored of it. */
const least: readonly (readonly [
  config: Record<string, unknown>,
  stored: Record<string, unknown>,
  account: string | null,
])[] = [
  [
    { provider: 'ari', ari_endpoint: 'http://pbx:8088', app_name: 'u', app_password: 'p' },
    {
      ari_endpoint: 'http://pbx:8088',
      app_name: 'u',
      app_password: 'p',
      ws_client_name: '',
      dial_string_template: 'PJSIP/{number}',
      external_pbx: null,
    },
    null,
  ],
  [
    { provider: 'cloudonix', bearer_token: 't', domain_id: ' Example. ' },
    { bearer_token: 't', domain_id: 'example.cloudonix.net', application_name: null },
    'example.cloudonix.net',
  ],
  [
    { provider: 'exotel', account_sid: 's', api_key: 'k', api_token: 't', from_numbers: ['+911'] },
    { account_sid: 's', api_key: 'k', api_token: 't', api_base_url: 'https://api.in.exotel.com' },
    's',
  ],
  [
    { provider: 'plivo', auth_id: 'i', auth_token: 't', application_id: ' ' },
    { auth_id: 'i', auth_token: 't', application_id: null },
    'i',
  ],
  [
    { provider: 'telnyx', api_key: 'k', connection_id: '9' },
    { api_key: 'k', connection_id: '9', webhook_public_key: null },
    '9',
  ],
  [{ provider: 'twilio', account_sid: 's', auth_token: 't' }, { account_sid: 's', auth_token: 't' }, 's'],
  [{ provider: 'vobiz', auth_id: 'i', auth_token: 't' }, { auth_id: 'i', auth_token: 't', application_id: null }, 'i'],
  [
    { provider: 'vonage', api_key: 'k', api_secret: 's', application_id: 'a', private_key: 'pem' },
    { api_key: 'k', api_secret: 's', application_id: 'a', private_key: 'pem', signature_secret: null },
    'k',
  ],
];

test.each(least)('%j is stored with its defaults filled in', (config, stored, account) => {
  const request = decoded({ ...config, something_else: 1 });
  expect(credentialsOf(request)).toEqual(stored);
  expect(accountOf(request)).toBe(account);
});

test('every required field of every provider is missed, below its provider', () => {
  for (const [config] of least) {
    const provider = config['provider'] as string;
    const faults = faultsOf(TelephonyConfigCreate, { name: 'A', config: { provider } });
    const optional = [
      'provider',
      'from_numbers',
      ...(provider === 'vonage' ? [] : ['application_id']),
      'connection_id',
    ];
    const missed = Object.keys(config).filter((field) => !optional.includes(field));
    expect(faults.map((f) => f.loc)).toEqual(missed.map((field) => ['body', 'config', provider, field]));
    expect(new Set(faults.map((f) => f.type))).toEqual(new Set(['missing']));
  }
});

test('a configuration without provider, and with an unknown one', () => {
  expect(faultsOf(TelephonyConfigCreate, { name: 'A', config: { auth_token: 'secret' } })[0]).toMatchObject({
    type: 'union_tag_not_found',
    loc: ['body', 'config'],
    input: { auth_token: '********' },
  });
  expect(faultsOf(TelephonyConfigCreate, { name: 'A', config: { provider: 'x' } })[0]?.msg).toContain(
    "expected tags: 'ari', 'cloudonix', 'exotel', 'plivo', 'telnyx', 'twilio', 'vobiz', 'vonage'",
  );
});

test('names have 1 to 64 characters, on create and update', () => {
  const config = least[5]?.[0];
  for (const [name, type] of [
    ['', 'string_too_short'],
    ['x'.repeat(65), 'string_too_long'],
  ])
    for (const codec of [TelephonyConfigCreate, TelephonyConfigUpdate])
      expect(faultsOf(codec, { name, config })).toMatchObject([{ type, loc: ['body', 'name'] }]);
  expect(faultsOf(TelephonyConfigUpdate, { name: null, config: null, is_default_outbound: null })).toEqual([]);
  expect(faultsOf(TelephonyConfigUpdate, {})).toEqual([]);
});

describe('a dial string template', () => {
  const base = { provider: 'ari', ari_endpoint: 'e', app_name: 'u', app_password: 'p' };
  const stored = (template: string) => credentialsOf(decoded({ ...base, dial_string_template: template }));

  test('is trimmed, and blank means the usual one', () => {
    expect(stored(' PJSIP/{number}@trunk ')['dial_string_template']).toBe('PJSIP/{number}@trunk');
    expect(stored('  ')['dial_string_template']).toBe('PJSIP/{number}');
  });

  test.each([
    ['PJSIP/{phone}', /no placeholder but/],
    ['PJSIP/{number}{x}', /no placeholder but/],
    ['PJSIP/{number', /no placeholder but/],
    ['PJSIP/100', /must hold \{number\}/],
    ['{number}@trunk', /channel technology/],
    ['1X/{number}', /channel technology/],
  ])('%s is refused', (template, text) => {
    const [fault] = faultsOf(ConfigRequest, { ...base, dial_string_template: template });
    expect(fault).toMatchObject({ type: 'value_error', loc: ['body', 'ari', 'dial_string_template'] });
    expect(fault?.msg).toMatch(text);
  });
});

describe('an external PBX', () => {
  const base = { provider: 'ari', ari_endpoint: 'e', app_name: 'u', app_password: 'p' };
  const agent_api = { url: ' https://pbx/agc/api.php ', username: 'u', password: 'p' };
  const stored = (external_pbx: unknown) => credentialsOf(decoded({ ...base, external_pbx }))['external_pbx'];
  const faults = (external_pbx: unknown) => faultsOf(ConfigRequest, { ...base, external_pbx });

  test('gets its type, its source and its patience', () => {
    expect(stored({ agent_api })).toEqual({
      type: 'vicidial',
      agent_api: { url: 'https://pbx/agc/api.php', username: 'u', password: 'p', source: 'ledgerline' },
      non_agent_api: null,
      timeout_seconds: 8,
    });
  });

  test('takes the non-agent API whole or not at all', () => {
    expect(stored({ agent_api, non_agent_api: {} })).toMatchObject({ non_agent_api: null });
    expect(stored({ agent_api, non_agent_api: { url: ' ', username: '', source: 's' } })).toMatchObject({
      non_agent_api: null,
    });
    expect(stored({ agent_api, non_agent_api: { url: 'http://pbx', username: 'a', password: 'b' } })).toMatchObject({
      non_agent_api: { url: 'http://pbx', username: 'a', password: 'b', source: 'ledgerline' },
    });
    expect(faults({ agent_api, non_agent_api: { url: 'http://pbx' } })).toMatchObject([
      { type: 'value_error', loc: ['body', 'ari', 'external_pbx', 'non_agent_api'] },
    ]);
  });

  test('has every fault reported', () => {
    expect(
      faults({
        type: 'other',
        agent_api: { url: 'ftp://x', username: '' },
        non_agent_api: { url: 'ftp://y' },
        timeout_seconds: 31,
      }).map((f) => [f.type, f.loc.slice(3).join('.')]),
    ).toEqual([
      ['literal_error', 'type'],
      ['value_error', 'agent_api.url'],
      ['string_too_short', 'agent_api.username'],
      ['missing', 'agent_api.password'],
      ['value_error', 'non_agent_api.url'],
      ['less_than_equal', 'timeout_seconds'],
    ]);
  });
});

test('what holds something is known without opening the seal', () => {
  expect(fieldsSetOf({ b: 'x', a: 'y', c: null, d: ' ', e: { f: 1 } })).toEqual(['a', 'b', 'e']);
});

test('the carriers that get an application made', () => {
  expect(['cloudonix', 'plivo', 'telnyx', 'vobiz', 'twilio', 'ari'].map(applicationFieldOf)).toEqual([
    'application_name',
    'application_id',
    'connection_id',
    'application_id',
    null,
    null,
  ]);
});

test('a number without plus sign needs its country, as a fault of the whole body', () => {
  expect(faultsOf(PhoneNumberCreate, { address: '4155551234' })).toMatchObject([
    { type: 'value_error', loc: ['body'] },
  ]);
  expect(faultsOf(PhoneNumberCreate, { address: '4155551234', country_code: 'US' })).toEqual([]);
  expect(
    faultsOf(PhoneNumberCreate, { address: '', country_code: 'USA', label: 'x'.repeat(65) }).map((f) => f.type),
  ).toEqual(['string_too_short', 'string_too_long', 'string_too_long']);
});
