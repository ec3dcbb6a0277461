import type { ContactData } from '../../src/domain/campaign/events';
import { sealHere, sealInThread, type Sealer } from '../../src/dialer/sealer';
import { associatedData, CONTACT_FIELD, contactKeyId, openBytes } from '../../src/engine/seal';

const contacts: readonly ContactData[] = Array.from({ length: 25 }, (_, i) => ({
  phone_number: `+1555${i}`,
  variables: { name: `Zoë 漢字 ${'x'.repeat(i * 100)}` },
}));

const opensAgain = async (sealer: Sealer): Promise<void> => {
  const batches = await Promise.all([sealer.seal(7, contacts), sealer.seal(7, contacts.slice(3))]);
  for (const [b, { page, keys, contacts: sealed }] of batches.entries()) {
    const plain = contacts.slice(b * 3);
    expect([keys.length, sealed.length]).toEqual([plain.length, plain.length]);
    sealed.forEach((text, i) => {
      const bound = associatedData(7, CONTACT_FIELD, contactKeyId(page, i));
      const opened = openBytes(keys[i] as Buffer, Buffer.from(text, 'base64'), bound);
      expect(JSON.parse(opened.toString())).toEqual(plain[i]);
    });
  }
  expect(batches[0]?.page).not.toBe(batches[1]?.page);
  const keys = batches.flatMap((b) => b.keys.map((k) => k.toString('hex')));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((k) => k.length === 64)).toBe(true);
};

it('seals each contact with its own key, as the readers open it', () => opensAgain(sealHere));

it('seals the same way in a thread, and without it once it is gone', async () => {
  const sealer = sealInThread();
  await opensAgain(sealer);
  const pending = opensAgain(sealer);
  sealer.close();
  await pending;
  await opensAgain(sealer);
});
