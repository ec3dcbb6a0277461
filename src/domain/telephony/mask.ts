/** Masks that come back: a client that resends what it was shown means the secret behind it. */
import type { Json, JsonObject } from '../../core/event';
import { maskText } from '../../core/mask';
import type { Provider } from './events';
import { sensitiveFields } from './provider-metadata';

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Both values at the path, where both are text. */
const restoreAt = (incoming: Json, stored: Json | undefined, path: readonly string[]): Json => {
  const [key, ...rest] = path;
  if (key === undefined)
    return typeof incoming === 'string' && typeof stored === 'string' && incoming === maskText(stored)
      ? stored
      : incoming;
  if (!isRecord(incoming) || !isRecord(stored) || !Object.hasOwn(incoming, key) || !Object.hasOwn(stored, key))
    return incoming;
  return { ...incoming, [key]: restoreAt(incoming[key] ?? null, stored[key], rest) };
};

/** `incoming` with each secret that equals the mask of the stored one replaced by the stored one. Any other text is meant as it is. */
export const restoreMasked = (provider: Provider, incoming: JsonObject, stored: JsonObject): JsonObject =>
  sensitiveFields(provider).reduce<JsonObject>(
    (restored, name) => restoreAt(restored, stored, name.split('.')) as JsonObject,
    incoming,
  );
