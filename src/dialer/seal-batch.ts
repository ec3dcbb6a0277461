/** A batch of contacts: keys of their own, and each sealed with its key. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { OrganizationId } from '../core/ids';
import type { ContactData } from '../domain/campaign/events';
import { associatedData, CONTACT_FIELD, contactKeyId, sealBytes } from '../engine/seal';

export interface SealedBatch {
  readonly page: string;
  readonly keys: readonly Buffer[];
  /** base64, one per contact. */
  readonly contacts: readonly string[];
}

const KEY = 32;
const NONCE = 12;
/** Seals contacts, each as JSON under a new key. */
export const sealBatch = (org: OrganizationId, batch: readonly ContactData[]): SealedBatch => {
  const page = randomUUID();
  // One draw for the whole batch: single ones cost more than sealing does.
  const random = randomBytes(KEY * batch.length);
  const nonces = randomBytes(NONCE * batch.length);
  const keys = batch.map((_, i) => random.subarray(i * KEY, (i + 1) * KEY));
  const contacts = batch.map((contact, i) =>
    sealBytes(
      keys[i] as Buffer,
      Buffer.from(JSON.stringify(contact)),
      associatedData(org, CONTACT_FIELD, contactKeyId(page, i)),
      nonces.subarray(i * NONCE, (i + 1) * NONCE),
    ).toString('base64'),
  );
  return { page, keys, contacts };
};
