/** ARI's resources, as far as a dialer uses them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Apps } from './apps';
import type { Channel } from './channel';
import { shown } from './channel';
import type { Exchange, HangupReason } from './exchange';
import type { Fields } from './reply';
import { sendJson, sendMessage, sendNothing, textParameter } from './reply';

export interface RoutesContext {
  readonly exchange: Exchange;
  readonly apps: Apps;
  readonly startupTime: () => string;
  readonly globals: Map<string, string>;
  readonly originate: (
    request: IncomingMessage,
    response: ServerResponse,
    pathId: string | null,
    fields: Fields,
  ) => void;
}

const reasons: Readonly<Record<string, HangupReason>> = {
  normal: { cause: 16, techCause: null, dial: 'NOANSWER' },
  busy: { cause: 17, techCause: 486, dial: 'BUSY' },
  congestion: { cause: 34, techCause: 503, dial: 'CONGESTION' },
  no_answer: { cause: 19, techCause: 480, dial: 'NOANSWER' },
  timeout: { cause: 18, techCause: 408, dial: 'NOANSWER' },
  rejected: { cause: 21, techCause: 403, dial: 'NOANSWER' },
  unallocated: { cause: 1, techCause: 404, dial: 'NOANSWER' },
  normal_unspecified: { cause: 31, techCause: 480, dial: 'NOANSWER' },
  number_incomplete: { cause: 28, techCause: 484, dial: 'NOANSWER' },
  codec_mismatch: { cause: 58, techCause: 488, dial: 'NOANSWER' },
  interworking: { cause: 127, techCause: 500, dial: 'NOANSWER' },
  failure: { cause: 38, techCause: 500, dial: 'NOANSWER' },
  answered_elsewhere: { cause: 26, techCause: null, dial: 'NOANSWER' },
};

const noChannel = (response: ServerResponse): void => sendMessage(response, 404, 'Channel not found');

/** Answers one request below `/ari`; false: there is no such resource. */
export const ariRoutes = (
  context: RoutesContext,
): ((request: IncomingMessage, response: ServerResponse, path: readonly string[], fields: Fields) => boolean) => {
  const { exchange, apps, globals } = context;

  const hangUp = (response: ServerResponse, channel: Channel, fields: Fields): void => {
    const named = textParameter(fields, 'reason');
    const code = textParameter(fields, 'reason_code');
    if (named !== null && code !== null)
      return sendMessage(response, 400, 'The reason and reason_code parameters can not both be specified');
    const reason =
      code === null
        ? reasons[named ?? 'normal']
        : /^\d+$/.test(code)
          ? { cause: Number(code), techCause: code === '19' ? 480 : null, dial: 'NOANSWER' }
          : undefined;
    if (reason === undefined)
      return sendMessage(response, 400, `Invalid reason for hangup reason ${code === null ? '' : 'code '}provided`);
    sendNothing(response);
    exchange.hangUp(channel, reason);
  };

  const readVariable = (response: ServerResponse, channel: Channel, fields: Fields): void => {
    const value = channel.variables.get(textParameter(fields, 'variable') ?? '');
    if (value === undefined) sendMessage(response, 404, 'Provided variable was not found');
    else sendJson(response, 200, { value });
  };

  const writeVariable = (response: ServerResponse, channel: Channel, fields: Fields): void => {
    const name = textParameter(fields, 'variable');
    const value = textParameter(fields, 'value') ?? '';
    if (name === null) return sendMessage(response, 400, 'Variable name is required');
    if (channel.stasis !== 'in') return sendMessage(response, 409, 'Channel not in Stasis application');
    if (name === 'TIMEOUT(absolute)') exchange.setAbsolute(channel, Number(value));
    else channel.variables.set(name, value);
    sendNothing(response);
  };

  const continueInDialplan = (response: ServerResponse, channel: Channel, fields: Fields): void => {
    if (channel.stasis !== 'in') return sendMessage(response, 409, 'Channel not in Stasis application');
    sendNothing(response);
    exchange.continueAt(channel, textParameter(fields, 'context') ?? '');
  };

  const oneChannel = (
    method: string | undefined,
    response: ServerResponse,
    id: string,
    action: string | undefined,
    fields: Fields,
  ): boolean => {
    const channel = exchange.get(id);
    switch (`${method} ${action ?? ''}`) {
      case 'GET ':
        if (channel === undefined) noChannel(response);
        else sendJson(response, 200, shown(channel));
        return true;
      case 'DELETE ':
        if (channel === undefined) noChannel(response);
        else hangUp(response, channel, fields);
        return true;
      case 'GET variable':
        if (channel === undefined) sendMessage(response, 404, 'Provided channel was not found');
        else readVariable(response, channel, fields);
        return true;
      case 'POST variable':
        if (channel === undefined) noChannel(response);
        else writeVariable(response, channel, fields);
        return true;
      case 'POST continue':
        if (channel === undefined) noChannel(response);
        else continueInDialplan(response, channel, fields);
        return true;
      default:
        return false;
    }
  };

  const application = (name: string): Fields | null => {
    const app = apps.get(name);
    return app === undefined
      ? null
      : {
          name,
          channel_ids: [...app.channels],
          bridge_ids: [],
          endpoint_ids: [],
          device_names: [],
          events_allowed: [],
          events_disallowed: [...app.disallowed].map((type) => ({ type })),
        };
  };

  const subscribe = (response: ServerResponse, name: string, fields: Fields): void => {
    const id = /^channel:(.+)$/.exec(textParameter(fields, 'eventSource') ?? '')?.[1];
    if (id === undefined) return sendMessage(response, 400, 'Missing parameter eventSource');
    if (exchange.get(id) === undefined) return sendMessage(response, 422, 'Event source does not exist');
    apps.follow(name, id.toLowerCase());
    sendJson(response, 200, application(name));
  };

  const applications = (
    method: string | undefined,
    response: ServerResponse,
    name: string,
    action: string | undefined,
    fields: Fields,
  ): boolean => {
    const app = apps.get(name);
    const what = `${method} ${action ?? ''}`;
    if (what !== 'GET ' && what !== 'PUT eventFilter' && what !== 'POST subscription') return false;
    if (app === undefined) sendMessage(response, 404, 'Application not found');
    else if (what === 'POST subscription') subscribe(response, name, fields);
    else {
      if (what === 'PUT eventFilter') {
        const filter = fields['disallowed'];
        const types = Array.isArray(filter) ? filter.map((each) => String((each as Fields)['type'])) : [];
        app.disallowed = new Set(types);
      }
      sendJson(response, 200, application(name));
    }
    return true;
  };

  const globalVariable = (method: string | undefined, response: ServerResponse, fields: Fields): boolean => {
    const name = textParameter(fields, 'variable') ?? '';
    if (method === 'GET') {
      sendJson(response, 200, { value: globals.get(name) ?? '' });
      return true;
    }
    if (method !== 'POST') return false;
    globals.set(name, textParameter(fields, 'value') ?? '');
    sendNothing(response);
    return true;
  };

  return (request, response, [resource, id, action], fields) => {
    const { method } = request;
    if (resource === 'channels') {
      if (method === 'POST' && action === undefined) {
        context.originate(request, response, id ?? null, fields);
        return true;
      }
      if (method === 'GET' && id === undefined) {
        sendJson(
          response,
          200,
          `[${exchange
            .all()
            .map((channel) => shown(channel))
            .join(',')}]`,
        );
        return true;
      }
      return id !== undefined && oneChannel(method, response, id, action, fields);
    }
    if (resource === 'applications' && id !== undefined) return applications(method, response, id, action, fields);
    if (resource !== 'asterisk') return false;
    if (id === 'variable') return globalVariable(method, response, fields);
    if (method !== 'GET') return false;
    if (id === 'ping')
      sendJson(response, 200, { asterisk_id: '00:00:5e:00:53:01', ping: 'pong', timestamp: new Date().toISOString() });
    else if (id === 'info')
      sendJson(response, 200, {
        system: { entity_id: '00:00:5e:00:53:01', version: 'simulator' },
        status: { startup_time: context.startupTime(), last_reload_time: context.startupTime() },
      });
    else return false;
    return true;
  };
};
