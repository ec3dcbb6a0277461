/** The carriers' account APIs as their documentation describes them, on loopback: one account each, its credentials checked on every request. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PEER_CREDENTIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  twilio: { account_sid: 'AC1', auth_token: 'twilio-token' },
  plivo: { auth_id: 'MA1', auth_token: 'plivo-token' },
  vobiz: { auth_id: 'VB1', auth_token: 'vobiz-token' },
  telnyx: { api_key: 'telnyx-key' },
  vonage: { api_key: 'vk', api_secret: 'vonage-secret', application_id: 'app-v', private_key: 'pem' },
  exotel: { account_sid: 'ex1', api_key: 'ek', api_token: 'exotel-token', api_base_url: 'https://api.in.exotel.com' },
  cloudonix: { bearer_token: 'cloudonix-token', domain_id: 'acme.cloudonix.net' },
};
/** The number that each account owns. */
export const PEER_NUMBER = '+14155550177';

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** JSON, or a form's fields. */
  readonly body: Readonly<Record<string, unknown>>;
}
type PeerAnswer = readonly [status: number, body: unknown];

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const digits = PEER_NUMBER.slice(1);

type Row = readonly [pattern: string, authorized: (r: PeerRequest) => boolean, answer: (r: PeerRequest) => PeerAnswer];

const byBasic = (user: string, password: string) => (r: PeerRequest) =>
  r.headers.authorization === basic(user, password);
const byBearer = (token: string) => (r: PeerRequest) => r.headers.authorization === `Bearer ${token}`;
const byVobiz = (r: PeerRequest) => r.headers['x-auth-id'] === 'VB1' && r.headers['x-auth-token'] === 'vobiz-token';
const ok =
  (body: unknown, status = 200) =>
  (): PeerAnswer => [status, body];
/** A creation or a change that lacks a field is refused, as the carriers do. */
const needs =
  (fields: readonly string[], body: unknown, status = 200) =>
  (r: PeerRequest): PeerAnswer =>
    fields.every((field) => r.body[field] !== undefined)
      ? [status, body]
      : [400, { message: `missing ${fields.join(', ')}` }];

const twilio = byBasic('AC1', 'twilio-token');
const plivo = byBasic('MA1', 'plivo-token');
const telnyx = byBearer('telnyx-key');
const vonage = byBasic('vk', 'vonage-secret');
const exotel = byBasic('ek', 'exotel-token');
const cloudonix = byBearer('cloudonix-token');
const application = {
  id: 'app-v',
  name: 'Ours',
  privacy: { improve_ai: false },
  capabilities: { voice: { signed_callbacks: true, webhooks: { event_url: { address: 'https://e' } } }, rtc: {} },
};

