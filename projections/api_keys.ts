/** API keys by hash: what authentication and the list of keys read. One document each. */
import type { JsonObject, RecordedEvent } from '../src/core/event';
import { upcast } from '../src/core/event-types';
import { apiKeysStream } from '../src/core/ids';
import type { Position } from '../src/core/position';
import { apiKeyEvents, type ApiKeyEvent, type Scope } from '../src/domain/api-key/events';
import type { Platform } from '../src/engine/platform';
import { collectionOf, type Projected, type ProjectedEvent, type Projection } from '../src/engine/projection';
import { isVersionOf } from '../src/engine/views';
import type { DocumentWrite } from '../src/ports/read-store';

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

/** What a change of one key left behind: with it the whole stream need not be folded. */
export interface ChangedKey {
  readonly apiKeyId: number;
  /** Of the stream, after the change. */
  readonly revision: number;
}
interface Folded {
  readonly document: ApiKeyDoc | null;
  readonly position: Position;
}

/** Events at the end of the stream that are looked at before all of it is. */
const TAIL = 32;

const foldKeys = (events: readonly RecordedEvent[], org: number, known: ReadonlyMap<string, Folded>) => {
  const documents = new Map(known);
  for (const event of events) {
    const projected: ProjectedEvent = {
      id: event.id,
      type: event.type,
      data: upcast(apiKeyEvents, event.type, event.data, event.metadata.schema),
      org,
      actor: event.metadata.actor,
      at: event.metadata.at,
      stream: event.stream,
      revision: event.revision,
      position: event.position,
    };
    for (const key of apiKeys.keys(projected)) {
      const before = documents.get(key);
      if (before !== undefined && before.position >= event.position) continue;
      documents.set(key, {
        document: apiKeys.evolve(before?.document ?? null, projected, key),
        position: event.position,
      });
    }
  }
  return documents;
};

const writesOf = (documents: ReadonlyMap<string, Folded>): readonly DocumentWrite[] =>
  Array.from(documents, ([key, { document, position }]) => ({
    key,
    document: document as JsonObject | null,
    position,
  }));

/**
 * Folds an organization's keys, or the one that `changed`, and writes their documents at once, so that whoever answers next sees them: an archived
 * key is dead when its archiving is answered. Rejects when a store is away. The runner comes to the same documents later.
 */
export const foldApiKeys = async (
  platform: Pick<Platform, 'events' | 'reads'>,
  org: number,
  changed: ChangedKey | null = null,
): Promise<void> => {
  const { events, reads } = platform;
  const stream = apiKeysStream(org);
  const from = changed === null ? 0 : Math.max(0, changed.revision - TAIL);
  const tail = await events.readStream(stream, from);
  const whole = async () => (from === 0 ? tail : events.readStream(stream));
  const key = changed === null ? null : apiKeyKey(org, changed.apiKeyId);

  /** The changed key's document from the stored one and the tail; from all events where the tail does not reach back to it. */
  const writesTo = async (collection: string): Promise<readonly DocumentWrite[]> => {
    if (key === null || from === 0) return writesOf(foldKeys(tail, org, new Map()));
    const stored = await reads.get(collection, key);
    const first = tail[0]?.position;
    if (stored === null || first === undefined || stored.position < first)
      return writesOf(foldKeys(await whole(), org, new Map()));
    const known: Folded = { document: stored.document as unknown as ApiKeyDoc, position: stored.position };
    return writesOf(foldKeys(tail, org, new Map([[key, known]]))).filter((write) => write.key === key);
  };

  // A rebuild may be about to switch collections: each that there is gets them.
  const plain = collectionOf(apiKeys);
  const existing = (await reads.collections()).filter((name) => isVersionOf(apiKeys, name));
  if (existing.length === 0) await reads.ensure({ name: plain, indexes: apiKeys.indexes });
  for (const collection of existing.length === 0 ? [plain] : existing)
    await reads.write(collection, await writesTo(collection));
};
