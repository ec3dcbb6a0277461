/** Whether the process lives, whether it can work, and its figures. */
import { right } from 'fp-ts/Either';
import type { Schema } from '../../core/codec';
import type { Api } from '../api';
import { engineStates } from '../listener';
import { ok, route, type Route } from '../route';

const Readiness: Schema = {
  type: 'object',
  required: ['status', 'engines', 'consumers'],
  properties: {
    status: { enum: ['ready', 'not_ready'] },
    engines: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['ok', 'reason', 'since'],
        properties: {
          ok: { type: 'boolean' },
          reason: { type: ['string', 'null'] },
          since: { type: ['string', 'null'], format: 'date-time' },
        },
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

  const readiness = async () => {
    const [engines, consumers] = await Promise.all([api.engines(), api.readiness().catch(() => [])]);
    const ready =
      engines.every(({ reason }) => reason === null) && consumers.every((c) => c.stuck === null && c.waiting === null);
    return {
      status: ready ? 200 : 503,
      body: {
        status: ready ? 'ready' : 'not_ready',
        engines: engineStates(engines),
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
