import { Script } from 'node:vm';
import { failuresOf } from '../../src/http/openapi';
import { answerOf, startHttp, type Client, type HttpWorld } from '../support/http';
import { faultsOf } from '../support/openapi-check';

let world: HttpWorld;
let client: Client;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
});
afterAll(() => world.close());

type Node = Readonly<Record<string, unknown>>;
const walk = (value: unknown, visit: (node: Node, path: string) => void, path = '#'): void => {
  if (Array.isArray(value)) value.forEach((v, i) => walk(v, visit, `${path}/${i}`));
  else if (typeof value === 'object' && value !== null) {
    visit(value as Node, path);
    for (const [key, inner] of Object.entries(value)) walk(inner, visit, `${path}/${key}`);
  }
};

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Node; readonly example?: unknown } };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}
const operations = (): readonly { readonly path: string; readonly method: string; readonly operation: Operation }[] =>
  Object.entries(world.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Operation,
    })),
  );

/** Every endpoint that the contract names, and those that it refers to. */
const CONTRACT = `
POST /api/v1/organizations/telephony-configs
GET /api/v1/organizations/telephony-configs
GET /api/v1/organizations/telephony-configs/{config_id}
PUT /api/v1/organizations/telephony-configs/{config_id}
DELETE /api/v1/organizations/telephony-configs/{config_id}
POST /api/v1/organizations/telephony-configs/{config_id}/set-default-outbound
POST /api/v1/organizations/telephony-configs/{config_id}/reactivate
GET /api/v1/organizations/telephony-configs/{config_id}/trunks
POST /api/v1/organizations/telephony-configs/{config_id}/trunks
PUT /api/v1/organizations/telephony-configs/{config_id}/trunks/{trunk_id}
DELETE /api/v1/organizations/telephony-configs/{config_id}/trunks/{trunk_id}
GET /api/v1/organizations/telephony-configs/{config_id}/phone-numbers
POST /api/v1/organizations/telephony-configs/{config_id}/phone-numbers
GET /api/v1/organizations/telephony-configs/{config_id}/phone-numbers/{phone_number_id}
PUT /api/v1/organizations/telephony-configs/{config_id}/phone-numbers/{phone_number_id}
DELETE /api/v1/organizations/telephony-configs/{config_id}/phone-numbers/{phone_number_id}
POST /api/v1/organizations/telephony-configs/{config_id}/phone-numbers/{phone_number_id}/set-default-caller
GET /api/v1/organizations/telephony-providers/metadata
GET /api/v1/organizations/telephony-config-warnings
GET /api/v1/organizations/campaign-defaults
POST /api/v1/s3/presigned-upload-url
GET /api/v1/s3/signed-url
GET /api/v1/s3/file-metadata
POST /api/v1/workflow/create/definition
POST /api/v1/workflow/create/template
GET /api/v1/workflow/fetch
GET /api/v1/workflow/fetch/{workflow_id}
GET /api/v1/workflow/count
GET /api/v1/workflow/summary
PUT /api/v1/workflow/{workflow_id}
PUT /api/v1/workflow/{workflow_id}/status
POST /api/v1/workflow/{workflow_id}/validate
POST /api/v1/workflow/{workflow_id}/publish
POST /api/v1/workflow/{workflow_id}/create-draft
POST /api/v1/workflow/{workflow_id}/duplicate
GET /api/v1/workflow/{workflow_id}/versions
GET /api/v1/workflow/{workflow_id}/version-summaries
PATCH /api/v1/workflow/{workflow_id}/versions/{definition_id}/metadata
GET /api/v1/workflow/{workflow_id}/runs
GET /api/v1/workflow/{workflow_id}/runs/{run_id}
GET /api/v1/workflow/{workflow_id}/report
GET /api/v1/node-types
GET /api/v1/node-types/{name}
POST /api/v1/campaign/create
GET /api/v1/campaign
GET /api/v1/campaign/{campaign_id}
PATCH /api/v1/campaign/{campaign_id}
POST /api/v1/campaign/{campaign_id}/start
POST /api/v1/campaign/{campaign_id}/pause
POST /api/v1/campaign/{campaign_id}/resume
POST /api/v1/campaign/{campaign_id}/redial
GET /api/v1/campaign/{campaign_id}/runs
GET /api/v1/campaign/{campaign_id}/progress
GET /api/v1/campaign/{campaign_id}/traffic-stats
GET /api/v1/campaign/{campaign_id}/report
GET /api/v1/campaign/{campaign_id}/source-download-url
POST /api/v1/telephony/initiate-call
GET /api/v1/user/api-keys
POST /api/v1/user/api-keys
DELETE /api/v1/user/api-keys/{api_key_id}
PUT /api/v1/user/api-keys/{api_key_id}/reactivate
GET /user/api-keys
POST /user/api-keys
DELETE /user/api-keys/{api_key_id}
PUT /user/api-keys/{api_key_id}/reactivate
GET /health
GET /ready
GET /metrics
GET /docs
GET /api/v1/openapi.json
`
  .trim()
  .split('\n');

