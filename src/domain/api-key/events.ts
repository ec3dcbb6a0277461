import * as t from 'io-ts';
import { eventType, orNull, type EventOf } from '../../core/event-types';

export const Scope = t.union([t.literal('read'), t.literal('write'), t.literal('audit')]);
export type Scope = t.TypeOf<typeof Scope>;

export const apiKeyEvents = {
  ApiKeyCreated: eventType(
    t.type({
      api_key_id: t.number,
      name: t.string,
      /** First 8 characters of the key. */
      key_prefix: t.string,
      /** Lower-case hex SHA-256 of the whole key; the key itself is never stored. */
      key_hash: t.string,
      /** null: all scopes. */
      scopes: orNull(t.readonlyArray(Scope)),
    }),
  ),
  ApiKeyArchived: eventType(t.type({ api_key_id: t.number })),
  ApiKeyReactivated: eventType(t.type({ api_key_id: t.number })),
};
export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;
