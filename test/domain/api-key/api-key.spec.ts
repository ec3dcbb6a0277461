import { isLeft } from 'fp-ts/Either';
import { decode } from '../../../src/core/codec';
import { ApiKeyCreate, type ApiKeyCommand } from '../../../src/domain/api-key/commands';
import { allows, apiKeyDecider } from '../../../src/domain/api-key/decider';
import type { ApiKeyEvent, Scope } from '../../../src/domain/api-key/events';
import { hashKey, makeKey, prefixOf } from '../../../src/domain/api-key/key';
import { fold, given } from '../../support/given';

const created = (id: number, scopes: readonly Scope[] | null = null): ApiKeyEvent => ({
  type: 'ApiKeyCreated',
  data: { api_key_id: id, name: 'ci', key_prefix: 'llk_abcd', key_hash: `hash-${id}`, scopes },
});
const create = (rest: Partial<Extract<ApiKeyCommand, { type: 'CreateApiKey' }>> = {}): ApiKeyCommand => ({
  type: 'CreateApiKey',
  apiKeyId: 1,
  name: 'ci',
  keyPrefix: 'llk_abcd',
  keyHash: 'hash-1',
  scopes: null,
  creatorScopes: null,
  ...rest,
});
const archived: ApiKeyEvent = { type: 'ApiKeyArchived', data: { api_key_id: 1 } };
const reactivated: ApiKeyEvent = { type: 'ApiKeyReactivated', data: { api_key_id: 1 } };

describe('a new key', () => {
  test('is stored by its hash', () => {
    given(apiKeyDecider)
      .when(create())
      .then([created(1)]);
    given(apiKeyDecider, [created(1)])
      .when(create())
      .thenNothing();
    given(apiKeyDecider, [created(1)])
      .when(create({ keyHash: 'another' }))
      .thenFails('conflict');
  });

  test('has the scopes of its creator unless fewer are asked for', () => {
    given(apiKeyDecider)
      .when(create({ creatorScopes: ['read', 'write'] }))
      .then([created(1, ['read', 'write'])]);
    given(apiKeyDecider)
      .when(create({ creatorScopes: ['read', 'write'], scopes: ['write', 'write'] }))
      .then([created(1, ['write'])]);
    given(apiKeyDecider)
      .when(create({ scopes: ['audit', 'read'] }))
      .then([created(1, ['read', 'audit'])]);
  });

  test('never has a scope that its creator lacks', () => {
    given(apiKeyDecider)
      .when(create({ creatorScopes: ['write'], scopes: ['read', 'write', 'audit'] }))
      .thenFails('forbidden', /read, audit/);
  });

  test('with no scope at all is a fault of the field', () => {
    given(apiKeyDecider)
      .when(create({ scopes: [] }))
      .thenFails('invalid', /body\.scopes: List should have at least 1 item/);
    const decoded = decode(ApiKeyCreate, { name: '', scopes: [] }, ['body']);
    expect(isLeft(decoded) && decoded.left.map((f) => [f.type, f.loc])).toEqual([['too_short', ['body', 'scopes']]]);
    const unknown = decode(ApiKeyCreate, { name: 'x', scopes: ['read', 'admin'] }, ['body']);
    expect(isLeft(unknown) && unknown.left.map((f) => f.loc)).toEqual([['body', 'scopes', 1]]);
  });
});

describe('archiving and reactivating', () => {
  test('work, and repeated do nothing', () => {
    given(apiKeyDecider, [created(1)])
      .when({ type: 'ArchiveApiKey', apiKeyId: 1 })
      .then([archived]);
    given(apiKeyDecider, [created(1), archived])
      .when({ type: 'ArchiveApiKey', apiKeyId: 1 })
      .thenNothing();
    given(apiKeyDecider, [created(1), archived])
      .when({ type: 'ReactivateApiKey', apiKeyId: 1 })
      .then([reactivated]);
    given(apiKeyDecider, [created(1)])
      .when({ type: 'ReactivateApiKey', apiKeyId: 1 })
      .thenNothing();
    expect(fold(apiKeyDecider, [created(1), archived, reactivated]).get(1)?.archived).toBe(false);
  });

  test('of a key that the organization does not have are not found', () => {
    given(apiKeyDecider, [created(1)])
      .when({ type: 'ArchiveApiKey', apiKeyId: 2 })
      .thenFails('not_found');
    given(apiKeyDecider, [created(1)])
      .when({ type: 'ReactivateApiKey', apiKeyId: 2 })
      .thenFails('not_found');
  });
});

test('scopes allow each on its own; no scopes allow everything', () => {
  expect([allows(['write'], 'read'), allows(['write'], 'write'), allows(null, 'audit')]).toEqual([false, true, true]);
});

test('keys are 43 url-safe characters behind llk_, all different, and hashed whole', () => {
  const keys = new Set(Array.from({ length: 100 }, () => makeKey()));
  expect(keys.size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^llk_[A-Za-z0-9_-]{43}$/);
  const known = makeKey((bytes) => Buffer.alloc(bytes, 0xff));
  expect(known).toBe('llk_//////////////////////////////////////////8'.replaceAll('/', '_'));
  expect(prefixOf(known)).toBe('llk_____');
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
