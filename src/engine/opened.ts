/** Sealed values of an event opened, or masked, for the projections that ask for it. */
import type { Json, JsonObject } from '../core/event';
import { isSealed, type Sealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import { maskAll } from '../core/mask';
import { associatedData, openBytes } from './seal';

/** The key of a seal; null when it is destroyed. Rejects when the vault is away. */
export type KeyOf = (org: OrganizationId, key: string) => Promise<Buffer | null>;

/** Key ids that a seal can name: `org/<org>/<number>`, `page/<page id>/<index>`. */
const KEY_ID = /^(org\/\d+\/\d+|page\/[^/]+\/\d+)$/;

const sealsIn = (value: Json, found: Sealed[]): void => {
  if (typeof value !== 'object' || value === null) return;
  if (isSealed(value)) found.push(value);
  else for (const child of Object.values(value)) sealsIn(child as Json, found);
};

const replaceSeals = (value: Json, by: (sealed: Sealed) => Json): Json => {
  if (typeof value !== 'object' || value === null) return value;
  if (isSealed(value)) return by(value);
  if (Array.isArray(value)) return value.map((v) => replaceSeals(v as Json, by));
  const out: Record<string, Json> = {};
  for (const key of Object.keys(value)) out[key] = replaceSeals((value as JsonObject)[key] as Json, by);
  return out;
};

/** The data with its seals replaced, made on demand. Throws what was wrong with a seal that does not fit. */
export interface Openable {
  opened(): JsonObject;
  masked(): JsonObject;
}

/**
 * Fetches the keys that the data's seals name. Rejects when the vault is away (to be tried again); a seal that can never be opened is reported
 * when its value is asked for.
 */
export const fetchKeys = async (keyOf: KeyOf, org: OrganizationId, data: JsonObject): Promise<Openable> => {
  const seals: Sealed[] = [];
  sealsIn(data, seals);
  if (seals.length === 0) return { opened: () => data, masked: () => data };
  const keys = new Map<string, Buffer | null>();
  for (const { key } of seals) if (KEY_ID.test(key) && !keys.has(key)) keys.set(key, await keyOf(org, key));
  const values = new Map<Sealed, Json>();
  const open = (sealed: Sealed): Json => {
    const known = values.get(sealed);
    if (known !== undefined) return known;
    const key = keys.get(sealed.key);
    if (key === undefined) throw new Error(`a seal names the key "${sealed.key}", which is not one`);
    const value =
      key === null
        ? null
        : (JSON.parse(
            openBytes(
              key,
              Buffer.from(sealed.$sealed, 'base64'),
              associatedData(org, sealed.field, sealed.key),
            ).toString(),
          ) as Json);
    values.set(sealed, value);
    return value;
  };
  return {
    opened: () => replaceSeals(data, open) as JsonObject,
    masked: () => replaceSeals(data, (sealed) => maskAll(open(sealed))) as JsonObject,
  };
};
