/** An organization's telephony, folded. */
import type { Sealed } from '../../core/event-types';
import type { JsonObject } from '../../core/event';
import type { AddressType } from './address';
import type { CarrierCheck, Provider, TelephonyEvent } from './events';
import type { ChecklistView } from './setup-checklist';

export interface PhoneNumber {
  readonly id: number;
  readonly address: string;
  readonly address_normalized: string;
  readonly address_type: AddressType;
  readonly country_code: string | null;
  readonly label: string | null;
  readonly inbound_workflow_id: number | null;
  readonly telephony_trunk_id: number | null;
  readonly is_active: boolean;
  readonly is_default_caller_id: boolean;
  readonly extra_metadata: JsonObject;
}

export interface Trunk {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly settings: JsonObject;
}

export interface Configuration extends ChecklistView {
  readonly id: number;
  readonly name: string;
  readonly provider: Provider;
  readonly connectivity: 'api' | 'sip';
  /** Why it is not used for now; null: it is active. */
  readonly inactive: { readonly reason: string } | null;
  readonly credentials: Sealed;
  readonly accountFingerprint: string | null;
  readonly fieldsSet: readonly string[];
  readonly carrierCheck: CarrierCheck | null;
  /** In the order in which they were added. */
  readonly numbers: readonly PhoneNumber[];
  readonly trunks: readonly Trunk[];
  /** Stream revision of the last event that changed it. */
  readonly revision: number;
}

export interface TelephonyState {
  /** Revision of the stream; -1 before its first event. */
  readonly revision: number;
  /** In the order in which they were created. */
  readonly configurations: readonly Configuration[];
  readonly defaultOutbound: number | null;
}

export const initialTelephony: TelephonyState = { revision: -1, configurations: [], defaultOutbound: null };

export const configurationOf = (state: TelephonyState, id: number): Configuration | undefined =>
  state.configurations.find((c) => c.id === id);

export const isDefaultOutbound = (state: TelephonyState, id: number): boolean => state.defaultOutbound === id;

/** The number that calls show when none is named: the default caller if it is active, else the first active one; null: none. */
export const callerNumberOf = (configuration: Configuration): PhoneNumber | null => {
  const active = configuration.numbers.filter((n) => n.is_active);
  return active.find((n) => n.is_default_caller_id) ?? active[0] ?? null;
};

type DataOf<T extends TelephonyEvent['type']> = Extract<TelephonyEvent, { type: T }>['data'];

const settingsOf = (data: DataOf<'PhoneNumberAdded'> | DataOf<'PhoneNumberChanged'>) => ({
  label: data.label,
  inbound_workflow_id: data.inbound_workflow_id,
  telephony_trunk_id: data.telephony_trunk_id,
  country_code: data.country_code,
  is_active: data.is_active,
  extra_metadata: data.extra_metadata,
});

export const evolveTelephony = (state: TelephonyState, event: TelephonyEvent): TelephonyState => {
  const revision = state.revision + 1;
  const changing = (id: number, change: (c: Configuration) => Partial<Configuration>): TelephonyState => ({
    ...state,
    revision,
    configurations: state.configurations.map((c) => (c.id === id ? { ...c, ...change(c), revision } : c)),
  });
  switch (event.type) {
    case 'ConfigCreated': {
      const data = event.data;
      const id = data.telephony_configuration_id;
      const made: Configuration = {
        id,
        name: data.name,
        provider: data.provider,
        connectivity: data.connectivity,
        inactive: null,
        credentials: data.credentials,
        accountFingerprint: data.account_fingerprint,
        fieldsSet: data.fields_set ?? [],
        carrierCheck: data.carrier_check ?? null,
        numbers: [],
        trunks: [],
        revision,
      };
      return {
        revision,
        configurations: [...state.configurations, made],
        defaultOutbound: data.is_default_outbound ? id : state.defaultOutbound,
      };
    }
    case 'ConfigChanged':
      return changing(event.data.telephony_configuration_id, () => ({ name: event.data.name }));
    case 'CredentialsReplaced':
      return changing(event.data.telephony_configuration_id, (c) => ({
        credentials: event.data.credentials,
        accountFingerprint: event.data.account_fingerprint,
        fieldsSet: event.data.fields_set ?? c.fieldsSet,
        carrierCheck: event.data.carrier_check ?? null,
      }));
    case 'DefaultOutboundChanged': {
      // One that is created as the default is it already; the one before it is changed all the same.
      const { previous_telephony_configuration_id: previous = state.defaultOutbound } = event.data;
      const touched = [event.data.telephony_configuration_id, previous];
      return {
        revision,
        configurations: state.configurations.map((c) => (touched.includes(c.id) ? { ...c, revision } : c)),
        defaultOutbound: event.data.telephony_configuration_id,
      };
    }
    case 'CarrierApplicationProvisioned':
      return changing(event.data.telephony_configuration_id, () => ({}));
    case 'ConfigInactivated':
      return changing(event.data.telephony_configuration_id, () => ({ inactive: { reason: event.data.reason } }));
    case 'ConfigReactivated':
      return changing(event.data.telephony_configuration_id, () => ({ inactive: null }));
    case 'ConfigDeleted': {
      const id = event.data.telephony_configuration_id;
      return {
        revision,
        configurations: state.configurations.filter((c) => c.id !== id),
        defaultOutbound: state.defaultOutbound === id ? null : state.defaultOutbound,
      };
    }
    case 'PhoneNumberAdded': {
      const data = event.data;
      const added: PhoneNumber = {
        id: data.phone_number_id,
        address: data.address,
        address_normalized: data.address_normalized,
        address_type: data.address_type,
        is_default_caller_id: data.is_default_caller_id,
        ...settingsOf(data),
      };
      return changing(data.telephony_configuration_id, (c) => ({
        numbers: [
          ...(added.is_default_caller_id ? c.numbers.map((n) => ({ ...n, is_default_caller_id: false })) : c.numbers),
          added,
        ],
      }));
    }
    case 'PhoneNumberChanged':
      return changing(event.data.telephony_configuration_id, (c) => ({
        numbers: c.numbers.map((n) => (n.id === event.data.phone_number_id ? { ...n, ...settingsOf(event.data) } : n)),
      }));
    case 'PhoneNumberRemoved':
      return changing(event.data.telephony_configuration_id, (c) => ({
        numbers: c.numbers.filter((n) => n.id !== event.data.phone_number_id),
      }));
    case 'DefaultCallerChanged':
      return changing(event.data.telephony_configuration_id, (c) => ({
        numbers: c.numbers.map((n) => ({ ...n, is_default_caller_id: n.id === event.data.phone_number_id })),
      }));
    case 'TrunkAdded':
      return changing(event.data.telephony_configuration_id, (c) => ({ trunks: [...c.trunks, trunkOf(event.data)] }));
    case 'TrunkChanged':
      return changing(event.data.telephony_configuration_id, (c) => ({
        trunks: c.trunks.map((trunk) => (trunk.id === event.data.trunk_id ? trunkOf(event.data) : trunk)),
      }));
    case 'TrunkRemoved':
      return changing(event.data.telephony_configuration_id, (c) => ({
        trunks: c.trunks.filter((trunk) => trunk.id !== event.data.trunk_id),
      }));
  }
};

const trunkOf = (data: DataOf<'TrunkAdded'>): Trunk => ({
  id: data.trunk_id,
  name: data.name,
  enabled: data.enabled,
  settings: data.settings,
});
