/**
 * Objects as files of a folder, uploaded and downloaded through signed URLs that our own server takes. An object is one file: its bytes under
 * AES-256-GCM (contact lists hold personal data, and disks get copied), then a trailer with its content type, nonce and tag, so that all of it
 * changes in one step.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import type { Clock } from '../../ports/clock';
import type { ObjectStore, SignedAccess } from '../../ports/object-store';
import { systemClock } from './clock';
import { objectPath } from './object-path';
import { signedUrls } from './signed-url';

export interface EmbeddedObjectStoreOptions {
  /** Objects lie in `objects/` in it. */
  readonly folder: string;
  /** Where our own server can be reached; asked for at each signing. */
  readonly publicUrl: () => string;
  /** Signs URLs and opens the files; whoever has it can read and write every object. */
  readonly secret: Buffer;
  readonly clock?: Clock;
}

/** Length of the trailer's text as 8 hex digits: the last bytes of a file. */
const LENGTH_BYTES = 8;
interface Trailer {
  readonly content_type: string;
  /** base64. */
  readonly nonce: string;
  readonly tag: string;
}
const trailerOf = (trailer: Trailer): Buffer => {
  const text = Buffer.from(JSON.stringify(trailer));
  return Buffer.concat([text, Buffer.from(text.length.toString(16).padStart(LENGTH_BYTES, '0'))]);
};
const readTrailer = async (
  file: FileHandle,
): Promise<{ readonly size: number; readonly trailer: Trailer; readonly modified: Date }> => {
  const { size, mtime } = await file.stat();
  const lengthText = Buffer.alloc(LENGTH_BYTES);
  await file.read(lengthText, 0, LENGTH_BYTES, size - LENGTH_BYTES);
  const length = Number.parseInt(lengthText.toString(), 16);
  const text = Buffer.alloc(length);
  await file.read(text, 0, length, size - LENGTH_BYTES - length);
  return { size: size - LENGTH_BYTES - length, trailer: JSON.parse(text.toString()) as Trailer, modified: mtime };
};

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};
const openOrNull = async (path: string): Promise<FileHandle | null> => {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

export const embeddedObjectStore = (options: EmbeddedObjectStoreOptions): ObjectStore & SignedAccess => {
  const root = join(options.folder, 'objects');
  /** Uploads under way; its name is no key's. */
  const incoming = join(root, '~incoming');
  const urls = signedUrls(options.secret, options.publicUrl, options.clock ?? systemClock());
  const pathOf = (key: string): string => join(root, ...objectPath(key));
  const cipherKey = Buffer.from(hkdfSync('sha256', options.secret, '', 'objects at rest', 32));

  // What an earlier process left half-written is of no use to anyone.
  let prepared: Promise<void> | null = null;
  const prepare = (): Promise<void> => {
    prepared ??= (async () => {
      await rm(incoming, { recursive: true, force: true });
      await mkdir(incoming, { recursive: true, mode: 0o700 });
    })();
    prepared.catch(() => (prepared = null));
    return prepared;
  };

  const writeIncoming = async (path: string, body: Uint8Array | Readable, contentType: string): Promise<void> => {
    const file = await open(path, 'wx', 0o600);
    try {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce);
      const seal = (chunk: Uint8Array | string): Buffer =>
        cipher.update(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (body instanceof Uint8Array) await file.writeFile(seal(body));
      else for await (const chunk of body) await file.writeFile(seal(chunk as Uint8Array | string));
      cipher.final();
      const tag = cipher.getAuthTag().toString('base64');
      await file.writeFile(trailerOf({ content_type: contentType, nonce: nonce.toString('base64'), tag }));
      await file.sync();
    } finally {
      await file.close();
    }
  };
  /** Makes the folder of an object; new folders are as durable as the object in them. */
  const makeFolder = async (folder: string): Promise<void> => {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  };

  return {
    prefix: urls.prefix,
    verify: urls.verify,
    put: async (key, body, contentType) => {
      const path = pathOf(key);
      await prepare();
      const written = join(incoming, randomUUID());
      try {
        await writeIncoming(written, body, contentType);
        await makeFolder(dirname(path));
        await rename(written, path);
      } catch (error) {
        await rm(written, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncFolder(dirname(path));
    },
    get: async (key) => {
      const file = await openOrNull(pathOf(key));
      if (file === null) return null;
      try {
        const { size, trailer } = await readTrailer(file);
        if (size > 0) {
          const decipher = createDecipheriv('aes-256-gcm', cipherKey, Buffer.from(trailer.nonce, 'base64'));
          decipher.setAuthTag(Buffer.from(trailer.tag, 'base64'));
          // What goes wrong on the way reaches the reader as the stream's error.
          return pipeline(file.createReadStream({ start: 0, end: size - 1 }), decipher, () => undefined);
        }
      } catch (error) {
        await file.close();
        throw error;
      }
      await file.close();
      return Readable.from([]);
    },
    head: async (key) => {
      const file = await openOrNull(pathOf(key));
      if (file === null) return null;
      try {
        const { size, trailer, modified } = await readTrailer(file);
        return { key, size, contentType: trailer.content_type, modifiedAt: modified.toISOString() };
      } finally {
        await file.close();
      }
    },
    remove: async (key) => {
      const path = pathOf(key);
      try {
        await rm(path);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      await syncFolder(dirname(path));
    },
    signUpload: async (key, contentType, expiresIn) => {
      pathOf(key);
      return urls.sign({ method: 'PUT', key, contentType, fileName: null, inline: false }, expiresIn);
    },
    signDownload: async (key, expiresIn, { inline = false, fileName = null } = {}) => {
      pathOf(key);
      return urls.sign({ method: 'GET', key, contentType: null, fileName, inline }, expiresIn);
    },
    ping: prepare,
    close: async () => undefined,
  };
};
