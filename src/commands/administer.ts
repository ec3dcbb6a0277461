/** Administrative commands from the command line: by the control socket where a server runs on the folder, else on the folder itself. */
import { isLeft } from 'fp-ts/Either';
import type { Config } from '../config';
import { logger } from '../engine/telemetry';
import { openEngines } from '../main';
import { administration } from './administration';
import { askServer, type ControlReply, type ControlRequest } from './control-socket';

export const administer = async (config: Config, request: ControlRequest): Promise<ControlReply> => {
  const answered = await askServer(config.dataDir, request);
  if (answered !== null) return answered;
  const opened = await openEngines(config, logger(config.logLevel));
  if (isLeft(opened)) return { ok: false, message: opened.left };
  try {
    return await administration(opened.right.platform, () => undefined)(request);
  } finally {
    await opened.right.close();
  }
};
