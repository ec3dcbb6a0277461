import type { Sealed } from '../../../src/core/event-types';
import type { SealedCredentials } from '../../../src/domain/telephony/commands';
import type { Provider, TelephonyEvent } from '../../../src/domain/telephony/events';
import { providerMetadata } from '../../../src/domain/telephony/provider-metadata';

export const seal = (text: string): Sealed => ({ $sealed: text, key: 'org/1/1', field: 'telephony.credentials' });

export const sealedCredentials = (name: string, rest: Partial<SealedCredentials> = {}): SealedCredentials => ({
  sealed: seal(name),
  fieldsSet: ['auth_token'],
  accountFingerprint: null,
  carrierCheck: null,
  provisioned: null,
  ...rest,
});

type DataOf<T extends TelephonyEvent['type']> = Extract<TelephonyEvent, { type: T }>['data'];

export const created = (
  id: number,
  name: string,
  provider: Provider = 'twilio',
  rest: Partial<DataOf<'ConfigCreated'>> = {},
): TelephonyEvent => ({
  type: 'ConfigCreated',
  data: {
    telephony_configuration_id: id,
    name,
    provider,
    connectivity: providerMetadata[provider].connectivity,
    is_default_outbound: false,
    credentials: seal(`of ${name}`),
    account_fingerprint: null,
    fields_set: ['auth_token'],
    carrier_check: null,
    ...rest,
  },
});

export const madeDefault = (id: number | null, previous: number | null = null): TelephonyEvent => ({
  type: 'DefaultOutboundChanged',
  data: { telephony_configuration_id: id, previous_telephony_configuration_id: previous },
});

export const numberAdded = (
  config: number,
  id: number,
  address = `+1415555${String(id).padStart(4, '0')}`,
  rest: Partial<DataOf<'PhoneNumberAdded'>> = {},
): TelephonyEvent => ({
  type: 'PhoneNumberAdded',
  data: {
    telephony_configuration_id: config,
    phone_number_id: id,
    address,
    address_normalized: address,
    address_type: 'pstn',
    country_code: null,
    label: null,
    inbound_workflow_id: null,
    telephony_trunk_id: null,
    is_active: true,
    is_default_caller_id: false,
    extra_metadata: {},
    ...rest,
  },
});

export const trunkAdded = (config: number, id: number, name: string, enabled = true): TelephonyEvent => ({
  type: 'TrunkAdded',
  data: {
    telephony_configuration_id: config,
    trunk_id: id,
    name,
    enabled,
    settings: { region: 'India', sip_domain: 'sip.example.com' },
  },
});
