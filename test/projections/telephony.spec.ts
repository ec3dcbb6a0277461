import fc from 'fast-check';
import type { JsonObject } from '../../src/core/event';
import type { Sealed } from '../../src/core/event-types';
import { maskText } from '../../src/core/mask';
import { telephonyStream } from '../../src/core/ids';
import type { Provider, TelephonyEvent } from '../../src/domain/telephony/events';
import { restoreMasked } from '../../src/domain/telephony/mask';
import { providerMetadata, sensitiveFields } from '../../src/domain/telephony/provider-metadata';
import { setupChecklist } from '../../src/domain/telephony/setup-checklist';
import { sipConnectivity } from '../../src/domain/telephony/sip-connectivity';
import { evolveTelephony, initialTelephony } from '../../src/domain/telephony/state';
import { maskCredentials, SENSITIVE_FIELDS } from '../../projections/credentials';
import { telephonyConfigs, telephonyKey, type TelephonyDoc } from '../../projections/telephony_configs';
import {
  callerNumbers,
  configOf,
  phoneNumberOf,
  phoneNumberRecord,
  telephonyConfigDetail,
  telephonyConfigList,
} from '../../projections/telephony_views';
import { at, document, expectValid, happened, type Given } from './given-events';
import { ORG } from './stories';

const rules = { setupChecklist, sipConnectivity };
const tell = (event: TelephonyEvent): Given => happened(telephonyStream(ORG), event);
const doc = (story: readonly Given[]): TelephonyDoc => document(telephonyConfigs, telephonyKey(ORG), story);

const configCreated = (id: number, provider: Provider, credentials: JsonObject, isDefault = false): Given =>
  tell({
    type: 'ConfigCreated',
    data: {
      telephony_configuration_id: id,
      name: `config ${id}`,
      provider,
      connectivity: 'api',
      is_default_outbound: isDefault,
      credentials: credentials as unknown as Sealed,
      account_fingerprint: null,
      fields_set: Object.keys(credentials),
    },
  });
const twilio = configCreated(1, 'twilio', { account_sid: 'AC0123456789', auth_token: 'very-secret-token' });
const settings = {
  label: null,
  inbound_workflow_id: null,
  telephony_trunk_id: null,
  country_code: null,
  is_active: true,
  extra_metadata: {},
};
const numberAdded = (config: number, id: number, address: string, isDefault = false): Given =>
  tell({
    type: 'PhoneNumberAdded',
    data: {
      telephony_configuration_id: config,
      phone_number_id: id,
      address,
      address_normalized: address,
      address_type: 'pstn',
      is_default_caller_id: isDefault,
      ...settings,
    },
  });

it('holds and shows masks only', () => {
  const story = [
    twilio,
    tell({
      type: 'CredentialsReplaced',
      data: {
        telephony_configuration_id: 1,
        credentials: { account_sid: 'AC0123456789', auth_token: 'newer-secret-token' } as unknown as Sealed,
        account_fingerprint: null,
      },
    }),
  ];
  const found = doc(story);
  expect(JSON.stringify(found)).not.toMatch(/secret-token|AC012345/);
  expect(telephonyConfigDetail(found, 1, rules)?.credentials).toEqual({
    account_sid: '********6789',
    auth_token: '**************oken',
  });
});

it('knows the same sensitive fields as the domain: what a client sends back masked is what was stored', () => {
  const providers = Object.keys(providerMetadata) as Provider[];
  expect(providers.length).toBe(8);
  for (const provider of providers)
    expect([...(SENSITIVE_FIELDS[provider] ?? [])].sort()).toEqual([...sensitiveFields(provider)].sort());
  fc.assert(
    fc.property(
      fc.constantFrom(...providers),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (provider, secret, other) => {
        const credentials: Record<string, JsonObject | string | null> = { region: other, [provider]: null };
        for (const path of sensitiveFields(provider)) {
          const [head, second, third] = path.split('.') as [string, string?, string?];
          if (second === undefined) credentials[head] = secret;
          else
            credentials[head] = {
              type: 'vicidial',
              [second]: third === undefined ? secret : { [third]: secret, url: other },
            };
        }
        const shown = maskCredentials(provider, credentials);
        expect(restoreMasked(provider, shown, credentials)).toEqual(credentials);
        if (maskText(secret) !== secret) expect(shown).not.toEqual(credentials);
      },
    ),
  );
});

