/** Telephony as the API shows it. */
import type { JsonObject } from '../src/core/event';
import type { CarrierCheck, Provider } from '../src/domain/telephony/events';
import type { PhoneNumberDoc, TelephonyConfigDoc, TelephonyDoc, TrunkDoc } from './telephony_configs';

export const configOf = (doc: TelephonyDoc | null, id: number): TelephonyConfigDoc | null =>
  doc?.configs.find((c) => c.id === id) ?? null;

export const phoneNumberOf = (config: TelephonyConfigDoc, id: number): PhoneNumberDoc | null =>
  config.numbers.find((n) => n.id === id) ?? null;

/** Our numbers by id, over all configurations, as calls show them. */
export const callerNumbers = (doc: TelephonyDoc | null): ReadonlyMap<number, string> =>
  new Map(doc?.configs.flatMap((c) => c.numbers.map((n) => [n.id, n.address_normalized] as const)) ?? []);

/** Active numbers of a configuration: its caller ids. */
export const activeNumbers = (config: TelephonyConfigDoc): number => config.numbers.filter((n) => n.is_active).length;

/** The rules of the telephony domain that its answers are worded by; the HTTP layer hands them in. */
export interface TelephonyRules<Checklist extends BlockedReason, Sip> {
  readonly setupChecklist: (view: {
    readonly provider: Provider;
    readonly fieldsSet: readonly string[];
    readonly carrierCheck: CarrierCheck | null;
    readonly numbers: readonly PhoneNumberDoc[];
    readonly trunks: readonly TrunkDoc[];
  }) => Checklist;
  readonly sipConnectivity: (provider: Provider, credentials: JsonObject) => Sip;
}
interface BlockedReason {
  readonly ready_for_outbound: boolean;
  readonly outbound_blocked_reason: string | null;
}

const checklistOf = <C extends BlockedReason, S>(config: TelephonyConfigDoc, rules: TelephonyRules<C, S>): C =>
  rules.setupChecklist({
    provider: config.provider,
    fieldsSet: config.fields_set,
    carrierCheck: config.carrier_check,
    numbers: config.numbers,
    trunks: config.trunks,
  });

export const trunkRecord = (config: TelephonyConfigDoc, trunk: TrunkDoc) => ({
  id: trunk.id,
  name: trunk.name,
  enabled: trunk.enabled,
  settings: trunk.settings,
  phone_number_count: config.numbers.filter((n) => n.telephony_trunk_id === trunk.id).length,
  created_at: trunk.created_at,
  updated_at: trunk.updated_at,
});

/** Trunks by id. */
export const trunkRecords = (config: TelephonyConfigDoc) =>
  config.trunks.toSorted((a, b) => a.id - b.id).map((t) => trunkRecord(config, t));

/** A configuration in full, credentials masked; null: there is none such. */
export const telephonyConfigDetail = <C extends BlockedReason, S>(
  doc: TelephonyDoc | null,
  id: number,
  rules: TelephonyRules<C, S>,
) => {
  const config = configOf(doc, id);
  if (config === null) return null;
  return {
    id: config.id,
    name: config.name,
    provider: config.provider,
    connectivity: config.connectivity,
    is_default_outbound: doc?.default_id === id,
    inactive: config.inactive_since !== null,
    inactive_since: config.inactive_since,
    inactive_reason: config.inactive_reason,
    credentials: config.credentials,
    sip_connectivity: rules.sipConnectivity(config.provider, { domain_uuid: config.domain_uuid }),
    setup_checklist: checklistOf(config, rules),
    supports_trunks: config.provider === 'cloudonix',
    trunks: trunkRecords(config),
    created_at: config.created_at,
    updated_at: config.updated_at,
  };
};

/** A configuration in the list: no credentials. */
export const telephonyConfigListItem = <C extends BlockedReason, S>(
  doc: TelephonyDoc,
  config: TelephonyConfigDoc,
  rules: TelephonyRules<C, S>,
) => {
  const checklist = checklistOf(config, rules);
  return {
    id: config.id,
    name: config.name,
    provider: config.provider,
    connectivity: config.connectivity,
    is_default_outbound: doc.default_id === config.id,
    inactive: config.inactive_since !== null,
    inactive_since: config.inactive_since,
    inactive_reason: config.inactive_reason,
    phone_number_count: activeNumbers(config),
    is_ready_for_outbound: checklist.ready_for_outbound,
    outbound_blocked_reason: checklist.outbound_blocked_reason,
    created_at: config.created_at,
    updated_at: config.updated_at,
  };
};

/** Every configuration, oldest first. */
export const telephonyConfigList = <C extends BlockedReason, S>(
  doc: TelephonyDoc | null,
  rules: TelephonyRules<C, S>,
) => doc?.configs.map((c) => telephonyConfigListItem(doc, c, rules)) ?? [];

/** A phone number. `agentName`: of the agent that answers it, where the caller knows it. */
export const phoneNumberRecord = (config: TelephonyConfigDoc, number: PhoneNumberDoc, agentName: string | null) => ({
  id: number.id,
  telephony_configuration_id: config.id,
  address: number.address,
  address_normalized: number.address_normalized,
  address_type: number.address_type,
  country_code: number.country_code,
  label: number.label,
  inbound_workflow_id: number.inbound_workflow_id,
  inbound_workflow_name: agentName,
  telephony_trunk_id: number.telephony_trunk_id,
  is_active: number.is_active,
  is_default_caller_id: number.is_default_caller_id,
  extra_metadata: number.extra_metadata,
  created_at: number.created_at,
  updated_at: number.updated_at,
  provider_sync: null as { readonly ok: boolean; readonly message: string | null } | null,
});
