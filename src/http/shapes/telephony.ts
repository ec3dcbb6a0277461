/** What telephony configurations, numbers and trunks look like when they are read. */
import { boolean, list, nullable, object, oneOf, required } from '../../core/codec';
import { anyObject, dateTime, int, nullableDateTime, nullableInt, nullableString, string } from './values';

const connectivity = oneOf(['api', 'sip']);

const SetupChecklist = object('SetupChecklist', {
  ready_for_outbound: required(boolean),
  outbound_blocked_reason: required(nullableString),
  steps: required(
    list(
      object('SetupStep', {
        key: required(string),
        title: required(string),
        description: required(string),
        complete: required(boolean),
        blocks_outbound: required(boolean),
      }),
    ),
  ),
  docs_url: required(nullableString),
});

const SipConnectivity = object('SipConnectivity', {
  provider_display_name: required(string),
  regions: required(
    list(
      object('SipRegion', {
        region: required(string),
        inbound_transports: required(
          list(
            object('SipTransport', {
              transport: required(string),
              hostname: required(string),
              port: required(int),
              uri: required(string),
            }),
          ),
        ),
        outbound_origin_ip: required(string),
      }),
    ),
  ),
});

export const Trunk = object('Trunk', {
  id: required(int),
  name: required(string),
  enabled: required(boolean),
  settings: required(anyObject),
  phone_number_count: required(int),
  created_at: required(dateTime),
  updated_at: required(dateTime),
});
export const TrunkList = object('TrunkList', { trunks: required(list(Trunk)) });

export const TelephonyConfigDetail = object('TelephonyConfig', {
  id: required(int),
  name: required(string),
  provider: required(string),
  connectivity: required(connectivity),
  is_default_outbound: required(boolean),
  inactive: required(boolean),
  inactive_since: required(nullableDateTime),
  inactive_reason: required(nullableString),
  credentials: required(anyObject),
  sip_connectivity: required(nullable(SipConnectivity)),
  setup_checklist: required(nullable(SetupChecklist)),
  supports_trunks: required(boolean),
  trunks: required(list(Trunk)),
  created_at: required(dateTime),
  updated_at: required(dateTime),
});

export const TelephonyConfigList = object('TelephonyConfigList', {
  configurations: required(
    list(
      object('TelephonyConfigItem', {
        id: required(int),
        name: required(string),
        provider: required(string),
        connectivity: required(connectivity),
        is_default_outbound: required(boolean),
        inactive: required(boolean),
        inactive_since: required(nullableDateTime),
        inactive_reason: required(nullableString),
        phone_number_count: required(int),
        is_ready_for_outbound: required(boolean),
        outbound_blocked_reason: required(nullableString),
        created_at: required(dateTime),
        updated_at: required(dateTime),
      }),
    ),
  ),
});

const ProviderSync = object('ProviderSync', { ok: required(boolean), message: required(nullableString) });

export const PhoneNumber = object('PhoneNumber', {
  id: required(int),
  telephony_configuration_id: required(int),
  address: required(string),
  address_normalized: required(string),
  address_type: required(oneOf(['pstn', 'sip_uri', 'sip_extension'])),
  country_code: required(nullableString),
  label: required(nullableString),
  inbound_workflow_id: required(nullableInt),
  inbound_workflow_name: required(nullableString),
  telephony_trunk_id: required(nullableInt),
  is_active: required(boolean),
  is_default_caller_id: required(boolean),
  extra_metadata: required(anyObject),
  created_at: required(dateTime),
  updated_at: required(dateTime),
  provider_sync: required(nullable(ProviderSync)),
});
export const PhoneNumberList = object('PhoneNumberList', { phone_numbers: required(list(PhoneNumber)) });

export const PhoneNumberDeleted = object('PhoneNumberDeleted', {
  message: required(string),
  provider_sync: required(nullable(ProviderSync)),
});

export const ProviderList = object('ProviderList', {
  providers: required(
    list(
      object('Provider', {
        provider: required(string),
        display_name: required(string),
        connectivity: required(connectivity),
        docs_url: required(nullableString),
        fields: required(
          list(
            object('ProviderField', {
              name: required(string),
              label: required(string),
              type: required(string),
              required: required(boolean),
              sensitive: required(boolean),
              description: required(nullableString),
              placeholder: required(nullableString),
              options: required(
                nullable(list(object('ProviderFieldOption', { value: required(string), label: required(string) }))),
              ),
              visible_when: required(
                nullable(object('VisibleWhen', { field: required(string), equals: required(string) })),
              ),
              section: required(nullableString),
            }),
          ),
        ),
      }),
    ),
  ),
});

export const TelephonyWarnings = object('TelephonyWarnings', {
  telnyx_missing_webhook_public_key_count: required(int),
  vonage_missing_signature_secret_count: required(int),
});