it('lists configurations oldest first with what blocks outbound calls, without credentials', () => {
  const story = [
    twilio,
    configCreated(2, 'ari', { ari_endpoint: 'http://pbx:8088', app_password: 'pw' }),
    numberAdded(1, 5, '+14155550001'),
  ];
  expectValid(story, ['ConfigCreated']);
  const list = telephonyConfigList(doc(story), rules);
  expect(list).toEqual([
    {
      id: 1,
      name: 'config 1',
      provider: 'twilio',
      connectivity: 'api',
      is_default_outbound: false,
      inactive: false,
      inactive_since: null,
      inactive_reason: null,
      phone_number_count: 1,
      is_ready_for_outbound: true,
      outbound_blocked_reason: null,
      created_at: at(0),
      updated_at: at(0),
    },
    expect.objectContaining({ id: 2, is_ready_for_outbound: true }),
  ]);
  const [withoutNumber] = telephonyConfigList(doc([twilio]), rules);
  expect(withoutNumber).toMatchObject({ is_ready_for_outbound: false, phone_number_count: 0 });
  expect(withoutNumber?.outbound_blocked_reason).toMatch(/number/);
  expect(telephonyConfigList(null, rules)).toEqual([]);
});

it('a detail has every field of the contract', () => {
  const detail = telephonyConfigDetail(doc([twilio]), 1, rules);
  expect(Object.keys(detail ?? {}).sort()).toEqual(
    [
      'id',
      'name',
      'provider',
      'connectivity',
      'is_default_outbound',
      'inactive',
      'inactive_since',
      'inactive_reason',
      'credentials',
      'sip_connectivity',
      'setup_checklist',
      'supports_trunks',
      'trunks',
      'created_at',
      'updated_at',
    ].sort(),
  );
  expect(detail?.setup_checklist.ready_for_outbound).toBe(false);
  expect(telephonyConfigDetail(doc([twilio]), 99, rules)).toBeNull();
});

it('one default at a time; deleting it leaves none', () => {
  const isDefault = (story: readonly Given[]): readonly number[] =>
    telephonyConfigList(doc(story), rules).flatMap((c) => (c.is_default_outbound ? [c.id] : []));
  const change = (id: number | null): Given =>
    tell({ type: 'DefaultOutboundChanged', data: { telephony_configuration_id: id } });
  const story = [configCreated(1, 'plivo', {}, true), configCreated(2, 'plivo', {}, true)];
  expect(isDefault(story.slice(0, 1))).toEqual([1]);
  expect(isDefault(story)).toEqual([2]);
  expect(isDefault([...story, change(1)])).toEqual([1]);
  expect(isDefault([...story, change(null)])).toEqual([]);
  expect(isDefault([...story, tell({ type: 'ConfigDeleted', data: { telephony_configuration_id: 2 } })])).toEqual([]);
});

it('inactive and active again', () => {
  const story = [
    twilio,
    tell({ type: 'ConfigInactivated', data: { telephony_configuration_id: 1, reason: '401: refused' } }),
    tell({ type: 'ConfigReactivated', data: { telephony_configuration_id: 1 } }),
  ];
  expectValid(story, ['ConfigCreated']);
  expect(telephonyConfigDetail(doc(story.slice(0, 2)), 1, rules)).toMatchObject({
    inactive: true,
    inactive_since: at(1),
    inactive_reason: '401: refused',
    updated_at: at(1),
  });
  expect(telephonyConfigDetail(doc(story), 1, rules)).toMatchObject({
    inactive: false,
    inactive_since: null,
    inactive_reason: null,
  });
});

