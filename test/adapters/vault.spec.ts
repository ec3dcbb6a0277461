import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedVault } from '../../src/adapters/embedded/vault';
import type { Vault } from '../../src/ports/vault';
import { vaultContract } from '../contract/vault';
import { tempFolder, type TempFolder } from '../support/temp';

vaultContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    let vault: Vault = await embeddedVault({ folder: folder.path });
    return {
      adapter: vault,
      reopen: async () => {
        await vault.close();
        vault = await embeddedVault({ folder: folder.path });
        return vault;
      },
      dispose: async () => {
        await vault.close();
        await folder.remove();
      },
    };
  },
});

describe('the file of the embedded vault', () => {
  let folder: TempFolder;
  let vault: Vault;
  beforeEach(async () => {
    folder = await tempFolder();
    vault = await embeddedVault({ folder: folder.path });
  });
  afterEach(async () => {
    await vault.close();
    await folder.remove();
  });
  const bytesOnDisk = async (): Promise<Buffer> =>
    Buffer.concat(await Promise.all((await readdir(folder.path)).map((name) => readFile(join(folder.path, name)))));

  it('can be read by its owner only, logs included', async () => {
    await vault.createPage(1, randomUUID(), [randomBytes(32)]);
    const files = await readdir(folder.path);
    expect(files).toContain('vault.db');
    for (const file of files) expect((await stat(join(folder.path, file))).mode & 0o777).toBe(0o600);
  });

  it.each([1, 40, 500])('holds no byte of an erased key, nowhere, in a page of %d', async (size) => {
    const keys = Array.from({ length: size }, () => randomBytes(32));
    const id = randomUUID();
    await vault.createPage(1, id, keys);
    const erased = [0, size >> 1, size - 1];
    // SQLite may lay a key over the end of a page, so it is looked for in pieces.
    const pieces = (i: number): readonly Buffer[] =>
      [0, 8, 16, 24].map((at) => (keys[i] as Buffer).subarray(at, at + 8));
    const before = await bytesOnDisk();
    for (const i of erased) expect(pieces(i).some((piece) => before.includes(piece))).toBe(true);
    await vault.eraseKeys(1, id, erased);
    const after = await bytesOnDisk();
    for (const i of erased) expect(pieces(i).some((piece) => after.includes(piece))).toBe(false);
    for (const i of keys.keys())
      if (!erased.includes(i)) expect(pieces(i).some((piece) => after.includes(piece))).toBe(true);
  });
});
