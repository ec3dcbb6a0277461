/** What every request passes, whatever its route: id, log, metrics, problem, limits. server.ts lists them in order. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { Histogram, type Registry } from 'prom-client';
import type { Logger } from '../engine/telemetry';
import { problemOf, Refusal, type HttpFailure } from './problem';
import type { Caller } from './route';

/** What the middlewares of one request tell each other. */
export interface RequestState {
  id: string;
  /** Path pattern of the route; never the URL, which may carry a signature. */
  route?: string;
  caller?: Caller;
  campaign?: number;
}

/** An `X-Request-Id` that is taken over. */
export const ACCEPTED_ID = /^[\w.:-]{1,64}$/;

/** The name of a request: the one given where it is usable, else a new one. */
export const requestIdOf = (given: string): string => (ACCEPTED_ID.test(given) ? given : randomUUID());

/** Takes over a sane `X-Request-Id`, or makes one; answers it. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  ctx.state.id = requestIdOf(ctx.get('X-Request-Id'));
  ctx.set('X-Request-Id', ctx.state.id);
  return next();
};

/**
 * Lets pages of other origins call: keys travel in a header that a page must know, never in a cookie, so there is nothing that a foreign page
 * could borrow. Preflights (Fetch standard) are answered here.
 */
export const crossOrigin: Middleware<RequestState> = async (ctx, next) => {
  ctx.set('Access-Control-Allow-Origin', '*');
  if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
    ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    ctx.set('Access-Control-Allow-Headers', ctx.get('Access-Control-Request-Headers'));
    ctx.set('Access-Control-Max-Age', '600');
    ctx.status = 204;
    return;
  }
  ctx.set(
    'Access-Control-Expose-Headers',
    'Content-Disposition, ETag, Idempotency-Replayed, Retry-After, X-Request-Id',
  );
  await next();
};

/** What machines ask every few seconds: nobody wants to read of it while all is well. */
const PROBES = new Set(['/health', '/ready', '/metrics']);

/** One line per request: ids only, no URL, header or body. */
export const requestLog =
  (log: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    const begun = process.hrtime.bigint();
    try {
      await next();
    } finally {
      const { id, route, caller, campaign } = ctx.state;
      log[ctx.status >= 500 ? 'warn' : PROBES.has(route ?? '') ? 'debug' : 'info'](
        {
          request_id: id,
          method: ctx.method,
          route: route ?? null,
          status: ctx.status,
          ms: Math.round(Number(process.hrtime.bigint() - begun) / 1e4) / 100,
          ...(caller === undefined ? {} : { org: caller.org, api_key_id: caller.keyId }),
          ...(campaign === undefined ? {} : { campaign }),
        },
        'request',
      );
    }
  };

const DURATION = 'http_request_duration_seconds';

/** Duration by method, route pattern and status. */
export const requestMetrics = (registry: Registry): Middleware<RequestState> => {
  const known = registry.getSingleMetric(DURATION) as Histogram<'method' | 'route' | 'status'> | undefined;
  const durations =
    known ??
    new Histogram({
      name: DURATION,
      help: 'Duration of HTTP requests',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
  return async (ctx, next) => {
    const begun = process.hrtime.bigint();
    try {
      await next();
    } finally {
      durations.observe(
        { method: ctx.method, route: ctx.state.route ?? 'none', status: String(ctx.status) },
        Number(process.hrtime.bigint() - begun) / 1e9,
      );
    }
  };
};

/** Turns whatever went wrong into an answer. What nobody expected is 500, logged with the request id. */
export const problems =
  (log: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'crashed' || failure.kind === 'unavailable')
        log.error({ request_id: ctx.state.id, route: ctx.state.route ?? null, err: error }, 'request failed');
      const problem = problemOf(failure);
      ctx.status = problem.status;
      for (const [name, value] of Object.entries(problem.headers ?? {})) ctx.set(name, value);
      ctx.body = problem.body;
    }
  };

const failureOf = (error: unknown): HttpFailure => {
  if (error instanceof Refusal) return error.failure;
  return { kind: 'crashed' };
};

/** Whether the request target can be read at all: one in absolute form need not be a URL. */
const hasPath = (ctx: Context): boolean => {
  try {
    return ctx.path !== '';
  } catch {
    return false;
  }
};

/**
 * Refuses a target that names nothing, and what declares itself too large before a byte of it is read; `largest` bytes is the largest body of
 * any route.
 */
export const limits =
  (largest: number): Middleware<RequestState> =>
  (ctx, next) => {
    if (!hasPath(ctx)) throw new Refusal({ kind: 'malformed', message: 'The request target is not a URL' });
    const declared = ctx.get('Content-Length');
    if (declared !== '' && Number(declared) > largest) {
      discardBody(ctx.req);
      throw new Refusal({ kind: 'too_large', limit: largest });
    }
    return next();
  };

/** Bytes and ms that a refused body is still read for, so that its sender gets to see the answer. */
const DISCARD_BYTES = 64 * 1024 * 1024;
const DISCARD_MS = 5000;

/** Reads on a body that nobody wants, within bounds; then the connection is cut. */
export const discardBody = (req: IncomingMessage): void => {
  if (req.complete) return;
  let seen = 0;
  const cut = setTimeout(() => req.destroy(), DISCARD_MS);
  cut.unref();
  req.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > DISCARD_BYTES) req.destroy();
  });
  req.once('close', () => clearTimeout(cut));
  req.resume();
};
