import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { RestClient, RestResult } from '../../src/carriers/ari/rest';
import { ariBase, basicAuthorization, restClient } from '../../src/carriers/ari/rest';
import { eventually } from '../contract/carrier-harness';

const reply = (status: number, body: string, type = 'application/json'): string =>
  `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('a request to ARI', () => {
  let server: Server;
  let client: RestClient;
  let port: number;
  let sockets: Socket[];
  let received: string;
  let behave: (socket: Socket, data: string) => void;

  beforeEach(async () => {
    sockets = [];
    received = '';
    behave = (socket) => socket.write(reply(200, '{"a":1}'));
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        received += data.toString();
        behave(socket, data.toString());
      });
    });
    port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
    client = restClient(ariBase(`http://127.0.0.1:${port}`), basicAuthorization('u', 'p'));
  });
  afterEach(async () => {
    client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const post = (more: { readonly mayWrite?: () => boolean; readonly timeoutMs?: number } = {}): Promise<RestResult> =>
    client.request({ method: 'POST', path: '/channels/x', body: { endpoint: 'e' }, timeoutMs: 200, ...more });

  it('carries its body as JSON, its password in a header and nothing secret in its address', async () => {
    expect(await post()).toEqual({ kind: 'reply', status: 200, body: { a: 1 }, retryAfterMs: null });
    expect(received).toMatch(/^POST \/ari\/channels\/x HTTP\/1\.1\r\n/);
    expect(received.toLowerCase()).toContain('content-type: application/json\r\n');
    expect(received).toContain('Basic dTpw');
    expect(received).toMatch(/\r\n\r\n\{"endpoint":"e"\}$/);
  });

  it('asks in the very step that writes it, once, when the connection is there', async () => {
    const asked: number[] = [];
    const result = await post({
      mayWrite: () => {
        asked.push(sockets.length + received.length);
        return true;
      },
    });
    expect(result.kind).toBe('reply');
    expect(asked).toHaveLength(1);
  });

  it('that may not be written leaves no byte on the wire, on a new connection as on a warm one', async () => {
    expect(await post({ mayWrite: () => false })).toEqual({ kind: 'withheld' });
    expect(received).toBe('');
    await post();
    received = '';
    expect(await post({ mayWrite: () => false })).toEqual({ kind: 'withheld' });
    expect(received).toBe('');
  });

  it('that finds nobody listening never left', async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    let asked = false;
    const mayWrite = (): boolean => (asked = true);
    expect(await post({ mayWrite })).toEqual({ kind: 'not_sent', message: 'ECONNREFUSED' });
    expect(asked).toBe(false);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  });

  it('that is read and never answered may have left', async () => {
    behave = () => undefined;
    expect(await post()).toEqual({ kind: 'no_answer', message: 'timeout' });
  });

  it('whose connection is reset may have left', async () => {
    behave = (socket) => socket.resetAndDestroy();
    expect(await post()).toEqual({ kind: 'no_answer', message: 'ECONNRESET' });
  });

  it('whose connection is closed in mid-answer may have left', async () => {
    behave = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"');
    expect(await post()).toMatchObject({ kind: 'no_answer' });
  });

  it('that is answered with nonsense may have left', async () => {
    behave = (socket) => socket.end('I am no web server\r\n\r\n');
    expect(await post()).toMatchObject({ kind: 'no_answer' });
  });

  it('is answered without a body when the body is no JSON', async () => {
    behave = (socket) => socket.write(reply(404, '<html>', 'text/html'));
    expect(await post()).toMatchObject({ kind: 'reply', status: 404, body: null });
    behave = (socket) => socket.write(reply(500, '{', 'application/json'));
    expect(await post()).toMatchObject({ kind: 'reply', status: 500, body: null });
  });

  it('that cannot be written at all never left', async () => {
    expect(await client.request({ method: 'GET', path: '/a b', timeoutMs: 200 })).toMatchObject({ kind: 'not_sent' });
  });

  it('waits for a connection rather than opening ever more', async () => {
    const results = await Promise.all(Array.from({ length: 60 }, () => post({ timeoutMs: 5_000 })));
    expect(results.every(({ kind }) => kind === 'reply')).toBe(true);
    expect(sockets.length).toBeLessThanOrEqual(10);
  });

  it('that waits in vain for a connection never left', async () => {
    behave = () => undefined;
    const hanging = Array.from({ length: 10 }, () => post({ timeoutMs: 400 }));
    await eventually('the connections are taken', 2_000, () => received.split('POST ').length > 8);
    expect(await post({ timeoutMs: 50 })).toEqual({ kind: 'not_sent', message: 'timeout' });
    await Promise.all(hanging);
  });

  it('never uses a connection again that carried a conflict', async () => {
    behave = (socket) => socket.write(reply(409, '{"message":"Channel with given unique ID already exists"}'));
    expect(await post()).toMatchObject({ kind: 'reply', status: 409 });
    behave = (socket) => socket.write(reply(200, '{}'));
    expect(await post()).toMatchObject({ kind: 'reply', status: 200 });
    expect(sockets).toHaveLength(2);
  });
});

it.each([
  ['http://pbx:8088', 'http://pbx:8088/ari'],
  ['http://pbx:8088/', 'http://pbx:8088/ari'],
  ['https://pbx/ari', 'https://pbx/ari'],
  ['https://pbx/ari/', 'https://pbx/ari'],
  ['http://pbx:8088/prefix', 'http://pbx:8088/prefix/ari'],
])('the address %s means %s', (endpoint, base) => {
  expect(ariBase(endpoint).href).toBe(base);
});
