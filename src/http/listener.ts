/** The port of a process. It listens before the engines answer, so that who looks is told what is waited for. */
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EngineHealth } from '../engine/engine-watch';
import { requestIdOf } from './middleware';
import { problemOf } from './problem';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Listener {
  /** From now on requests go here. */
  use(handler: Handler): void;
  /** Resolves when it accepts connections; rejects when it can't (port taken). */
  listen(port: number, host?: string): Promise<{ readonly port: number }>;
  /** No new connections; requests under way finish, at most `withinMs` (default 5000), then they are cut. */
  close(withinMs?: number): Promise<void>;
}

export const httpListener = (first: Handler): Listener => {
  let handle = first;
  const server = createServer({ maxHeaderSize: 32_768 }, (request, response) => handle(request, response));
  server.on('clientError', refuseUnreadable);
  return {
    use: (handler) => {
      handle = handler;
    },
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve({ port: (server.address() as AddressInfo).port });
        });
      }),
    close: (withinMs = 5000) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), withinMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};

/** Answers while the process starts: it lives, and it is not ready, for want of these engines. */
export const startingHandler =
  (engines: () => readonly EngineHealth[]): Handler =>
  (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const isAlive = path === '/health' || path === '/api/v1/health';
    const found = engines();
    const missing = found.filter((e) => e.reason !== null).map((e) => e.name.replace('_', ' '));
    const message = `starting${missing.length === 0 ? '' : `: waiting for the ${missing.join(', ')}`}; try again`;
    const { status, headers, body } = problemOf({ kind: 'unavailable', message, stored: 'no' });
    const shown = isAlive
      ? { status: 'ok' }
      : path === '/ready'
        ? { status: 'not_ready', engines: engineStates(found), consumers: [] }
        : body;
    const text = JSON.stringify(shown);
    response.writeHead(isAlive ? 200 : status, {
      'Access-Control-Allow-Origin': '*',
      'X-Request-Id': requestIdOf(String(request.headers['x-request-id'] ?? '')),
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...(isAlive ? {} : headers),
    });
    response.end(text);
    request.resume();
  };

/** Engines as `/ready` shows them. */
export const engineStates = (engines: readonly EngineHealth[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(engines.map(({ name, reason, since }) => [name, { ok: reason === null, reason, since }]));

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
