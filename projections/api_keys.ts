/** API keys by hash: what authentication and the list of keys read. One document each. */
import type { ApiKeyEvent, Scope } from '../src/domain/api-key/events';
import type { Projected, Projection } from '../src/engine/projection';

export interface ApiKeyDoc {
  readonly organization: number;
  readonly id: number;
  readonly name: string;
  readonly key_prefix: string;
  /** Lower-case hex SHA-256 of the key. */
  readonly key_hash: string;
  /** null: all. */
  readonly scopes: readonly Scope[] | null;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly archived_at: string | null;
}

export const apiKeyKey = (org: number, id: number): string => `${org}/${id}`;

export const apiKeys: Projection<ApiKeyDoc> = {
  name: 'api_keys',
  version: 1,
  categories: ['apiKeys'],
  opens: [],
  // Authentication knows the hash before it knows the organization.
  indexes: [{ fields: ['key_hash'] }, { fields: ['organization', 'created_at'] }],
  keys: (event) => [apiKeyKey(event.org, (event.data as unknown as { api_key_id: number }).api_key_id)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Projected<ApiKeyEvent>;
    switch (event.type) {
      case 'ApiKeyCreated':
        return {
          organization: event.org,
          id: event.data.api_key_id,
          name: event.data.name,
          key_prefix: event.data.key_prefix,
          key_hash: event.data.key_hash,
          scopes: event.data.scopes,
          is_active: true,
          created_at: event.at,
          archived_at: null,
        };
      case 'ApiKeyArchived':
        return doc && { ...doc, is_active: false, archived_at: event.at };
      case 'ApiKeyReactivated':
        return doc && { ...doc, is_active: true, archived_at: null };
      default:
        return doc;
    }
  },
};

const ALL_SCOPES: readonly Scope[] = ['read', 'write', 'audit'];

/** The key as lists show it: never the hash. `last_used_at` is not kept. */
export const apiKeyRecord = (doc: ApiKeyDoc) => ({
  id: doc.id,
  name: doc.name,
  key_prefix: doc.key_prefix,
  scopes: doc.scopes ?? ALL_SCOPES,
  is_active: doc.is_active,
  created_at: doc.created_at,
  last_used_at: null,
  archived_at: doc.archived_at,
});
