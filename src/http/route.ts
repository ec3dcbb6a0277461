/** Routes are data: the router mounts them, the OpenAPI document is made from them, tests walk them. */
import { right, type Either } from 'fp-ts/Either';
import type { Context } from 'koa';
import type { Codec, Schema } from '../core/codec';
import type { Failure } from '../core/failure';
import type { OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { Scope } from '../domain/api-key/events';
import type { CommandContext } from '../engine/execute';
import type { Commands } from './commands';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who calls: one API key. */
export interface Caller {
  readonly org: OrganizationId;
  readonly keyId: number;
  /** null: all. */
  readonly scopes: readonly Scope[] | null;
}

/** A decoded request. */
export interface OpenRequest<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The request id, as in the answer's `X-Request-Id`. */
  readonly id: string;
  /** For what is not JSON: streams, headers. */
  readonly koa: Context;
}

export interface KeyedRequest<P, Q, B> extends OpenRequest<P, Q, B> {
  readonly org: OrganizationId;
  readonly caller: Caller;
  /** Provenance of the events that it causes. */
  readonly context: CommandContext;
  readonly commands: Commands;
}

/** A good answer. */
export interface Reply {
  readonly status?: number;
  /** JSON, or text and streams with `type`. */
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Position of the last event that changed the resource itself; becomes the ETag. */
  readonly etag?: Position | undefined;
}
export type Handled = Either<Failure, Reply>;

/** A JSON answer with status 200. */
export const ok = (body: unknown, etag?: Position): Handled => right({ body, etag });

interface Shape<P, Q, B> {
  readonly method: Method;
  /** In OpenAPI's notation: `/api/v1/campaign/{campaign_id}`. */
  readonly path: string;
  /** Other paths that answer the same. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Codec<P>;
  readonly query?: Codec<Q>;
  readonly body?: Codec<B>;
  /** The body may be left out; it then decodes as `{}`. */
  readonly bodyOptional?: boolean;
  /** The body is bytes of any type, which the handler reads itself. */
  readonly rawBody?: boolean;
  /** It honours `If-Match`. */
  readonly conditional?: boolean;
  /** Fields of the body whose values no fault may show. */
  readonly secrets?: ReadonlySet<string>;
  /** A body that runs as it stands, for the document. */
  readonly example?: unknown;
  /** JSON Schema of the 200, or its media type where it is not JSON. */
  readonly response: { readonly schema: Schema } | { readonly mediaType: string };
  /** What of a good answer a repeat under the same Idempotency-Key may see; absent: all of it. */
  readonly remembered?: (body: unknown) => unknown;
  /** Statuses besides 200, 401, 403, 422, 500 and 503 that it may answer. */
  readonly failures?: readonly number[];
  /** Bodies by status where they are not the usual ones. */
  readonly otherAnswers?: Readonly<Record<number, Schema>>;
}

export interface KeyedRoute<P, Q, B> extends Shape<P, Q, B> {
  readonly scope: Scope;
  readonly handle: (request: KeyedRequest<P, Q, B>) => Promise<Handled>;
}
/** Answers without an API key. */
export interface OpenRoute<P, Q, B> extends Shape<P, Q, B> {
  readonly scope: null;
  readonly handle: (request: OpenRequest<P, Q, B>) => Promise<Handled>;
}

export type Route = KeyedRoute<never, never, never> | OpenRoute<never, never, never>;

/** States a route; its codecs give the types of its handler. */
export const route = <P = undefined, Q = undefined, B = undefined>(
  r: KeyedRoute<P, Q, B> | OpenRoute<P, Q, B>,
): Route => r as unknown as Route;

/** Whether an Idempotency-Key is heeded. */
export const isIdempotent = (route: Pick<Route, 'method' | 'scope'>): boolean =>
  route.method === 'POST' && route.scope !== null;

/** What an Idempotency-Key is made of: visible ASCII. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
