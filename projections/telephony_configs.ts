/**
 * Telephony of an organization: configurations with masked credentials, their phone numbers and trunks, and which one is the default. One document
 * per organization, since the rules (unique names, one default) span configurations.
 */
import type { JsonObject } from '../src/core/event';
import type { CarrierCheck, Provider, TelephonyEvent } from '../src/domain/telephony/events';
import type { Projected, Projection } from '../src/engine/projection';
import { maskCredentials, SENSITIVE_FIELDS } from './credentials';

export interface PhoneNumberDoc {
  readonly id: number;
  readonly address: string;
  readonly address_normalized: string;
  readonly address_type: 'pstn' | 'sip_uri' | 'sip_extension';
  readonly country_code: string | null;
  readonly label: string | null;
  readonly inbound_workflow_id: number | null;
  readonly telephony_trunk_id: number | null;
  readonly is_active: boolean;
  readonly is_default_caller_id: boolean;
  readonly extra_metadata: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface TrunkDoc {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly settings: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface TelephonyConfigDoc {
  readonly id: number;
  readonly name: string;
  readonly provider: Provider;
  readonly connectivity: 'api' | 'sip';
  readonly inactive_since: string | null;
  readonly inactive_reason: string | null;
  /** Masked: no secret is ever in a read model. */
  readonly credentials: JsonObject;
  /** Cloudonix: the domain's own id, which SIP host names are made of; never shown by itself. */
  readonly domain_uuid: string | null;
  /** Names of the credentials that hold something. */
  readonly fields_set: readonly string[];
  /** What the carrier said of the credentials when they were saved; null: it was not asked. */
  readonly carrier_check: CarrierCheck | null;
  /** In order of creation. */
  readonly numbers: readonly PhoneNumberDoc[];
  readonly trunks: readonly TrunkDoc[];
  readonly created_at: string;
  readonly updated_at: string;
  /** Position and stream revision of the last event that changed it, its numbers or its trunks. */
  readonly etag: string;
  readonly revision: number;
}

export interface TelephonyDoc {
  readonly organization: number;
  readonly default_id: number | null;
  /** In order of creation. */
  readonly configs: readonly TelephonyConfigDoc[];
}

export const telephonyKey = (org: number): string => String(org);

/** Part of the request and of no answer. */
const NEVER_SHOWN: readonly string[] = ['provider', 'from_numbers'];
/** Cloudonix's own ids; nobody else needs them. */
const HIDDEN: Readonly<Partial<Record<Provider, readonly string[]>>> = {
  cloudonix: ['domain_uuid', 'application_id', 'application_uuid', 'managed_by', 'provisioning_id'],
};
const isHidden = (provider: Provider, field: string): boolean =>
  NEVER_SHOWN.includes(field) || HIDDEN[provider]?.includes(field) === true;

const shown = (provider: Provider, opened: unknown): JsonObject => {
  const masked = maskCredentials(provider, (opened ?? {}) as JsonObject);
  return Object.fromEntries(Object.entries(masked).filter(([field]) => !isHidden(provider, field)));
};
const domainOf = (opened: unknown): string | null => {
  const uuid = (opened as JsonObject | null)?.['domain_uuid'];
  return typeof uuid === 'string' ? uuid : null;
};

type Event = Projected<TelephonyEvent>;
type ConfigEvent = Exclude<Event, { type: 'ConfigCreated' | 'ConfigDeleted' | 'DefaultOutboundChanged' }>;

const created = (event: Extract<Event, { type: 'ConfigCreated' }>): TelephonyConfigDoc => ({
  id: event.data.telephony_configuration_id,
  name: event.data.name,
  provider: event.data.provider,
  connectivity: event.data.connectivity,
  inactive_since: null,
  inactive_reason: null,
  credentials: shown(event.data.provider, event.data.credentials),
  domain_uuid: domainOf(event.data.credentials),
  fields_set: event.data.fields_set ?? [],
  carrier_check: event.data.carrier_check ?? null,
  numbers: [],
  trunks: [],
  created_at: event.at,
  updated_at: event.at,
  etag: event.position,
  revision: event.revision,
});

const changeOne = <T extends { readonly id: number }>(list: readonly T[], id: number, change: (item: T) => T): T[] =>
  list.map((item) => (item.id === id ? change(item) : item));

const evolveConfig = (before: TelephonyConfigDoc, event: ConfigEvent): TelephonyConfigDoc => {
  const config = { ...before, etag: event.position, revision: event.revision };
  const touched = { updated_at: event.at };
  switch (event.type) {
    case 'ConfigChanged':
      return { ...config, ...touched, name: event.data.name };
    case 'CredentialsReplaced':
      return {
        ...config,
        ...touched,
        credentials: shown(config.provider, event.data.credentials),
        // Credentials that can't be opened any more say nothing; others say it all.
        domain_uuid: event.data.credentials === null ? config.domain_uuid : domainOf(event.data.credentials),
        fields_set: event.data.fields_set ?? config.fields_set,
        carrier_check: event.data.carrier_check ?? null,
      };
    case 'CarrierApplicationProvisioned': {
      const { field, value } = event.data;
      if (field === 'domain_uuid') return { ...config, ...touched, domain_uuid: value };
      const secret = SENSITIVE_FIELDS[config.provider]?.includes(field) === true;
      if (secret || isHidden(config.provider, field)) return { ...config, ...touched };
      return { ...config, ...touched, credentials: { ...config.credentials, [field]: value } };
    }
    case 'ConfigInactivated':
      return { ...config, ...touched, inactive_since: event.at, inactive_reason: event.data.reason };
    case 'ConfigReactivated':
      return { ...config, ...touched, inactive_since: null, inactive_reason: null };
    case 'PhoneNumberAdded': {
      const { telephony_configuration_id: _config, phone_number_id, ...fields } = event.data;
      const number = { id: phone_number_id, ...fields, created_at: event.at, ...touched };
      return {
        ...config,
        numbers: [
          ...(number.is_default_caller_id ? withDefaultCaller(config.numbers, number.id, event) : config.numbers),
          number,
        ],
      };
    }
    case 'PhoneNumberChanged': {
      const { telephony_configuration_id: _config, phone_number_id, ...fields } = event.data;
      return {
        ...config,
        numbers: changeOne(config.numbers, phone_number_id, (n) => ({ ...n, ...fields, ...touched })),
      };
    }
    case 'PhoneNumberRemoved':
      return { ...config, numbers: config.numbers.filter((n) => n.id !== event.data.phone_number_id) };
    case 'DefaultCallerChanged':
      return { ...config, numbers: withDefaultCaller(config.numbers, event.data.phone_number_id, event) };
    case 'TrunkAdded': {
      const { telephony_configuration_id: _config, trunk_id, ...fields } = event.data;
      return { ...config, trunks: [...config.trunks, { id: trunk_id, ...fields, created_at: event.at, ...touched }] };
    }
    case 'TrunkChanged': {
      const { telephony_configuration_id: _config, trunk_id, ...fields } = event.data;
      return { ...config, trunks: changeOne(config.trunks, trunk_id, (t) => ({ ...t, ...fields, ...touched })) };
    }
    case 'TrunkRemoved':
      return { ...config, trunks: config.trunks.filter((t) => t.id !== event.data.trunk_id) };
    default:
      return config;
  }
};

/** Both the new default and the old one are changed by it. */
const withDefaultCaller = (numbers: readonly PhoneNumberDoc[], id: number, event: Event): readonly PhoneNumberDoc[] =>
  numbers.map((n) =>
    n.is_default_caller_id === (n.id === id) ? n : { ...n, updated_at: event.at, is_default_caller_id: n.id === id },
  );

/** Both the new default and the old one are changed by it; one that was created as the default is the new one already. */
const withDefault = (doc: TelephonyDoc, event: Extract<Event, { type: 'DefaultOutboundChanged' }>): TelephonyDoc => {
  const { telephony_configuration_id: id, previous_telephony_configuration_id: previous = doc.default_id } = event.data;
  const touched = { updated_at: event.at, etag: event.position, revision: event.revision };
  return {
    ...doc,
    default_id: id,
    configs: doc.configs.map((c) => (c.id === id || c.id === previous ? { ...c, ...touched } : c)),
  };
};

export const telephonyConfigs: Projection<TelephonyDoc> = {
  name: 'telephony_configs',
  version: 2,
  categories: ['telephony'],
  opens: ['ConfigCreated', 'CredentialsReplaced'],
  indexes: [],
  keys: (event) => [telephonyKey(event.org)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Event;
    const all = doc ?? { organization: event.org, default_id: null, configs: [] };
    switch (event.type) {
      case 'ConfigCreated': {
        const id = event.data.telephony_configuration_id;
        return {
          ...all,
          default_id: event.data.is_default_outbound ? id : all.default_id,
          configs: [...all.configs, created(event)],
        };
      }
      case 'DefaultOutboundChanged':
        return withDefault(all, event);
      case 'ConfigDeleted': {
        const id = event.data.telephony_configuration_id;
        return {
          ...all,
          default_id: all.default_id === id ? null : all.default_id,
          configs: all.configs.filter((c) => c.id !== id),
        };
      }
      default:
        return {
          ...all,
          configs: changeOne(all.configs, event.data.telephony_configuration_id, (c) => evolveConfig(c, event)),
        };
    }
  },
};
