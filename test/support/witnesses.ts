/** The two witnesses of what a dialer did: the simulator's own record, and the ledger of a stopped platform. */
import { isLeft } from 'fp-ts/Either';
import { readConfig } from '../../src/config';
import { ledgerRuns } from '../../src/commands/story';
import type { LedgerRun } from '../../src/demo/judge';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines, type Opened } from '../../src/main';

export { recordedCalls } from '../../src/demo/carrier-record';

/** Opens the engines that `settings` (environment variables) name, beside or after the processes that use them. */
export const openLedger = async (settings: Readonly<Record<string, string>>): Promise<Opened> => {
  // The S3 client looks for its credentials in the process's own environment.
  for (const [name, value] of Object.entries(settings)) if (name.startsWith('AWS_')) process.env[name] ??= value;
  const config = readConfig({ LOG_LEVEL: 'silent', ...settings });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  const opened = await openEngines(config.right, silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  return opened.right;
};

/** The runs of a campaign in the ledger that `settings` name; an embedded one must not be in use. */
export const runsAt = async (
  settings: Readonly<Record<string, string>>,
  campaign: number,
): Promise<readonly LedgerRun[]> => {
  const { platform, close } = await openLedger(settings);
  try {
    return await ledgerRuns(platform, campaign);
  } finally {
    await close();
  }
};

/** The runs of a campaign in the folder of a platform that is stopped. */
export const runsOfLedger = (folder: string, campaign: number): Promise<readonly LedgerRun[]> =>
  runsAt({ DATA_DIR: folder }, campaign);
