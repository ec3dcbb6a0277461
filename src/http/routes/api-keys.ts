/** API keys of the caller's organization. */
import { isLeft, left, right } from 'fp-ts/Either';
import { apiKeyKey, apiKeyRecord, apiKeys, foldApiKeys, type ChangedKey } from '../../../projections/api_keys';
import { booleanText, integerText, object, required, withDefault } from '../../core/codec';
import type { Failure } from '../../core/failure';
import { apiKeysStream, type OrganizationId } from '../../core/ids';
import { ApiKeyCreate } from '../../domain/api-key/commands';
import { apiKeyDecider } from '../../domain/api-key/decider';
import { hashKey, makeKey, prefixOf } from '../../domain/api-key/key';
import type { Api } from '../api';

import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { ApiKeyChanged, ApiKeyList, CreatedApiKey } from '../shapes/api-keys';

const ListQuery = object('ApiKeyQuery', { include_archived: withDefault(booleanText, false) });
const KeyPath = object('ApiKeyPath', { api_key_id: required(integerText()) });

const at = (path: string) => ({ path: `/api/v1/user/api-keys${path}`, aliases: [`/user/api-keys${path}`] });

const notVisible: Failure = {
  kind: 'unavailable',
  message: 'The change is stored, but could not be put into force everywhere yet; repeat it',
  stored: 'maybe',
};

export const apiKeyRoutes = (api: Api): readonly Route[] => {
  const { platform, auth, keyUses } = api;

  /** Puts the key's new state into force before the answer leaves. */
  const enforce = async (org: OrganizationId, changed: ChangedKey): Promise<Failure | null> => {
    try {
      await foldApiKeys(platform, org, changed);
      return null;
    } catch (error) {
      platform.log.error({ err: error, org }, 'a key document could not be written');
      return notVisible;
    } finally {
      auth.forget();
    }
  };

  const change =
    (type: 'ArchiveApiKey' | 'ReactivateApiKey', message: string) =>
    async (request: KeyedRequest<{ readonly api_key_id: number }, undefined, undefined>): Promise<Handled> => {
      const { org, params, commands } = request;
      const command = { type, apiKeyId: params.api_key_id };
      const done = await commands.run(apiKeyDecider, apiKeysStream(org), command);
      if (isLeft(done)) return done;
      const failed = await enforce(org, { apiKeyId: params.api_key_id, revision: done.right.revision });
      return failed === null ? ok({ success: true, message }) : left(failed);
    };

  return [
    route({
      method: 'GET',
      ...at(''),
      scope: 'read',
      tag: 'api keys',
      summary: 'List the keys of the organization',
      query: ListQuery,
      response: { schema: ApiKeyList.schema },
      handle: async ({ org, query }) => {
        const docs = await platform.views.find(apiKeys, {
          where: [{ field: 'organization', is: org }],
          sort: { field: 'created_at', descending: false },
        });
        const shown = docs.filter((doc) => query.include_archived || doc.is_active);
        const uses = await keyUses.of(shown.map((doc) => doc.id));
        return ok(shown.map((doc) => ({ ...apiKeyRecord(doc), last_used_at: uses.get(doc.id) ?? null })));
      },
    }),
    route({
      method: 'POST',
      ...at(''),
      scope: 'write',
      tag: 'api keys',
      summary: 'Create a key; the answer shows it once',
      body: ApiKeyCreate,
      example: { name: 'Production', scopes: ['read', 'write'] },
      response: { schema: CreatedApiKey.schema },
      remembered: (body) => {
        const { api_key: _secret, ...record } = body as { readonly api_key: string };
        return record;
      },
      handle: async ({ org, caller, body, commands }) => {
        const secret = makeKey();
        const command = {
          type: 'CreateApiKey',
          apiKeyId: 0,
          name: body.name,
          keyPrefix: prefixOf(secret),
          keyHash: hashKey(secret),
          scopes: body.scopes,
          creatorScopes: caller.scopes,
        } as const;
        const possible = await commands.probe(apiKeyDecider, apiKeysStream(org), command);
        if (isLeft(possible)) return possible;
        const id = await commands.id('api_key');
        if (isLeft(id)) return id;
        const done = await commands.run(apiKeyDecider, apiKeysStream(org), { ...command, apiKeyId: id.right });
        if (isLeft(done)) return done;
        const failed = await enforce(org, { apiKeyId: id.right, revision: done.right.revision });
        if (failed !== null) return left(failed);
        const doc = await platform.views.get(apiKeys, apiKeyKey(org, id.right));
        if (doc === null) return left(notVisible);
        const { name, key_prefix, scopes, created_at } = apiKeyRecord(doc);
        // A try carried on after a crash made another secret, of which nothing was stored.
        const shown = doc.key_hash === hashKey(secret) ? { api_key: secret } : {};
        return right({ body: { id: id.right, name, key_prefix, ...shown, scopes, created_at } });
      },
    }),
    route({
      method: 'DELETE',
      ...at('/{api_key_id}'),
      scope: 'write',
      tag: 'api keys',
      summary: 'Archive a key: it is refused from the moment of the answer on',
      params: KeyPath,
      response: { schema: ApiKeyChanged.schema },
      failures: [404],
      handle: change('ArchiveApiKey', 'API key archived successfully'),
    }),
    route({
      method: 'PUT',
      ...at('/{api_key_id}/reactivate'),
      scope: 'write',
      tag: 'api keys',
      summary: 'Reactivate an archived key',
      params: KeyPath,
      response: { schema: ApiKeyChanged.schema },
      failures: [404],
      handle: change('ReactivateApiKey', 'API key reactivated successfully'),
    }),
  ];
};
