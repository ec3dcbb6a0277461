/**
 * Requests that create and update a telephony configuration: the eight variants of `config`, told apart by `provider`.
 * Fields are the carriers' own names. An optional application name or id that is null or blank counts as left out.
 */
import {
  boolean,
  list,
  literal,
  mapped,
  nullable,
  object,
  optional,
  required,
  taggedUnion,
  withDefault,
  type Codec,
  type Decoded,
} from '../../core/codec';
import type { JsonObject } from '../../core/event';
import { text } from './bounded';
import { DialStringTemplate } from './dial-string-template';
import type { Provider } from './events';
import { ExternalPbx } from './external-pbx';

/** null, blank and left out are one and the same. */
const optionalName: Codec<string | null> = mapped(nullable(text()), (name) =>
  name === null || name.trim() === '' ? null : name.trim(),
);

const ari = object('AriConfig', {
  provider: required(literal('ari')),
  ari_endpoint: required(text({ description: 'Base URL of the ARI interface', example: 'http://localhost:8088' })),
  app_name: required(text({ description: 'ARI user: the section name in ari.conf' })),
  app_password: required(text()),
  ws_client_name: withDefault(text({ description: 'Websocket client connection for external media' }), ''),
  dial_string_template: withDefault(DialStringTemplate, 'PJSIP/{number}'),
  external_pbx: withDefault(nullable(ExternalPbx), null),
});

/** A domain's name as Cloudonix knows it: lower case, no trailing dot; a bare name is below `cloudonix.net`. */
const domainId = mapped(text({ description: 'Domain name' }), (typed) => {
  const name = typed.trim().replace(/\.$/, '').toLowerCase();
  return name === '' || name.includes('.') ? name : `${name}.cloudonix.net`;
});
const cloudonix = object('CloudonixConfig', {
  provider: required(literal('cloudonix')),
  bearer_token: required(text()),
  domain_id: required(domainId),
  application_name: withDefault(optionalName, null),
});

/** Exotel's API of the India region; accounts elsewhere use https://api.exotel.com. */
export const EXOTEL_BASE_URL = 'https://api.in.exotel.com';
const exotel = object('ExotelConfig', {
  provider: required(literal('exotel')),
  account_sid: required(text()),
  api_key: required(text()),
  api_token: required(text()),
  api_base_url: withDefault(
    mapped(text(), (url) => (url.trim() === '' ? EXOTEL_BASE_URL : url.trim())),
    EXOTEL_BASE_URL,
  ),
  from_numbers: withDefault(list(text(), { max: 1000 }), []),
});

const plivo = object('PlivoConfig', {
  provider: required(literal('plivo')),
  auth_id: required(text()),
  auth_token: required(text()),
  application_id: withDefault(optionalName, null),
});

const telnyx = object('TelnyxConfig', {
  provider: required(literal('telnyx')),
  api_key: required(text()),
  connection_id: withDefault(optionalName, null),
  webhook_public_key: withDefault(nullable(text({ description: 'Verifies webhook signatures' })), null),
});

const twilio = object('TwilioConfig', {
  provider: required(literal('twilio')),
  account_sid: required(text()),
  auth_token: required(text()),
});

const vobiz = object('VobizConfig', {
  provider: required(literal('vobiz')),
  auth_id: required(text()),
  auth_token: required(text()),
  application_id: withDefault(optionalName, null),
});

const vonage = object('VonageConfig', {
  provider: required(literal('vonage')),
  api_key: required(text()),
  api_secret: required(text()),
  application_id: required(text()),
  private_key: required(text({ description: 'Signs the JWT of every request' })),
  signature_secret: withDefault(nullable(text({ description: 'Verifies signed webhooks' })), null),
});

/** `config` of a create or update request. */
export const ConfigRequest = taggedUnion('provider', {
  ari,
  cloudonix,
  exotel,
  plivo,
  telnyx,
  twilio,
  vobiz,
  vonage,
});
export type ConfigRequest = Decoded<typeof ConfigRequest>;

/** Body of POST /organizations/telephony-configs. */
export const TelephonyConfigCreate = object('TelephonyConfigCreate', {
  name: required(text({ min: 1, max: 64 })),
  is_default_outbound: withDefault(boolean, false),
  config: required(ConfigRequest),
});
export type TelephonyConfigCreate = Decoded<typeof TelephonyConfigCreate>;

/** Body of PUT /organizations/telephony-configs/{config_id}: what is null or left out stays as it is. */
export const TelephonyConfigUpdate = object('TelephonyConfigUpdate', {
  name: optional(nullable(text({ min: 1, max: 64 }))),
  is_default_outbound: optional(nullable(boolean)),
  config: optional(nullable(ConfigRequest)),
});
export type TelephonyConfigUpdate = Decoded<typeof TelephonyConfigUpdate>;

/** Fields whose values never appear in an answer, a fault's `input` or a log. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'app_password',
  'bearer_token',
  'account_sid',
  'api_key',
  'api_token',
  'auth_id',
  'auth_token',
  'api_secret',
  'private_key',
  'signature_secret',
  'username',
  'password',
]);

/** What is stored (sealed) of a request: every field of the variant but the tag and the ignored `from_numbers`. */
export const credentialsOf = (config: ConfigRequest): JsonObject => {
  const { provider: _provider, ...fields } = config as ConfigRequest & { readonly from_numbers?: unknown };
  const { from_numbers: _fromNumbers, ...credentials } = fields;
  return credentials as unknown as JsonObject;
};

/** Names of the credentials that hold something: the part of them that rules may know without opening the seal. */
export const fieldsSetOf = (credentials: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(credentials)
    .filter((key) => {
      const value = credentials[key];
      return value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '');
    })
    .sort();

/** The field that names the account, by which two configurations are seen to be one account; null: ARI has none. */
export const accountFieldOf = (provider: Provider): string | null => {
  switch (provider) {
    case 'ari':
      return null;
    case 'cloudonix':
      return 'domain_id';
    case 'exotel':
    case 'twilio':
      return 'account_sid';
    case 'plivo':
    case 'vobiz':
      return 'auth_id';
    case 'telnyx':
      return 'connection_id';
    case 'vonage':
      return 'api_key';
  }
};

/** The account itself; null: ARI, and Telnyx without an application. */
export const accountOf = (config: ConfigRequest): string | null => {
  const field = accountFieldOf(config.provider);
  return field === null ? null : ((config as unknown as Readonly<Record<string, string | null>>)[field] ?? null);
};

/** The field that names the carrier's application where we make one when it is left out; null: that carrier needs none. */
export const applicationFieldOf = (
  provider: string,
): 'application_name' | 'application_id' | 'connection_id' | null => {
  switch (provider) {
    case 'cloudonix':
      return 'application_name';
    case 'plivo':
    case 'vobiz':
      return 'application_id';
    case 'telnyx':
      return 'connection_id';
    default:
      return null;
  }
};
