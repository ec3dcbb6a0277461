/** A batch of contacts: a page of keys, one for each, and each contact sealed with its key. */
import { randomUUID } from 'node:crypto';
import type * as nodeCrypto from 'node:crypto';
import type { OrganizationId } from '../core/ids';
import type { ContactData } from '../domain/campaign/events';
import { associatedData, CONTACT_FIELD, contactKeyId } from '../engine/seal';

export interface SealedBatch {
  readonly page: string;
  /** 32 bytes each. */
  readonly keys: readonly Buffer[];
  /** base64 of nonce, ciphertext and tag, one per contact: what engine/seal.ts opens. */
  readonly contacts: readonly string[];
}

/** What is sealed: texts, and what is bound into the seal of number i: `associated` followed by i. */
export interface ToSealBatch {
  readonly texts: readonly string[];
  readonly associated: string;
}
export interface SealedTexts {
  /** All keys, one after the other. */
  readonly keys: Uint8Array;
  readonly contacts: readonly string[];
}

/** null: a contact that was erased before it was queued; it keeps its place. */
export type QueuedContact = ContactData | null;

export const batchToSeal = (org: OrganizationId, page: string, batch: readonly QueuedContact[]): ToSealBatch => ({
  texts: batch.map((contact) => JSON.stringify(contact)),
  associated: associatedData(org, CONTACT_FIELD, contactKeyId(page, 0)).slice(0, -1),
});

/**
 * Seals texts, each with a key and a nonce of its own (AES-256-GCM, as engine/seal.ts does). Its source text runs in a thread too, so it may use
 * nothing but its parameters and what Node has globally.
 */
export const sealTexts = (
  crypto: Pick<typeof nodeCrypto, 'createCipheriv' | 'randomBytes'>,
  { texts, associated }: ToSealBatch,
): SealedTexts => {
  // One draw for the whole batch: single ones cost more than sealing does.
  const keys = crypto.randomBytes(32 * texts.length);
  const nonces = crypto.randomBytes(12 * texts.length);
  const contacts = texts.map((text, i) => {
    const nonce = nonces.subarray(i * 12, (i + 1) * 12);
    const cipher = crypto.createCipheriv('aes-256-gcm', keys.subarray(i * 32, (i + 1) * 32), nonce);
    cipher.setAAD(Buffer.from(`${associated}${i}`));
    const body = cipher.update(text, 'utf8');
    cipher.final();
    return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64');
  });
  return { keys, contacts };
};

export const newPage = (): string => randomUUID();

export const sealedBatch = (page: string, { keys, contacts }: SealedTexts): SealedBatch => ({
  page,
  keys: contacts.map((_, i) => Buffer.from(keys.subarray(i * 32, (i + 1) * 32))),
  contacts,
});
