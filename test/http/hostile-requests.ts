/**
 * Requests over every operation of the OpenAPI document: mostly near what is wanted, with wrong types, extremes, strange text, deep nesting and
 * repeated parameters in between. Seeded: the same seed, the same requests.
 */
import { wellFormed } from '../../src/core/codec';
import type { OpenApiDocument } from '../support/openapi-check';
import type { RawRequest } from '../support/pipeline';
import type { Random } from '../support/random';

type Schema = Readonly<Record<string, unknown>>;

export interface HostileGround {
  readonly key: string;
  /** Ids that exist, whatever of. */
  readonly ids: readonly number[];
  /** Texts that are good somewhere. */
  readonly texts: readonly string[];
}

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;

/** Values that are seldom what is wanted. */
export const STRANGE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\u202e😀\ufeff',
  "'; DROP TABLE events; --",
  '../../../etc/passwd',
  '{{7*7}}',
  'x'.repeat(70_000),
  '9'.repeat(400),
  [],
  {},
  nested(6),
  nested(120),
  { constructor: { prototype: { polluted: true } } },
  JSON.parse('{"__proto__": {"polluted": true}}'),
];
const STRANGE_IDS = ['0', '-1', '1e3', '9'.repeat(40), '%00', '..', '\u0000', 'NaN', '1.0', ' 1', '٣'];
const STRANGE_QUERIES = ['1', '-1', '[]', '{}', '[{"attribute":"status"}]', '[1', '1e999', 'true', ''];
const STRANGE_BODIES = ['', '{', '[]', 'null', '"text"', '{"a":1,}', '\ufeff{}', '{"a":1}{"b":2}', 'NaN', '\u0000'];

export const hostileRequests = (
  document: OpenApiDocument,
  ground: HostileGround,
  random: Random,
): (() => RawRequest & { readonly operation: string }) => {
  const pick = <T>(values: readonly T[]): T => values[random.int(0, values.length - 1)] as T;

  const anyText = (longest: number): string => {
    let text = '';
    for (let left = random.int(0, longest); left > 0; left--)
      text += random.chance(0.7)
        ? String.fromCharCode(random.int(32, 126))
        : String.fromCodePoint(
            pick([random.int(0, 0xd7ff), random.int(0xe000, 0xffff), random.int(0x10000, 0x10ffff)]),
          );
    return text;
  };
  const anyJson = (depth: number): unknown => {
    const kind = random.int(0, depth > 0 ? 6 : 4);
    if (kind === 0) return null;
    if (kind === 1) return random.chance(0.5);
    if (kind === 2) return random.int(-1_000_000, 1_000_000) / pick([1, 1, 7]);
    if (kind < 5) return anyText(12);
    const size = random.int(0, 4);
    return kind === 5
      ? Array.from({ length: size }, () => anyJson(depth - 1))
      : Object.fromEntries(Array.from({ length: size }, () => [anyText(8), anyJson(depth - 1)]));
  };
  const strange = (): unknown => (random.chance(0.6) ? pick(STRANGE) : random.chance(0.5) ? anyJson(3) : anyText(30));

  const good = (schema: Schema, depth: number): unknown => {
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return pick(schema['enum'] as unknown[]);
    switch (schema['type']) {
      case 'object': {
        const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
        if (properties.length === 0) return anyJson(2);
        const required = new Set((schema['required'] ?? []) as string[]);
        const whole = random.chance(0.9);
        return Object.fromEntries(
          properties
            .filter(([name]) => (required.has(name) ? whole || random.chance(0.6) : random.chance(0.4)))
            .map(([name, s]) => [name, valueOf(s, depth + 1)]),
        );
      }
      case 'array':
        return Array.from({ length: random.int(0, 5) }, () =>
          valueOf(schema['items'] as Schema | undefined, depth + 1),
        );
      case 'integer':
        return random.chance(0.5) ? random.int(-2, 120) : pick(ground.ids);
      case 'number':
        return random.chance(0.5) ? random.next() : random.int(-10, 1000);
      case 'boolean':
        return random.chance(0.5);
      case 'string':
        return random.chance(0.5) ? anyText(20) : pick(ground.texts);
      default:
        return anyJson(2);
    }
  };
  /** A value of the schema; now and then a strange one in its place, or in the place of a part. */
  const valueOf = (schema: Schema | undefined, depth = 0): unknown => {
    if (schema === undefined || depth > 8 || random.chance(0.04)) return strange();
    if (typeof schema['$ref'] === 'string')
      return valueOf(document.components.schemas[schema['$ref'].replace('#/components/schemas/', '')], depth + 1);
    const either = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
    return either === undefined ? good(schema, depth) : valueOf(pick(either), depth + 1);
  };

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, unknown>).flatMap(([method, operation]) => {
      const { parameters, requestBody } = operation as {
        parameters: readonly { readonly in?: string; readonly name?: string }[];
        requestBody?: {
          readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: unknown } };
        };
      };
      const query = parameters.flatMap((p) => (p.in === 'query' && p.name !== undefined ? [p.name] : []));
      const json = requestBody?.content['application/json'];
      // What would end the run for everybody else.
      return path.includes('api-keys/{') ? [] : [{ method: method.toUpperCase(), path, query, json }];
    }),
  );

  const idText = (): string => {
    if (random.chance(0.7)) return String(random.chance(0.5) ? pick(ground.ids) : random.int(0, 12));
    const text = random.chance(0.5) ? anyText(12) : pick(STRANGE_IDS);
    return text === '' || !wellFormed(text) ? 'x' : text;
  };
  const mutated = (example: unknown): unknown => {
    if (example === null || typeof example !== 'object' || Array.isArray(example) || random.chance(0.3)) return example;
    const entries = Object.entries(example);
    const at = random.int(0, entries.length - 1);
    return Object.fromEntries(
      entries.map(([k, v], i) => [k, i === at ? (random.chance(0.5) ? mutated(v) : strange()) : v]),
    );
  };
  const bodyOf = (json: (typeof operations)[number]['json']): string | null => {
    if (json === undefined) return null;
    if (random.chance(0.04)) return random.chance(0.5) ? pick(STRANGE_BODIES) : anyText(40);
    return JSON.stringify(
      json.example !== undefined && random.chance(0.3) ? mutated(json.example) : valueOf(json.schema),
    );
  };

  return () => {
    const { method, path, query, json } = pick(operations);
    const search = new URLSearchParams(
      Array.from({ length: random.chance(0.4) ? random.int(1, 4) : 0 }, (): [string, string] => [
        query.length === 0 || random.chance(0.1) ? anyText(6) : pick(query),
        random.chance(0.4) ? anyText(12) : pick(STRANGE_QUERIES),
      ]),
    ).toString();
    const body = bodyOf(json);
    return {
      operation: `${method} ${path}`,
      method,
      target: `${path.replaceAll(/\{\w+\+?\}/g, () => encodeURIComponent(idText()))}${search === '' ? '' : `?${search}`}`,
      headers: {
        'X-API-Key': random.chance(0.01) ? 'llk_wrong' : ground.key,
        ...(body === null ? {} : { 'Content-Type': random.chance(0.01) ? 'text/plain' : 'application/json' }),
        ...(random.chance(0.1) ? { 'Idempotency-Key': pick(['a', 'b', 'c', 'd e', `k${random.int(0, 1e9)}`]) } : {}),
        ...(random.chance(0.1) ? { 'If-Match': pick(['"0"', '*', 'x', '""']) } : {}),
      },
      body,
    };
  };
};
