import { list, nullable, object, oneOf, required, text, withDefault, type Decoded } from '../../core/codec';
import type { Scope } from './events';

/** Body of POST /user/api-keys. `scopes` left out or null: the creator's. */
export const ApiKeyCreate = object('ApiKeyCreate', {
  name: required(text()),
  scopes: withDefault(nullable(list(oneOf(['read', 'write', 'audit']), { min: 1, max: 100 })), null),
});
export type ApiKeyCreate = Decoded<typeof ApiKeyCreate>;

/** The shell makes the key (key.ts) and shows it once; the decider gets its hash. Ids come from the sequence `api_key`. */
export type ApiKeyCommand =
  | {
      readonly type: 'CreateApiKey';
      readonly apiKeyId: number;
      readonly name: string;
      readonly keyPrefix: string;
      readonly keyHash: string;
      /** null: the creator's. */
      readonly scopes: readonly Scope[] | null;
      /** Scopes of the key that asks; null: all (a key without scopes, the program itself). */
      readonly creatorScopes: readonly Scope[] | null;
    }
  | { readonly type: 'ArchiveApiKey'; readonly apiKeyId: number }
  | { readonly type: 'ReactivateApiKey'; readonly apiKeyId: number };
