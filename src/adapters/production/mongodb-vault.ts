/**
 * The vault in MongoDB: a database of its own, so that it is backed up and guarded apart from the read models. Every key lies wrapped by a
 * master key that the database never sees. A page of keys is one document; erasing rewrites it by compare-and-set. What backups of the database
 * hold of an erased key is for the operator to expire.
 */
import { randomBytes } from 'node:crypto';
import type { Rotation, Vault } from '../../ports/vault';
import { unwrap, wrap, type MasterKey, type Wrapped } from './master-key';
import { inTime, isDuplicateKey, mongoConnection, type Collection } from './mongo-driver';

export interface MongoVaultOptions {
  /** Connection string; the database is the one it names with `_vault` behind it, or `ledgerline_vault`. */
  readonly url: string;
  /** Wraps what is new. */
  readonly masterKey: MasterKey;
  /** Opens what was wrapped before a rotation that has not come to its end. */
  readonly previousMasterKeys?: readonly MasterKey[];
}

interface KeyRow extends Wrapped {
  readonly _id: string;
}
interface OrganizationKeyRow extends KeyRow {
  readonly org: number;
  readonly number: number;
}

const KEY_BYTES = 32;
/** Every key's place in a page begins with a byte that says whether it is there. */
const SLOT = KEY_BYTES + 1;
/** More writers than this at once on one page are something else than a race. */
const ATTEMPTS = 100;

const pack = (keys: readonly (Buffer | null)[]): Buffer => {
  const packed = Buffer.alloc(keys.length * SLOT);
  keys.forEach((key, i) => {
    if (key === null) return;
    packed[i * SLOT] = 1;
    key.copy(packed, i * SLOT + 1);
  });
  return packed;
};
const unpack = (packed: Buffer): readonly (Buffer | null)[] =>
  Array.from({ length: packed.length / SLOT }, (_, i) =>
    packed[i * SLOT] === 1 ? packed.subarray(i * SLOT + 1, (i + 1) * SLOT) : null,
  );

/** What binds a wrapped key to its document. */
const placeOf = (collection: string, id: string): string => `${collection}|${id}`;

const open = (url: string) => {
  const { db, ping, close } = mongoConnection(url, (named) => (named === null ? 'ledgerline_vault' : `${named}_vault`));
  return {
    organizationKeys: db.collection<OrganizationKeyRow>('organization_keys'),
    pages: db.collection<KeyRow>('pages'),
    secrets: db.collection<KeyRow>('secrets'),
    ping,
    close,
  };
};

/** Connects lazily. */
export const mongoVault = (options: MongoVaultOptions): Vault => {
  const { organizationKeys, pages, secrets, ping, close } = open(options.url);
  const keys = [options.masterKey, ...(options.previousMasterKeys ?? [])];
  /** Keys that never change once they were answered. */
  const known = new Map<string, Buffer>();

  const unwrapped = (collection: string, row: KeyRow): Buffer => unwrap(keys, row, placeOf(collection, row._id));

  /** The key under an id; made when there is none. A race makes one: the other insert fails and reads. */
  const madeOnce = async (
    name: 'organization_keys' | 'secrets',
    id: string,
    find: () => Promise<KeyRow | null>,
    insert: (wrapped: Wrapped) => Promise<unknown>,
  ): Promise<Buffer> => {
    const place = placeOf(name, id);
    const cached = known.get(place);
    if (cached !== undefined) return cached;
    let row = await inTime(find());
    if (row === null) {
      await inTime(insert(wrap(options.masterKey, randomBytes(KEY_BYTES), place))).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
      row = await inTime(find());
    }
    if (row === null) throw new Error(`the vault lost ${place}`);
    const key = unwrapped(name, row);
    known.set(place, key);
    return key;
  };

  /** Made once per process, before the first look-up that needs it. */
  let indexing: Promise<unknown> | null = null;
  const index = (): Promise<unknown> => {
    indexing ??= inTime(organizationKeys.createIndex({ org: 1, number: -1 })).catch((error: unknown) => {
      indexing = null;
      throw error;
    });
    return indexing;
  };

  const pageId = (org: number, id: string): string => `${org}/${id}`;
  const readPage = async (org: number, id: string) => {
    const row = await inTime(pages.findOne({ _id: pageId(org, id) }));
    return row === null ? null : { row, keys: unpack(unwrapped('pages', row)) };
  };
  const wrapPage = (_id: string, page: readonly (Buffer | null)[]): KeyRow => ({
    _id,
    ...wrap(options.masterKey, pack(page), placeOf('pages', _id)),
  });

  return {
    organizationKey: (org, number = 1) => {
      const _id = `${org}/${number}`;
      return madeOnce(
        'organization_keys',
        _id,
        () => organizationKeys.findOne({ _id }),
        (wrapped) => organizationKeys.insertOne({ _id, org, number, ...wrapped }),
      );
    },
    currentKeyNumber: async (org) => {
      await index();
      const [newest] = await inTime(organizationKeys.find({ org }).sort({ number: -1 }).limit(1).toArray());
      return newest?.number ?? 1;
    },
    createPage: async (org, id, page) => {
      if (page.some((key) => key.length !== KEY_BYTES)) throw new Error(`a key has ${KEY_BYTES} bytes`);
      try {
        await inTime(pages.insertOne(wrapPage(pageId(org, id), page)));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The very same page once more is a repeat after an answer that was lost.
        const there = await readPage(org, id);
        const isSame = there !== null && pack(there.keys).equals(pack(page));
        if (!isSame) throw new Error(`the vault has a page ${id} already`, { cause: error });
      }
    },
    page: async (org, id) => {
      const found = await readPage(org, id);
      return found === null ? null : { id, keys: found.keys };
    },
    eraseKeys: async (org, id, indexes) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await readPage(org, id);
        if (found === null || !indexes.some((i) => (found.keys[i] ?? null) !== null)) return;
        const { _id, ...wrapped } = wrapPage(
          found.row._id,
          found.keys.map((key, i) => (indexes.includes(i) ? null : key)),
        );
        const { matchedCount } = await inTime(pages.updateOne({ _id, sealed: found.row.sealed }, { $set: wrapped }));
        if (matchedCount === 1) return;
      }
      throw new Error(`too many writers at once on page ${id}`);
    },
    secret: (name) =>
      madeOnce(
        'secrets',
        name,
        () => secrets.findOne({ _id: name }),
        (wrapped) => secrets.insertOne({ _id: name, ...wrapped }),
      ),
    ping,
    close,
  };
};

