import * as t from 'io-ts';
import { eventType, JsonRecord, orNull, Sealed, type EventOf } from '../../core/event-types';

export const Provider = t.keyof({
  ari: null,
  cloudonix: null,
  exotel: null,
  plivo: null,
  telnyx: null,
  twilio: null,
  vobiz: null,
  vonage: null,
});
export type Provider = t.TypeOf<typeof Provider>;

const ConfigRef = t.type({ telephony_configuration_id: t.number });

/** What the carrier said when it was asked whether the credentials are good; `ok` false: it could not be asked. */
export const CarrierCheck = t.type({ ok: t.boolean, message: orNull(t.string) });
export type CarrierCheck = t.TypeOf<typeof CarrierCheck>;

/** What rules need to know of sealed credentials. */
const CredentialFacts = t.partial({
  /** Names of the credentials that hold something. */
  fields_set: t.readonlyArray(t.string),
  /** null: the carrier was not asked. */
  carrier_check: orNull(CarrierCheck),
});

/** Fields of a phone number that can change after it was added. */
const NumberSettings = t.type({
  label: orNull(t.string),
  inbound_workflow_id: orNull(t.number),
  telephony_trunk_id: orNull(t.number),
  country_code: orNull(t.string),
  is_active: t.boolean,
  extra_metadata: JsonRecord,
});

export const telephonyEvents = {
  ConfigCreated: eventType(
    t.intersection([
      ConfigRef,
      t.type({
        name: t.string,
        provider: Provider,
        connectivity: t.union([t.literal('api'), t.literal('sip')]),
        is_default_outbound: t.boolean,
        /** The variant's fields, all of them, as one sealed JSON object. */
        credentials: Sealed,
        /** Keyed hash of the carrier account, so that duplicates are seen without opening the seal; null where the carrier has none. */
        account_fingerprint: orNull(t.string),
      }),
      CredentialFacts,
    ]),
  ),
  ConfigChanged: eventType(t.intersection([ConfigRef, t.type({ name: t.string })])),
  CredentialsReplaced: eventType(
    t.intersection([
      ConfigRef,
      t.type({ credentials: Sealed, account_fingerprint: orNull(t.string) }),
      CredentialFacts,
    ]),
  ),
  /** The default is this one from now on; null: none is. `previous_…`: the one that it was until now. */
  DefaultOutboundChanged: eventType(
    t.intersection([
      t.type({ telephony_configuration_id: orNull(t.number) }),
      t.partial({ previous_telephony_configuration_id: orNull(t.number) }),
    ]),
  ),
  /** The carrier's application made for us; its name or id is in the (resealed) credentials. */
  CarrierApplicationProvisioned: eventType(t.intersection([ConfigRef, t.type({ field: t.string, value: t.string })])),
  ConfigInactivated: eventType(t.intersection([ConfigRef, t.type({ reason: t.string })])),
  ConfigReactivated: eventType(ConfigRef),
  ConfigDeleted: eventType(ConfigRef),
  PhoneNumberAdded: eventType(
    t.intersection([
      ConfigRef,
      NumberSettings,
      t.type({
        phone_number_id: t.number,
        /** As typed. */
        address: t.string,
        address_normalized: t.string,
        address_type: t.union([t.literal('pstn'), t.literal('sip_uri'), t.literal('sip_extension')]),
        is_default_caller_id: t.boolean,
      }),
    ]),
  ),
  PhoneNumberChanged: eventType(t.intersection([ConfigRef, NumberSettings, t.type({ phone_number_id: t.number })])),
  PhoneNumberRemoved: eventType(t.intersection([ConfigRef, t.type({ phone_number_id: t.number })])),
  DefaultCallerChanged: eventType(t.intersection([ConfigRef, t.type({ phone_number_id: t.number })])),
  TrunkAdded: eventType(
    t.intersection([
      ConfigRef,
      t.type({ trunk_id: t.number, name: t.string, enabled: t.boolean, settings: JsonRecord }),
    ]),
  ),
  TrunkChanged: eventType(
    t.intersection([
      ConfigRef,
      t.type({ trunk_id: t.number, name: t.string, enabled: t.boolean, settings: JsonRecord }),
    ]),
  ),
  TrunkRemoved: eventType(t.intersection([ConfigRef, t.type({ trunk_id: t.number })])),
};
export type TelephonyEvent = EventOf<typeof telephonyEvents>;