describe('the OpenAPI document', () => {
  it('is 3.1, without a key, and whole: every reference resolves', () => {
    const document = world.document as unknown as { openapi: string };
    expect(document.openapi).toBe('3.1.0');
    const broken: string[] = [];
    walk(document, ({ $ref }, path) => {
      if (typeof $ref !== 'string') return;
      const found = $ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, part) => (at as Node | undefined)?.[part], document);
      if (found === undefined) broken.push(`${path}: ${$ref}`);
    });
    expect(broken).toEqual([]);
  });

  it('has every endpoint of the contract', () => {
    const listed = new Set(operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`));
    expect(CONTRACT.filter((endpoint) => !listed.has(endpoint))).toEqual([]);
    expect(CONTRACT.length).toBeGreaterThan(60);
  });

  it('names each operation once, with a summary, its path parameters, its failures and who may call it', () => {
    const all = operations();
    expect(new Set(all.map((o) => o.operation.operationId)).size).toBe(all.length);
    for (const { path, method, operation } of all) {
      expect([path, operation.summary.length > 5, operation.tags.length]).toEqual([path, true, 1]);
      const named = operation.parameters.filter((p) => p.in === 'path').map((p) => p.name);
      expect([path, named]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1])]);
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(['200', '500', '503']));
      if (operation.security.length > 0) expect(statuses).toEqual(expect.arrayContaining(['401', '403']));
      const posts = method === 'post' && operation.security.length > 0;
      expect([path, JSON.stringify(operation.parameters).includes('IdempotencyKey')]).toEqual([path, posts]);
    }
  });

  it('names the headers of every answer, and of every request', () => {
    const named = (headers: unknown): string[] => Object.keys(headers as object).sort();
    for (const { path, method, operation } of operations()) {
      const asked = operation.parameters.flatMap((p) => p.$ref?.replace('#/components/parameters/', '') ?? []);
      expect([path, asked[0]]).toEqual([path, 'RequestId']);
      // What may be changed under If-Match tells the ETag for it.
      if (asked.includes('IfMatch'))
        expect([path, operation.responses]).toMatchObject([
          path,
          method === 'delete' ? { 412: {} } : { 200: { headers: { ETag: {} } }, 412: {} },
        ]);
      for (const [status, { headers }] of Object.entries(operation.responses as Record<string, { headers: unknown }>)) {
        expect(named(headers)).toContain('X-Request-Id');
        expect([path, named(headers).includes('Retry-After')]).toEqual([path, status === '503' || status === '429']);
      }
    }
    const create = operations().find((o) => o.path === '/api/v1/campaign/create')?.operation.responses['200'];
    expect(named((create as { headers: unknown }).headers)).toEqual(['ETag', 'Idempotency-Replayed', 'X-Request-Id']);
  });

  it('has If-Match for every change of a resource that has a state of its own', () => {
    const changes = operations().filter(
      ({ method, operation }) => ['patch', 'put', 'delete'].includes(method) && operation.security.length > 0,
    );
    expect(changes.length).toBeGreaterThan(12);
    const without = changes.filter(({ operation }) => !JSON.stringify(operation.parameters).includes('IfMatch'));
    // A key has two states, and asking for the one that it is in is fine.
    expect(without.map((o) => o.path).filter((path) => !path.includes('/api-keys/'))).toEqual([]);
  });

  it('gives bodies that fit their own schemas as examples', () => {
    const bodies = operations().flatMap(({ path, method, operation }) => {
      const content = operation.requestBody?.content['application/json'];
      return content === undefined ? [] : [{ name: `${method} ${path}`, ...content }];
    });
    expect(bodies.length).toBeGreaterThan(12);
    for (const { name, schema, example } of bodies)
      expect([
        name,
        example === undefined ? ['no example'] : faultsOf(world.document, schema as never, example),
      ]).toEqual([name, []]);
  });

  it('gives defaults that fit their own schemas', () => {
    const misfits: unknown[] = [];
    let seen = 0;
    walk(world.document, (node, path) => {
      if (path.endsWith('/properties') || node['default'] === undefined) return;
      seen += 1;
      const faults = faultsOf(world.document, node as never, node['default']);
      if (faults.length > 0) misfits.push([path, ...faults]);
    });
    expect([seen > 50, misfits]).toEqual([true, []]);
  });

  it('is the same as what the server does: every path answers, every listed method and no other', async () => {
    for (const path of Object.keys(world.document.paths)) {
      const url = `${world.url}${path.replaceAll(/\{\w+\}/g, '1')}`;
      // A path without parameters may also be one of those that a path with parameters stands for.
      const fits = (template: string): boolean =>
        new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replaceAll(/\{\w+\}/g, '1'));
      const listed = Object.entries(world.document.paths).flatMap(([template, methods]) =>
        fits(template) ? Object.keys(methods) : [],
      );
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        const { body } = await answerOf(await fetch(url, { method: method.toUpperCase() }));
        const unknown = ['Not Found', 'Method Not Allowed'].includes(body.detail);
        expect([method, path, unknown]).toEqual([method, path, !listed.includes(method)]);
      }
    }
  });

  it('knows what fails where', () => {
    expect(failuresOf({ method: 'GET', scope: null } as never)).toEqual([500, 503]);
  });
});

describe('the page at /docs', () => {
  it('works offline: it loads nothing but the document, and says so to the browser', async () => {
    const page = await fetch(`${world.url}/docs`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; connect-src 'self'");
    expect(html.match(/(?:src|href)="(?!data:)[^"]*"/g)).toBeNull();
    expect(html).not.toContain('http://');
    expect(html).not.toContain('https://');
  });

  it('has a script that compiles', async () => {
    const html = await (await fetch(`${world.url}/docs`)).text();
    const source = /<script>([^]*)<\/script>/.exec(html)?.[1] ?? '';
    expect(source.length).toBeGreaterThan(1000);
    expect(() => new Script(source)).not.toThrow();
  });

  it('reads a document that an answer of the API fits', async () => {
    const { body } = await answerOf(await fetch(`${world.url}/api/v1/openapi.json`));
    expect(body.paths['/api/v1/workflow/count'].get.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/AgentCount',
    });
    expect((await client.get('/api/v1/workflow/count')).status).toBe(200);
  });
});
