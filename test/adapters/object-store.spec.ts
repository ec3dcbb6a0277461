import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { virtualClock } from '../../src/adapters/embedded/clock';
import { objectPath } from '../../src/adapters/embedded/object-path';
import { embeddedObjectStore } from '../../src/adapters/embedded/object-store';
import { disposition } from '../../src/http/routes/objects';
import { objectStoreContract } from '../contract/object-store';
import { tempFolder, type TempFolder } from '../support/temp';

type Store = ReturnType<typeof embeddedObjectStore>;

/** The least server that takes signed URLs; the real one is tested with the rest of HTTP. */
const serve = async (store: () => Store): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method === 'PUT' ? 'PUT' : 'GET';
    const signed = store().verify(method, pathname, searchParams, request.headers['content-type'] ?? null);
    void (async () => {
      if (signed === null) {
        request.resume();
        return void response.writeHead(403).end();
      }
      if (method === 'PUT') {
        await store().put(signed.key, request, request.headers['content-type'] as string);
        return void response.writeHead(200).end();
      }
      const [info, body] = await Promise.all([store().head(signed.key), store().get(signed.key)]);
      if (info === null || body === null) return void response.writeHead(404).end();
      const headers = {
        'content-type': info.contentType,
        'content-disposition': disposition(signed.inline, signed.fileName),
      };
      body.pipe(response.writeHead(200, headers));
    })().catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};

objectStoreContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    const secret = randomBytes(32);
    const open = (): Store => embeddedObjectStore({ folder: folder.path, publicUrl: () => server.url, secret });
    let store = open();
    const server = await serve(() => store);
    return {
      adapter: store,
      reopen: async () => {
        await store.close();
        store = open();
        return store;
      },
      dispose: async () => {
        await server.close();
        await store.close();
        await folder.remove();
      },
    };
  },
});

describe('the folder of the embedded object store', () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());
  const open = (secret = randomBytes(32), clock = virtualClock(0)): Store =>
    embeddedObjectStore({ folder: folder.path, publicUrl: () => 'http://localhost:8000/', secret, clock });

  it('has one place for each key, and none outside of itself', () => {
    const segment = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'a',
        'a~',
        '%',
        '%2e',
        'A',
        '~incoming',
        'x'.repeat(300),
        'é',
        'con',
        'a\\b',
        '\0',
      ),
      fc.string({ maxLength: 8 }),
    );
    const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((s) => s.join('/'));
    fc.assert(
      fc.property(key, key, (a, b) => {
        fc.pre(a !== '' && b !== '');
        const [pa, pb] = [join('/root', ...objectPath(a)), join('/root', ...objectPath(b))];
        expect(pa === pb).toBe(a === b);
        expect(relative('/root', pa)).not.toMatch(/^\.\.|^~incoming|\0/);
        // an object is never a folder of another
        expect(pb.startsWith(`${pa}/`)).toBe(false);
        for (const name of pa.split('/')) expect(Buffer.byteLength(name)).toBeLessThan(256);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps an object beside others that have its key as a folder', async () => {
    const store = open();
    for (const key of ['a', 'a/b', 'a/b/c', '../escape', '/', 'a//b'])
      await store.put(key, Buffer.from(key), 'text/plain');
    for (const key of ['a', 'a/b', 'a/b/c', '../escape', '/', 'a//b'])
      expect((await buffer((await store.get(key)) as NodeJS.ReadableStream)).toString()).toBe(key);
    expect(await readdir(folder.path)).toEqual(['objects']);
  });

  it('refuses keys that are empty or longer than 1024 bytes', async () => {
    const store = open();
    await expect(store.put('', Buffer.from('x'), 'text/plain')).rejects.toThrow('1 to 1024 bytes');
    await expect(store.signUpload('é'.repeat(600), 'text/plain', 60)).rejects.toThrow('1 to 1024 bytes');
  });

  it('is rid of what a killed process had written half', async () => {
    const first = open();
    await first.ping();
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(folder.path, 'objects', '~incoming', 'half'), 'half of an upload');
    const second = open();
    await second.put('a', Buffer.from('x'), 'text/plain');
    expect(await readdir(join(folder.path, 'objects', '~incoming'))).toEqual([]);
  });

  it('signs for exactly as long as asked', async () => {
    const clock = virtualClock(1_000_000);
    const store = open(randomBytes(32), clock);
    const url = new URL(await store.signUpload('uploads/a b.csv', 'text/csv', 900));
    const verify = (): string | undefined => store.verify('PUT', url.pathname, url.searchParams, 'text/csv')?.key;
    expect(url.origin + url.pathname).toBe('http://localhost:8000/objects/uploads/a%20b.csv');
    expect(verify()).toBe('uploads/a b.csv');
    await clock.advance(899_999);
    expect(verify()).toBe('uploads/a b.csv');
    await clock.advance(1);
    expect(verify()).toBeUndefined();
  });

  it('does not honour what another secret signed, nor a later expiry or another file name', async () => {
    const [mine, other] = [open(), open()];
    const url = new URL(await other.signDownload('a', 60, { fileName: 'a.txt' }));
    expect(mine.verify('GET', url.pathname, url.searchParams, null)).toBeNull();
    expect(other.verify('GET', url.pathname, url.searchParams, null)).toEqual({
      key: 'a',
      fileName: 'a.txt',
      inline: false,
    });
    for (const [name, value] of [
      ['expires', '99999999999'],
      ['name', 'b.txt'],
      ['inline', '1'],
      ['type', 'text/html'],
    ] as const) {
      const changed = new URLSearchParams(url.searchParams);
      changed.set(name, value);
      expect(other.verify('GET', url.pathname, changed, null)).toBeNull();
    }
    expect(other.verify('GET', '/objects/%E0%A4%A', url.searchParams, null)).toBeNull();
    expect(other.verify('GET', '/elsewhere/a', url.searchParams, null)).toBeNull();
  });
});
