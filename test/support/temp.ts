import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A new empty folder under the system's folder of temporary files. */
export const tempFolder = async (): Promise<TempFolder> => {
  const path = await mkdtemp(join(tmpdir(), 'ledgerline-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
};
