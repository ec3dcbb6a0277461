/** Finds a key by its hash in the read model. */
import { apiKeys } from '../../projections/api_keys';
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
