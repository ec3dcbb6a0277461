import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answerOf, startHttp, type Client, type HttpWorld } from '../support/http';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

/** Sends bytes as they are and answers everything that comes back. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(bytes));
    let seen = '';
    socket.on('data', (chunk) => (seen += chunk.toString()));
    socket.on('close', () => resolve(seen));
    socket.on('error', reject);
    socket.setTimeout(3000, () => socket.destroy());
  });

const KEYS = '/api/v1/user/api-keys';

describe('the server', () => {
  it('answers its health without a key', async () => {
    const health = await answerOf(await fetch(`${world.url}/health`));
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
  });

  it('is ready when engines answer and read models follow', async () => {
    const ready = await answerOf(await fetch(`${world.url}/ready`));
    expect(ready.status).toBe(200);
    expect(ready.body.engines.event_store).toEqual({ ok: true, reason: null, since: null });
    expect(ready.body.consumers.map((c: { name: string }) => c.name)).toContain('campaigns');
    expect(ready.body.consumers.every((c: { stuck: unknown }) => c.stuck === null)).toBe(true);
  });

  it('counts requests by route pattern', async () => {
    await client.get('/api/v1/user/api-keys');
    const { text } = await answerOf(await fetch(`${world.url}/metrics`));
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/user\/api-keys",status="200"\}/,
    );
  });

  it('names each request, and takes over a name that is given', async () => {
    const made = (await client.get(KEYS)).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    const given = await client.request('GET', KEYS, undefined, { 'X-Request-Id': 'order-66' });
    expect(given.headers.get('x-request-id')).toBe('order-66');
    const hostile = await client.request('GET', KEYS, undefined, { 'X-Request-Id': 'a b"c' });
    expect(hostile.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('says 404 for what it does not have, and 405 for what it has by another method', async () => {
    expect(await client.get('/')).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    expect(await client.get('/api/v1/nothing')).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    const wrong = await client.request('PATCH', KEYS);
    expect(wrong).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } });
    expect(wrong.headers.get('allow')).toContain('POST');
  });

  it('answers HEAD like GET, without the body, and other methods by naming those that there are', async () => {
    const by = { method: 'HEAD', headers: { 'X-API-Key': client.key } };
    const [head, get] = [await fetch(`${world.url}${KEYS}`, by), await client.get(KEYS)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect((await fetch(`${world.url}${KEYS}`, { method: 'HEAD' })).status).toBe(401);
    for (const method of ['OPTIONS', 'PUT']) {
      const answer = await fetch(`${world.url}${KEYS}`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'HEAD, GET, POST']);
    }
    expect((await fetch(`${world.url}/api/v1/nothing`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('answers with and without a slash at the end, and on both forms of the key paths', async () => {
    for (const path of [KEYS, `${KEYS}/`, '/user/api-keys', '/user/api-keys/'])
      expect((await client.get(path)).status).toBe(200);
  });

  it('lets pages of other origins call', async () => {
    const preflight = await fetch(`${world.url}${KEYS}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-api-key']);
    const answer = await client.get(KEYS);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(`${world.url}${KEYS}`)).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('compares paths exactly', async () => {
    expect((await client.get(KEYS.toUpperCase())).status).toBe(404);
    expect((await client.get('/api/v1/user/api-keys/%E0%A4%A')).status).toBe(405);
    expect((await client.delete('/api/v1/user/api-keys/%E0%A4%A')).status).toBe(422);
    expect((await client.delete('/api/v1/user/api-keys/1%00')).status).toBe(422);
  });
});

describe('a body', () => {
  const create = (body: string | Uint8Array | undefined, headers: Record<string, string> = {}) =>
    fetch(`${world.url}${KEYS}`, {
      method: 'POST',
      headers: { 'X-API-Key': client.key, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    }).then(answerOf);

  it('that is broken is named with its place', async () => {
    const answer = await create('{"name": oops}');
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([
      {
        type: 'json_invalid',
        loc: ['body', 9],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: 'Expecting value' },
      },
    ]);
  });

  it('that is missing is a missing field', async () => {
    for (const body of [undefined, '', '   '])
      expect((await create(body)).body.detail).toEqual([
        { type: 'missing', loc: ['body'], msg: 'Field required', input: null },
      ]);
  });

  it.each(['null', '[]', '5', '"text"', 'true'])('that is %s is no object', async (text) => {
    const answer = await create(text);
    expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'model_attributes_type']);
  });

  it('that is too large is 413, whether it says so or not', async () => {
    const before = await world.head();
    const large = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    const declared = await create(large);
    expect([declared.status, declared.body]).toEqual([
      413,
      { detail: 'The request body is larger than 1048576 bytes' },
    ]);
    const streamed = await fetch(`${world.url}${KEYS}`, {
      method: 'POST',
      headers: { 'X-API-Key': client.key, 'Content-Type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit).then(answerOf);
    expect(streamed.status).toBe(413);
    expect((await create(gzipSync(large), { 'Content-Encoding': 'gzip' })).status).toBe(413);
    expect((await create('{}', { 'Content-Length': String(10 ** 9) }).catch(() => ({ status: 413 }))).status).toBe(413);
    expect(await world.head()).toBe(before);
  });

  it('may be packed', async () => {
    const packed = await create(gzipSync(JSON.stringify({ name: 'packed' })), { 'Content-Encoding': 'gzip' });
    expect([packed.status, packed.body.name]).toEqual([200, 'packed']);
    const broken = await create(Buffer.from('no gzip at all'), { 'Content-Encoding': 'gzip' });
    expect(broken.status).toBe(400);
    expect((await create('{}', { 'Content-Encoding': 'x-secret' })).status).toBe(415);
  });

  it('of another type is 415, and of no type is taken for JSON', async () => {
    expect((await create('name=x', { 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await create('<name/>', { 'Content-Type': 'text/xml' })).status).toBe(415);
    expect((await create('{"name":"a"}', { 'Content-Type': 'application/vnd.api+json; charset=utf-8' })).status).toBe(
      200,
    );
    expect((await create(Buffer.from('{"name":"a"}'), { 'Content-Type': '' })).status).toBe(200);
  });

  it('that is not UTF-8, or holds half a character, is refused', async () => {
    expect((await create(Buffer.from([0x7b, 0xff, 0x7d]))).status).toBe(400);
    const half = await create('{"name":"\\ud800"}');
    expect([half.status, half.body.detail[0].type]).toEqual([422, 'string_unicode']);
  });

  it('may hold a null byte in a text and is stored as it is', async () => {
    const answer = await create('{"name":"a\\u0000b"}');
    expect([answer.status, answer.body.name]).toEqual([200, 'a\u0000b']);
  });

  it('that is nested without end is refused', async () => {
    const nested = `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const answer = await create(nested);
    expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'json_invalid']);
  });
});

describe('what is hardly HTTP', () => {
  it('with huge headers is 431, and garbage is 400', async () => {
    const huge = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Junk: ${'j'.repeat(40_000)}\r\n\r\n`);
    expect(huge).toMatch(/^HTTP\/1\.1 431 /);
    expect(huge).toContain('{"detail":"Request Header Fields Too Large"}');
    expect(await raw('BREW coffee\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('for a target that is no URL is 400', async () => {
    const answer = await raw('GET http://[::bad/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":"The request target is not a URL"}');
  });

  it('does not hurt the next request', async () => {
    expect((await client.get(KEYS)).status).toBe(200);
  });
});

describe('closing', () => {
  it('lets a request under way finish and then refuses new ones', async () => {
    const other = await startHttp();
    const caller = await other.client();
    const under = caller.post(KEYS, { name: 'late' });
    await new Promise((resolve) => setImmediate(resolve));
    const answers = await Promise.allSettled([under]);
    await other.close();
    expect(answers[0]?.status).toBe('fulfilled');
    await expect(caller.get(KEYS)).rejects.toThrow();
  });
});
