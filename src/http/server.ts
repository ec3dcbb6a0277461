/** The HTTP server: one visible list of middlewares over the route table. */
import Koa from 'koa';
import { engineWatch } from '../engine/engine-watch';
import type { Platform } from '../engine/platform';
import type { Api, HttpOptions } from './api';
import { authentication } from './auth';
import { bodyReader } from './body';
import { guardedPlatform } from './engines';
import { confirmKey, findKey } from './find-key';
import { idempotency } from './idempotency';
import { keyUses } from './key-use';
import { httpListener, type Listener } from './listener';
import { crossOrigin, limits, problems, requestId, requestLog, requestMetrics } from './middleware';
import { mount } from './router';
import { allRoutes } from './routes';

export type { DialerAccess, ConsumerReadiness, HttpOptions } from './api';

export interface HttpServer extends Pick<Listener, 'listen' | 'close'> {
  /** A key changed outside of this server's own routes. */
  keysChanged(): void;
}

/** The engines of a platform, where its roles need all of them. */
const everyEngine = ({ events, reads, objects, vault, clock }: Platform): Api['engines'] => {
  const watch = engineWatch(clock);
  watch.add('event_store', () => events.ping());
  watch.add('read_store', () => reads.ping());
  watch.add('object_store', () => objects.ping());
  watch.add('vault', () => vault.ping());
  return () => watch.look();
};

/** `listener`: the one that listens already, and is taken over. */
export const createHttpServer = (raw: Platform, options: HttpOptions, listener?: Listener): HttpServer => {
  const platform = guardedPlatform(raw);
  const uses = keyUses(platform.reads, platform.clock);
  const auth = authentication({
    find: findKey(platform),
    confirm: confirmKey(platform),
    used: (caller) => uses.note(caller.keyId),
    remember: options.onlyProcess === true,
  });
  const api: Api = {
    ...options,
    engines: options.engines ?? everyEngine(platform),
    carrierAccounts: options.carrierAccounts ?? null,
    platform,
    auth,
    keyUses: uses,
  };

  const app = new Koa();
  app.silent = true;
  for (const middleware of [
    requestId,
    requestLog(platform.log),
    requestMetrics(platform.metrics),
    problems(platform.log),
    crossOrigin,
    limits(Math.max(options.bodyLimitBytes, options.uploadMaxBytes)),
    // For each route: auth → body → decode → handler.
    mount(allRoutes(api), {
      platform,
      authenticate: auth.authenticate,
      readBody: bodyReader(options.bodyLimitBytes),
      idempotent: idempotency(platform),
    }),
  ])
    app.use(middleware);

  const handle = app.callback();
  const serve: Parameters<Listener['use']>[0] = (request, response) => void handle(request, response);
  const listening = listener ?? httpListener(serve);
  listening.use(serve);
  return { listen: listening.listen, close: listening.close, keysChanged: auth.forget };
};