const PAGE = 200;
/** A vault in which older keys keep appearing after so many rounds is still used by somebody who does not know the new one. */
const ROUNDS = 5;
/** Counting looks at every key, ms. */
const COUNT_TIMEOUT = 60_000;

/**
 * Wraps every key of the vault with `masterKey`. May be interrupted and begun again at any time, also while the vault is in use, if those who use
 * it know both keys. Rejects when a key was wrapped by none of the given master keys; what was done until then stays done. `remaining` of the
 * answer: what others wrapped with an older key meanwhile.
 */
export const rotateMongoVault = async (
  options: MongoVaultOptions,
  onProgress: (so: Rotation) => void = () => undefined,
): Promise<Rotation> => {
  const { organizationKeys, pages, secrets, close } = open(options.url);
  const keys = [options.masterKey, ...(options.previousMasterKeys ?? [])];
  const older = { master: { $ne: options.masterKey.id } };
  const collections: readonly (readonly [string, Collection<KeyRow>])[] = [
    ['secrets', secrets],
    ['organization_keys', organizationKeys as unknown as Collection<KeyRow>],
    ['pages', pages],
  ];
  const left = async (): Promise<number> => {
    const counts = await Promise.all(collections.map(([, c]) => inTime(c.countDocuments(older), COUNT_TIMEOUT)));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  /** In order of ids, so that each is looked at once however many there are. Answers false when it was changed under our hands. */
  const rewrap = async (name: string, collection: Collection<KeyRow>, row: KeyRow): Promise<boolean> => {
    const place = placeOf(name, row._id);
    const wrapped = wrap(options.masterKey, unwrap(keys, row, place), place);
    const { matchedCount } = await inTime(
      collection.updateOne({ _id: row._id, sealed: row.sealed }, { $set: wrapped }),
    );
    return matchedCount === 1;
  };

  try {
    let rewrapped = 0;
    let remaining = await left();
    // What changed meanwhile, or was made by a process that still wraps with an older key, is met in the next round.
    for (let round = 0; remaining > 0 && round < ROUNDS; round++) {
      onProgress({ rewrapped, remaining });
      for (const [name, collection] of collections) {
        for (let after = ''; ;) {
          const rows = await inTime(
            collection
              .find({ ...older, _id: { $gt: after } })
              .sort({ _id: 1 })
              .limit(PAGE)
              .toArray(),
          );
          const done = await Promise.all(rows.map((row) => rewrap(name, collection, row)));
          const changed = done.filter(Boolean).length;
          rewrapped += changed;
          remaining -= changed;
          const last = rows.at(-1);
          if (last === undefined) break;
          onProgress({ rewrapped, remaining: Math.max(0, remaining) });
          after = last._id;
        }
      }
      remaining = await left();
    }
    return { rewrapped, remaining };
  } finally {
    await close();
  }
};
