import type { PlaceCall } from '../../src/ports/carrier';
import { defaultTiming } from '../../src/carriers/ari';
import { originateBody, readOriginateReply } from '../../src/carriers/ari/originate';

const reply = (status: number, body: unknown = null, retryAfterMs: number | null = null) =>
  readOriginateReply({ kind: 'reply', status, body, retryAfterMs }, defaultTiming);

describe('the answer to a place request', () => {
  it.each<readonly [string, number, unknown, string]>([
    ['the call', 200, { id: 'x' }, 'placed'],
    ['invalid', 400, { message: 'Invalid endpoint specified' }, 'refused'],
    ['a body too large', 413, null, 'refused'],
    ['wrong credentials', 401, { message: 'Authentication required' }, 'not_now'],
    ['a user who may only read', 403, { message: 'Write access denied' }, 'not_now'],
    ['no ARI yet', 404, null, 'not_now'],
    ['booting', 503, { message: 'Asterisk not booted' }, 'not_now'],
    ['too many', 429, null, 'not_now'],
    ['a redirect', 302, null, 'not_now'],
    ['a failed allocation', 500, { error: 'Allocation failed' }, 'refused'],
    ['an internal error', 500, { message: 'Internal Server Error' }, 'unknown'],
    ['a proxy without its server', 502, null, 'unknown'],
    ['a proxy that waited in vain', 504, null, 'unknown'],
    ['a conflict', 409, { message: 'Channel with given unique ID already exists' }, 'conflict'],
  ])('%s (%i %j) is %s', (_what, status, body, kind) => {
    expect(reply(status, body).kind).toBe(kind);
  });

  it('that says how long to wait is heeded', () => {
    expect(reply(503, null, 7_000)).toMatchObject({ retryAfterMs: 7_000 });
    expect(reply(503)).toMatchObject({ retryAfterMs: defaultTiming.bootRetryMs });
  });

  it('that never came is unknown, and a request that never left is not', () => {
    expect(readOriginateReply({ kind: 'no_answer', message: 'timeout' }, defaultTiming).kind).toBe('unknown');
    expect(readOriginateReply({ kind: 'not_sent', message: 'ECONNREFUSED' }, defaultTiming).kind).toBe('not_now');
  });
});

describe('the place request', () => {
  const call: PlaceCall = {
    reference: '0'.repeat(32),
    to: '+15550100',
    callerId: null,
    ringSeconds: 30,
    talkSeconds: 600,
    detectMachine: true,
    tags: { run: '7', attempt: '2', odd: 'a,"b"' },
  };
  const options = { amdContext: 'amdback', hangupContext: 'hg' };

  it('bounds the call by itself, and carries its tags as arguments that cannot split', () => {
    expect(originateBody(call, 'PJSIP/+15550100@trunk', 'app', options, defaultTiming)).toEqual({
      endpoint: 'PJSIP/+15550100@trunk',
      app: 'app',
      appArgs: 'run=7,attempt=2,odd=a__b_',
      timeout: 30,
      variables: { 'TIMEOUT(absolute)': '635', APP: 'app', 'CHANNEL(hangup_handler_push)': 'hg,s,1' },
    });
  });

  it('asks for neither detection nor a witness where there is none', () => {
    const body = originateBody(call, 'e/x', 'app', { amdContext: null }, defaultTiming);
    expect(body['variables']).toEqual({ 'TIMEOUT(absolute)': '635' });
  });

  it('shows a caller id only where there is one', () => {
    expect(originateBody(call, 'e/x', 'app', options, defaultTiming)).not.toHaveProperty('callerId');
    expect(originateBody({ ...call, callerId: '+1' }, 'e/x', 'app', options, defaultTiming)['callerId']).toBe('+1');
  });
});
