/** The MongoDB vault under the contract of its port, its rotation, and what its database holds. */
import { randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { masterKey } from '../../../src/adapters/production/master-key';
import { mongoVault, rotateMongoVault } from '../../../src/adapters/production/mongodb-vault';
import type { Vault } from '../../../src/ports/vault';
import { vaultContract } from '../../contract/vault';
import { eventually } from '../../contract/waiting';
import { withEngine, type Engine } from '../../support/engines';
import { closing } from './closing';
import { countUnhandled } from './unhandled';

const databaseOf = (url: string): string => {
  const at = new URL(url);
  at.pathname = `/test_${randomBytes(6).toString('hex')}`;
  return at.toString();
};
const newKey = () => masterKey(randomBytes(32).toString('hex'));
const answers = async (vault: Vault) =>
  eventually(30_000, 'the server answers', () =>
    vault.ping().then(
      () => true,
      () => false,
    ),
  );

withEngine('mongo', {}, (engine) => {
  vaultContract('MongoDB adapter', {
    create: async () => {
      const options = { url: databaseOf(engine().url), masterKey: newKey() };
      const opened: Vault[] = [];
      const open = () => {
        const vault = mongoVault(options);
        opened.push(vault);
        return vault;
      };
      const adapter = open();
      await answers(adapter);
      return {
        adapter,
        second: async () => open(),
        reopen: async () => open(),
        dispose: async () => void (await Promise.all(opened.map((vault) => vault.close()))),
      };
    },
  });

  const filled = async (e: Engine) => {
    const url = databaseOf(e.url);
    const key = newKey();
    const vault = mongoVault({ url, masterKey: key });
    await answers(vault);
    const page = { id: randomUUID(), keys: Array.from({ length: 30 }, () => randomBytes(32)) };
    await vault.createPage(7, page.id, page.keys);
    const organizationKey = await vault.organizationKey(7);
    const secret = await vault.secret('signing');
    return { url, key, vault, page, organizationKey, secret };
  };

  it('keeps no key readable in the database', async () => {
    const { url, vault, page, organizationKey, secret } = await filled(engine());
    const raw = new MongoClient(url);
    const db = raw.db(`${new URL(url).pathname.slice(1)}_vault`);
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    expect(names.sort()).toEqual(['organization_keys', 'pages', 'secrets']);
    const stored = await Promise.all(names.map((name) => db.collection(name).find().toArray()));
    const text = JSON.stringify(stored);
    expect(stored.flat()).toHaveLength(3);
    for (const key of [...page.keys, organizationKey, secret])
      for (const form of ['base64', 'hex'] as const) expect(text).not.toContain(key.toString(form).replace(/=+$/, ''));
    await raw.close();
    await vault.close();
  });

  it('takes the very same page once more as a repeat', async () => {
    const { vault, page } = await filled(engine());
    await vault.createPage(7, page.id, page.keys);
    await vault.eraseKeys(7, page.id, [0]);
    await expect(vault.createPage(7, page.id, page.keys)).rejects.toThrow(/already/);
    await vault.close();
  });

  it('says so when it is opened with another master key', async () => {
    const { url, vault, page } = await filled(engine());
    const stranger = mongoVault({ url, masterKey: newKey() });
    await expect(stranger.page(7, page.id)).rejects.toThrow(/not the one given/);
    await expect(stranger.organizationKey(7)).rejects.toThrow(/not the one given/);
    await stranger.close();
    await vault.close();
  });

  it('rotates to a new master key, also when it was interrupted and while keys are erased', async () => {
    const { url, key, vault, page, organizationKey, secret } = await filled(engine());
    const ids = Array.from({ length: 40 }, () => randomUUID());
    for (const id of ids) await vault.createPage(7, id, page.keys.slice(0, 5));
    const next = newKey();
    // Cut off in the middle: a page wrapped by a key that nobody gave stops it.
    const foreign = mongoVault({ url, masterKey: newKey() });
    const foreignId = randomUUID();
    await foreign.createPage(8, foreignId, [randomBytes(32)]);
    await expect(rotateMongoVault({ url, masterKey: next, previousMasterKeys: [key] })).rejects.toThrow(/not the one/);
    const raw = new MongoClient(url);
    await raw
      .db(`${new URL(url).pathname.slice(1)}_vault`)
      .collection<{ _id: string }>('pages')
      .deleteOne({ _id: `8/${foreignId}` });

    const both = mongoVault({ url, masterKey: next, previousMasterKeys: [key] });
    const [rotation] = await Promise.all([
      rotateMongoVault({ url, masterKey: next, previousMasterKeys: [key] }),
      ...ids.map((id) => both.eraseKeys(7, id, [2])),
    ]);
    expect(rotation.remaining).toBe(0);
    const renewed = mongoVault({ url, masterKey: next });
    expect(await renewed.page(7, page.id)).toEqual(page);
    expect(await renewed.organizationKey(7)).toEqual(organizationKey);
    expect(await renewed.secret('signing')).toEqual(secret);
    for (const id of ids)
      expect((await renewed.page(7, id))?.keys).toEqual(page.keys.slice(0, 5).map((k, i) => (i === 2 ? null : k)));
    expect(await rotateMongoVault({ url, masterKey: next })).toEqual({ rewrapped: 0, remaining: 0 });
    for (const one of [vault, foreign, both, renewed, raw]) await one.close();
  }, 60_000);
});

withEngine('mongo', { mayStop: true }, (engine) => {
  const afterwards = closing();

  it('has every page that was acknowledged, and every erasure, after its server was killed', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const vault = mongoVault({ url: databaseOf(engine().url), masterKey: newKey() });
    afterwards(vault.close);
    await answers(vault);
    const pages = new Map<string, readonly (Buffer | null)[]>();
    let isOver = false;
    afterwards(() => (isOver = true));
    let failures = 0;
    const writer = (async () => {
      while (!isOver) {
        const [id, keys] = [randomUUID(), Array.from({ length: 4 }, () => randomBytes(32))];
        try {
          await vault.createPage(1, id, keys);
          pages.set(id, keys);
          await vault.eraseKeys(1, id, [1]);
          pages.set(
            id,
            keys.map((key, i) => (i === 1 ? null : key)),
          );
        } catch {
          failures += 1;
          // Whether it was erased is not known now.
          pages.delete(id);
          await new Promise((next) => setTimeout(next, 50));
        }
      }
    })();
    await eventually(30_000, 'pages are made', () => pages.size > 20);
    await engine().kill();
    await eventually(20_000, 'a page fails', () => failures > 0);
    await engine().start();
    const before = pages.size;
    await eventually(60_000, 'pages are made again', () => pages.size > before + 5);
    isOver = true;
    await writer;
    for (const [id, keys] of pages) expect(await vault.page(1, id)).toEqual({ id, keys });
    expect(unhandled.seen).toEqual([]);
  }, 180_000);
});
