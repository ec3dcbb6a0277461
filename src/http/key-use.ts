/**
 * When each key was last used. Kept beside the ledger in a collection of its own, at most one write a minute and key: losing it loses nothing
 * that was decided.
 */
import { positionOf } from '../core/position';
import type { Clock } from '../ports/clock';
import type { ReadStore } from '../ports/read-store';

const COLLECTION = 'api_key_uses';
const EVERY = 60_000;

export interface KeyUses {
  /** Notes a use; writes in the background. Never rejects. */
  note(keyId: number): void;
  /** ISO 8601 of the last use by key id, for those known. */
  of(keyIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

export const keyUses = (reads: ReadStore, clock: Clock): KeyUses => {
  const written = new Map<number, number>();
  let ensured: Promise<void> | null = null;
  const ensure = (): Promise<void> => {
    ensured ??= reads.ensure({ name: COLLECTION, indexes: [] }).catch((error: unknown) => {
      ensured = null;
      throw error;
    });
    return ensured;
  };
  return {
    note: (keyId) => {
      const now = clock.now();
      if (now - (written.get(keyId) ?? -Infinity) < EVERY) return;
      written.set(keyId, now);
      const document = { api_key_id: keyId, last_used_at: new Date(now).toISOString() };
      ensure()
        .then(() => reads.write(COLLECTION, [{ key: String(keyId), document, position: positionOf(now) }]))
        .catch(() => written.delete(keyId)); // the next use tries again
    },
    of: async (keyIds) => {
      await ensure();
      const found = await reads.getMany(COLLECTION, keyIds.map(String));
      const uses = new Map([...found].map(([key, { document }]) => [Number(key), String(document.last_used_at)]));
      // What this process noted may be on its way to the store still.
      for (const id of keyIds) {
        const noted = written.get(id);
        const at = noted === undefined ? '' : new Date(noted).toISOString();
        if (at > (uses.get(id) ?? '')) uses.set(id, at);
      }
      return uses;
    },
  };
};
