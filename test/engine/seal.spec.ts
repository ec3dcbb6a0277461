import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { embeddedVault } from '../../src/adapters/embedded/vault';
import type { Json } from '../../src/core/event';
import { isSealed, type Sealed } from '../../src/core/event-types';
import {
  associatedData,
  CONTACT_FIELD,
  contactKeyId,
  openAll,
  openBytes,
  opener,
  PAGE_AGE,
  sealBytes,
  sealForOrganization,
} from '../../src/engine/seal';
import type { Vault } from '../../src/ports/vault';
import { tempFolder, type TempFolder } from '../support/temp';

let folder: TempFolder;
let vault: Vault;
beforeAll(async () => {
  folder = await tempFolder();
  vault = await embeddedVault({ folder: folder.path });
});
afterAll(async () => {
  await vault.close();
  await folder.remove();
});

describe('sealed bytes', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b));

  it('open to what was sealed, with the same key and the same associated data', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (plain, associated) => {
        const key = randomBytes(32);
        expect(openBytes(key, sealBytes(key, plain, associated), associated).equals(plain)).toBe(true);
      }),
    );
  });

  it('do not open with another key, other associated data, or any byte changed', () => {
    const key = randomBytes(32);
    const sealed = sealBytes(key, Buffer.from('+49301234567'), 'a');
    expect(() => openBytes(randomBytes(32), sealed, 'a')).toThrow();
    expect(() => openBytes(key, sealed, 'b')).toThrow();
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] as number) ^ 1;
      expect(() => openBytes(key, changed, 'a')).toThrow();
    }
    for (const length of [0, 11, 27, sealed.length - 1])
      expect(() => openBytes(key, sealed.subarray(0, length), 'a')).toThrow();
  });

  it('are different every time, so that equal values do not show', () => {
    const key = randomBytes(32);
    const sealed = Array.from({ length: 50 }, () => sealBytes(key, Buffer.from('same'), 'a').toString('hex'));
    expect(new Set(sealed).size).toBe(50);
    expect(new Set(sealed.map((s) => s.slice(0, 24))).size).toBe(50);
  });

  // NIST's GCM test vectors, case 16: 256-bit key, 96-bit nonce, associated data.
  it('are AES-256-GCM: nonce, ciphertext, tag', () => {
    const hex = (text: string): Buffer => Buffer.from(text, 'hex');
    const key = hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308');
    const nonce = hex('cafebabefacedbaddecaf888');
    const plain = hex(
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    );
    const cipher =
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662';
    // The vector's associated data is bytes that are no text; sealing takes text, so its tag is another.
    const sealed = sealBytes(key, plain, '', nonce);
    expect(sealed.subarray(0, 12)).toEqual(nonce);
    expect(sealed.subarray(12, -16).toString('hex')).toBe(cipher);
    expect(openBytes(key, sealed, '').equals(plain)).toBe(true);
  });
});

describe('values sealed for an organization', () => {
  it('open again, to any JSON', async () => {
    const { open } = opener(vault);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        const sealed = await sealForOrganization(vault, 1, 'telephony.credentials', json);
        expect(isSealed(sealed)).toBe(true);
        expect(await open(1, sealed)).toEqual(json);
      }),
      { numRuns: 50 },
    );
  });

  it('show nothing of the value', async () => {
    const sealed = JSON.stringify(
      await sealForOrganization(vault, 1, 'telephony.credentials', { token: 'very-secret' }),
    );
    expect(sealed).not.toContain('secret');
    expect(Buffer.from(sealed, 'base64').includes('secret')).toBe(false);
  });

  it('do not open for another organization or as another field', async () => {
    const { open } = opener(vault);
    const sealed = await sealForOrganization(vault, 1, 'telephony.credentials', 'x');
    await expect(open(2, sealed)).rejects.toThrow();
    await expect(open(1, { ...sealed, field: 'other' })).rejects.toThrow();
    await expect(open(1, { ...sealed, key: 'org/1/2' })).rejects.toThrow();
  });

  it('open with the key that they name after a newer one was made', async () => {
    const { open } = opener(vault);
    const org = 4711;
    const old = await sealForOrganization(vault, org, 'f', 'old');
    await vault.organizationKey(org, 2);
    const next = await sealForOrganization(vault, org, 'f', 'new');
    expect([old.key, next.key]).toEqual([`org/${org}/1`, `org/${org}/2`]);
    expect([await open(org, old), await open(org, next)]).toEqual(['old', 'new']);
  });
});

