/** The adapter against a local server that speaks the chat completions wire. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLeft, isRight } from 'fp-ts/Either';
import { openAiModel } from '../../../src/adapters/production/openai';
import type { JsonObject } from '../../../src/core/event';
import { definitionErrors } from '../../../src/domain/agent/definition';
import type { TemplateRequest } from '../../../src/ports/language-model';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format: {
      readonly type: string;
      readonly json_schema: { readonly strict: boolean; readonly schema: JsonObject };
    };
  };
}
type Reply = (response: ServerResponse) => void;

const KEY = 'sk-test-0123456789';
const request: TemplateRequest = { callType: 'outbound', useCase: 'Reminders', activityDescription: 'Remind people' };
const draft = {
  name: 'Reminder agent',
  nodes: [
    { id: 's', type: 'startCall', name: 'Start', prompt: 'Greet.', greeting: 'Hello!' },
    { id: 'a', type: 'agentNode', name: 'Remind', prompt: 'Remind.', greeting: null },
    { id: 'e', type: 'endCall', name: 'End', prompt: 'Goodbye.', greeting: null },
  ],
  edges: [
    { source: 's', target: 'a', label: 'Go on', condition: 'They listen.' },
    { source: 'a', target: 'e', label: 'Done', condition: 'All is said.' },
  ],
};

const answering =
  (status: number, body: unknown): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const saying = (content: string | null, rest: Record<string, unknown> = {}, finish_reason = 'stop'): Reply =>
  answering(200, {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content, ...rest } }],
  });

describe('a language model behind an OpenAI-compatible endpoint', () => {
  let server: Server;
  let asked: Asked[];
  let reply: Reply;

  beforeAll(async () => {
    server = createServer((incoming: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        asked.push({
          path: incoming.url,
          authorization: incoming.headers.authorization,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'],
        });
        reply(response);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  beforeEach(() => {
    asked = [];
    reply = saying(JSON.stringify(draft));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const model = (timeoutMs = 4000) =>
    openAiModel({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: KEY,
      model: 'gpt-test',
      timeoutMs,
    });
  const failure = async (timeoutMs?: number): Promise<string> => {
    const composed = await model(timeoutMs).compose(request);
    if (isRight(composed)) throw new Error('composed');
    expect(composed.left).not.toContain(KEY);
    return composed.left;
  };

  test('writes a definition that is valid, under its own name', async () => {
    const composed = await model().compose(request);
    if (isLeft(composed)) throw new Error(composed.left);
    expect(composed.right).toMatchObject({ name: 'Reminder agent', generatedBy: 'gpt-test' });
    expect(definitionErrors(composed.right.definition as JsonObject, 'complete')).toEqual([]);
    expect(JSON.stringify(composed.right.definition)).toContain('"greeting":"Hello!"');
  });

  test('is asked once, with the key, the two texts and a strict schema', async () => {
    await model().compose(request);
    expect(asked).toHaveLength(1);
    const [{ path, authorization, body }] = asked as [Asked];
    expect([path, authorization, body.model]).toEqual(['/v1/chat/completions', `Bearer ${KEY}`, 'gpt-test']);
    expect(body.response_format.type).toBe('json_schema');
    expect(body.response_format.json_schema.strict).toBe(true);
    const open: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
      if (
        type === 'object' &&
        (additionalProperties !== false || (required as string[]).length !== Object.keys(properties as object).length)
      )
        open.push(path);
      for (const [key, value] of Object.entries(schema)) walk(value, `${path}.${key}`);
    };
    walk(body.response_format.json_schema.schema, 'schema');
    expect(open).toEqual([]);
    expect(body.messages.at(-1)?.content).toContain('Remind people');
  });

  test('is shown its own definition and the faults when it must repair', async () => {
    await model().compose(request, { definition: { nodes: [] }, errors: ['no start', 'no end'] });
    const [{ body }] = asked as [Asked];
    expect(body.messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(body.messages.at(-1)?.content).toContain('- no start\n- no end');
  });

  test('may fence its JSON', async () => {
    reply = saying('```json\n' + JSON.stringify(draft) + '\n```');
    const composed = await model().compose(request);
    expect(isRight(composed) && composed.right.name).toBe('Reminder agent');
  });

  test.each(['not json', '[]', '{"nodes": [1], "edges": []}', '{"nodes": {}}'])(
    'that answers %s gives an empty definition, which is then found at fault and repaired',
    async (content) => {
      reply = saying(content);
      const composed = await model().compose(request);
      expect(composed).toMatchObject({ right: { definition: {}, name: 'Reminders - outbound' } });
    },
  );

  test.each([
    [401, /refused the credentials \(401\)/],
    [403, /refused the credentials \(403\)/],
    [404, /does not know the model/],
    [429, /no more requests/],
    [500, /error \(500\)/],
  ])('that answers %d fails with clear words, and is not asked again', async (status, text) => {
    reply = answering(status, { error: { message: `Incorrect API key provided: ${KEY}`, type: 'x', code: 'y' } });
    expect(await failure()).toMatch(text);
    expect(asked).toHaveLength(1);
  });

  test('that declines, is cut off, or says nothing, fails saying so', async () => {
    reply = saying(null, { refusal: 'I will not.' });
    expect(await failure()).toMatch(/declined/);
    reply = saying('{"name": "A', {}, 'length');
    expect(await failure()).toMatch(/cut off/);
    reply = saying('', {}, 'content_filter');
    expect(await failure()).toMatch(/filtered/);
    reply = saying(null);
    expect(await failure()).toMatch(/empty answer/);
    reply = answering(200, {});
    expect(await failure()).toMatch(/empty answer/);
  });

  test('that says nothing in time fails', async () => {
    reply = () => undefined;
    expect(await failure(50)).toMatch(/in time/);
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices": [');
    };
    expect(await failure(200)).toMatch(/in time/);
  });

  test('that breaks the connection fails', async () => {
    reply = (response) => response.destroy();
    expect(await failure()).toMatch(/could not be reached/);
  });

  test('that answers with something else than JSON fails', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('<html>');
    };
    expect(await failure()).toMatch(/cannot be read/);
  });
});
