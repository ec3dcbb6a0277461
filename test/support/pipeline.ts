/** Many HTTP requests over few connections, several under way on each (pipelining, RFC 9112 section 9.3.2), each with a time limit of its own. */
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface PipelineOptions {
  readonly port: number;
  readonly connections: number;
  /** Requests under way on one connection. */
  readonly depth: number;
  /** How long the oldest request of a connection may wait, ms. */
  readonly timeoutMs: number;
  /** null: no more. */
  readonly next: () => RawRequest | null;
  readonly answered: (request: RawRequest, answer: RawAnswer) => void;
}

const written = ({ method, target, headers, body }: RawRequest): Buffer => {
  const payload = body === null ? Buffer.alloc(0) : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`Content-Length: ${payload.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), payload]);
};

const HEAD_END = '\r\n\r\n';

/** The body that begins at `from`, and where it ends; null: it has not arrived yet. */
const bodyOf = (
  data: Buffer,
  from: number,
  headers: ReadonlyMap<string, string>,
  status: number,
): { readonly body: string; readonly end: number } | null => {
  if (status === 204 || status === 304) return { body: '', end: from };
  if (headers.get('transfer-encoding') !== 'chunked') {
    const end = from + Number(headers.get('content-length') ?? 0);
    return data.length < end ? null : { body: data.toString('utf8', from, end), end };
  }
  const parts: Buffer[] = [];
  for (let at = from; ;) {
    const line = data.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = parseInt(data.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    if (data.length < end) return null;
    if (size === 0) return { body: Buffer.concat(parts).toString('utf8'), end };
    parts.push(data.subarray(line + 2, end - 2));
    at = end;
  }
};

/** The first answer in the data, and where it ends; null: it has not arrived yet. */
const answerIn = (data: Buffer): { readonly answer: RawAnswer; readonly end: number } | null => {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const [first = '', ...lines] = data.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const found = bodyOf(data, headEnd + HEAD_END.length, headers, status);
  return found === null ? null : { answer: { status, headers, body: found.body }, end: found.end };
};

/** The requests of a connection that have no answer, oldest first, for the message of a failure. */
const describe = (underWay: readonly RawRequest[]): string =>
  underWay
    .map(
      ({ method, target, headers, body }) =>
        `\n${method} ${target} ${JSON.stringify(headers)} ${body?.length ?? 0}: ${body?.slice(0, 300) ?? ''}`,
    )
    .join('');

/**
 * Sends everything that `next` gives and resolves when all of it is answered. Rejects when a request is not answered in time, or when two connections
 * break under one. What was under way behind an answer that closes its connection is sent again.
 */
export const pipeline = async (options: PipelineOptions): Promise<void> => {
  const again: RawRequest[] = [];
  // A server may close a connection that it takes to be idle while a request is on its way to it; the same request does not meet that twice.
  const brokeUnder = new Set<RawRequest>();
  const take = (): RawRequest | null => again.pop() ?? options.next();

  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const underWay: RawRequest[] = [];
      let oldestSince = Date.now();
      let data: Buffer = Buffer.alloc(0);
      let closing = false;
      let broken: Error | null = null;
      const socket: Socket = connect(options.port, '127.0.0.1');
      socket.setNoDelay(true);
      const fill = (): void => {
        while (!closing && underWay.length < options.depth) {
          const request = take();
          if (request === null) break;
          if (underWay.length === 0) oldestSince = Date.now();
          underWay.push(request);
          socket.write(written(request));
        }
        if (underWay.length === 0) socket.end();
      };
      const watch = setInterval(() => {
        if (underWay.length === 0 || Date.now() - oldestSince < options.timeoutMs) return;
        finish(new Error(`not answered within ${options.timeoutMs} ms: ${describe(underWay)}`));
      }, 500);
      let settled = false;
      const finish = (error: Error): void => {
        settled = true;
        clearInterval(watch);
        socket.destroy();
        reject(error);
      };
      socket.on('connect', fill);
      socket.on('data', (chunk: Buffer) => {
        data = data.length === 0 ? chunk : Buffer.concat([data, chunk]);
        for (let found = answerIn(data); found !== null; found = answerIn(data)) {
          const request = underWay.shift();
          if (request === undefined) return finish(new Error(`an answer to nothing: ${data.toString('utf8', 0, 500)}`));
          oldestSince = Date.now();
          data = data.subarray(found.end);
          try {
            options.answered(request, found.answer);
          } catch (error) {
            return finish(error as Error);
          }
          if (found.answer.headers.get('connection') === 'close') closing = true;
        }
        if (closing) socket.destroy();
        else fill();
      });
      socket.on('error', (error) => {
        broken = error;
      });
      socket.on('close', () => {
        clearInterval(watch);
        if (settled) return;
        const oldest = underWay[0];
        if (oldest !== undefined && !closing) {
          if (brokeUnder.has(oldest))
            return finish(new Error(`${broken?.message ?? 'the connection broke'} under ${describe(underWay)}`));
          brokeUnder.add(oldest);
        }
        again.push(...underWay.reverse());
        if (closing || oldest !== undefined) connection().then(resolve, reject);
        else resolve();
      });
    });

  await Promise.all(Array.from({ length: options.connections }, connection));
};
