/** Bodies of the requests about phone numbers and trunks. */
import {
  boolean,
  freeObject,
  integer,
  mapped,
  nullable,
  object,
  optional,
  refine,
  required,
  withDefault,
  type Decoded,
} from '../../core/codec';
import { lacksCountry } from './address';
import { smallObject, text } from './bounded';
import { cloudonixRegions } from './sip-connectivity';

const address = refine(text({ min: 1, max: 255, example: '+14155551234' }), (typed) =>
  typed.trim() === ''
    ? 'The address is blank'
    : /[\p{Cc}\p{Cf}]/u.test(typed.trim())
      ? 'The address may hold no control characters and none that cannot be seen'
      : null,
);
const countryCode = text({ min: 2, max: 2, description: 'ISO 3166-1 code of the country' });
const label = text({ max: 64 });
const id = integer();

/** Body of POST …/phone-numbers. */
export const PhoneNumberCreate = refine(
  object('PhoneNumberCreate', {
    address: required(address),
    country_code: withDefault(nullable(countryCode), null),
    label: withDefault(nullable(label), null),
    inbound_workflow_id: withDefault(nullable(id), null),
    telephony_trunk_id: withDefault(nullable(id), null),
    is_active: withDefault(boolean, true),
    is_default_caller_id: withDefault(boolean, false),
    extra_metadata: withDefault(smallObject, {}),
  }),
  ({ address, country_code }) =>
    country_code === null && lacksCountry(address)
      ? "A number without a leading '+' needs its country: write the country's code into the address (+14155551234) or give country_code (US, IN, …)."
      : null,
);
export type PhoneNumberCreate = Decoded<typeof PhoneNumberCreate>;

/** Body of PUT …/phone-numbers/{phone_number_id}: null or left out stays; an id wins over the flag that clears it. */
export const PhoneNumberUpdate = object('PhoneNumberUpdate', {
  label: optional(nullable(label)),
  inbound_workflow_id: optional(nullable(id)),
  clear_inbound_workflow: withDefault(boolean, false),
  telephony_trunk_id: optional(nullable(id)),
  clear_trunk: withDefault(boolean, false),
  is_active: optional(nullable(boolean)),
  country_code: optional(nullable(countryCode)),
  extra_metadata: optional(nullable(smallObject)),
});
export type PhoneNumberUpdate = Decoded<typeof PhoneNumberUpdate>;

const regionOf = (typed: string): string | undefined =>
  cloudonixRegions.find((region) => region.toLowerCase() === typed.trim().toLowerCase());

/** Settings of a Cloudonix trunk; the region in its usual spelling. */
export const TrunkSettings = object('CloudonixTrunkSettings', {
  region: required(
    mapped(
      refine(text(), (typed) =>
        regionOf(typed) === undefined
          ? `Cloudonix has no region '${typed}'; it has ${cloudonixRegions.join(', ')}`
          : null,
      ),
      (typed) => regionOf(typed) ?? typed,
    ),
  ),
  sip_domain: required(
    mapped(
      refine(text({ min: 1 }), (s) => (s.trim() === '' ? 'The SIP domain is blank' : null)),
      (s) => s.trim(),
    ),
  ),
});
export type TrunkSettings = Decoded<typeof TrunkSettings>;

const trunkName = refine(
  mapped(text({ min: 1, max: 64 }), (name) => name.trim()),
  (name) => (name === '' ? 'The name is blank' : null),
);

/** Body of POST …/trunks. `settings` are decoded by TrunkSettings once the provider is known to have trunks. */
export const TrunkCreate = object('TrunkCreate', {
  name: required(trunkName),
  enabled: withDefault(boolean, true),
  settings: withDefault(freeObject, {}),
});
export type TrunkCreate = Decoded<typeof TrunkCreate>;

/** Body of PUT …/trunks/{trunk_id}. */
export const TrunkUpdate = object('TrunkUpdate', {
  name: optional(nullable(trunkName)),
  enabled: optional(nullable(boolean)),
  settings: optional(nullable(freeObject)),
});
export type TrunkUpdate = Decoded<typeof TrunkUpdate>;
