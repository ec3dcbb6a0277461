/** `ledgerline serve`: the roles of one process, started in order and stopped in the opposite one. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { projections } from '../../projections';
import { runProjections } from '../../projections/run';
import { carriers } from '../carriers';
import { isShared, type Config } from '../config';
import { createDialer } from '../dialer';
import type { Logger } from '../engine/telemetry';
import { createHttpServer, type DialerAccess } from '../http/server';
import { openEngines } from '../main';
import type { Carrier } from '../ports/carrier';
import type { Clock } from '../ports/clock';
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

/**
 * The dialer of another process can't be asked how far it is. It sends no claim older than a second, and takes no turn behind a fence that it
 * has not folded: so a second after the fence nothing of before is sent any more.
 */
const dialerElsewhere = (clock: Clock): DialerAccess => ({
  settled: async (_org, _position, timeoutMs) => {
    await new Promise<void>((done) => clock.after(timeoutMs, done));
    return false;
  },
  explain: () => null,
});

/** Starts what `config.roles` names. Left: why it can't, in words for the user. `calling`: other carriers than the real ones (benchmarks). */
export const serve = async (
  config: Config,
  log: Logger,
  calling: ReadonlyMap<string, Carrier> = carriers({
    ari: { amdContext: config.ariAmdContext, hangupContext: config.ariHangupContext },
  }),
): Promise<Either<string, Serving>> => {
  const opened = await openEngines(config, log);
  if (isLeft(opened)) return opened;
  const { platform, feed, leases, relay, languageModel, signedAccess, reachableAt, close } = opened.right;
  const shared = isShared(config.engines);
  const created = config.roles.has('api') ? await bootstrap(platform, config.bootstrapKey) : right(null);
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

  const relaying = new AbortController();
  const relayed = config.roles.has('relay') && relay !== null ? relay(relaying.signal) : Promise.resolve();

  const http = createHttpServer(platform, {
    dialer: dialer ?? dialerElsewhere(platform.clock),
    languageModel,
    signedAccess,
    bodyLimitBytes: config.bodyMaxBytes,
    uploadMaxBytes: config.uploadMaxBytes,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    readiness: async () => runner?.status() ?? [],
    consumers: projections.map((p) => p.name),
    onlyProcess: !shared,
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
  const control = shared ? null : await serveControl(config.dataDir, administration(platform, http.keysChanged));
  await dialer?.start();
  log.info({ url, roles: [...config.roles] }, 'serving');

  return right({
    url,
    created: created.right,
    stop: async () => {
      await control?.close();
      await http.close();
      await dialer?.stop();
      relaying.abort();
      await relayed;
      await runner?.stop();
      await close();
      log.info('stopped');
    },
  });
};
