/** What API keys look like when they are read. */
import { boolean, list, object, oneOf, optional, required } from '../../core/codec';
import { dateTime, int, nullableDateTime, string } from './values';

const scopes = list(oneOf(['read', 'write', 'audit']));

export const ApiKeyList = list(
  object('ApiKey', {
    id: required(int),
    name: required(string),
    key_prefix: required(string),
    scopes: required(scopes),
    is_active: required(boolean),
    created_at: required(dateTime),
    last_used_at: required(nullableDateTime),
    archived_at: required(nullableDateTime),
  }),
);

export const CreatedApiKey = object('CreatedApiKey', {
  id: required(int),
  name: required(string),
  key_prefix: required(string),
  scopes: required(scopes),
  /** Only in the first answer. */
  api_key: optional(string),
  created_at: required(dateTime),
});

export const ApiKeyChanged = object('ApiKeyChanged', { success: required(boolean), message: required(string) });
