/**
 * The embedded vault: a SQLite file of its own beside the ledger, readable by its owner only. Back it up apart from the ledger: without it
 * what is sealed stays sealed for ever. Erasure overwrites the bytes in the file and empties the log.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from '../../ports/vault';
import { openDatabase, statements } from './sqlite';
import { startWriter, type MakeHandler } from './writer-thread';

const KEY_BYTES = 32;
/** Every key's place begins with a byte that says whether it is there. */
const SLOT = KEY_BYTES + 1;

const pack = (keys: readonly (Buffer | null)[]): Buffer => {
  const packed = Buffer.alloc(keys.length * SLOT);
  keys.forEach((key, i) => {
    if (key === null) return;
    packed[i * SLOT] = 1;
    key.copy(packed, i * SLOT + 1);
  });
  return packed;
};
const unpack = (packed: Uint8Array): (Buffer | null)[] => {
  const bytes = Buffer.from(packed);
  return Array.from({ length: bytes.length / SLOT }, (_, i) =>
    bytes[i * SLOT] === 1 ? bytes.subarray(i * SLOT + 1, (i + 1) * SLOT) : null,
  );
};

const DURABLE: readonly string[] = ['PRAGMA journal_mode=WAL', 'PRAGMA synchronous=FULL', 'PRAGMA secure_delete=ON'];

interface NewPage {
  readonly org: number;
  readonly id: string;
  readonly keys: Uint8Array;
}
/** Runs in the writer's thread, from its source text. Answers whether the page was new. */
const pageWriter: MakeHandler<NewPage, boolean> = (db) => {
  const insert = db.prepare('INSERT INTO pages VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    reset: () => undefined,
    run: ({ org, id, keys }) => Number(insert.run(org, id, keys).changes) === 1,
  };
};

export interface EmbeddedVaultOptions {
  /** Made when missing; the keys are in `vault.db` in it. */
  readonly folder: string;
}

/** Opens the vault, or begins one. Rejects when the file can't be opened. */
export const embeddedVault = async (options: EmbeddedVaultOptions): Promise<Vault> => {
  const file = join(options.folder, 'vault.db');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  // Made with its mode before SQLite sees it; the log files take the mode of the database.
  const handle = await open(file, 'a', 0o600);
  await handle.chmod(0o600);
  await handle.close();
  const db = openDatabase(file);
  for (const statement of [
    ...DURABLE,
    'CREATE TABLE IF NOT EXISTS pages (org INTEGER NOT NULL, id TEXT NOT NULL, keys BLOB NOT NULL, PRIMARY KEY (org, id))',
    'CREATE TABLE IF NOT EXISTS organization_keys (org INTEGER NOT NULL, number INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (org, number))',
    'CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL)',
  ])
    db.exec(statement);
  const sql = statements(db);

  /** The log still holds pages as they were written: it is folded into the file and cut to nothing. */
  const emptyLog = (): void => {
    const [busy] = sql('PRAGMA wal_checkpoint(TRUNCATE)').get() as [number];
    if (busy !== 0)
      throw new Error(`${file}: erased keys are still in the log, since another process reads it; erase again`);
  };
  // A process that was killed between an erasure and this left them there.
  emptyLog();

  const transact = <A>(work: () => A): A => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };

  // Imports make pages by the hundred: their commits are made in a thread of their own, so that nobody else waits for them.
  const writer = await startWriter(file, DURABLE, pageWriter);

  const readPage = (org: number, id: string): (Buffer | null)[] | null => {
    const row = sql('SELECT keys FROM pages WHERE org = ? AND id = ?').get(org, id) as [Uint8Array] | undefined;
    return row === undefined ? null : unpack(row[0]);
  };
  const madeOnce = (select: () => unknown, insert: (key: Buffer) => void): Buffer => {
    const found = select() as [Uint8Array] | undefined;
    if (found !== undefined) return Buffer.from(found[0]);
    insert(randomBytes(KEY_BYTES));
    return Buffer.from((select() as [Uint8Array])[0]);
  };

  return {
    organizationKey: async (org, number = 1) =>
      madeOnce(
        () => sql('SELECT key FROM organization_keys WHERE org = ? AND number = ?').get(org, number),
        (key) =>
          void sql('INSERT INTO organization_keys VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(org, number, key),
      ),
    currentKeyNumber: async (org) => {
      const [newest] = sql('SELECT max(number) FROM organization_keys WHERE org = ?').get(org) as [number | null];
      return newest ?? 1;
    },
    createPage: async (org, id, keys) => {
      if (keys.some((key) => key.length !== KEY_BYTES)) throw new Error(`a key has ${KEY_BYTES} bytes`);
      const written = await writer.write({ org, id, keys: pack(keys) });
      if ('failed' in written) throw new Error(`the vault: ${written.failed.message}`);
      if (!written.ok) throw new Error(`the vault has a page ${id} already`);
    },
    page: async (org, id) => {
      const keys = readPage(org, id);
      return keys === null ? null : { id, keys };
    },
    eraseKeys: async (org, id, indexes) => {
      transact(() => {
        const keys = readPage(org, id);
        if (keys === null || !indexes.some((i) => (keys[i] ?? null) !== null)) return;
        const left = pack(keys.map((key, i) => (indexes.includes(i) ? null : key)));
        sql('UPDATE pages SET keys = ? WHERE org = ? AND id = ?').run(left, org, id);
      });
      emptyLog();
    },
    secret: async (name) =>
      madeOnce(
        () => sql('SELECT value FROM secrets WHERE name = ?').get(name),
        (value) => void sql('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, value),
      ),
    ping: async () => {
      sql('SELECT 1 FROM secrets LIMIT 1').get();
    },
    close: async () => {
      await writer.close();
      if (db.isOpen) db.close();
    },
  };
};
