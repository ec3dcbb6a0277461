import fc from 'fast-check';
import type { JsonObject } from '../../../src/core/event';
import { SECRET_FIELDS } from '../../../src/domain/telephony/config';
import type { Provider } from '../../../src/domain/telephony/events';
import { restoreMasked } from '../../../src/domain/telephony/mask';
import { providerMetadata, providers, sensitiveFields } from '../../../src/domain/telephony/provider-metadata';
import { sipConnectivity } from '../../../src/domain/telephony/sip-connectivity';
import { maskCredentials, SENSITIVE_FIELDS } from '../../../projections/credentials';

const all = providers.map((p) => p.provider);

test('all eight carriers are listed by name, each with fields', () => {
  expect(all).toEqual(['ari', 'cloudonix', 'exotel', 'plivo', 'telnyx', 'twilio', 'vobiz', 'vonage']);
  for (const { fields } of providers) expect(fields.length).toBeGreaterThanOrEqual(2);
});

test('read models mask the very fields that are marked sensitive', () => {
  for (const provider of all)
    expect([...(SENSITIVE_FIELDS[provider] ?? [])].sort()).toEqual([...sensitiveFields(provider)].sort());
});

test('every sensitive field is hidden in faults too', () => {
  for (const provider of all)
    for (const name of sensitiveFields(provider)) expect(SECRET_FIELDS).toContain(name.split('.').at(-1));
});

test('required flags are those of the contract', () => {
  const required = Object.fromEntries(
    providers.map((p) => [p.provider, p.fields.filter((f) => f.required && f.section === null).map((f) => f.name)]),
  );
  expect(required).toEqual({
    ari: ['ari_endpoint', 'app_name', 'app_password'],
    cloudonix: ['bearer_token', 'domain_id'],
    exotel: ['account_sid', 'api_key', 'api_token'],
    plivo: ['auth_id', 'auth_token'],
    telnyx: ['api_key'],
    twilio: ['account_sid', 'auth_token'],
    vobiz: ['auth_id', 'auth_token'],
    vonage: ['application_id', 'private_key', 'api_key', 'api_secret'],
  });
  const withNumbers = providers.filter((p) => p.fields.some((f) => f.name === 'from_numbers'));
  expect(withNumbers.map((p) => p.provider)).toEqual(['exotel']);
  expect(providerMetadata.ari.fields.find((f) => f.name === 'stasis_app_name')?.type).toBe('readonly');
});

describe('a mask that comes back', () => {
  const secret = fc.string({ minLength: 1, maxLength: 40 });

  test('means the secret behind it, at any depth', () => {
    const stored: JsonObject = {
      app_password: 'correct horse',
      app_name: 'user',
      external_pbx: { agent_api: { username: 'agent', password: 'battery' }, non_agent_api: null },
    };
    expect(restoreMasked('ari', maskCredentials('ari', stored), stored)).toEqual(stored);
  });

  test('is told from a new secret, for every provider', () => {
    let checked = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...all.filter((p) => p !== 'ari')),
        secret,
        secret,
        (provider: Provider, old, fresh) => {
          const fields = sensitiveFields(provider);
          const stored = Object.fromEntries(fields.map((name) => [name, old]));
          const masked = maskCredentials(provider, stored);
          expect(restoreMasked(provider, masked, stored)).toEqual(stored);
          const renewed = Object.fromEntries(fields.map((name) => [name, fresh]));
          if (fields.some((name) => masked[name] === fresh)) return;
          checked++;
          expect(restoreMasked(provider, renewed, stored)).toEqual(renewed);
        },
      ),
    );
    expect(checked).toBeGreaterThan(0);
  });

  test('of nothing stored is taken as it is', () => {
    expect(restoreMasked('vonage', { signature_secret: '****abcd' }, { signature_secret: null })).toEqual({
      signature_secret: '****abcd',
    });
    expect(restoreMasked('twilio', { account_sid: 'x' }, {})).toEqual({ account_sid: 'x' });
  });
});

test('only a Cloudonix domain that is known at the carrier has SIP addresses', () => {
  expect(sipConnectivity('twilio', { domain_uuid: 'u' })).toBeNull();
  expect(sipConnectivity('cloudonix', {})).toBeNull();
  const found = sipConnectivity('cloudonix', { domain_uuid: 'u-1' });
  expect(found?.regions.map((r) => r.region)).toEqual(['India', 'UAE', 'Global']);
  expect(found?.regions[0]?.inbound_transports).toEqual([
    { transport: 'UDP', hostname: 'u-1.in.dimi.tel', port: 9060, uri: 'u-1.in.dimi.tel:9060' },
    { transport: 'TCP', hostname: 'u-1.in.dimi.tel', port: 9060, uri: 'u-1.in.dimi.tel:9060;transport=tcp;' },
    { transport: 'TLS', hostname: 'u-1.in.dimi.tel', port: 9443, uri: 'u-1.in.dimi.tel:9443;transport=tls;' },
  ]);
});
