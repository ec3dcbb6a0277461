/**
 * An archived key must be dead when the DELETE returns, and a reactivated one alive: so a change of a key does not wait for the projection's
 * runner, it folds the organization's keys itself and writes the document, guarded by position like every write of the runner.
 */
import { apiKeyKey, apiKeys, type ApiKeyDoc } from '../../projections/api_keys';
import { apiKeysStream, type OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import { eventCatalog } from '../domain/event-catalog';
import { prepareBatch } from '../engine/fold';
import type { Platform } from '../engine/platform';
import { LIVE_SETTING, liveCollection, parseLive } from '../engine/views';

/** Writes the key's document as the ledger has it now. Rejects when an engine is away. */
export const writeKeyDocument = async (platform: Platform, org: OrganizationId, keyId: number): Promise<void> => {
  const { events, reads, seals } = platform;
  const batch = await prepareBatch(
    await events.readStream(apiKeysStream(org)),
    eventCatalog,
    (owner, key) => seals.key(owner, key),
    new Set(),
  );
  const key = apiKeyKey(org, keyId);
  let document: ApiKeyDoc | null = null;
  let position: Position | null = null;
  batch.events.forEach((recorded, i) => {
    const event = batch.at(i, 'stored');
    if (event === null || !apiKeys.keys(event).includes(key)) return;
    document = apiKeys.evolve(document, event, key);
    position = recorded.position;
  });
  if (position === null) return;
  const collection = liveCollection(apiKeys, parseLive(await reads.setting(LIVE_SETTING)));
  await reads.write(collection, [{ key, document, position }]);
};
