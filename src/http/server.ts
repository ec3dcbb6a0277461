/** The HTTP server: one visible list of middlewares over the route table. */
import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import type { Platform } from '../engine/platform';
import type { Api, HttpOptions } from './api';
import { authentication } from './auth';
import { bodyReader } from './body';
import { guardedPlatform } from './engines';
import { confirmKey, findKey } from './find-key';
import { idempotency } from './idempotency';
import { keyUses } from './key-use';
import { crossOrigin, limits, problems, requestId, requestLog, requestMetrics } from './middleware';
import { mount } from './router';
import { allRoutes } from './routes';

export type { DialerAccess, ConsumerReadiness, HttpOptions } from './api';

export interface HttpServer {
  /** Resolves when it accepts connections; rejects when it can't (port taken). */
  listen(port: number, host?: string): Promise<{ readonly port: number }>;
  /** No new connections; requests under way finish, at most `withinMs` (default 5000), then they are cut. */
  close(withinMs?: number): Promise<void>;
  /** A key changed outside of this server's own routes. */
  keysChanged(): void;
}

export const createHttpServer = (raw: Platform, options: HttpOptions): HttpServer => {
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
  const server = createServer({ maxHeaderSize: 32_768 }, (req, res) => void handle(req, res));
  server.on('clientError', refuseUnreadable);

  return {
    listen: (port, host) => listen(server, port, host),
    close: (withinMs = 5000) => close(server, withinMs),
    keysChanged: auth.forget,
  };
};

const listen = (server: Server, port: number, host?: string): Promise<{ readonly port: number }> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port });
    });
  });

const close = (server: Server, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });

/** What is no HTTP request at all still gets an answer that says so. */
const refuseUnreadable = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || ((socket as Socket).bytesWritten ?? 0) > 0) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ detail: STATUS_CODES[status] });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
};
