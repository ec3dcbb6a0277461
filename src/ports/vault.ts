/**
 * Keys that open what the ledger keeps sealed. Kept apart from the ledger; losing it makes sealed values unreadable for ever, which is how
 * erasure works.
 *
 * Promises of every adapter (held by test/contract/vault.ts):
 * - `createPage` is durable when answered and write-once: a second page under one id is refused.
 * - Keys of a page are only ever removed (erasure), by compare-and-set, durably.
 * - An organization's key, once answered, stays the same; a race makes one key, not two.
 */
export interface KeyPage {
  readonly id: string;
  /** 32 bytes each; null where erased. */
  readonly keys: readonly (Buffer | null)[];
}

export interface Vault {
  /** Data key number `number` of an organization (1 unless rotated), made on first use. 32 bytes. */
  organizationKey(org: number, number?: number): Promise<Buffer>;
  /** The newest key number of an organization. */
  currentKeyNumber(org: number): Promise<number>;
  createPage(org: number, id: string, keys: readonly Buffer[]): Promise<void>;
  /** Null when there is no such page. */
  page(org: number, id: string): Promise<KeyPage | null>;
  /** Destroys single keys; repeating is harmless. */
  eraseKeys(org: number, id: string, indexes: readonly number[]): Promise<void>;
  /** A secret of the installation (made on first use), e.g. for signing URLs. 32 bytes. */
  secret(name: string): Promise<Buffer>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** How far the keys of a vault are under a new master key. */
export interface Rotation {
  /** Keys and pages wrapped anew so far. */
  readonly rewrapped: number;
  /** Left under an older master key; 0 at the end: the older ones may be forgotten. */
  readonly remaining: number;
}
