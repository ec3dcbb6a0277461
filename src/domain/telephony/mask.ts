/** Credentials as they may be shown, and back: a client that resends a mask means the secret behind it. */
import type { Json, JsonObject } from '../../core/event';
import { sensitiveFields } from './provider-metadata';
import type { Provider } from './events';

/** Same length, the last 4 characters readable; of 4 characters or fewer none. */
export const maskText = (secret: string): string => {
  const characters = [...secret];
  return characters.length <= 4
    ? '*'.repeat(characters.length)
    : '*'.repeat(characters.length - 4) + characters.slice(-4).join('');
};

/** Changes the text at a dotted path; what is not there, null or blank stays as it is. */
const atPath = (value: Json | undefined, path: readonly string[], change: (text: string) => string): Json => {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === 'string' && value !== '' ? change(value) : (value ?? null);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null;
  const object = value as JsonObject;
  return Object.hasOwn(object, key) ? { ...object, [key]: atPath(object[key], rest, change) } : object;
};

const readPath = (value: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (at, key) =>
      typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, key)
        ? (at as JsonObject)[key]
        : undefined,
    value,
  );

/** Names that we keep at Cloudonix; nobody else needs them. */
const HIDDEN: Readonly<Partial<Record<Provider, readonly string[]>>> = {
  cloudonix: ['domain_uuid', 'application_id', 'application_uuid', 'managed_by', 'provisioning_id'],
};

/** Readable credentials as an answer shows them. */
export const maskCredentials = (provider: Provider, credentials: JsonObject): JsonObject => {
  const hidden = HIDDEN[provider] ?? [];
  const shown = Object.fromEntries(Object.entries(credentials).filter(([key]) => !hidden.includes(key)));
  return sensitiveFields(provider).reduce<JsonObject>(
    (masked, name) => atPath(masked, name.split('.'), maskText) as JsonObject,
    shown,
  );
};

/** `incoming` with each secret that equals the mask of the stored one replaced by the stored one. Any other text is meant as it is. */
export const restoreMasked = (provider: Provider, incoming: JsonObject, stored: JsonObject): JsonObject =>
  sensitiveFields(provider).reduce<JsonObject>((restored, name) => {
    const path = name.split('.');
    const known = readPath(stored, path);
    return atPath(restored, path, (text) =>
      typeof known === 'string' && text === maskText(known) ? known : text,
    ) as JsonObject;
  }, incoming);
