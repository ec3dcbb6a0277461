/**
 * Uploads, recordings, snapshots: bytes by key.
 *
 * Promises of every adapter (held by test/contract/object-store.ts):
 * - `put` is all or nothing: a key reads as the whole old or the whole new object. Durable when answered.
 * - A signed upload URL accepts one PUT of that key with that content type until it expires; tampered, foreign and expired ones are 403.
 */
import type { Readable } from 'node:stream';

export interface ObjectInfo {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** ISO 8601. */
  readonly modifiedAt: string;
}

export interface ObjectStore {
  put(key: string, body: Uint8Array | Readable, contentType: string): Promise<void>;
  /** Null when there is no such object. */
  get(key: string): Promise<Readable | null>;
  head(key: string): Promise<ObjectInfo | null>;
  remove(key: string): Promise<void>;
  /** A URL that a client PUTs to; `expiresIn` seconds. */
  signUpload(key: string, contentType: string, expiresIn: number): Promise<string>;
  /** A URL that a client GETs; `expiresIn` seconds. */
  signDownload(
    key: string,
    expiresIn: number,
    options?: { readonly inline?: boolean; readonly fileName?: string },
  ): Promise<string>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The part of the embedded adapter that our own HTTP server calls for signed URLs; null answers mean 403. */
export interface SignedAccess {
  /** Path prefix under which signed URLs live, e.g. `/objects/`. */
  readonly prefix: string;
  verify(
    method: 'PUT' | 'GET',
    path: string,
    query: URLSearchParams,
    contentType: string | null,
  ): { readonly key: string; readonly fileName: string | null; readonly inline: boolean } | null;
}
