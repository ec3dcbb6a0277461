/** The carriers and their credential fields, as forms are built from them (GET /organizations/telephony-providers/metadata). */
import type { Provider } from './events';

export type FieldType =
  'text' | 'password' | 'textarea' | 'string-array' | 'number' | 'boolean' | 'select' | 'readonly';

export interface ProviderField {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Its value is masked whenever it is shown. */
  readonly sensitive: boolean;
  readonly description: string | null;
  readonly placeholder: string | null;
  readonly options: readonly { readonly value: string; readonly label: string }[] | null;
  readonly visible_when: { readonly field: string; readonly equals: string } | null;
  readonly section: string | null;
}

export interface ProviderMetadata {
  readonly provider: Provider;
  readonly display_name: string;
  /** How calls reach the carrier: its own HTTP API, or SIP. */
  readonly connectivity: 'api' | 'sip';
  readonly fields: readonly ProviderField[];
  readonly docs_url: string | null;
}

type Rest = Partial<Omit<ProviderField, 'name' | 'label' | 'type'>>;
const field = (name: string, label: string, type: FieldType, rest: Rest = {}): ProviderField => ({
  name,
  label,
  type,
  required: true,
  sensitive: false,
  description: null,
  placeholder: null,
  options: null,
  visible_when: null,
  section: null,
  ...rest,
});
const secret = (name: string, label: string, rest: Rest = {}): ProviderField =>
  field(name, label, 'password', { sensitive: true, ...rest });
const account = (name: string, label: string): ProviderField => field(name, label, 'text', { sensitive: true });
const madeOnSave = (name: string, label: string): ProviderField =>
  field(name, label, 'text', {
    required: false,
    description: 'Left empty, one is made when the configuration is saved.',
  });

/** Fields of the external PBX: always offered, seen once its type is chosen. */
const pbx = (path: string, label: string, type: FieldType, rest: Rest = {}): ProviderField =>
  field(`external_pbx.${path}`, label, type, {
    section: 'External PBX',
    ...(path === 'type' ? {} : { visible_when: { field: 'external_pbx.type', equals: 'vicidial' } }),
    ...rest,
  });

const ari: ProviderMetadata = {
  provider: 'ari',
  display_name: 'Asterisk ARI',
  connectivity: 'sip',
  fields: [
    field('ari_endpoint', 'ARI endpoint', 'text', {
      description: 'Base URL of the ARI interface.',
      placeholder: 'http://asterisk.example.com:8088',
    }),
    field('app_name', 'ARI user', 'text', { description: 'The section name in ari.conf.' }),
    secret('app_password', 'ARI password'),
    field('ws_client_name', 'Websocket client', 'text', {
      required: false,
      description: 'Name of the connection in websocket_client.conf that carries media.',
    }),
    field('dial_string_template', 'Dial string template', 'text', {
      required: false,
      description: '{number} is replaced by the number to call.',
      placeholder: 'PJSIP/{number}@trunk',
    }),
    field('stasis_app_name', 'Stasis application', 'readonly', {
      required: false,
      description: 'The application that our connection registers at Asterisk.',
    }),
    pbx('type', 'PBX', 'select', { required: false, options: [{ value: 'vicidial', label: 'VICIdial' }] }),
    pbx('agent_api.url', 'Agent API URL', 'text', { placeholder: 'https://pbx.example.com/agc/api.php' }),
    pbx('agent_api.username', 'Agent API user', 'text', { sensitive: true }),
    pbx('agent_api.password', 'Agent API password', 'password', { sensitive: true }),
    pbx('non_agent_api.url', 'Non-agent API URL', 'text', {
      required: false,
      description: 'Lead updates go there. URL, user and password belong together.',
    }),
    pbx('non_agent_api.username', 'Non-agent API user', 'text', { required: false, sensitive: true }),
    pbx('non_agent_api.password', 'Non-agent API password', 'password', { required: false, sensitive: true }),
  ],
  docs_url: 'https://docs.asterisk.org/Configuration/Interfaces/Asterisk-REST-Interface-ARI/',
};

