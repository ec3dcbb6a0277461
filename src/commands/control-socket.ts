/**
 * How the command line reaches a running server: a Unix socket in the data folder, mode 0600, one JSON line each way.
 * Whoever can open the socket owns the folder anyway.
 */
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative, resolve } from 'node:path';

export interface ControlRequest {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type ControlReply =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly message: string };

/** Unix socket paths are limited to about 100 bytes, so the shorter of the absolute and the relative one is used. */
const socketPath = (folder: string): string => {
  const absolute = join(resolve(folder), 'control.sock');
  const short = relative(process.cwd(), absolute);
  return short.length < absolute.length ? short : absolute;
};

const MAX_LINE = 65_536;
const REPLY_TIMEOUT = 30_000;

const readLine = (socket: Socket): Promise<string> =>
  new Promise((done, fail) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) done(text.slice(0, end));
      else if (text.length > MAX_LINE) fail(new Error('line too long'));
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('closed before a whole line came')));
  });

/** Serves requests until closed. The folder must be owned by this process: a socket left there by a dead one is replaced. */
export const serveControl = async (
  folder: string,
  handle: (request: ControlRequest) => Promise<ControlReply>,
): Promise<{ close(): Promise<void> }> => {
  const path = socketPath(folder);
  await rm(path, { force: true });
  const server = createServer((socket) => {
    readLine(socket)
      .then(async (line) => handle(JSON.parse(line) as ControlRequest))
      .catch((error: unknown): ControlReply => ({ ok: false, message: (error as Error).message }))
      .then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
      .catch(() => socket.destroy());
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((done) => {
        server.close(() => done());
      }),
  };
};

/** Asks the server that runs on the folder; null: none does. Rejects when it runs and does not answer within 30 s. */
export const askServer = (folder: string, request: ControlRequest): Promise<ControlReply | null> =>
  new Promise((done, fail) => {
    const socket = connect(socketPath(folder));
    socket.setTimeout(REPLY_TIMEOUT, () => socket.destroy(new Error('the running server did not answer within 30 s')));
    socket.once('connect', () => {
      socket.write(`${JSON.stringify(request)}\n`);
      readLine(socket)
        .then((line) => done(JSON.parse(line) as ControlReply))
        .catch(fail)
        .finally(() => socket.destroy());
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? done(null) : fail(error),
    );
  });
