/** The promises of the vault port. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Vault } from '../../src/ports/vault';

export interface VaultUnderTest {
  readonly adapter: Vault;
  /** Another process's view of the same vault; absent where there can be one process only. */
  readonly second?: () => Promise<Vault>;
  /** Ends the engine and opens it again over what it stored. */
  readonly reopen?: () => Promise<Vault>;
  readonly dispose: () => Promise<void>;
}
export interface VaultFactory {
  create(): Promise<VaultUnderTest>;
}

export const vaultContract = (name: string, factory: VaultFactory): void => {
  describe(`vault: ${name}`, () => {
    let made: VaultUnderTest;
    let vault: Vault;
    /** Through which a race comes in: the same vault where there is no second process. */
    let other: Vault;
    beforeAll(async () => {
      made = await factory.create();
      vault = made.adapter;
      other = (await made.second?.()) ?? vault;
    }, 60_000);
    afterAll(async () => {
      await made?.dispose();
    }, 60_000);

    const newOrg = (): number => randomInt(1, 2 ** 40);
    const newKeys = (n: number): Buffer[] => Array.from({ length: n }, () => randomBytes(32));

    describe('organization keys', () => {
      it('have 32 bytes, stay the same, and differ by organization and by number', async () => {
        const [a, b] = [newOrg(), newOrg()];
        const key = await vault.organizationKey(a);
        expect(key).toHaveLength(32);
        expect(await vault.organizationKey(a)).toEqual(key);
        expect(await vault.organizationKey(a, 1)).toEqual(key);
        expect(await vault.organizationKey(b)).not.toEqual(key);
        expect(await vault.organizationKey(a, 2)).not.toEqual(key);
        expect(await vault.organizationKey(a, 1)).toEqual(key);
      });

      it('are one key when many ask for the first time at once', async () => {
        const org = newOrg();
        const keys = await Promise.all(
          Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? vault : other).organizationKey(org)),
        );
        expect(new Set(keys.map((k) => k.toString('hex'))).size).toBe(1);
      });

      it('count from 1, and the newest is the one made last', async () => {
        const org = newOrg();
        expect(await vault.currentKeyNumber(org)).toBe(1);
        await vault.organizationKey(org);
        expect(await vault.currentKeyNumber(org)).toBe(1);
        await vault.organizationKey(org, 2);
        expect(await vault.currentKeyNumber(org)).toBe(2);
        expect(await other.currentKeyNumber(org)).toBe(2);
      });
    });

    describe('pages', () => {
      it.each([1, 2, 500])('give back their %d keys in order', async (n) => {
        const [org, id, keys] = [newOrg(), randomUUID(), newKeys(n)];
        await vault.createPage(org, id, keys);
        expect(await vault.page(org, id)).toEqual({ id, keys });
        expect(await other.page(org, id)).toEqual({ id, keys });
      });

      it('do not exist before they are made, nor for another organization', async () => {
        const [org, id] = [newOrg(), randomUUID()];
        expect(await vault.page(org, id)).toBeNull();
        await vault.createPage(org, id, newKeys(2));
        expect(await vault.page(newOrg(), id)).toBeNull();
      });

      it('are written once: a second one under the same id is refused and changes nothing', async () => {
        const [org, id, keys] = [newOrg(), randomUUID(), newKeys(3)];
        await vault.createPage(org, id, keys);
        await expect(vault.createPage(org, id, newKeys(3))).rejects.toThrow();
        expect(await vault.page(org, id)).toEqual({ id, keys });
      });

      it('are written once when two are made under one id at the same time', async () => {
        const [org, id] = [newOrg(), randomUUID()];
        const pages = [newKeys(2), newKeys(2), newKeys(2)];
        const made = await Promise.allSettled(
          pages.map((keys, i) => (i % 2 === 0 ? vault : other).createPage(org, id, keys)),
        );
        const winners = pages.filter((_, i) => made[i]?.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect((await vault.page(org, id))?.keys).toEqual(winners[0]);
      });

      it('refuse keys that have not 32 bytes', async () => {
        const [org, id] = [newOrg(), randomUUID()];
        await expect(vault.createPage(org, id, [randomBytes(32), randomBytes(31)])).rejects.toThrow();
        expect(await vault.page(org, id)).toBeNull();
      });

      it('are made hundreds at once', async () => {
        const org = newOrg();
        const pages = Array.from({ length: 200 }, () => ({ id: randomUUID(), keys: newKeys(3) }));
        await Promise.all(pages.map(({ id, keys }) => vault.createPage(org, id, keys)));
        for (const page of pages) expect(await vault.page(org, page.id)).toEqual(page);
      });
    });

    describe('erasure', () => {
      it('destroys the keys named and no others, and repeating it is harmless', async () => {
        const [org, id, keys] = [newOrg(), randomUUID(), newKeys(5)];
        await vault.createPage(org, id, keys);
        await vault.eraseKeys(org, id, [1, 3]);
        const left = keys.map((key, i) => (i === 1 || i === 3 ? null : key));
        expect(await vault.page(org, id)).toEqual({ id, keys: left });
        await vault.eraseKeys(org, id, [3]);
        await vault.eraseKeys(org, id, []);
        await vault.eraseKeys(org, id, [99]);
        expect(await other.page(org, id)).toEqual({ id, keys: left });
        await vault.eraseKeys(org, randomUUID(), [0]);
        await expect(vault.createPage(org, id, keys)).rejects.toThrow();
      });

      it('loses no erasure when many erase in one page at once', async () => {
        const [org, id, keys] = [newOrg(), randomUUID(), newKeys(12)];
        await vault.createPage(org, id, keys);
        await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? vault : other).eraseKeys(org, id, [i])));
        const left = keys.map((key, i) => (i < 10 ? null : key));
        expect(await vault.page(org, id)).toEqual({ id, keys: left });
      });
    });

    it('has secrets of the installation: made on first use, one for each name, the same ever after', async () => {
      const name = `signing-${randomUUID()}`;
      const made = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? vault : other).secret(name)));
      expect(new Set(made.map((s) => s.toString('hex'))).size).toBe(1);
      expect(made[0]).toHaveLength(32);
      expect(await vault.secret(name)).toEqual(made[0]);
      expect(await vault.secret(`${name}-other`)).not.toEqual(made[0]);
    });

    it('answers a ping', async () => {
      await expect(vault.ping()).resolves.toBeUndefined();
    });

    it('has everything again after it was closed and opened', async () => {
      const [org, id, keys] = [newOrg(), randomUUID(), newKeys(3)];
      const key = await vault.organizationKey(org);
      const secret = await vault.secret('kept');
      await vault.createPage(org, id, keys);
      await vault.eraseKeys(org, id, [0]);
      if (made.reopen !== undefined) vault = await made.reopen();
      expect(await vault.organizationKey(org)).toEqual(key);
      expect(await vault.secret('kept')).toEqual(secret);
      expect(await vault.page(org, id)).toEqual({ id, keys: [null, keys[1], keys[2]] });
    });
  });
};
