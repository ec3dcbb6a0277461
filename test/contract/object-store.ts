/** The promises of the object-store port. Signed URLs are tried over real HTTP: the factory sees to it that they lead somewhere. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '../../src/ports/object-store';
import { eventually } from './waiting';

export interface ObjectStoreUnderTest {
  readonly adapter: ObjectStore;
  /** Ends the engine and opens it again over what it stored. */
  readonly reopen?: () => Promise<ObjectStore>;
  readonly dispose: () => Promise<void>;
}
export interface ObjectStoreFactory {
  create(): Promise<ObjectStoreUnderTest>;
}

export const objectStoreContract = (
  name: string,
  factory: ObjectStoreFactory,
  options: { readonly patienceMs?: number } = {},
): void => {
  const patience = options.patienceMs ?? 10_000;

  describe(`object store: ${name}`, () => {
    let made: ObjectStoreUnderTest;
    let store: ObjectStore;
    beforeAll(async () => {
      made = await factory.create();
      store = made.adapter;
    }, 60_000);
    afterAll(async () => {
      await made?.dispose();
    }, 60_000);

    let keys = 0;
    const newKey = (suffix = '.csv'): string => `uploads/7/${++keys}-${randomBytes(6).toString('hex')}${suffix}`;
    const bytesOf = async (key: string): Promise<Buffer | null> => {
      const stream = await store.get(key);
      return stream === null ? null : buffer(stream);
    };

    it.each([
      ['nothing', Buffer.alloc(0)],
      ['text', Buffer.from('phone_number,name\r\n+4930123456,Ä\r\n')],
      ['bytes of every value', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
      ['three million bytes', randomBytes(3_000_000)],
    ])('gives back %s as it was put', async (_, body) => {
      const key = newKey();
      await store.put(key, body, 'text/csv');
      expect((await bytesOf(key))?.equals(body)).toBe(true);
      expect(await store.head(key)).toMatchObject({ key, size: body.length, contentType: 'text/csv' });
    });

    it('takes a stream whose length nobody knows', async () => {
      const key = newKey();
      const chunks = Array.from({ length: 40 }, () => randomBytes(7777));
      await store.put(key, Readable.from(chunks), 'application/octet-stream');
      expect((await bytesOf(key))?.equals(Buffer.concat(chunks))).toBe(true);
    });

    it('knows when an object was stored', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('x'), 'text/plain');
      const modified = Date.parse((await store.head(key))?.modifiedAt ?? '');
      expect(Math.abs(modified - Date.now())).toBeLessThan(60_000);
    });

    it('has nothing under a key that was never put, and nothing after it was removed', async () => {
      const key = newKey();
      expect(await store.get(key)).toBeNull();
      expect(await store.head(key)).toBeNull();
      await store.remove(key);
      await store.put(key, Buffer.from('x'), 'text/plain');
      await store.remove(key);
      expect(await store.get(key)).toBeNull();
      expect(await store.head(key)).toBeNull();
    });

    it('replaces an object whole, content type included', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('the first, which is longer'), 'text/plain');
      await store.put(key, Buffer.from('second'), 'text/csv');
      expect((await bytesOf(key))?.toString()).toBe('second');
      expect(await store.head(key)).toMatchObject({ size: 6, contentType: 'text/csv' });
    });

    it('keeps the old object when the new one breaks off, and none when there was none', async () => {
      const [old, none] = [newKey(), newKey()];
      await store.put(old, Buffer.from('old'), 'text/plain');
      const breaking = (): Readable =>
        Readable.from(
          (async function* () {
            yield randomBytes(100_000);
            throw new Error('the client went away');
          })(),
        );
      await expect(store.put(old, breaking(), 'text/csv')).rejects.toThrow();
      await expect(store.put(none, breaking(), 'text/csv')).rejects.toThrow();
      expect((await bytesOf(old))?.toString()).toBe('old');
      expect(await store.head(none)).toBeNull();
    });

    it('reads as one whole object or another while it is replaced', async () => {
      const key = newKey();
      const versions = Array.from({ length: 12 }, (_, i) => Buffer.alloc(50_000 + i, i));
      await store.put(key, versions[0] as Buffer, 'text/plain');
      let isOver = false;
      let reads = 0;
      const reading = (async () => {
        while (!isOver) {
          const bytes = await bytesOf(key);
          reads++;
          expect(versions.some((v) => bytes?.equals(v) === true)).toBe(true);
        }
      })();
      for (const version of versions) await store.put(key, version, 'text/plain');
      isOver = true;
      await reading;
      expect(reads).toBeGreaterThan(0);
    });

    it('keeps keys apart that look alike', async () => {
      const base = newKey('');
      const alike = ['a b', 'a+b', 'a%20b', 'A B', 'ä', 'a\u0308', '.hidden', 'a/b'].map((name) => `${base}/${name}`);
      for (const key of alike) await store.put(key, Buffer.from(key), 'text/plain');
      for (const key of alike) expect((await bytesOf(key))?.toString()).toBe(key);
      expect(await store.head(`${base}/a+B`)).toBeNull();
    });

    describe('signed URLs', () => {
      const put = (url: string, body: string, contentType: string): Promise<Response> =>
        fetch(url, { method: 'PUT', body, headers: { 'content-type': contentType } });
      const denied = async (response: Promise<Response>): Promise<number> => {
        const { status, body } = await response;
        await body?.cancel();
        return status;
      };

      it('take one PUT of their key with their content type', async () => {
        const key = newKey();
        const response = await put(await store.signUpload(key, 'text/csv', 60), 'a,b\n1,2\n', 'text/csv');
        expect(response.status).toBeGreaterThanOrEqual(200);
        expect(response.status).toBeLessThan(300);
        await response.body?.cancel();
        expect((await bytesOf(key))?.toString()).toBe('a,b\n1,2\n');
        expect(await store.head(key)).toMatchObject({ size: 8, contentType: 'text/csv' });
      });

      it('lead to keys with blanks, umlauts and signs', async () => {
        const key = `${newKey('')}/Müller & Söhne 100%+.csv`;
        await denied(put(await store.signUpload(key, 'text/csv', 60), 'x', 'text/csv'));
        expect((await bytesOf(key))?.toString()).toBe('x');
        const response = await fetch(await store.signDownload(key, 60));
        expect(await response.text()).toBe('x');
      });

      it('give one GET of their key, with its content type', async () => {
        const key = newKey('.wav');
        await store.put(key, Buffer.from('RIFF'), 'audio/wav');
        const response = await fetch(await store.signDownload(key, 60));
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe('audio/wav');
        expect(await response.text()).toBe('RIFF');
      });

      it('name the file, and say whether to show it or to save it', async () => {
        const key = newKey('.txt');
        await store.put(key, Buffer.from('x'), 'text/plain');
        const saved = await fetch(await store.signDownload(key, 60, { fileName: 'transcript.txt' }));
        expect(saved.headers.get('content-disposition')).toBe('attachment; filename="transcript.txt"');
        const shown = await fetch(await store.signDownload(key, 60, { inline: true, fileName: 'transcript.txt' }));
        expect(shown.headers.get('content-disposition')).toBe('inline; filename="transcript.txt"');
        await Promise.all([saved.body?.cancel(), shown.body?.cancel()]);
      });

      it('are refused with another content type, method or key, and nothing is stored', async () => {
        const [key, other] = [newKey(), newKey()];
        const url = await store.signUpload(key, 'text/csv', 60);
        expect(await denied(put(url, 'x', 'text/html'))).toBe(403);
        expect(await denied(put(url.replace(key, other), 'x', 'text/csv'))).toBe(403);
        expect(await denied(fetch(url))).toBe(403);
        const download = await store.signDownload(key, 60);
        expect(await denied(put(download, 'x', 'text/csv'))).toBe(403);
        expect(await store.head(key)).toBeNull();
        expect(await store.head(other)).toBeNull();
      });

      it('are refused when one character of them was changed', async () => {
        const key = newKey();
        const url = await store.signUpload(key, 'text/csv', 60);
        const signature = /[?&](?:X-Amz-)?signature=([^&]+)/i.exec(url)?.[1] ?? '';
        expect(signature.length).toBeGreaterThan(20);
        const flipped = (signature[0] === 'a' ? 'b' : 'a') + signature.slice(1);
        expect(await denied(put(url.replace(signature, flipped), 'x', 'text/csv'))).toBe(403);
        // A signature that is not there at all may also count as a malformed request.
        expect([400, 403]).toContain(await denied(put(url.replace(signature, ''), 'x', 'text/csv')));
        expect(await denied(put(url.split('?')[0] as string, 'x', 'text/csv'))).toBe(403);
        expect(await store.head(key)).toBeNull();
      });

      it('are refused once they have expired', async () => {
        const key = newKey();
        const url = await store.signUpload(key, 'text/csv', 1);
        await eventually(patience, 'the URL expires', async () => {
          const status = await denied(put(url, 'x', 'text/csv'));
          expect([200, 201, 204, 403]).toContain(status);
          return status === 403;
        });
        await store.remove(key);
        expect(await denied(put(url, 'x', 'text/csv'))).toBe(403);
        expect(await store.head(key)).toBeNull();
      }, 30_000);
    });

    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });

    it('has everything again after it was closed and opened', async () => {
      const key = newKey();
      await store.put(key, Buffer.from('still here'), 'text/plain');
      if (made.reopen !== undefined) store = await made.reopen();
      expect((await bytesOf(key))?.toString()).toBe('still here');
      expect(await store.head(key)).toMatchObject({ size: 10, contentType: 'text/plain' });
    });
  });
};
