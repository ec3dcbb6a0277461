/**
 * What a secret looks like when it is read back: its last four characters behind asterisks, the length kept. Shared by the rules (an update that
 * sends a mask back keeps what is stored) and by the read models (which hold masks only).
 */
import type { Json, JsonObject } from './event';

/** `*` for all but the last 4 characters (code points); all of them where there are 4 or fewer. */
export const maskText = (secret: string): string => {
  const characters = [...secret];
  return characters.length <= 4
    ? '*'.repeat(characters.length)
    : '*'.repeat(characters.length - 4) + characters.slice(-4).join('');
};

/** Masks every text within a value; what is no text stays. */
export const maskAll = (value: Json): Json => {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((v) => maskAll(v as Json));
  return Object.fromEntries(Object.entries(value as JsonObject).map(([k, v]) => [k, maskAll(v)]));
};

/** Credential fields by provider whose values are secret; dots reach into nested objects. */
export const SENSITIVE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ari: [
    'app_password',
    'external_pbx.agent_api.username',
    'external_pbx.agent_api.password',
    'external_pbx.non_agent_api.username',
    'external_pbx.non_agent_api.password',
  ],
  cloudonix: ['bearer_token'],
  exotel: ['api_key', 'api_token'],
  plivo: ['auth_id', 'auth_token'],
  telnyx: ['api_key'],
  twilio: ['account_sid', 'auth_token'],
  vobiz: ['auth_id', 'auth_token'],
  vonage: ['private_key', 'api_key', 'api_secret', 'signature_secret'],
};

const maskAt = (value: Json, path: readonly string[]): Json => {
  const [head, ...rest] = path;
  if (head === undefined) return typeof value === 'string' ? maskText(value) : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const record = value as JsonObject;
  const inner = record[head];
  return inner === undefined ? value : { ...record, [head]: maskAt(inner, rest) };
};

/** The credentials of a configuration as anybody may see them. An unknown provider's are masked whole. */
export const maskCredentials = (provider: string, credentials: JsonObject): JsonObject => {
  const fields = SENSITIVE_FIELDS[provider];
  return fields === undefined
    ? (maskAll(credentials) as JsonObject)
    : fields.reduce((masked, field) => maskAt(masked, field.split('.')) as JsonObject, credentials);
};
