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
