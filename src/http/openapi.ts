/** The OpenAPI 3.1 document of the route table: what validates is what is documented. */
import type { Codec, Schema } from '../core/codec';
import { answerHeaders, headersOf, requestHeaders } from './openapi-headers';
import { isIdempotent, type Route } from './route';

const Detail: Schema = {
  title: 'Problem',
  type: 'object',
  required: ['detail'],
  properties: { detail: { type: 'string' } },
};
const Fault: Schema = {
  title: 'ValidationFault',
  type: 'object',
  required: ['loc', 'msg', 'type'],
  properties: {
    loc: { type: 'array', items: { type: ['string', 'integer'] } },
    msg: { type: 'string' },
    type: { type: 'string' },
    input: {},
    ctx: { type: 'object' },
  },
};
const DefinitionFaults: Schema = {
  title: 'DefinitionFaults',
  type: 'object',
  required: ['is_valid', 'errors'],
  properties: {
    is_valid: { const: false },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'id', 'field', 'message'],
        properties: {
          kind: { enum: ['node', 'edge', 'workflow'] },
          id: { type: ['string', 'null'] },
          field: { type: ['string', 'null'] },
          message: { type: 'string' },
        },
      },
    },
  },
};
const Invalid: Schema = {
  title: 'ValidationProblem',
  type: 'object',
  required: ['detail'],
  properties: { detail: { anyOf: [{ type: 'array', items: Fault }, DefinitionFaults] } },
};
const Rejected: Schema = {
  title: 'Rejection',
  type: 'object',
  required: ['detail'],
  properties: {
    detail: { type: 'string' },
    message: { type: 'string' },
    errors: {
      type: 'array',
      description: 'Every fault of what was refused, of a contact list the first hundred',
      items: {
        title: 'RejectedRow',
        type: 'object',
        required: ['message'],
        properties: {
          row: {
            type: ['integer', 'null'],
            description: 'Of a contact list, its header being 1; null: the whole list',
          },
          column: { type: ['string', 'null'], description: 'null: the whole row' },
          message: { type: 'string' },
        },
      },
    },
    error_count: { type: 'integer', description: 'How many faults there are in all' },
  },
};
const Conflict: Schema = {
  title: 'Conflict',
  type: 'object',
  required: ['detail'],
  properties: { detail: { anyOf: [{ type: 'string' }, DefinitionFaults] } },
};

const MEANINGS: Readonly<Record<number, string>> = {
  302: 'Elsewhere: follow the Location header',
  400: 'It cannot be accepted as it is',
  401: 'The API key is missing, unknown or archived',
  403: 'The API key lacks the scope',
  404: 'Not found in the organization',
  409: 'It clashes with what exists',
  412: 'If-Match names an older state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Validation failed; every fault is named',
  429: 'Too many calls at once',
  500: 'A mistake of ours',
  502: 'The carrier or the language model did not do its part',
  503: 'An engine is away; try again',
};
const schemaOfStatus = (status: number): Schema =>
  status === 400 ? Rejected : status === 422 ? Invalid : status === 409 ? Conflict : Detail;

/** Statuses that a route may answer besides 200. */
export const failuresOf = (route: Route): readonly number[] =>
  [
    ...new Set([
      ...(route.scope === null ? [] : [401, 403]),
      ...(route.body === undefined ? [] : [400, 413, 415]),
      ...(route.body === undefined && route.params === undefined && route.query === undefined ? [] : [422]),
      ...(isIdempotent(route) ? [409, 422] : []),
      ...(route.failures ?? []),
      500,
      503,
    ]),
  ].sort((a, b) => a - b);

/** Name of an operation: `get_api_v1_campaign_campaign_id`. */
const operationId = (method: string, path: string): string =>
  `${method.toLowerCase()}${path.replaceAll(/[^a-zA-Z0-9]+/g, '_').replace(/_$/, '')}`;

export const openApi = (routes: readonly Route[], publicUrl: string): Schema => {
  const schemas = new Map<string, Schema>();
  const versioned = new Set<unknown>(
    routes.flatMap((r) =>
      r.conditional === true && r.method !== 'DELETE' && 'schema' in r.response ? [r.response.schema] : [],
    ),
  );

  /** The schema with every titled part moved to the components. What is asked and what is answered may share a title: then both keep theirs. */
  const hoist = (value: unknown, use: 'Request' | 'Answer'): unknown => {
    if (Array.isArray(value)) return value.map((v) => hoist(v, use));
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as Schema;
    const inner = Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, k === 'default' ? v : hoist(v, use)]));
    const title = schema.title;
    if (typeof title !== 'string' || schema.type !== 'object') return inner;
    const { default: fallback, ...named } = inner;
    const known = schemas.get(title);
    const name = known === undefined || JSON.stringify(known) === JSON.stringify(named) ? title : `${title}${use}`;
    schemas.set(name, named);
    const ref = { $ref: `#/components/schemas/${name}` };
    return fallback === undefined ? ref : { ...ref, default: fallback };
  };
  const json = (schema: Schema, use: 'Request' | 'Answer', example?: unknown) => ({
    'application/json': { schema: hoist(schema, use), ...(example === undefined ? {} : { example }) },
  });

  const parameters = (codec: Codec<never> | undefined, place: 'path' | 'query') => {
    const { properties = {}, required = [] } = (codec?.schema ?? {}) as {
      properties?: Readonly<Record<string, Schema>>;
      required?: readonly string[];
    };
    return Object.entries(properties).map(([name, schema]) => {
      const { description, ...rest } = schema;
      // A parameter is text, its default too.
      const fallback = rest.contentMediaType === 'application/json' ? { default: JSON.stringify(rest.default) } : {};
      return {
        name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: hoist({ ...rest, ...fallback }, 'Request'),
      };
    });
  };

  const headers = (route: Route, status: number): Schema =>
    headersOf(route, status, 'schema' in route.response && versioned.has(route.response.schema));

  const operation = (route: Route, path: string) => ({
    operationId: operationId(route.method, path),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(path === route.path ? {} : { deprecated: false, 'x-alias-of': route.path }),
    security: route.scope === null ? [] : [{ ApiKey: [] }, { Bearer: [] }],
    ...(route.scope === null ? {} : { 'x-scope': route.scope }),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      { $ref: '#/components/parameters/RequestId' },
      ...(isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(route.conditional === true ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: json(route.body.schema, 'Request', route.example),
          },
        }),
    ...(route.rawBody === true ? { requestBody: { required: true, content: { '*/*': { schema: {} } } } } : {}),
    responses: {
      '200': {
        description: 'OK',
        headers: headers(route, 200),
        content:
          'schema' in route.response
            ? json(route.response.schema, 'Answer')
            : { [route.response.mediaType]: { schema: { type: 'string' } } },
      },
      ...Object.fromEntries(
        failuresOf(route).map((status) => [
          String(status),
          {
            description: MEANINGS[status] ?? 'Refused',
            headers: headers(route, status),
            content: status === 302 ? {} : json(route.otherAnswers?.[status] ?? schemaOfStatus(status), 'Answer'),
          },
        ]),
      ),
    },
  });

  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes)
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      const template = path.replaceAll('+}', '}');
      (paths[template] ??= {})[route.method.toLowerCase()] = operation(route, template);
    }

  return {
    openapi: '3.1.0',
    info: {
      title: 'Ledgerline API',
      version: '1.0.0',
      description:
        'Voice agents, telephony configurations and outbound calling campaigns. Every change is an event; every GET is a fold of events.',
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token; X-API-Key wins' },
      },
      parameters: requestHeaders,
      headers: answerHeaders,
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
};