describe('values sealed with a contact’s own key', () => {
  const contact = (key: Buffer, page: string, index: number, value: Json) => {
    const id = contactKeyId(page, index);
    const sealed = sealBytes(key, Buffer.from(JSON.stringify(value)), associatedData(1, CONTACT_FIELD, id));
    return { $sealed: sealed.toString('base64'), key: id, field: CONTACT_FIELD };
  };

  it('open until the contact is erased, and are null from then on, the others not', async () => {
    const seals = opener(vault);
    const page = randomUUID();
    const keys = [randomBytes(32), randomBytes(32)];
    await vault.createPage(1, page, keys);
    const sealed = keys.map((key, i) => contact(key, page, i, { phone: `+4930${i}` }));
    expect(await Promise.all(sealed.map((s) => seals.open(1, s)))).toEqual([{ phone: '+49300' }, { phone: '+49301' }]);
    await vault.eraseKeys(1, page, [0]);
    seals.forget(page);
    expect(await Promise.all(sealed.map((s) => seals.open(1, s)))).toEqual([null, { phone: '+49301' }]);
  });

  it('are null at the latest a minute after another process erased the contact, however often they are asked for', async () => {
    let now = 0;
    let looks = 0;
    const counting: Vault = { ...vault, page: (org, id) => (looks++, vault.page(org, id)) };
    const seals = opener(counting, 200, () => now);
    const page = randomUUID();
    const keys = [randomBytes(32), randomBytes(32)];
    await vault.createPage(1, page, keys);
    const [erased, kept] = keys.map((key, i) => contact(key, page, i, `+4930${i}`)) as [Sealed, Sealed];
    expect(await seals.open(1, erased)).toBe('+49300');
    await vault.eraseKeys(1, page, [0]);
    for (now = 1000; now < PAGE_AGE; now += 1000) await seals.open(1, erased);
    expect(looks).toBe(1);
    now = PAGE_AGE;
    expect(await seals.open(1, erased)).toBeNull();
    expect(await seals.open(1, kept)).toBe('+49301');
    expect(looks).toBe(2);
  });

  it('are asked for anew where a page was forgotten while the vault had not answered yet', async () => {
    const page = randomUUID();
    const key = randomBytes(32);
    await vault.createPage(1, page, [key]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const seals = opener({
      ...vault,
      page: async (org, id) => {
        const found = await vault.page(org, id);
        await held;
        return found;
      },
    });
    const sealed = contact(key, page, 0, 'x');
    const early = seals.open(1, sealed);
    await vault.eraseKeys(1, page, [0]);
    seals.forget(page);
    release();
    expect(await early).toBe('x');
    expect(await seals.open(1, sealed)).toBeNull();
  });

  it('are null while their page is missing, and open as soon as it is there', async () => {
    const seals = opener(vault);
    const page = randomUUID();
    const key = randomBytes(32);
    const sealed = contact(key, page, 0, 'x');
    expect(await seals.open(1, sealed)).toBeNull();
    await vault.createPage(1, page, [key]);
    expect(await seals.open(1, sealed)).toBe('x');
    expect(await seals.open(1, { ...sealed, key: contactKeyId(page, 7) })).toBeNull();
  });

  it('cost one look into the vault for each page, and no more pages stay in memory than asked', async () => {
    let looks = 0;
    const counting: Vault = { ...vault, page: (org, id) => (looks++, vault.page(org, id)) };
    const seals = opener(counting, 2);
    const pages = await Promise.all(
      [0, 1, 2].map(async () => {
        const id = randomUUID();
        const keys = [randomBytes(32), randomBytes(32)];
        await vault.createPage(1, id, keys);
        return keys.map((key, i) => contact(key, id, i, i));
      }),
    );
    const [a, b, c] = pages as [(typeof pages)[0], (typeof pages)[0], (typeof pages)[0]];
    await Promise.all([...a, ...a, ...b].map((s) => seals.open(1, s)));
    expect(looks).toBe(2);
    await seals.open(1, c[0] as (typeof a)[number]); // a goes: it was used least recently
    await seals.open(1, b[0] as (typeof a)[number]);
    expect(looks).toBe(3);
    await seals.open(1, a[0] as (typeof a)[number]);
    expect(looks).toBe(4);
  });

  it('can be asked for again after the vault was away', async () => {
    const page = randomUUID();
    const key = randomBytes(32);
    await vault.createPage(1, page, [key]);
    let isAway = true;
    const seals = opener({
      ...vault,
      page: async (org, id) => {
        if (isAway) throw new Error('away');
        return vault.page(org, id);
      },
    });
    await expect(seals.open(1, contact(key, page, 0, 'x'))).rejects.toThrow('away');
    isAway = false;
    expect(await seals.open(1, contact(key, page, 0, 'x'))).toBe('x');
  });
});

describe('the data of an event', () => {
  it('is opened wherever something is sealed in it, and the same object when nothing is', async () => {
    const { open } = opener(vault);
    const seal = (value: Json) => sealForOrganization(vault, 1, 'f', value);
    const data = {
      name: 'x',
      one: await seal('one'),
      list: [1, await seal({ two: 2 })],
      deep: { three: await seal(null) },
    };
    expect(await openAll(open, 1, data)).toEqual({
      name: 'x',
      one: 'one',
      list: [1, { two: 2 }],
      deep: { three: null },
    });
    const plain = { name: 'x', list: [{ a: null }], deep: {} };
    expect(await openAll(open, 1, plain)).toBe(plain);
  });
});
