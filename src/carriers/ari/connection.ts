/**
 * A live connection to one Asterisk: the recipe measured on Asterisk 22.
 *
 * The id of a call is registered before its request leaves; nothing is placed while the events socket is down (a call answered then is hung
 * up at once); a request without an answer is never repeated, but asked about; after a gap the channels are listed once, and another start of
 * the server ends every call of before.
 */
import * as E from 'fp-ts/Either';
import type {
  CarrierAccount,
  CarrierConnection,
  CarrierListener,
  KnownCall,
  PlaceCall,
  PlaceResult,
} from '../../ports/carrier';
import type { Call } from './call';
import { newCall } from './call';
import { followCalls } from './calls';
import { dialString } from './dial-string';
import { openLink } from './link';
import type { AriCredentials, AriOptions } from './options';
import { defaultTiming } from './options';
import { originateBody, readOriginateReply } from './originate';
import type { RestResult } from './rest';
import { ariBase, basicAuthorization, restClient } from './rest';

/** The Stasis application of a configuration: a second client under the same name would silence the first. */
export const applicationName = (account: Pick<CarrierAccount, 'installation' | 'configurationId'>): string =>
  `ledgerline_${account.installation.replace(/[^A-Za-z0-9-]/g, '')}_${account.configurationId}`;

export const connectAri = (
  account: CarrierAccount,
  credentials: AriCredentials,
  options: AriOptions,
  listener: CarrierListener,
): CarrierConnection => {
  const timing = { ...defaultTiming, ...options.timing };
  const log = options.log ?? (() => undefined);
  const app = applicationName(account);
  const authorization = basicAuthorization(credentials.user, credentials.password);
  const base = ariBase(credentials.endpoint);
  const rest = restClient(base, authorization);
  const calls = followCalls({ rest, app, options, timing, log, tell: listener.news });
  const link = openLink({
    base,
    authorization,
    app,
    rest,
    calls,
    timing,
    log,
    changed: () => {
      try {
        listener.readinessChanged();
      } catch (error) {
        log('A listener failed on a change of readiness', { error: (error as Error).name });
      }
    },
  });
  let placing = 0;

  const detects = (wanted: boolean): 'due' | 'off' => (wanted && options.amdContext !== null ? 'due' : 'off');

  /** 409 proves nothing: the duplicate check of Asterisk matches prefixes, and the error sticks to its HTTP connection. */
  const resolveConflict = async (call: Call): Promise<PlaceResult> => {
    const reply: RestResult = await rest.request({
      method: 'GET',
      path: `/channels/${call.reference}`,
      timeoutMs: timing.requestTimeoutMs,
    });
    const status = reply.kind === 'reply' ? reply.status : 0;
    if (status === 200 || call.state.seen || call.held !== null) return { kind: 'placed', carrierCallId: null };
    if (status === 404 && call.unbroken)
      return { kind: 'refused', code: '409', message: 'Asterisk refused the channel' };
    return { kind: 'unknown', message: 'Asterisk reported a conflict' };
  };

  const settle = (call: Call, result: PlaceResult): PlaceResult => {
    call.proven = null;
    switch (result.kind) {
      case 'placed':
        call.placement = 'confirmed';
        calls.lookAtTimeout(call);
        if (call.hangUpAsked) void calls.hangUp(call.reference);
        break;
      case 'unknown':
        call.placement = 'unknown';
        calls.look(call, 0);
        break;
      case 'not_now':
        calls.forget(call.reference);
        link.shut(result.message, result.retryAfterMs);
        break;
      case 'withheld':
      case 'refused':
        calls.forget(call.reference);
        break;
    }
    return result;
  };

  /** A failing question is a no: nothing is placed that might not be. */
  const asked = (mayPlace: () => boolean): boolean => {
    try {
      return mayPlace();
    } catch (error) {
      log('The question whether a call may be placed failed', { error: (error as Error).name });
      return false;
    }
  };

  const send = async (
    call: Call,
    request: PlaceCall,
    endpoint: string,
    mayPlace: () => boolean,
  ): Promise<PlaceResult> => {
    let late: PlaceResult | null = null;
    let written = false;
    const proven = new Promise<PlaceResult>((resolve) => {
      call.proven = () => resolve({ kind: 'placed', carrierCallId: null });
    });
    const mayWrite = (): boolean => {
      late = link.shutOut();
      if (late !== null || !asked(mayPlace)) return false;
      call.startedAt = performance.now();
      call.unbroken = true;
      written = true;
      placing += 1;
      return true;
    };
    const answered = rest
      .request({
        method: 'POST',
        path: `/channels/${call.reference}`,
        body: originateBody(request, endpoint, app, options, timing),
        timeoutMs: timing.placeTimeoutMs,
        mayWrite,
      })
      .then(async (result): Promise<PlaceResult> => {
        if (result.kind === 'withheld') return late ?? { kind: 'withheld' };
        const read = readOriginateReply(result, timing);
        return read.kind === 'conflict' ? resolveConflict(call) : read;
      });
    const result = await Promise.race([answered, proven]);
    if (written) placing -= 1;
    return settle(call, result);
  };

  const adopted = (known: KnownCall): Call => {
    const call = newCall({
      reference: known.reference,
      ringMs: known.ringSeconds * 1000,
      talkMs: known.talkSeconds * 1000,
      startedAt: performance.now() - Math.max(0, Date.now() - known.claimedAt),
      adopted: true,
      placement: known.placed ? 'confirmed' : 'unknown',
      unbroken: false,
      // Begun anew in the middle of a talk, detection would take a person's long sentence for a greeting.
      detection: detects(known.detectMachine && !known.answered),
    });
    call.told = { ringing: known.answered, answered: known.answered };
    if (known.answered) call.state = { ...call.state, seen: true, reached: 'Up', inStasis: true };
    return call;
  };

  return {
    readiness: link.readiness,
    place: async (request, mayPlace) => {
      const shut = link.shutOut();
      if (shut !== null) return shut;
      const endpoint = dialString(credentials.template, request.to);
      if (E.isLeft(endpoint)) return { kind: 'refused', code: 'bad_destination', message: endpoint.left };
      if (calls.knows(request.reference))
        return { kind: 'unknown', message: 'This reference was placed before; it is never sent again' };
      const call = newCall({
        reference: request.reference,
        ringMs: request.ringSeconds * 1000,
        talkMs: request.talkSeconds * 1000,
        startedAt: performance.now(),
        adopted: false,
        placement: 'sending',
        unbroken: true,
        detection: detects(request.detectMachine),
      });
      calls.add(call);
      return send(call, request, endpoint.right, mayPlace);
    },
    hangUp: (reference) => calls.hangUp(reference),
    ask: (reference) => calls.ask(reference),
    adopt: (known) => {
      const fresh = known.filter((each) => !calls.knows(each.reference)).map(adopted);
      for (const call of fresh) {
        calls.add(call);
        calls.look(call, link.isUp() ? timing.eventGraceMs : timing.askGapMs);
      }
      if (link.isUp()) void calls.reconcile(fresh);
    },
    placing: () => placing,
    close: () => {
      link.close();
      calls.close();
      rest.close();
      return Promise.resolve();
    },
  };
};
