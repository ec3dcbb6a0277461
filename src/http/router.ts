/** Mounts the route table. For each route: auth → body → decode → handler → answer. */
import Router, { type RouterMiddleware } from '@koa/router';
import { isLeft } from 'fp-ts/Either';
import type { Context, Middleware } from 'koa';
import type { CommandContext } from '../engine/execute';
import type { Platform } from '../engine/platform';
import type { Authenticate } from './auth';
import { plainCommands, type Commands } from './commands';
import { decodeRequest, type RawRequest } from './decode';
import type { Idempotency } from './idempotency';
import { discardBody, type RequestState } from './middleware';
import { Refusal } from './problem';
import {
  isIdempotent,
  type Caller,
  type Handled,
  type KeyedRoute,
  type OpenRequest,
  type OpenRoute,
  type Reply,
  type Route,
} from './route';

export interface Mounting {
  readonly platform: Platform;
  readonly idempotent: Idempotency;
  readonly authenticate: Authenticate;
  readonly readBody: (ctx: Context) => Promise<string>;
}

/** `{name}` of OpenAPI as the router writes it; `{name+}` takes the rest of the path. */
const pattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1').replaceAll(/\{(\w+)\+\}/g, '*$1');

/** One middleware that answers every route of the table, 404 and 405 included. */
export const mount = (routes: readonly Route[], mounting: Mounting): Middleware => {
  const router = new Router({ sensitive: true });
  for (const route of routes)
    for (const path of [route.path, ...(route.aliases ?? [])])
      router.register(pattern(path), [route.method], [handler(route, mounting)]);
  const dispatch = router.routes() as unknown as Middleware;
  return (ctx, next) =>
    dispatch(ctx, async () => {
      const layers = (ctx as { matched?: readonly { methods: readonly string[] }[] }).matched ?? [];
      const allowed = [...new Set(layers.flatMap((layer) => layer.methods))];
      if (!ctx.req.complete) discardBody(ctx.req);
      if (allowed.length > 0) throw new Refusal({ kind: 'method_not_allowed', allowed });
      await next();
      throw new Refusal({ kind: 'no_route' });
    });
};

const handler =
  (route: Route, mounting: Mounting): RouterMiddleware =>
  async (routed) => {
    const ctx = routed as unknown as Context;
    const state = ctx.state as RequestState;
    const params = (routed as { params: Record<string, string> }).params;
    state.route = route.path;
    const caller = route.scope === null ? null : await mounting.authenticate(ctx, route.scope);
    if (caller !== null) state.caller = caller;
    const raw = {
      params,
      querystring: ctx.querystring,
      idempotencyKey: isIdempotent(route) ? ctx.get('Idempotency-Key') : '',
      body: route.body === undefined ? '' : await mounting.readBody(ctx),
    };
    const decoded = decodeRequest(route, raw);
    if (isLeft(decoded)) throw new Refusal({ kind: 'invalid', faults: decoded.left });
    const campaign = (decoded.right.params as { campaign_id?: number } | undefined)?.campaign_id;
    if (campaign !== undefined) state.campaign = campaign;
    const request = { ...decoded.right, id: state.id, koa: ctx };
    const answer =
      caller === null
        ? await (route as OpenRoute<never, never, never>).handle(request)
        : await keyed(route as KeyedRoute<never, never, never>, caller, request, raw, mounting);
    if (isLeft(answer)) throw new Refusal(answer.left);
    respond(ctx, answer.right);
  };

/** The path of what was asked for, the same by each form and alias of it. */
const resourcePath = (route: Pick<Route, 'path'>, params: Readonly<Record<string, unknown>> | undefined): string =>
  route.path.replaceAll(/\{(\w+)\+?\}/g, (_placeholder, name: string) => String(params?.[name]));

/** With an Idempotency-Key a POST is carried out at most once. */
const keyed = (
  route: KeyedRoute<never, never, never>,
  caller: Caller,
  request: OpenRequest<never, never, never>,
  { idempotencyKey: key, body }: RawRequest,
  { platform, idempotent }: Mounting,
): Promise<Handled> => {
  const context = commandContext(caller.keyId, request.id);
  const handle = (commands: Commands): Promise<Handled> =>
    route.handle({ ...request, org: caller.org, caller, context, commands });
  if (key === '') return handle(plainCommands(platform, context));
  return idempotent(
    {
      org: caller.org,
      context,
      method: route.method,
      path: resourcePath(route, request.params),
      key,
      body,
      remembered: route.remembered,
    },
    handle,
  );
};

const commandContext = (keyId: number, requestId: string): CommandContext => ({
  actor: `api-key:${keyId}`,
  correlationId: requestId,
});

const respond = (ctx: Context, reply: Reply): void => {
  ctx.status = reply.status ?? 200;
  for (const [name, value] of Object.entries(reply.headers ?? {})) ctx.set(name, value);
  if (reply.etag !== undefined) ctx.set('ETag', `"${reply.etag}"`);
  if (reply.type === undefined) {
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(reply.body);
  } else {
    ctx.type = reply.type;
    ctx.body = reply.body;
  }
};
