import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, invalid, notFound } from '../../core/failure';
import type { ApiKeyCommand } from './commands';
import type { ApiKeyEvent, Scope } from './events';

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  readonly keyPrefix: string;
  readonly keyHash: string;
  /** null: all. */
  readonly scopes: readonly Scope[] | null;
  readonly archived: boolean;
}
/** An organization's keys by id. */
export type ApiKeysState = ReadonlyMap<number, ApiKey>;

const ORDER: readonly Scope[] = ['read', 'write', 'audit'];

/** Whether a key with these scopes may do what needs `scope`; null: a key without scopes may do everything. */
export const allows = (scopes: readonly Scope[] | null, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);

export const apiKeyDecider: Decider<ApiKeysState, ApiKeyCommand, ApiKeyEvent> = {
  name: 'api-key',
  initial: new Map(),
  decide: (command, state) => {
    const known = state.get(command.apiKeyId);
    if (command.type === 'CreateApiKey') {
      if (known !== undefined)
        return known.keyHash === command.keyHash
          ? right([])
          : left(conflict(`API key ${command.apiKeyId} exists already.`));
      const { scopes: asked, creatorScopes } = command;
      if (asked?.length === 0)
        return left(
          invalid([
            {
              loc: ['body', 'scopes'],
              type: 'too_short',
              msg: 'List should have at least 1 item after validation, not 0',
              input: [],
              ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
            },
          ]),
        );
      const beyond = asked?.filter((scope) => !allows(creatorScopes, scope)) ?? [];
      if (beyond.length > 0)
        return left({
          kind: 'forbidden',
          message: `This key cannot give scopes that it does not have: ${beyond.join(', ')}.`,
        });
      const scopes = asked === null ? creatorScopes : ORDER.filter((scope) => asked.includes(scope));
      return right([
        {
          type: 'ApiKeyCreated',
          data: {
            api_key_id: command.apiKeyId,
            name: command.name,
            key_prefix: command.keyPrefix,
            key_hash: command.keyHash,
            scopes,
          },
        },
      ]);
    }
    if (known === undefined) return left(notFound('API key not found'));
    const data = { api_key_id: known.id };
    if (command.type === 'ArchiveApiKey') return right(known.archived ? [] : [{ type: 'ApiKeyArchived', data }]);
    return right(known.archived ? [{ type: 'ApiKeyReactivated', data }] : []);
  },
  evolve: (state, event) => {
    const id = event.data.api_key_id;
    const next = new Map(state);
    if (event.type === 'ApiKeyCreated')
      return next.set(id, {
        id,
        name: event.data.name,
        keyPrefix: event.data.key_prefix,
        keyHash: event.data.key_hash,
        scopes: event.data.scopes,
        archived: false,
      });
    const known = state.get(id);
    return known === undefined ? state : next.set(id, { ...known, archived: event.type === 'ApiKeyArchived' });
  },
};
