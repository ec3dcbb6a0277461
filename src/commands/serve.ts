/** `ledgerline serve`: the roles of one process, started in order and stopped in the opposite one. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { projections } from '../../projections';
import { runProjections } from '../../projections/run';
import { carriers } from '../carriers';
import type { Config } from '../config';
import { createDialer } from '../dialer';
import type { Logger } from '../engine/telemetry';
import { createHttpServer } from '../http/server';
import { openEngines } from '../main';
import type { Carrier } from '../ports/carrier';
import { administration, bootstrap } from './administration';
import { serveControl } from './control-socket';

export interface Serving {
  /** Where clients reach it. */
  readonly url: string;
  /** The first organization and its key, if this start made them. */
  readonly created: { readonly organizationId: number; readonly name: string; readonly apiKey: string | null } | null;
  /** No new claims, writes in flight finish, at most about 10 s. */
  stop(): Promise<void>;
}

/** Starts what `config.roles` names. Left: why it can't, in words for the user. `calling`: other carriers than the real ones (benchmarks). */
export const serve = async (
  config: Config,
  log: Logger,
  calling: ReadonlyMap<string, Carrier> = carriers({ ari: { amdContext: config.ariAmdContext } }),
): Promise<Either<string, Serving>> => {
  const opened = await openEngines(config, log);
  if (isLeft(opened)) return opened;
  const { platform, feed, leases, languageModel, signedAccess, reachableAt, close } = opened.right;
  const created = await bootstrap(platform, config.bootstrapKey);
  if (isLeft(created)) {
    await close();
    return created;
  }

  const runner = config.roles.has('projector') ? runProjections(platform, projections) : null;
  const dialer = config.roles.has('dialer')
    ? createDialer(platform, {
        feed,
        leases,
        carriers: calling,
        ringSeconds: config.ringSeconds,
        uncertainLimitMs: config.uncertainLimitMs,
      })
    : null;

  const http = createHttpServer(platform, {
    dialer,
    languageModel,
    signedAccess,
    bodyLimitBytes: config.bodyMaxBytes,
    uploadMaxBytes: config.uploadMaxBytes,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    readiness: async () => runner?.status() ?? [],
    consumers: runner === null ? [] : projections.map((p) => p.name),
    onlyProcess: true,
  });
  let port: number;
  try {
    port = (await http.listen(config.port, config.host)).port;
  } catch (error) {
    await runner?.stop();
    await close();
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    return left(
      taken
        ? `port ${config.port} is taken; set PORT to a free one`
        : `can't listen on ${config.host}:${config.port}: ${(error as Error).message}`,
    );
  }
  const url = config.publicUrl ?? `http://localhost:${port}`;
  reachableAt(url);
  const control = await serveControl(config.dataDir, administration(platform, http.keysChanged));
  await dialer?.start();
  log.info({ url, roles: [...config.roles] }, 'serving');

  return right({
    url,
    created: created.right,
    stop: async () => {
      await control.close();
      await http.close();
      await dialer?.stop();
      await runner?.stop();
      await close();
      log.info('stopped');
    },
  });
};
