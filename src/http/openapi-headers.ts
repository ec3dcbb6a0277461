/** Headers of requests and answers, for the OpenAPI document. */
import type { Schema } from '../core/codec';
import { ACCEPTED_ID } from './middleware';
import { IDEMPOTENCY_KEY, isIdempotent, type Route } from './route';

const text = (description: string, schema: Schema = { type: 'string' }): Schema => ({ description, schema });

/** Headers of answers, by the name of their component. */
export const answerHeaders: Readonly<Record<string, Schema>> = {
  RequestId: text(
    'The `X-Request-Id` of the request where that is usable, else one made up; every event that it caused carries it',
  ),
  ETag: text('The state of the resource that is shown, for `If-Match`; counters do not change it', {
    type: 'string',
    examples: ['"00000000000000000042"'],
  }),
  IdempotencyReplayed: text('There on a repeat under the same Idempotency-Key: this is the first answer again', {
    const: 'true',
  }),
  RetryAfter: text('Seconds to wait before the request is repeated', { type: 'integer' }),
  Location: text('Where it is', { type: 'string', format: 'uri' }),
  ContentDisposition: text('The name of the file'),
};

const parameter = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

/** Headers of requests, by the name of their component. */
export const requestHeaders: Readonly<Record<string, Schema>> = {
  RequestId: parameter('X-Request-Id', 'A name for this request; one of another form is replaced', {
    type: 'string',
    pattern: ACCEPTED_ID.source,
  }),
  IdempotencyKey: parameter('Idempotency-Key', 'Same key and body: the first answer again. Same key, other body: 422', {
    type: 'string',
    pattern: IDEMPOTENCY_KEY.source,
  }),
  IfMatch: parameter(
    'If-Match',
    'The ETag of the state that this change is meant for, several, or `*`; another one: 412',
    {
      type: 'string',
    },
  ),
};

const REFERENCES: Readonly<Record<string, string>> = {
  RequestId: 'X-Request-Id',
  ETag: 'ETag',
  IdempotencyReplayed: 'Idempotency-Replayed',
  RetryAfter: 'Retry-After',
  Location: 'Location',
  ContentDisposition: 'Content-Disposition',
};

/** The headers of an answer with this status; `versioned`: what a 200 shows is a resource that is changed under `If-Match`. */
export const headersOf = (route: Route, status: number, versioned: boolean): Schema => {
  const isFile = 'mediaType' in route.response && route.response.mediaType === 'text/csv';
  const names = [
    'RequestId',
    ...(status === 200 && versioned ? ['ETag'] : []),
    ...(status === 200 && isIdempotent(route) ? ['IdempotencyReplayed'] : []),
    ...(status === 200 && isFile ? ['ContentDisposition'] : []),
    ...(status === 302 ? ['Location'] : []),
    ...(status === 429 || status === 503 ? ['RetryAfter'] : []),
  ];
  return Object.fromEntries(names.map((name) => [REFERENCES[name], { $ref: `#/components/headers/${name}` }]));
};
