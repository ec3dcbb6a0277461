/**
 * Generated requests over every route of the document: wrong types, extremes, strange text, deep nesting, repeated parameters. The whole run of a
 * hundred thousand: HOSTILE_REQUESTS=100000 npx jest --selectProjects suites --testPathPatterns test/http/hostile
 */
import { right } from 'fp-ts/Either';
import fc from 'fast-check';
import { wellFormed } from '../../src/core/codec';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { definition, furnish, makeCampaign, type Furnished } from './furnish';
import { STRANGE } from './hostile-requests';

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 400);
const SEED = Number(process.env.HOSTILE_SEED ?? 20260714);

let world: HttpWorld;
let client: Client;
let ground: Furnished;
let campaign: number;
beforeAll(async () => {
  world = await startHttp({
    languageModel: { compose: async () => right({ name: 'M', definition: definition('Hi.'), generatedBy: 'm' }) },
    carrierAccounts: {
      check: async () => right(null),
      createApplication: async () => right('app'),
      ownsNumber: async () => right(null),
      routeNumber: async () => right(null),
    },
  });
  client = await world.client();
  ground = await furnish(client);
  campaign = await makeCampaign(client, ground);
});
afterAll(() => world.close());

type Schema = Readonly<Record<string, unknown>>;

/** Values that are seldom what is wanted. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...STRANGE),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** A value of the schema, now and then a strange one in its place or in the place of a part. */
const valueOf = (schema: Schema | undefined, depth = 0): fc.Arbitrary<unknown> => {
  if (schema === undefined || depth > 8) return strange;
  if (typeof schema.$ref === 'string')
    return valueOf(world.document.components.schemas[schema.$ref.replace('#/components/schemas/', '')], depth + 1);
  const either = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (either !== undefined) return fc.oneof(...either.map((s) => valueOf(s, depth + 1)));
  const good = ((): fc.Arbitrary<unknown> => {
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    switch (schema.type) {
      case 'object': {
        const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
        if (properties.length === 0)
          return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
        return fc.record(Object.fromEntries(properties.map(([name, s]) => [name, valueOf(s, depth + 1)])), {
          requiredKeys: fc.sample(fc.boolean(), 1)[0] === true ? [] : ((schema.required ?? []) as string[]),
        });
      }
      case 'array':
        return fc.array(valueOf(schema.items as Schema | undefined, depth + 1), { maxLength: 6 });
      case 'integer':
        return fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constantFrom(campaign, ground.agent, ground.config));
      case 'number':
        return fc.double({ noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'string':
        return fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.constantFrom('csv', ground.source, '+14155550100', 'UTC', '09:00', 'a.csv'),
        );
      default:
        return strange;
    }
  })();
  return fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: strange });
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: Schema | undefined;
}
const operationsOf = (): readonly Operation[] =>
  Object.entries(world.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, unknown>).flatMap(([method, operation]) => {
      const { parameters, requestBody } = operation as {
        parameters: readonly { readonly in?: string; readonly name?: string }[];
        requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } };
      };
      const query = parameters.flatMap((p) => (p.in === 'query' && p.name !== undefined ? [p.name] : []));
      const body = requestBody?.content['application/json']?.schema;
      // What ends the run for everybody else.
      return path.includes('api-keys/{') ? [] : [{ method: method.toUpperCase(), path, query, body }];
    }),
  );

const idText = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 12 }).map(String) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter(wellFormed) },
  { weight: 1, arbitrary: fc.constantFrom('0', '-1', '1e3', '9'.repeat(40), '%00', '..', '\u0000') },
);

const requestOf = (operation: Operation) => {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((m) => m[1] as string);
  return fc.record({
    operation: fc.constant(operation),
    ids: fc.tuple(...names.map(() => idText)),
    query: fc.array(
      fc.tuple(
        operation.query.length === 0 ? fc.string({ maxLength: 6 }) : fc.constantFrom(...operation.query),
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 12 }),
          fc.constantFrom('1', '-1', '[]', '{}', '[{"attribute":"status"}]', '[1', '1e999'),
        ),
      ),
      { maxLength: 4 },
    ),
    body:
      operation.body === undefined
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 12, arbitrary: valueOf(operation.body).map((v) => JSON.stringify(v) ?? '') },
            { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).filter(wellFormed) },
          ),
    idempotencyKey: fc.option(fc.constantFrom('a', 'b', 'c', 'd e'), { freq: 8, nil: undefined }),
    ifMatch: fc.option(fc.constantFrom('"0"', '*', 'x', '""'), { freq: 8, nil: undefined }),
  });
};

describe('hostile requests', () => {
  it(
    'are never answered with 5xx, never hang, and leave no trace in the ledger when they are refused',
    async () => {
      const requests = fc.constantFrom(...operationsOf()).chain(requestOf);
      const seen = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(requests, async ({ operation, ids, query, body, idempotencyKey, ifMatch }) => {
          let next = 0;
          const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids[next++] ?? ''));
          const search = new URLSearchParams(
            query.map(([k, v]): [string, string] => [k, wellFormed(v) ? v : '\ufffd']),
          );
          const before = await world.head();
          const answer = await fetch(`${world.url}${path}?${search}`, {
            method: operation.method,
            redirect: 'manual',
            headers: {
              'X-API-Key': client.key,
              ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
              ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
              ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
            },
            ...(body === undefined ? {} : { body }),
            signal: AbortSignal.timeout(20_000),
          });
          const text = await answer.text();
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          if (answer.status >= 500)
            throw new Error(`${operation.method} ${path} ${body ?? ''} answered ${answer.status} ${text}`);
          if (answer.status >= 400) {
            expect(await world.head()).toBe(before);
            expect(() => JSON.parse(text) as unknown).not.toThrow();
          }
        }),
        { numRuns: REQUESTS, seed: SEED, endOnFailure: true },
      );
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      // Both kinds of answers were among them.
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 404, 422]));
      expect((await client.get('/api/v1/workflow/count')).status).toBe(200);
    },
    Math.max(60_000, REQUESTS * 50),
  );
});