const cloudonix: ProviderMetadata = {
  provider: 'cloudonix',
  display_name: 'Cloudonix',
  connectivity: 'sip',
  fields: [
    secret('bearer_token', 'API token'),
    field('domain_id', 'Domain', 'text', { placeholder: 'example.cloudonix.net' }),
    madeOnSave('application_name', 'Voice application'),
  ],
  docs_url: 'https://developers.cloudonix.com',
};

const exotel: ProviderMetadata = {
  provider: 'exotel',
  display_name: 'Exotel',
  connectivity: 'api',
  fields: [
    field('account_sid', 'Account SID', 'text'),
    secret('api_key', 'API key'),
    secret('api_token', 'API token'),
    field('api_base_url', 'API base URL', 'text', {
      required: false,
      description: 'https://api.in.exotel.com for India, https://api.exotel.com elsewhere.',
      placeholder: 'https://api.in.exotel.com',
    }),
    field('from_numbers', 'Caller ids', 'string-array', {
      required: false,
      description: 'Ignored here: numbers are added to the saved configuration.',
    }),
  ],
  docs_url: 'https://developer.exotel.com/api',
};

const plivo: ProviderMetadata = {
  provider: 'plivo',
  display_name: 'Plivo',
  connectivity: 'api',
  fields: [
    account('auth_id', 'Auth id'),
    secret('auth_token', 'Auth token'),
    madeOnSave('application_id', 'Application id'),
  ],
  docs_url: 'https://www.plivo.com/docs/voice',
};

const telnyx: ProviderMetadata = {
  provider: 'telnyx',
  display_name: 'Telnyx',
  connectivity: 'api',
  fields: [
    secret('api_key', 'API key'),
    madeOnSave('connection_id', 'Call control application id'),
    field('webhook_public_key', 'Webhook public key', 'textarea', {
      required: false,
      description: 'Verifies the signatures of webhooks; without it they are refused.',
    }),
  ],
  docs_url: 'https://developers.telnyx.com',
};

const twilio: ProviderMetadata = {
  provider: 'twilio',
  display_name: 'Twilio',
  connectivity: 'api',
  fields: [account('account_sid', 'Account SID'), secret('auth_token', 'Auth token')],
  docs_url: 'https://www.twilio.com/docs/voice',
};

const vobiz: ProviderMetadata = {
  provider: 'vobiz',
  display_name: 'Vobiz',
  connectivity: 'api',
  fields: [
    account('auth_id', 'Auth id'),
    secret('auth_token', 'Auth token'),
    madeOnSave('application_id', 'Application id'),
  ],
  docs_url: 'https://docs.vobiz.ai',
};

const vonage: ProviderMetadata = {
  provider: 'vonage',
  display_name: 'Vonage',
  connectivity: 'api',
  fields: [
    field('application_id', 'Application id', 'text'),
    field('private_key', 'Private key', 'textarea', { sensitive: true, description: 'PEM; signs every request.' }),
    account('api_key', 'API key'),
    secret('api_secret', 'API secret'),
    secret('signature_secret', 'Signature secret', {
      required: false,
      description: 'Verifies signed webhooks; without it they are refused.',
    }),
  ],
  docs_url: 'https://developer.vonage.com/en/voice/voice-api/overview',
};

/** All eight, by name. */
export const providerMetadata: Readonly<Record<Provider, ProviderMetadata>> = {
  ari,
  cloudonix,
  exotel,
  plivo,
  telnyx,
  twilio,
  vobiz,
  vonage,
};

/** As the wire lists them: sorted by `provider`. */
export const providers: readonly ProviderMetadata[] = Object.values(providerMetadata);

/** Dotted names of a provider's sensitive credentials: the ones that are only ever shown as masks. */
export const sensitiveFields = (provider: Provider): readonly string[] =>
  providerMetadata[provider].fields.filter((f) => f.sensitive).map((f) => f.name);
