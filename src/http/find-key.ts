/** Finds a key by its hash in the read model, and confirms one by the ledger. */
import { apiKeys } from '../../projections/api_keys';
import { apiKeysStream } from '../core/ids';
import { apiKeyDecider } from '../domain/api-key/decider';
import type { Platform } from '../engine/platform';
import type { KnownKey } from './auth';

export const findKey =
  ({ views }: Platform) =>
  async (keyHash: string): Promise<KnownKey | null> => {
    const [doc] = await views.find(apiKeys, { where: [{ field: 'key_hash', is: keyHash }], limit: 1 });
    return doc === undefined || !doc.is_active
      ? null
      : { org: doc.organization, keyId: doc.id, scopes: doc.scopes, keyHash: doc.key_hash };
  };

/** Whether the ledger has the key, not archived. Rejects when the event store is away. */
export const confirmKey =
  ({ execute }: Platform) =>
  async ({ org, keyId }: KnownKey): Promise<boolean> =>
    (await execute.load(apiKeyDecider, apiKeysStream(org))).state.get(keyId)?.archived === false;