const ROWS: readonly Row[] = [
  ['GET /2010-04-01/Accounts/AC1.json', twilio, ok({ status: 'active' })],
  [
    'GET /2010-04-01/Accounts/AC1/IncomingPhoneNumbers.json',
    twilio,
    (r) => [
      200,
      {
        incoming_phone_numbers:
          r.query.get('PhoneNumber') === PEER_NUMBER ? [{ sid: 'PN1', phone_number: PEER_NUMBER }] : [],
      },
    ],
  ],
  ['POST /2010-04-01/Accounts/AC1/IncomingPhoneNumbers/PN1.json', twilio, needs(['VoiceUrl'], { sid: 'PN1' })],
  ['GET /v1/Account/MA1/', plivo, ok({ auth_id: 'MA1' })],
  [
    'POST /v1/Account/MA1/Application/',
    plivo,
    needs(['app_name', 'answer_url'], { app_id: '77', message: 'created' }, 201),
  ],
  ['POST /v1/Account/MA1/Application/77/', plivo, needs(['answer_url'], { message: 'changed' }, 202)],
  [`GET /v1/Account/MA1/Number/${digits}/`, plivo, ok({ number: digits })],
  ['GET /api/v1/auth/me', byVobiz, ok({ auth_id: 'VB1', auth_secret: 'vobiz-token', enabled: true })],
  ['POST /api/v1/Account/VB1/Application/', byVobiz, needs(['app_name', 'answer_url'], { app_id: 78 }, 201)],
  ['POST /api/v1/Account/VB1/Application/78/', byVobiz, needs(['answer_url'], { message: 'changed' }, 202)],
  ['GET /api/v1/Account/VB1/numbers', byVobiz, ok({ items: [{ e164: PEER_NUMBER }] })],
  [`POST /api/v1/Account/VB1/numbers/%2B${digits}/application`, byVobiz, needs(['application_id'], {})],
  [`DELETE /api/v1/Account/VB1/numbers/%2B${digits}/application`, byVobiz, ok({}, 204)],
  ['GET /v2/balance', telnyx, ok({ data: { balance: '1.00' } })],
  [
    'POST /v2/call_control_applications',
    telnyx,
    needs(['application_name', 'webhook_event_url'], { data: { id: '1293' } }, 201),
  ],
  ['GET /v2/call_control_applications/1293', telnyx, ok({ data: { id: '1293', application_name: 'Ours' } })],
  ['PATCH /v2/call_control_applications/1293', telnyx, needs(['application_name', 'webhook_event_url'], { data: {} })],
  [
    'GET /v2/phone_numbers',
    telnyx,
    (r) => [200, { data: r.query.get('filter[phone_number]') === PEER_NUMBER ? [{ phone_number: PEER_NUMBER }] : [] }],
  ],
  ['GET /v2/applications/app-v', vonage, ok(application)],
  ['PUT /v2/applications/app-v', vonage, needs(['name', 'capabilities', 'privacy'], {})],
  [
    'GET /account/numbers',
    vonage,
    (r) => [200, r.query.get('pattern') === digits ? { numbers: [{ msisdn: digits }] } : {}],
  ],
  ['GET /v1/Accounts/ex1/Balance.json', exotel, ok({ Balance: 1 })],
  [
    'GET /v2_beta/Accounts/ex1/IncomingPhoneNumbers',
    exotel,
    ok({ incoming_phone_numbers: [{ sid: 'EX9', phone_number: PEER_NUMBER }] }),
  ],
  ['PUT /v2_beta/Accounts/ex1/IncomingPhoneNumbers/EX9', exotel, needs(['VoiceUrl'], {})],
  ['GET /customers/self/domains/acme.cloudonix.net', cloudonix, ok({ uuid: 'd-1' })],
  [
    'POST /customers/self/domains/acme.cloudonix.net/applications',
    cloudonix,
    (r) => [201, { id: 5, uuid: 'u-5', name: r.body['name'] }],
  ],
  ['PATCH /customers/self/domains/acme.cloudonix.net/applications/ours', cloudonix, needs(['url'], {})],
  ['GET /customers/self/domains/acme.cloudonix.net/dnids', cloudonix, ok([{ source: digits }])],
];

const read = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = '';
  for await (const chunk of request) text += String(chunk as Buffer);
  if (text === '') return {};
  return request.headers['content-type']?.startsWith('application/json') === true
    ? (JSON.parse(text) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(text));
};

export interface AccountsPeer {
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: PeerRequest[];
  /** Answers the next requests with this instead: a status, or nothing at all. */
  fail(how: number | 'silence' | 'redirect' | null): void;
  close(): Promise<void>;
}

export const accountsPeer = async (): Promise<AccountsPeer> => {
  const requests: PeerRequest[] = [];
  let failing: number | 'silence' | 'redirect' | null = null;
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://peer');
      const asked = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body: await read(request),
      };
      requests.push(asked);
      if (failing === 'silence') return;
      if (failing === 'redirect') {
        response.writeHead(302, { Location: 'http://127.0.0.1:1/elsewhere' }).end();
        return;
      }
      const row = ROWS.find(([pattern]) => pattern === `${asked.method} ${pathname}`);
      const [status, body]: PeerAnswer =
        failing !== null
          ? [failing, { message: `failing, ${String(asked.headers.authorization)} and vobiz-token` }]
          : row === undefined
            ? [404, { error: 'not found' }]
            : row[1](asked)
              ? row[2](asked)
              : [401, { message: 'authentication failed' }];
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(status === 204 ? '' : JSON.stringify(body));
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (how) => {
      failing = how;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
