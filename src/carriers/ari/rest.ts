/**
 * ARI's HTTP side: few warm connections, JSON bodies, a timeout for every request, and an exact account of whether a request left.
 *
 * Asterisk closes an idle connection after 15 s (measured), so ours are given up after 10 s: a request is never written into a connection
 * that the server is about to close. At most 8 connections, below its listen backlog of 10.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

export type RestResult =
  | { readonly kind: 'reply'; readonly status: number; readonly body: unknown; readonly retryAfterMs: number | null }
  /** `mayWrite` said no: nothing was written. */
  | { readonly kind: 'withheld' }
  /** It never left: no connection could be made in time. */
  | { readonly kind: 'not_sent'; readonly message: string }
  /** It left, or part of it, and no readable answer came. */
  | { readonly kind: 'no_answer'; readonly message: string };

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/ari`, with its query. Never holds a phone number or a secret. */
  readonly path: string;
  readonly body?: unknown;
  /** For a connection, and once more for the answer: waiting in line shortens no answer's time. */
  readonly timeoutMs: number;
  /** Asked synchronously in the step that writes the request to a connected socket. */
  readonly mayWrite?: () => boolean;
}

export interface RestClient {
  /** Never rejects. */
  request(request: RestRequest): Promise<RestResult>;
  close(): void;
}

const maxConnections = 8;
const idleMs = 10_000;
const maxBodyBytes = 16 * 1024 * 1024;

/** `http://host:8088`, with or without a trailing `/ari`, and with a prefix where http.conf has one. */
export const ariBase = (endpoint: string): URL => {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/ari$/, '');
  return new URL(`${path}/ari`, `${url.protocol}//${url.host}`);
};

export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;

/** Error codes only: a message may quote addresses. */
const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'connection failed';
};

const parseJson = (text: string, contentType: string | undefined): unknown => {
  if (contentType?.includes('json') !== true) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

const retryAfter = (header: string | undefined): number | null => {
  const seconds = header === undefined ? NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
};

/** Calls `ready` once the request's own socket is connected: at once for a warm one. */
const whenConnected = (request: http.ClientRequest, secure: boolean, ready: () => void): void => {
  request.once('socket', (socket: Socket) => {
    if (request.reusedSocket || (!secure && !socket.connecting)) ready();
    else socket.once(secure ? 'secureConnect' : 'connect', ready);
  });
};

/** A client of one ARI server. */
export const restClient = (base: URL, authorization: string): RestClient => {
  const secure = base.protocol === 'https:';
  const options = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections, timeout: idleMs };
  const agent = secure ? new https.Agent(options) : new http.Agent(options);
  const open = secure ? https.request : http.request;

  const request = (asked: RestRequest): Promise<RestResult> =>
    new Promise((resolve) => {
      let written = false;
      let settled = false;
      const settle = (result: RestResult): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        resolve(result);
      };
      const failed = (message: string): void =>
        settle(written ? { kind: 'no_answer', message } : { kind: 'not_sent', message });
      const body = asked.body === undefined ? null : Buffer.from(JSON.stringify(asked.body), 'utf8');
      const outgoing = open({
        agent,
        protocol: base.protocol,
        hostname: base.hostname,
        port: base.port === '' ? (secure ? 443 : 80) : base.port,
        path: `${base.pathname}${asked.path}`,
        method: asked.method,
        headers: {
          authorization,
          accept: 'application/json',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          'content-length': body?.length ?? 0,
        },
      });
      const expire = (): NodeJS.Timeout =>
        setTimeout(() => {
          failed('timeout');
          outgoing.destroy();
        }, asked.timeoutMs);
      let timer = expire();
      outgoing.on('error', (error) => failed(codeOf(error)));
      outgoing.on('close', () => failed('closed'));
      outgoing.on('response', (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        // At the end the response has let go of it already.
        const { socket } = response;
        response.on('data', (part: Buffer) => {
          size += part.length;
          if (size > maxBodyBytes) outgoing.destroy();
          else parts.push(part);
        });
        response.on('error', (error) => failed(codeOf(error)));
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const text = Buffer.concat(parts).toString('utf8');
          settle({
            kind: 'reply',
            status,
            body: parseJson(text, response.headers['content-type']),
            retryAfterMs: retryAfter(response.headers['retry-after']),
          });
          // A connection that once carried a 409 answers 409 to every later allocation failure (measured on Asterisk 16 and 22).
          if (status === 409) socket.destroy();
        });
      });
      whenConnected(outgoing, secure, () => {
        if (settled) return;
        if (asked.mayWrite?.() === false) {
          settle({ kind: 'withheld' });
          outgoing.destroy();
          return;
        }
        written = true;
        clearTimeout(timer);
        timer = expire();
        if (body === null) outgoing.end();
        else outgoing.end(body);
      });
    });

  // What cannot be written at all (a character that no address may have) throws where it is made.
  const unsent: RestResult = { kind: 'not_sent', message: 'invalid request' };
  return { request: (asked) => request(asked).catch(() => unsent), close: () => agent.destroy() };
};
