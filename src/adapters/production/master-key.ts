/** The master key that wraps a vault's keys, and the wrapping itself (AES-256-GCM). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openBytes, sealBytes } from '../../engine/seal';

export interface MasterKey {
  readonly bytes: Buffer;
  /** Which master key it is: the first 16 hex digits of its SHA-256. Stored with all that it wraps. */
  readonly id: string;
}

const KEY_BYTES = 32;

const decodeKey = (text: string): Buffer | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return null;
};

/**
 * Master key from `VAULT_MASTER_KEY`: 32 bytes as hex or base64, or the path of a file that holds them so. Throws with words for the user; the
 * key itself is in no message.
 */
export const masterKey = (given: string): MasterKey => {
  const text = given.trim();
  let bytes = decodeKey(text);
  if (bytes === null) {
    let content: string;
    try {
      content = readFileSync(text, 'utf8').trim();
    } catch {
      throw new Error('VAULT_MASTER_KEY is neither 32 bytes in hex or base64 nor the path of a readable file');
    }
    bytes = decodeKey(content);
  }
  if (bytes?.length !== KEY_BYTES)
    throw new Error('the file named by VAULT_MASTER_KEY does not hold 32 bytes in hex or base64');
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
};

export interface Wrapped {
  readonly master: string;
  /** Nonce, ciphertext, tag; base64. */
  readonly sealed: string;
}

/** `place` says whose key it is; what was wrapped for another place does not open. */
export const wrap = (key: MasterKey, plain: Buffer, place: string): Wrapped => ({
  master: key.id,
  sealed: sealBytes(key.bytes, plain, place).toString('base64'),
});

/** Throws when none of the keys is the one that it was wrapped with. */
export const unwrap = (keys: readonly MasterKey[], wrapped: Wrapped, place: string): Buffer => {
  const key = keys.find(({ id }) => id === wrapped.master);
  if (key === undefined)
    throw new Error(`the vault has keys wrapped by master key ${wrapped.master}, which is not the one given`);
  return openBytes(key.bytes, Buffer.from(wrapped.sealed, 'base64'), place);
};