it('phone numbers: added, changed, default caller, removed', () => {
  const story = [
    twilio,
    numberAdded(1, 5, '+14155550001', true),
    numberAdded(1, 6, '+14155550002'),
    tell({
      type: 'PhoneNumberChanged',
      data: { telephony_configuration_id: 1, phone_number_id: 5, ...settings, label: 'front', inbound_workflow_id: 3 },
    }),
    tell({ type: 'DefaultCallerChanged', data: { telephony_configuration_id: 1, phone_number_id: 6 } }),
  ];
  expectValid(story, ['ConfigCreated']);
  const found = doc(story);
  const config = configOf(found, 1);
  if (config === null) throw new Error('no configuration');
  const number = phoneNumberOf(config, 5);
  if (number === null) throw new Error('no number');
  expect(phoneNumberRecord(config, number, 'Sales')).toEqual({
    id: 5,
    telephony_configuration_id: 1,
    address: '+14155550001',
    address_normalized: '+14155550001',
    address_type: 'pstn',
    country_code: null,
    label: 'front',
    inbound_workflow_id: 3,
    inbound_workflow_name: 'Sales',
    telephony_trunk_id: null,
    is_active: true,
    is_default_caller_id: false,
    extra_metadata: {},
    created_at: at(1),
    updated_at: at(4),
    provider_sync: null,
  });
  expect(config.numbers.map((n) => n.is_default_caller_id)).toEqual([false, true]);
  expect(callerNumbers(found)).toEqual(
    new Map([
      [5, '+14155550001'],
      [6, '+14155550002'],
    ]),
  );
  const removed = doc([
    ...story,
    tell({ type: 'PhoneNumberRemoved', data: { telephony_configuration_id: 1, phone_number_id: 5 } }),
  ]);
  expect(configOf(removed, 1)?.numbers.map((n) => n.id)).toEqual([6]);
});

it('cloudonix shows trunks and where calls come in, never the id of its domain by itself', () => {
  const trunk = {
    telephony_configuration_id: 1,
    trunk_id: 8,
    name: 'main',
    enabled: true,
    settings: { region: 'UAE' },
  };
  const story = [
    configCreated(1, 'cloudonix', {
      bearer_token: 'abcdefgh',
      domain_id: 'd.cloudonix.net',
      domain_uuid: 'uuid-1',
      application_id: 9,
    }),
    tell({ type: 'TrunkAdded', data: trunk }),
    tell({ type: 'TrunkChanged', data: { ...trunk, enabled: false } }),
    numberAdded(1, 5, '+14155550001'),
  ];
  expectValid(story, ['ConfigCreated']);
  const detail = telephonyConfigDetail(doc(story), 1, rules);
  expect(detail?.credentials).toEqual({ bearer_token: '****efgh', domain_id: 'd.cloudonix.net' });
  expect(detail?.trunks).toEqual([
    {
      id: 8,
      name: 'main',
      enabled: false,
      settings: { region: 'UAE' },
      phone_number_count: 0,
      created_at: at(1),
      updated_at: at(2),
    },
  ]);
  expect(JSON.stringify(detail?.sip_connectivity)).toContain('uuid-1.uae.dimi.tel');
  expect(
    doc([...story, tell({ type: 'TrunkRemoved', data: { telephony_configuration_id: 1, trunk_id: 8 } })]).configs[0]
      ?.trunks,
  ).toEqual([]);
});

it('revisions are those that the rules compare with If-Match', () => {
  const story = [
    twilio,
    configCreated(2, 'plivo', {}, true),
    numberAdded(1, 5, '+14155550001'),
    tell({ type: 'DefaultOutboundChanged', data: { telephony_configuration_id: 1 } }),
    tell({ type: 'ConfigChanged', data: { telephony_configuration_id: 2, name: 'other' } }),
  ];
  const state = story.reduce((s, { event }) => evolveTelephony(s, event as TelephonyEvent), initialTelephony);
  expect(doc(story).configs.map((c) => [c.id, c.revision])).toEqual(
    state.configurations.map((c) => [c.id, c.revision]),
  );
});
