/** The place request and the reading of its answer, as measured on Asterisk 22. Pure. */
import type { PlaceCall, PlaceResult } from '../../ports/carrier';
import type { AriOptions, AriTiming } from './options';
import type { RestResult } from './rest';
import { allocationError, errorMessage } from './wire';

/** The global variable in which the hangup handler of `AriOptions.hangupContext` leaves its witness. */
export const witnessVariable = (reference: string): string => `R_${reference}`;

/** Arguments are split at commas, so a tag can hold none; quotes would keep commas together. */
const argument = (text: string): string => text.replace(/[,"\u0000-\u001f]/g, '_'); // eslint-disable-line no-control-regex

/**
 * The body of `POST /channels/{reference}`. Everything is in the body: a request line over 4 KB is refused. `TIMEOUT(absolute)` counts from
 * the request, ringing included, and ends the call even if nobody of ours is left.
 */
export const originateBody = (
  call: PlaceCall,
  endpoint: string,
  app: string,
  options: AriOptions,
  timing: AriTiming,
): Readonly<Record<string, unknown>> => ({
  endpoint,
  app,
  appArgs: Object.entries(call.tags)
    .map(([key, value]) => argument(`${key}=${value}`))
    .join(','),
  ...(call.callerId === null ? {} : { callerId: call.callerId }),
  timeout: call.ringSeconds,
  variables: {
    'TIMEOUT(absolute)': String(call.ringSeconds + call.talkSeconds + Math.ceil(timing.talkMarginMs / 1000)),
    ...(options.amdContext === null ? {} : { APP: app }),
    ...(typeof options.hangupContext !== 'string'
      ? {}
      : { 'CHANNEL(hangup_handler_push)': `${options.hangupContext},s,1` }),
  },
});

/** What a reply to a place request means; `conflict` (409) proves nothing and must be looked into. */
export const readOriginateReply = (
  result: Exclude<RestResult, { kind: 'withheld' }>,
  timing: AriTiming,
): PlaceResult | { readonly kind: 'conflict' } => {
  if (result.kind === 'not_sent')
    return notNow('unreachable', `Asterisk cannot be reached (${result.message})`, timing.bootRetryMs);
  if (result.kind === 'no_answer')
    return { kind: 'unknown', message: `No answer to the place request (${result.message})` };
  const { status, body } = result;
  const said = errorMessage(body);
  if (status === 200 || status === 201) return { kind: 'placed', carrierCallId: null };
  if (status === 409) return { kind: 'conflict' };
  if (status === 401) return notNow('401', 'ARI refused user or password', timing.credentialsRetryMs);
  if (status === 403) return notNow('403', 'The ARI user may not place calls', timing.credentialsRetryMs);
  if (status === 404) return notNow('404', 'ARI is not there (yet)', timing.bootRetryMs);
  if (status === 503 || status === 429)
    return notNow(String(status), said ?? 'Asterisk is not ready', result.retryAfterMs ?? timing.bootRetryMs);
  if (status === 500 && allocationError(body) !== null)
    return { kind: 'refused', code: '500', message: allocationError(body) ?? '' };
  if (status >= 300 && status < 400)
    return notNow(String(status), 'ARI answered with a redirect', timing.credentialsRetryMs);
  if (status >= 400 && status < 500) return { kind: 'refused', code: String(status), message: said ?? 'Refused' };
  return { kind: 'unknown', message: `Asterisk answered ${status} to the place request` };
};

export const notNow = (code: string, message: string, retryAfterMs: number): PlaceResult => ({
  kind: 'not_now',
  code,
  message,
  retryAfterMs,
});
