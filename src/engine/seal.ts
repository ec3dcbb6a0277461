/** Sealing of secrets and personal data: AES-256-GCM (NIST SP 800-38D), fresh 96-bit nonce, 128-bit tag. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JsonObject, Json } from '../core/event';
import { isSealed, type Sealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import type { Vault } from '../ports/vault';

const NONCE = 12;
const TAG = 16;

/** Seals bytes; returns nonce, ciphertext, tag. `associated` must be given again to open. */
export const sealBytes = (
  key: Buffer,
  plain: Buffer,
  associated: string,
  nonce: Buffer = randomBytes(NONCE),
): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(associated));
  const body = cipher.update(plain);
  cipher.final();
  return Buffer.concat([nonce, body, cipher.getAuthTag()]);
};

/** Opens what sealBytes made; throws when key, associated data or bytes are not the ones it was sealed with. */
export const openBytes = (key: Buffer, sealed: Buffer, associated: string): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE));
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE, sealed.length - TAG)), decipher.final()]);
};

/** What is bound into a seal besides the key: organization, field, key id. A value moved elsewhere does not open. */
export const associatedData = (org: OrganizationId, field: string, key: string): string => `${org}|${field}|${key}`;

/** Field name of a contact's number and variables. */
export const CONTACT_FIELD = 'contact';
export const contactKeyId = (page: string, index: number): string => `page/${page}/${index}`;

/** Seals a JSON value with the organization's current key. */
export const sealForOrganization = async (
  vault: Vault,
  org: OrganizationId,
  field: string,
  value: Json,
): Promise<Sealed> => {
  const number = await vault.currentKeyNumber(org);
  const key = `org/${org}/${number}`;
  const sealed = sealBytes(
    await vault.organizationKey(org, number),
    Buffer.from(JSON.stringify(value)),
    associatedData(org, field, key),
  );
  return { $sealed: sealed.toString('base64'), key, field };
};

/** Opens one sealed value; null when its key has been destroyed. Throws on a seal that does not fit. */
export type Open = (org: OrganizationId, sealed: Sealed) => Promise<Json | null>;

/** How long a page of contacts' keys is used without looking into the vault again, ms: an erasure by another process is felt within it. */
export const PAGE_AGE = 60_000;

/**
 * Opens sealed values with the vault's keys, keeping up to `pages` contact pages in memory (least recently used goes first), each for at most
 * `PAGE_AGE`. `monotonic`: ms that never jump. `forget` drops a page after an erasure by this process.
 */
export const opener = (
  vault: Vault,
  pages = 200,
  monotonic: () => number = () => performance.now(),
): {
  readonly open: Open;
  readonly forget: (page: string) => void;
  readonly key: (org: OrganizationId, key: string) => Promise<Buffer | null>;
} => {
  interface CachedPage {
    readonly keys: Promise<readonly (Buffer | null)[]>;
    /** When the vault was asked, not when it answered. */
    readonly at: number;
  }
  const cachedPages = new Map<string, CachedPage>();
  const load = (org: OrganizationId, id: string): Promise<readonly (Buffer | null)[]> => {
    const at = monotonic();
    for (const [other, cached] of cachedPages) if (at - cached.at >= PAGE_AGE) cachedPages.delete(other);
    const drop = (): void => {
      if (cachedPages.get(id)?.keys === keys) cachedPages.delete(id);
    };
    const keys = vault.page(org, id).then((page) => {
      // It may be made later, and must not be missed then.
      if (page === null) drop();
      return page?.keys ?? [];
    });
    keys.catch(drop);
    cachedPages.set(id, { keys, at });
    if (cachedPages.size > pages) cachedPages.delete(cachedPages.keys().next().value as string);
    return keys;
  };
  const pageKeys = (org: OrganizationId, id: string): Promise<readonly (Buffer | null)[]> => {
    const cached = cachedPages.get(id);
    if (cached === undefined || monotonic() - cached.at >= PAGE_AGE) return load(org, id);
    cachedPages.delete(id);
    cachedPages.set(id, cached);
    return cached.keys;
  };
  const key = async (org: OrganizationId, id: string): Promise<Buffer | null> => {
    const [kind, a, b] = id.split('/');
    if (kind === 'org') return vault.organizationKey(org, Number(b));
    return (await pageKeys(org, a as string))[Number(b)] ?? null;
  };
  return {
    key,
    forget: (page) => void cachedPages.delete(page),
    open: async (org, sealed) => {
      const bytes = await key(org, sealed.key);
      if (bytes === null) return null;
      const plain = openBytes(
        bytes,
        Buffer.from(sealed.$sealed, 'base64'),
        associatedData(org, sealed.field, sealed.key),
      );
      return JSON.parse(plain.toString()) as Json;
    },
  };
};

/** The same data with every sealed value in it opened (null where its key is gone). Data without seals is returned as it is. */
export const openAll = async (open: Open, org: OrganizationId, data: JsonObject): Promise<JsonObject> =>
  hasSeal(data) ? ((await openValue(open, org, data)) as JsonObject) : data;

const hasSeal = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (isSealed(value)) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) if (hasSeal(child)) return true;
  return false;
};

const openValue = async (open: Open, org: OrganizationId, value: Json): Promise<Json> => {
  if (typeof value !== 'object' || value === null) return value;
  if (isSealed(value)) return open(org, value);
  if (Array.isArray(value)) return Promise.all(value.map((v) => openValue(open, org, v as Json)));
  const entries = await Promise.all(
    Object.entries(value as JsonObject).map(async ([k, v]) => [k, await openValue(open, org, v)] as const),
  );
  return Object.fromEntries(entries);
};
