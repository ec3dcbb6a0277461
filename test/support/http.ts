/**
 * A started HTTP server over a platform in a temporary folder, its read models kept up to date, and a client that holds a key. Every answer that
 * a client gets is held to the OpenAPI document.
 */
import { isLeft, left } from 'fp-ts/Either';
import { projections, runProjections } from '../../projections';
import { apiKeysStream, organizationStream } from '../../src/core/ids';
import { apiKeyDecider } from '../../src/domain/api-key/decider';
import { hashKey, makeKey, prefixOf } from '../../src/domain/api-key/key';
import type { Scope } from '../../src/domain/api-key/events';
import { organizationDecider } from '../../src/domain/organization/decider';
import { createHttpServer, type HttpOptions } from '../../src/http/server';
import { answerFaults, type OpenApiDocument } from './openapi-check';
import { testPlatform, type TestPlatform, type TestPlatformOptions } from './platform';

// Each write is on disk before it is answered; a busy machine may take its time over that.
jest.setTimeout(30_000);

export interface Answer {
  readonly status: number;
  // Tests look into answers freely; a wrong path is a failing test.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

export interface Client {
  readonly org: number;
  readonly key: string;
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export interface HttpWorld {
  readonly platform: TestPlatform;
  readonly document: OpenApiDocument;
  readonly url: string;
  /** A client of a new organization, or of `org` with a new key. */
  client(options?: { readonly org?: number; readonly scopes?: readonly Scope[] }): Promise<Client>;
  /** A client with whatever key. */
  clientWith(key: string, org?: number): Client;
  /** Waits until every read model shows what is stored. */
  caughtUp(): Promise<void>;
  /** Position of the ledger's last event: unchanged where nothing may be stored. */
  head(): Promise<string>;
  close(): Promise<void>;
}

export const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // not JSON: the text is what there is
  }
  return { status: response.status, body, text, headers: response.headers };
};

export const startHttp = async (
  options: Partial<HttpOptions> = {},
  platformOptions: TestPlatformOptions = {},
): Promise<HttpWorld> => {
  let url = '';
  const platform = await testPlatform({ publicUrl: () => url, ...platformOptions });
  const runner = runProjections(platform, projections);
  const server = createHttpServer(platform, {
    dialer: null,
    languageModel: { compose: async () => left('no model') },
    signedAccess: platform.objects,
    bodyLimitBytes: 1_048_576,
    uploadMaxBytes: 10_485_760,
    publicUrl: 'http://localhost',
    readiness: async () => runner.status(),
    consumers: projections.map((p) => p.name),
    onlyProcess: true,
    ...options,
  });
  const { port } = await server.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${port}`;

  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as OpenApiDocument;

  const clientWith = (key: string, org = 0): Client => {
    const request: Client['request'] = async (method, path, body, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'X-API-Key': key,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const answer = await answerOf(response);
      const type = (answer.headers.get('content-type') ?? '').replace(/;.*/, '');
      const faults = answerFaults(document, { method, path: path.replace(/\?.*/, '') }, { ...answer, type });
      if (faults.length > 0)
        throw new Error(
          `${method} ${path} answered ${answer.status}, which the document does not know: ${faults.join('; ')}`,
        );
      return answer;
    };
    return {
      org,
      key,
      request,
      get: (path) => request('GET', path),
      post: (path, body, headers) => request('POST', path, body, headers),
      put: (path, body, headers) => request('PUT', path, body, headers),
      patch: (path, body, headers) => request('PATCH', path, body, headers),
      delete: (path) => request('DELETE', path),
    };
  };

  const nextId = async (kind: 'organization' | 'api_key'): Promise<number> => {
    const id = await platform.sequences.next(kind);
    if (isLeft(id)) throw new Error(id.left.kind);
    return id.right;
  };

  return {
    platform,
    document,
    url,
    clientWith,
    client: async ({ org: given, scopes = null } = {} as never) => {
      const org = given ?? (await nextId('organization'));
      const context = { actor: 'test' };
      if (given === undefined)
        await platform.execute.run(
          organizationDecider,
          organizationStream(org),
          { type: 'CreateOrganization', organizationId: org, name: `Organization ${org}` },
          context,
        );
      const key = makeKey();
      const created = await platform.execute.run(
        apiKeyDecider,
        apiKeysStream(org),
        {
          type: 'CreateApiKey',
          apiKeyId: await nextId('api_key'),
          name: 'test',
          keyPrefix: prefixOf(key),
          keyHash: hashKey(key),
          scopes,
          creatorScopes: null,
        },
        context,
      );
      if (isLeft(created)) throw new Error(created.left.kind);
      const visible = await platform.progress.wait(
        projections.map((p) => p.name),
        await platform.events.head(),
        5000,
      );
      if (!visible) throw new Error('the read models did not follow');
      return clientWith(key, org);
    },
    caughtUp: () => runner.caughtUp(),
    head: () => platform.events.head(),
    close: async () => {
      await server.close(500);
      await runner.stop();
      await platform.dispose();
    },
  };
};
