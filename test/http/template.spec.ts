/** Agents written by a language model: the whole way, from the request through the client library to an endpoint on the wire, and back. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { offlineComposer } from '../../src/adapters/embedded/offline-composer';
import { openAiModel } from '../../src/adapters/production/openai';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';

type Reply = (response: ServerResponse) => void;
interface Asked {
  readonly response_format?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const KEY = 'sk-endpoint-0123456789';
const json =
  (status: number, body: unknown): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const choice = (message: object, finish_reason = 'stop'): Reply =>
  json(200, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason, message }],
  });
const saying = (content: unknown): Reply =>
  choice({
    role: 'assistant',
    content: typeof content === 'string' ? content : JSON.stringify(content),
    refusal: null,
  });

const GOOD = {
  name: 'Reminder',
  nodes: [
    { id: 's', type: 'startCall', name: 'Start', prompt: 'Greet.', greeting: 'Hello!' },
    { id: 'e', type: 'endCall', name: 'End', prompt: 'Say goodbye.', greeting: null },
  ],
  edges: [{ source: 's', target: 'e', label: 'done', condition: 'all is said' }],
};
const WRONG = { ...GOOD, edges: [{ source: 's', target: 'nowhere', label: '', condition: 'c' }] };

let endpoint: Server;
let asked: Asked[] = [];
let replies: Reply[] = [];
let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  endpoint = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()) as Asked);
      (replies.shift() ?? json(500, 'asked too often'))(response);
    });
  });
  await new Promise<void>((listening) => endpoint.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;
  world = await startHttp({ languageModel: openAiModel({ baseUrl, apiKey: KEY, model: 'a-model', timeoutMs: 300 }) });
  client = await world.client();
});
afterAll(async () => {
  await world.close();
  endpoint.closeAllConnections();
  await new Promise((closed) => endpoint.close(closed));
});

const create = (...answers: readonly Reply[]): Promise<Answer> => {
  asked = [];
  replies = [...answers];
  return client.post('/api/v1/workflow/create/template', { use_case: 'Reminders', activity_description: 'Remind.' });
};

const PLACES = ["edge edge-1, target: No node has the id 'nowhere'", 'edge edge-1, data.label: String should have'];

it('an agent that the model wrote is a normal one, says who wrote it, and can be changed', async () => {
  const made = await create(saying(GOOD));
  expect([made.status, made.body]).toEqual([
    200,
    expect.objectContaining({
      name: 'Reminder',
      version_status: 'published',
      workflow_configurations: { generated_by: 'a-model' },
    }),
  ]);
  expect((await client.get(`/api/v1/workflow/fetch/${made.body.id}`)).body).toEqual(made.body);
  expect((await client.post(`/api/v1/workflow/${made.body.id}/validate`)).body).toEqual({ is_valid: true, errors: [] });
  expect((await client.put(`/api/v1/workflow/${made.body.id}`, { name: 'Mine' })).body.name).toBe('Mine');
});

it('a faulty one is repaired once: the model is shown each fault with its place', async () => {
  expect((await create(saying(WRONG), saying(GOOD))).status).toBe(200);
  expect(asked).toHaveLength(2);
  const repair = asked[1]?.messages.at(-1)?.content ?? '';
  expect(PLACES.filter((place) => !repair.includes(place))).toEqual([]);
});

it.each<[string, string]>([
  ['in a fence', '```json\n' + JSON.stringify(GOOD) + '\n```'],
  ['among words', `Here it is:\n${JSON.stringify(GOOD)}\nAnything else?`],
])('an answer %s is read at once', async (_where, content) => {
  expect((await create(saying(content))).body.name).toBe('Reminder');
  expect(asked).toHaveLength(1);
});

it.each<[string, string]>([
  ['half a character', '"Rem\\ud800inder"'],
  ['spaces around it', '" Reminder "'],
])('a name with %s is stored without', async (_what, name) => {
  const content = JSON.stringify(GOOD).replace('"Reminder"', name);
  expect((await create(saying(content))).body.name).toBe('Reminder');
});

it('an endpoint that takes no structured output is asked without, and told the shape in words', async () => {
  const refused = json(400, { error: { message: 'This response_format type is unavailable' } });
  expect((await create(refused, saying(GOOD))).status).toBe(200);
  expect(asked.map((a) => 'response_format' in a)).toEqual([true, false]);
  expect(asked[1]?.messages[0]?.content).toContain('"additionalProperties":false');
});

it('half a character in a prompt is a fault to repair', async () => {
  const content = JSON.stringify(GOOD).replace('"Greet."', '"\\ud800"');
  expect((await create(saying(content), saying(GOOD))).status).toBe(200);
  expect(asked).toHaveLength(2);
});

describe('a model that fails is 502, says why, and leaves nothing stored', () => {
  const never: Reply = () => undefined;
  it.each<[string, readonly Reply[], RegExp]>([
    ['wrong twice', [saying(WRONG), saying(WRONG)], /edge edge-1, target: No node has the id 'nowhere'/],
    ['no JSON twice', [saying('Sorry.'), saying('Sorry.')], /nodes: Field required/],
    ['cut off', [choice({ role: 'assistant', content: '{"name": "A' }, 'length')], /cut off/],
    ['refused', [choice({ role: 'assistant', content: null, refusal: 'No.' })], /declined/],
    ['filtered out', [choice({ role: 'assistant', content: '' }, 'content_filter')], /filtered/],
    ['too slow', [never], /in time/],
    ['too slow to repair', [saying(WRONG), never], /could not be repaired.*in time/],
    [
      'refused credentials',
      [json(401, { error: { message: `Incorrect API key provided: ${KEY}` } })],
      /credentials \(401\)/,
    ],
    ['an unknown model', [json(404, {})], /\(404\)/],
    ['of another mind about the request', [json(400, {}), json(400, {})], /\(400\)/],
    ['busy', [json(429, {})], /no more requests/],
    ['broken', [json(500, {})], /\(500\)/],
    ['broken at the repair', [saying(WRONG), json(500, {})], /could not be repaired.*\(500\)/],
    ['gone', [(response) => response.destroy()], /could not be reached/],
    ['no chat completion', [json(200, '<html>')], /cannot be read/],
    ['an empty list of choices', [json(200, { choices: [] })], /empty answer/],
  ])('%s', async (_what, answers, text) => {
    const before = await world.head();
    const failed = await create(...answers);
    expect([failed.status, failed.body.detail]).toEqual([502, expect.stringMatching(text)]);
    expect(failed.text).not.toContain(KEY);
    expect(asked).toHaveLength(answers.length);
    expect(await world.head()).toBe(before);
  });
});

it('under an Idempotency-Key the model is asked once, and again only where it failed', async () => {
  const at = '/api/v1/workflow/create/template';
  const body = { use_case: 'Reminders', activity_description: 'Remind.' };
  const headers = { 'Idempotency-Key': 'template-once' };
  asked = [];
  replies = [json(500, {}), saying(GOOD)];
  expect((await client.post(at, body, headers)).status).toBe(502);
  const made = await client.post(at, body, headers);
  expect((await client.post(at, body, headers)).body).toEqual(made.body);
  expect([made.status, asked.length]).toEqual([200, 2]);
});

it.each(['inbound', 'outbound'])(
  'without a model the composer writes a valid agent for %s calls, and says so',
  async (call_type) => {
    const offline = await startHttp({ languageModel: offlineComposer() });
    try {
      const caller = await offline.client();
      const body = { call_type, use_case: 'Opening {{hours}}', activity_description: '' };
      const made = await caller.post('/api/v1/workflow/create/template', body);
      expect([made.status, made.body]).toEqual([
        200,
        expect.objectContaining({
          name: `Opening hours - ${call_type}`,
          workflow_configurations: { generated_by: 'offline-composer' },
        }),
      ]);
      expect((await caller.post(`/api/v1/workflow/${made.body.id}/validate`)).status).toBe(200);
    } finally {
      await offline.close();
    }
  },
);
