/**
 * The link to one Asterisk: its events socket, what must be so before anything is placed over it, and what a gap in it means for the calls
 * in flight.
 */
import type { CarrierReadiness, PlaceResult } from '../../ports/carrier';
import type { Calls } from './calls';
import type { Closing } from './events';
import { eventSocket } from './events';
import { newGate } from './gate';
import type { AriLog, AriTiming } from './options';
import { notNow } from './originate';
import type { RestClient, RestResult } from './rest';
import { readEvent, startupTime } from './wire';

export interface Link {
  readiness(): CarrierReadiness;
  /** What shuts a place request out right now; null: nothing. */
  shutOut(): PlaceResult | null;
  /** The carrier asked to wait. */
  shut(reason: string, ms: number): void;
  /** The events socket is up, and the calls of before it have been looked for. */
  isUp(): boolean;
  close(): void;
}

export interface LinkContext {
  readonly base: URL;
  readonly authorization: string;
  readonly app: string;
  readonly rest: RestClient;
  readonly calls: Calls;
  readonly timing: AriTiming;
  readonly log: AriLog;
  /** Readiness changed. Called from a later turn of the event loop. */
  readonly changed: () => void;
}

const unreachable = 'Asterisk cannot be reached';

const closingReason = ({ status, code }: Closing): string =>
  status !== null ? reasonOf(status) : code === null ? unreachable : `${unreachable} (${code})`;

/** Why a server that answered so cannot be used; the status of a refused handshake or of a first request. */
const reasonOf = (status: number): string => {
  switch (status) {
    case 401:
      return 'ARI refused user or password';
    case 403:
      return 'The ARI user may not place calls';
    default:
      return `Asterisk is not ready (${status})`;
  }
};

const complaint = (reply: RestResult): string | null =>
  reply.kind !== 'reply' ? unreachable : reply.status >= 300 ? reasonOf(reply.status) : null;

const eventsUrl = (base: URL, app: string): string => {
  const url = new URL(`${base.pathname}/events`, base);
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  url.searchParams.set('app', app);
  return url.href;
};

export const openLink = (context: LinkContext): Link => {
  const { base, authorization, app, rest, calls, timing, log } = context;
  const gate = newGate(context.changed);
  const { requestTimeoutMs: timeoutMs } = timing;
  /** `status.startup_time` of the server as it was last seen: another one means that every call of before is over. */
  let startedAt: string | null = null;
  /** Counts openings and closings, so that an opening that was overtaken by a closing changes nothing. */
  let generation = 0;
  let up = false;
  let closed = false;
  let problem: string | null = null;

  /** Null: the server can be used. */
  const prepare = async (mine: number): Promise<string | null> => {
    const info = await rest.request({ method: 'GET', path: '/asterisk/info?only=status', timeoutMs });
    const filter = await rest.request({
      method: 'PUT',
      path: `/applications/${app}/eventFilter`,
      body: { disallowed: [{ type: 'ChannelVarset' }] },
      timeoutMs,
    });
    const wrong = complaint(info) ?? complaint(filter);
    if (wrong !== null || mine !== generation) return wrong ?? unreachable;
    const startup = info.kind === 'reply' ? startupTime(info.body) : null;
    if (startedAt !== null && startup !== null && startup !== startedAt) {
      log('Asterisk was restarted', { calls: calls.all().length });
      calls.serverRestarted();
    }
    startedAt = startup ?? startedAt;
    await calls.reconcile(calls.all());
    return null;
  };

  const opened = async (): Promise<boolean> => {
    const mine = ++generation;
    const wrong = await prepare(mine);
    if (mine !== generation || closed) return false;
    problem = wrong;
    if (wrong !== null) return false;
    up = true;
    gate.setConnected(true, '', null);
    return true;
  };

  const events = eventSocket(
    { ...timing, url: eventsUrl(base, app), authorization },
    {
      opened,
      message: (text) => {
        const event = readEvent(text);
        if (event === null || closed) return;
        if (event.type !== 'ApplicationReplaced') return calls.event(event);
        log('Another client took over the events of this configuration', {});
        problem = 'Another client receives the events of this configuration';
        events.stepBack(timing.replacedRetryMs);
      },
      closed: (why, retryMs) => {
        generation += 1;
        up = false;
        calls.socketLost();
        gate.setConnected(false, problem ?? closingReason(why), retryMs);
        problem = null;
      },
    },
  );

  return {
    readiness: gate.readiness,
    shutOut: () => {
      const readiness = gate.readiness();
      if (readiness.ready && events.isOpen() && !closed) return null;
      const until = readiness.ready ? null : readiness.until;
      const waitMs = until === null ? timing.reconnectMinMs : Math.max(0, until - Date.now());
      return notNow('not_ready', readiness.ready ? unreachable : readiness.reason, waitMs);
    },
    shut: gate.shut,
    isUp: () => up,
    close: () => {
      closed = true;
      gate.close();
      events.close();
    },
  };
};
