/** One process owns an embedded data folder. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { left, right, type Either } from 'fp-ts/Either';
import { openDatabase } from './sqlite';

export interface OwnedFolder {
  /** Gives the folder back. Harmless when repeated. */
  release(): Promise<void>;
}

/**
 * Takes the folder for this process, making it where it is missing. Left: who has it, or why it can't be taken, worded for the user.
 * The lock is SQLite's on an empty file, which is the operating system's: it goes with the process, however that ends. The owner's pid lies in
 * a file beside it, for the message only.
 */
export const ownFolder = async (folder: string): Promise<Either<string, OwnedFolder>> => {
  const owner = join(folder, 'owner.pid');
  let lock: ReturnType<typeof openDatabase> | null = null;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    lock = openDatabase(join(folder, 'lock.db'));
    lock.exec('PRAGMA busy_timeout=0');
    lock.exec('PRAGMA locking_mode=EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    await writeFile(owner, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as { errcode?: number; message: string };
    if (errcode === undefined || (errcode & 0xff) !== 5)
      return left(`the folder ${resolve(folder)} can't be used: ${message}`);
    const pid = await readFile(owner, 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
    return left(
      `the folder ${resolve(folder)} is in use by process ${pid === '' ? '(unknown)' : pid}; ` +
        'one process owns an embedded data folder: stop that one, give this one a folder of its own, or share served engines (EVENTSTORE_URL and the others)',
    );
  }
  return right({
    release: async () => {
      if (lock === null) return;
      await rm(owner, { force: true });
      lock.close();
      lock = null;
    },
  });
};
