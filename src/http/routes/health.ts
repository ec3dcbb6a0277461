/** Whether the process lives, whether it can work, and its figures. */
import { right } from 'fp-ts/Either';
import type { Schema } from '../../core/codec';
import type { Api } from '../api';
import { ok, route, type Route } from '../route';

const ENGINE_MS = 2000;

const Readiness: Schema = {
  type: 'object',
  required: ['status', 'engines', 'consumers'],
  properties: {
    status: { enum: ['ready', 'not_ready'] },
    engines: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['ok', 'reason'],
        properties: { ok: { type: 'boolean' }, reason: { type: ['string', 'null'] } },
      },
    },
    consumers: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'lag_seconds', 'stuck', 'waiting'],
        properties: {
          name: { type: 'string' },
          lag_seconds: { type: 'number' },
          stuck: { type: ['string', 'null'] },
          waiting: { type: ['string', 'null'] },
        },
      },
    },
  },
};

export const healthRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;

  /** null: it answers; else why not. */
  const engine = async (ping: () => Promise<void>): Promise<string | null> => {
    let late: () => void = () => undefined;
    const timer = platform.clock.after(ENGINE_MS, () => late());
    try {
      await Promise.race([
        ping(),
        new Promise<never>((_, reject) => {
          late = () => reject(new Error(`no answer within ${ENGINE_MS} ms`));
        }),
      ]);
      return null;
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? cause.message : message;
    } finally {
      timer.cancel();
    }
  };

  const readiness = async () => {
    const { events, reads, objects, vault } = platform;
    const [eventStore, readStore, objectStore, keys, consumers] = await Promise.all([
      engine(() => events.ping()),
      engine(() => reads.ping()),
      engine(() => objects.ping()),
      engine(() => vault.ping()),
      api.readiness().catch(() => []),
    ]);
    const engines = { event_store: eventStore, read_store: readStore, object_store: objectStore, vault: keys };
    const ready =
      Object.values(engines).every((reason) => reason === null) &&
      consumers.every((c) => c.stuck === null && c.waiting === null);
    return {
      status: ready ? 200 : 503,
      body: {
        status: ready ? 'ready' : 'not_ready',
        engines: Object.fromEntries(
          Object.entries(engines).map(([name, reason]) => [name, { ok: reason === null, reason }]),
        ),
        consumers: consumers.map((c) => ({
          name: c.name,
          lag_seconds: c.lagSeconds,
          stuck: c.stuck === null ? null : `event ${c.stuck.eventId} (${c.stuck.type}): ${c.stuck.error}`,
          waiting: c.waiting,
        })),
      },
      ...(ready ? {} : { headers: { 'Retry-After': '1' } }),
    };
  };

  return [
    route({
      method: 'GET',
      path: '/health',
      aliases: ['/api/v1/health'],
      scope: null,
      tag: 'health',
      summary: 'Whether the process answers',
      response: { schema: { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } } },
      handle: async () => ok({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      scope: null,
      tag: 'health',
      summary: 'Whether every engine answers and every consumer keeps up',
      response: { schema: Readiness },
      otherAnswers: { 503: Readiness },
      handle: async () => right(await readiness()),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      scope: null,
      tag: 'health',
      summary: 'Figures in the Prometheus text format',
      response: { mediaType: 'text/plain' },
      handle: async () => right({ body: await platform.metrics.metrics(), type: platform.metrics.contentType }),
    }),
  ];
};
