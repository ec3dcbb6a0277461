/** What a process answers before its engines do. */
import { httpListener, startingHandler, type Listener } from '../../src/http/listener';
import { answerOf } from '../support/http';

let listener: Listener;
let url: string;
beforeAll(async () => {
  const away = { name: 'read_store', reason: 'connection refused', since: '2026-03-02T12:00:00.000Z' };
  listener = httpListener(startingHandler(() => [{ name: 'event_store', reason: null, since: null }, away]));
  url = `http://127.0.0.1:${(await listener.listen(0, '127.0.0.1')).port}`;
});
afterAll(() => listener.close());

it('lives', async () => {
  const answer = await answerOf(await fetch(`${url}/health`));
  expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
});

it('is not ready, and names what is missing and since when', async () => {
  const answer = await answerOf(await fetch(`${url}/ready?verbose=1`));
  expect([answer.status, answer.body]).toEqual([
    503,
    {
      status: 'not_ready',
      engines: {
        event_store: { ok: true, reason: null, since: null },
        read_store: { ok: false, reason: 'connection refused', since: '2026-03-02T12:00:00.000Z' },
      },
      consumers: [],
    },
  ]);
});

it('names requests, and lets pages of other origins read why they wait', async () => {
  const { headers } = await fetch(`${url}/api/v1/campaign`, { headers: { 'X-Request-Id': 'early-1' } });
  expect([headers.get('x-request-id'), headers.get('access-control-allow-origin')]).toEqual(['early-1', '*']);
  expect((await fetch(`${url}/ready`)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

it('refuses everything else for now, and says what it waits for', async () => {
  const answer = await answerOf(await fetch(`${url}/api/v1/campaign/`, { method: 'POST', body: '{}' }));
  expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([
    503,
    { detail: 'starting: waiting for the read store; try again' },
    '1',
  ]);
});
