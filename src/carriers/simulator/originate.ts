/** `POST /channels`: what Asterisk checks, answers, and makes of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Apps } from './apps';
import { chance } from './chance';
import type { Channel } from './channel';
import { shown } from './channel';
import type { Exchange } from './exchange';
import type { Faults, SimulatorSettings } from './options';
import type { Phone } from './phones';
import { phoneAt, silentTrunk } from './phones';
import type { CallRecord } from './record';
import type { Fields } from './reply';
import { sendJson, sendMessage, textParameter } from './reply';

export interface OriginateContext {
  readonly settings: SimulatorSettings;
  readonly exchange: Exchange;
  readonly apps: Apps;
  readonly record: CallRecord;
  readonly faults: () => Faults;
}

/** What a place request asks for, once it is well-formed. */
interface Order {
  readonly id: string;
  readonly endpoint: string;
  readonly app: string;
  readonly args: readonly string[];
  readonly callerId: string | null;
  readonly timeoutSeconds: number | null;
  readonly variables: ReadonlyMap<string, string>;
}

/** 0, negative and unreadable timeouts are 30 s, fractions are cut, -1 is none. */
const timeoutOf = (fields: Fields): number | null => {
  const value = fields['timeout'];
  if (value === undefined) return 30;
  const seconds = Math.trunc(Number(value));
  if (seconds === -1) return null;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 30;
};

/** Arguments are split at commas; quotes keep one together. */
const splitArgs = (text: string): readonly string[] =>
  text === '' ? [] : (text.match(/("[^"]*"|[^,])+|(?<=,|^)(?=,|$)/g) ?? []).map((arg) => arg.replace(/"/g, ''));

/** Null: a value is not a string. */
const variablesOf = (fields: Fields): ReadonlyMap<string, string> | null => {
  const given = fields['variables'];
  const variables = new Map<string, string>();
  if (typeof given !== 'object' || given === null) return variables;
  for (const [name, value] of Object.entries(given as Fields)) {
    const text = typeof value === 'string' ? value : (value as { value?: unknown } | null)?.value;
    if (typeof text !== 'string') return null;
    variables.set(name, text);
  }
  return variables;
};

/** The number and the endpoint's name in a dial string; null: no such technology or endpoint. */
const phoneNumber = (settings: SimulatorSettings, endpoint: string): { number: string; name: string } | null => {
  const [, number, name] = /^PJSIP\/([^/@\s,&]+)@([^/@\s,&]+)$/.exec(endpoint) ?? [];
  const [, viaName, uriNumber] = /^PJSIP\/([^/@\s,&]+)\/sips?:([^@\s,&]+)(?:@[^\s,&]+)?$/.exec(endpoint) ?? [];
  const found = name === undefined ? viaName : name;
  const dialled = number ?? uriNumber;
  if (found === undefined || dialled === undefined) return null;
  return found === 'silent' || settings.endpoints.includes(found) ? { number: dialled, name: found } : null;
};

/** Connections on which a true 409 was answered: from then on they answer it to every allocation failure. */
const sticky = new WeakSet<Socket>();

export const originator = (
  context: OriginateContext,
): ((request: IncomingMessage, response: ServerResponse, pathId: string | null, fields: Fields) => void) => {
  const { settings, exchange, record, faults } = context;
  const draw = chance(settings.seed, 'requests');
  const called = new Map<string, number>();
  let generated = 0;

  const read = (pathId: string | null, fields: Fields): Order | { readonly refused: string } => {
    const endpoint = textParameter(fields, 'endpoint') ?? '';
    if (endpoint === '') return { refused: 'Endpoint must be specified' };
    if (!/^[^/]+\/./.test(endpoint)) return { refused: 'Invalid endpoint specified' };
    const app = textParameter(fields, 'app');
    if (app === null || app === '') return { refused: 'Application or extension must be specified' };
    const variables = variablesOf(fields);
    if (variables === null) return { refused: "Each value in 'variables' must be a string or an object" };
    const given = pathId ?? textParameter(fields, 'channelId') ?? '';
    if (given.length > 149) return { refused: 'Uniqueid length exceeds maximum of 149' };
    return {
      id: given === '' ? `${Math.floor(Date.now() / 1000)}.${(generated += 1)}` : given,
      endpoint,
      app,
      args: splitArgs(textParameter(fields, 'appArgs') ?? ''),
      callerId: textParameter(fields, 'callerId'),
      timeoutSeconds: timeoutOf(fields),
      variables,
    };
  };

  const note = (
    order: Order,
    number: string,
    phone: Phone | null,
    nth: number,
    status: number,
  ): ReturnType<CallRecord['placed']> =>
    record.placed({
      channel_id: order.id,
      app: order.app,
      endpoint: order.endpoint,
      number,
      args: order.args,
      caller_id: order.callerId,
      timeout_seconds: order.timeoutSeconds ?? -1,
      nth,
      phone: phone?.kind ?? null,
      status,
    });

  const make = (order: Order, number: string, name: string, status: number): Channel => {
    const nth = (called.get(number) ?? 0) + 1;
    called.set(number, nth);
    const phone = name === 'silent' ? silentTrunk : phoneAt(settings, number, nth);
    const channel = exchange.create({
      ...order,
      phone,
      endpointName: name,
      dialString: order.endpoint.slice(order.endpoint.indexOf('/') + 1),
      row: note(order, number, phone, nth, status),
      early: draw() < 0.0065,
    });
    const absolute = Number(order.variables.get('TIMEOUT(absolute)'));
    if (absolute > 0) exchange.setAbsolute(channel, absolute);
    return channel;
  };

  return (request, response, pathId, fields) => {
    const order = read(pathId, fields);
    if ('refused' in order) return sendMessage(response, 400, order.refused);
    const target = phoneNumber(settings, order.endpoint);
    const number = target?.number ?? '';
    const wrong = faults();
    const unavailable = draw() < wrong.unavailable;
    if (unavailable) {
      note(order, number, null, 0, 503);
      return sendMessage(response, 503, 'Asterisk not booted');
    }
    if (exchange.conflicts(order.id)) {
      sticky.add(request.socket);
      note(order, number, null, 0, 409);
      return sendMessage(response, 409, 'Channel with given unique ID already exists');
    }
    if (target === null || draw() < wrong.refused) {
      const status = sticky.has(request.socket) ? 409 : 500;
      note(order, number, null, 0, status);
      return status === 409
        ? sendMessage(response, 409, 'Channel with given unique ID already exists')
        : sendJson(response, 500, { error: 'Allocation failed' });
    }
    const fate = draw();
    const { hangPlaced, hangUnplaced, resetPlaced, resetUnplaced } = wrong;
    if (fate < hangPlaced) return void make(order, number, target.name, 0);
    if (fate < hangPlaced + hangUnplaced) return void note(order, number, null, 0, 0);
    if (fate < hangPlaced + hangUnplaced + resetPlaced + resetUnplaced) {
      if (fate < hangPlaced + hangUnplaced + resetPlaced) make(order, number, target.name, 0);
      else note(order, number, null, 0, 0);
      request.socket.destroy();
      return;
    }
    const channel = make(order, number, target.name, 200);
    sendJson(response, 200, shown(channel, 'Down'));
  };
};
