/** `ledgerline serve`: the roles of one process, started in order and stopped in the opposite one. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { projectionsOf } from '../../projections';
import { runProjections } from '../../projections/run';
import { carriers } from '../carriers';
import { carrierAccounts } from '../carriers/accounts';
import { isShared, type Config } from '../config';
import { createDialer } from '../dialer';
import { pause } from '../engine/pause';
import type { Platform } from '../engine/platform';
import type { Logger } from '../engine/telemetry';
import { httpListener, startingHandler, type Listener } from '../http/listener';
import { createHttpServer, type DialerAccess } from '../http/server';
import { newEngineWatch, openEngines } from '../main';
import type { Carrier } from '../ports/carrier';
import type { Clock } from '../ports/clock';
import { administration, bootstrap } from './administration';
import { serveControl } from './control-socket';
import { enginesOf, readinessOf, registerFigures } from './readiness';

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
    await pause(clock, timeoutMs);
    return false;
  },
  explain: () => null,
});

/** The first organization, made or found, as soon as the engines let it. */
const bootstrapped = async (platform: Platform, key: string | null): ReturnType<typeof bootstrap> => {
  for (;;)
    try {
      return await bootstrap(platform, key);
    } catch (error) {
      platform.log.warn({ reason: (error as Error).message }, 'the first organization waits for an engine');
      await pause(platform.clock, 1000);
    }
};

/** Right: the port. Left: why it can't listen, in words for the user. */
const listen = async (listener: Listener, { port, host }: Config): Promise<Either<string, number>> => {
  try {
    return right((await listener.listen(port, host)).port);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    return left(
      isTaken
        ? `port ${port} is taken; set PORT to a free one`
        : `can't listen on ${host}:${port}: ${(error as Error).message}`,
    );
  }
};

/** Starts what `config.roles` names. Left: why it can't, in words for the user. `calling`: other carriers than the real ones (benchmarks). */
export const serve = async (
  config: Config,
  log: Logger,
  calling: ReadonlyMap<string, Carrier> = carriers({
    ari: { amdContext: config.ariAmdContext, hangupContext: config.ariHangupContext },
  }),
): Promise<Either<string, Serving>> => {
  const watch = newEngineWatch();
  const listener = httpListener(startingHandler(watch.known));
  const listening = await listen(listener, config);
  if (isLeft(listening)) return listening;
  const port = listening.right;
  const opened = await openEngines(config, log, watch);
  if (isLeft(opened)) {
    await listener.close();
    return opened;
  }
  const { platform, feed, leases, relay, languageModel, signedAccess, reachableAt, close } = opened.right;
  const shared = isShared(config.engines);
  const created = config.roles.has('api') ? await bootstrapped(platform, config.bootstrapKey) : right(null);
  if (isLeft(created)) {
    await listener.close();
    await close();
    return created;
  }

  const projections = projectionsOf(config);
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
  const relayHere = config.roles.has('relay') ? relay : null;
  const relayed = relayHere?.run(relaying.signal);

  const consumers = { runner, dialer, relay: relayHere };
  const readiness = readinessOf(consumers, platform);
  registerFigures(platform, watch, readiness, consumers, leases);
  watch.start();
  const needed = enginesOf(config.roles);
  const url = config.publicUrl ?? `http://localhost:${port}`;
  const http = createHttpServer(
    platform,
    {
      dialer: dialer ?? dialerElsewhere(platform.clock),
      languageModel,
      carrierAccounts: carrierAccounts({ publicUrl: () => url, urls: config.carrierUrls }),
      signedAccess,
      bodyLimitBytes: config.bodyMaxBytes,
      uploadMaxBytes: config.uploadMaxBytes,
      publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
      readiness,
      engines: () => watch.look(needed),
      consumers: projections.map((p) => p.name),
      onlyProcess: !shared,
    },
    listener,
  );
  reachableAt(url);
  const control = shared ? null : await serveControl(config.dataDir, administration(platform, http.keysChanged));
  await dialer?.start();
  log.info({ url, roles: [...config.roles] }, 'serving');

  return right({
    url,
    created: created.right,
    stop: async () => {
      await control?.close();
      watch.stop();
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
