/** The two witnesses of what a dialer did: the simulator's own record, and the ledger of a stopped platform. */
import { isLeft } from 'fp-ts/Either';
import { readConfig } from '../../src/config';
import { ledgerRuns } from '../../src/commands/story';
import type { LedgerRun } from '../../src/demo/judge';
import { silentLogger } from '../../src/engine/telemetry';
import { openEngines } from '../../src/main';

export { recordedCalls } from '../../src/demo/carrier-record';

/** The runs of a campaign in the folder of a platform that is stopped. */
export const runsOfLedger = async (folder: string, campaign: number): Promise<readonly LedgerRun[]> => {
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  const opened = await openEngines(config.right, silentLogger);
  if (isLeft(opened)) throw new Error(opened.left);
  try {
    return await ledgerRuns(opened.right.platform, campaign);
  } finally {
    await opened.right.close();
  }
};
