/** Vault and object store in memory, for simulations on a virtual clock. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '../../src/ports/object-store';
import type { Vault } from '../../src/ports/vault';

const keyFrom = (text: string): Buffer => createHash('sha256').update(text).digest();

export const memoryVault = (): Vault => {
  const pages = new Map<string, (Buffer | null)[]>();
  return {
    organizationKey: async (org, number = 1) => keyFrom(`org/${org}/${number}`),
    currentKeyNumber: async () => 1,
    createPage: async (org, id, keys) => {
      const name = `${org}/${id}`;
      if (pages.has(name)) throw new Error(`there is a page ${id} already`);
      pages.set(name, [...keys]);
    },
    page: async (org, id) => {
      const keys = pages.get(`${org}/${id}`);
      return keys === undefined ? null : { id, keys: [...keys] };
    },
    eraseKeys: async (org, id, indexes) => {
      const keys = pages.get(`${org}/${id}`);
      for (const index of indexes) if (keys !== undefined) keys[index] = null;
    },
    secret: async (name) => keyFrom(`secret/${name}`),
    ping: async () => undefined,
    close: async () => undefined,
  };
};

export const memoryObjects = (): ObjectStore & { readonly stored: Map<string, Buffer> } => {
  const stored = new Map<string, Buffer>();
  const unsupported = async (): Promise<string> => `memory://${randomBytes(8).toString('hex')}`;
  return {
    stored,
    put: async (key, body) => void stored.set(key, body instanceof Readable ? await buffer(body) : Buffer.from(body)),
    get: async (key) => {
      const found = stored.get(key);
      return found === undefined ? null : Readable.from([found]);
    },
    head: async (key) => {
      const found = stored.get(key);
      return found === undefined
        ? null
        : { key, size: found.length, contentType: 'application/octet-stream', modifiedAt: new Date(0).toISOString() };
    },
    remove: async (key) => void stored.delete(key),
    signUpload: unsupported,
    signDownload: unsupported,
    ping: async () => undefined,
    close: async () => undefined,
  };
};
