/** The simulator's HTTP server: passwords, phases of booting, and the WebSocket of events. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from '../websocket';
import type { Apps } from './apps';
import type { SimulatorSettings } from './options';
import type { Fields } from './reply';
import { parametersOf, readBody, sendHtml, sendMessage } from './reply';

/** `ari_missing`: the HTTP server is up and ARI is not; `booting`: ARI says so. */
export type Phase = 'ari_missing' | 'booting' | 'up';

export interface ServerContext {
  readonly settings: SimulatorSettings;
  readonly apps: Apps;
  readonly phase: () => Phase;
  readonly ari: (
    request: IncomingMessage,
    response: ServerResponse,
    path: readonly string[],
    fields: Fields,
  ) => boolean;
  readonly control: (
    request: IncomingMessage,
    response: ServerResponse,
    action: string | undefined,
    fields: Fields,
  ) => boolean;
}

type Access = 'none' | 'read' | 'write';

const accessOf = (settings: SimulatorSettings, request: IncomingMessage, query: URLSearchParams): Access => {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = basic === undefined ? query.get('api_key') : Buffer.from(basic, 'base64').toString('utf8');
  if (given === `${settings.user}:${settings.password}`) return 'write';
  return given === `${settings.readOnlyUser}:${settings.password}` ? 'read' : 'none';
};

const refuseUpgrade = (socket: Duplex, status: number, text: string): void => {
  // An upgraded socket is nobody's: one whose other end was killed would end this program.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};

const addressOf = (request: IncomingMessage): URL => new URL(request.url ?? '/', 'http://simulator');

export const newServer = (
  context: ServerContext,
): {
  readonly server: Server;
  /** Ends every events socket, the silent ones too. */ readonly dropSockets: () => void;
} => {
  const { settings, apps } = context;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = addressOf(request);
    const body = await readBody(request);
    if (body === null) return sendMessage(response, 413, 'Request body too large');
    const [root, ...path] = url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    const fields = parametersOf(request, url.searchParams, body);
    if (root === 'simulator') {
      if (!context.control(request, response, path[0], fields ?? {})) sendMessage(response, 404, 'Not found');
      return;
    }
    if (root !== 'ari' || context.phase() === 'ari_missing') return sendHtml(response, 404, 'Not Found');
    const access = accessOf(settings, request, url.searchParams);
    if (access === 'none') return sendMessage(response, 401, 'Authentication required');
    if (access === 'read' && request.method !== 'GET') return sendMessage(response, 403, 'Write access denied');
    if (context.phase() === 'booting') return sendMessage(response, 503, 'Asterisk not booted');
    if (fields === null) return sendMessage(response, 400, 'Error parsing request body');
    if (!context.ari(request, response, path, fields)) sendMessage(response, 404, 'Resource not found');
  };

  const server = createServer({ keepAliveTimeout: settings.idleMs }, (request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = addressOf(request);
    const names = (url.searchParams.get('app') ?? '').split(',').filter((name) => name !== '');
    if (url.pathname !== '/ari/events' || context.phase() === 'ari_missing')
      return refuseUpgrade(socket, 404, 'Not Found');
    if (accessOf(settings, request, url.searchParams) === 'none') return refuseUpgrade(socket, 401, 'Unauthorized');
    if (context.phase() === 'booting') return refuseUpgrade(socket, 503, 'Service Unavailable');
    if (names.length === 0) return refuseUpgrade(socket, 400, 'Bad Request');
    sockets.handleUpgrade(request, socket, head, (open) => {
      open.on('error', () => open.terminate());
      for (const name of names) apps.attach(name, open, url.searchParams.get('subscribeAll') === 'true');
    });
  });
  return {
    server,
    dropSockets: () => {
      for (const client of sockets.clients) client.terminate();
    },
  };
};
