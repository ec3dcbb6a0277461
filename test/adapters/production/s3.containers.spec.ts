/** The S3 adapter under the contract of its port, and while its server is killed and paused. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { s3ObjectStore } from '../../../src/adapters/production/s3';
import type { ObjectStore } from '../../../src/ports/object-store';
import { objectStoreContract } from '../../contract/object-store';
import { eventually } from '../../contract/waiting';
import { S3_CREDENTIALS } from '../../support/engine-containers';
import { withEngine } from '../../support/engines';
import { closing } from './closing';
import { countUnhandled } from './unhandled';

const credentials = process.env['AWS_ACCESS_KEY_ID'] === undefined ? { credentials: S3_CREDENTIALS } : {};

withEngine('s3', {}, (engine) => {
  const open = (): ObjectStore =>
    s3ObjectStore({ endpoint: engine().url, bucket: process.env['S3_BUCKET'] ?? 'ledgerline-test', ...credentials });

  objectStoreContract('S3 adapter', {
    create: async () => {
      let adapter = open();
      await eventually(20_000, 'the server answers', () =>
        adapter.ping().then(
          () => true,
          () => false,
        ),
      );
      return {
        adapter,
        reopen: async () => {
          await adapter.close();
          adapter = open();
          return adapter;
        },
        dispose: () => adapter.close(),
      };
    },
  });

  describe('S3 adapter, beyond the contract', () => {
    let store: ObjectStore;
    beforeAll(() => {
      store = open();
    });
    afterAll(() => store.close());

    it('uploads a stream of several parts, and reads it back as a stream', async () => {
      const chunk = randomBytes(1_000_000);
      const key = `recordings/${randomBytes(8).toString('hex')}.wav`;
      await store.put(key, Readable.from(Array.from({ length: 12 }, () => chunk)), 'audio/wav');
      expect(await store.head(key)).toMatchObject({ size: 12_000_000, contentType: 'audio/wav' });
      let size = 0;
      for await (const part of (await store.get(key)) as Readable) size += (part as Buffer).length;
      expect(size).toBe(12_000_000);
    }, 60_000);

    it('leaves nothing of a large stream that breaks off behind its first parts', async () => {
      const key = `recordings/${randomBytes(8).toString('hex')}.wav`;
      const breaking = Readable.from(
        (async function* () {
          for (let i = 0; i < 12; i++) yield randomBytes(1_000_000);
          throw new Error('the recorder went away');
        })(),
      );
      await expect(store.put(key, breaking, 'audio/wav')).rejects.toThrow(/recorder/);
      expect(await store.head(key)).toBeNull();
    }, 60_000);

    it('names a file that is not plain ASCII in both forms', async () => {
      const key = `transcripts/${randomBytes(8).toString('hex')}.txt`;
      await store.put(key, Buffer.from('x'), 'text/plain');
      const response = await fetch(await store.signDownload(key, 60, { fileName: 'Gespräch "1".txt' }));
      expect(response.status).toBe(200);
      const told = response.headers.get('content-disposition');
      expect(told).toBe(`attachment; filename="Gespr_ch _1_.txt"; filename*=UTF-8''Gespr%C3%A4ch%20%221%22.txt`);
      await response.body?.cancel();
    });

    it('signs URLs for where clients reach the store', async () => {
      const outside = s3ObjectStore({
        endpoint: engine().url,
        publicEndpoint: 'https://files.example.com',
        bucket: 'ledgerline-test',
        ...credentials,
      });
      expect(await outside.signUpload('a/b.csv', 'text/csv', 60)).toMatch(
        /^https:\/\/files\.example\.com\/ledgerline-test\/a\/b\.csv\?/,
      );
      await outside.close();
    });
  });
});

withEngine('s3', { mayStop: true }, (engine) => {
  const afterwards = closing();

  it('has every object that was acknowledged, and no half ones, after its server was killed', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const store = s3ObjectStore({ endpoint: engine().url, bucket: 'faults', ...credentials });
    afterwards(store.close);
    await eventually(20_000, 'the server answers', () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );
    const stored = new Map<string, Buffer>();
    let failures = 0;
    let isOver = false;
    afterwards(() => (isOver = true));
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const key = `w${writer}/${n}`;
        const body = randomBytes(20_000);
        try {
          await store.put(key, body, 'application/octet-stream');
          stored.set(key, body);
        } catch {
          failures += 1;
          await new Promise((next) => setTimeout(next, 50));
        }
      }
    });
    for (let round = 0; round < 2; round++) {
      await new Promise((next) => setTimeout(next, 400));
      await engine().kill();
      await eventually(10_000, 'a put fails', () => failures > round);
      await engine().start();
      const before = stored.size;
      await eventually(20_000, 'puts succeed again', () => stored.size > before + 5);
    }
    isOver = true;
    await Promise.all(writers);
    expect(stored.size).toBeGreaterThan(20);
    for (const [key, body] of stored) {
      const found = await store.get(key);
      expect(found !== null && (await buffer(found)).equals(body)).toBe(true);
    }
    expect(unhandled.seen).toEqual([]);
  }, 120_000);

  it('waits for a server that stands still, and says so to a ping', async () => {
    const store = s3ObjectStore({ endpoint: engine().url, bucket: 'faults', ...credentials });
    afterwards(store.close);
    await eventually(20_000, 'the server answers', () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );
    await engine().pause();
    const putting = store.put('paused', Buffer.from('x'), 'text/plain');
    await expect(store.ping()).rejects.toThrow(/3000 ms/);
    await engine().unpause();
    await putting;
    expect(await store.head('paused')).toMatchObject({ size: 1 });
  }, 60_000);
});
