/**
 * The calls of one connection: matches events to them by exact channel id, tells their news, and looks for those that fell silent. Every
 * call has one timer, the next moment at which the server is asked about it.
 */
import type { AskResult, CallNews } from '../../ports/carrier';
import type { Call } from './call';
import { absentVerdict, tellAbsent, tellEnded, tellProgress } from './call';
import { answeredCallCare } from './answered';
import { evolveCall, sawState } from './call-state';
import type { AriLog, AriOptions, AriTiming } from './options';
import { askForChannel, questioner, saysNoSuchChannel } from './questions';
import { reconcileCalls } from './reconcile';
import type { RestClient } from './rest';
import { recentReferences } from './recent';
import { clearWitness, readWitness } from './witness';
import type { AriChannel, AriEvent } from './wire';

export interface CallsContext {
  readonly rest: RestClient;
  readonly app: string;
  readonly options: AriOptions;
  readonly timing: AriTiming;
  readonly log: AriLog;
  readonly tell: (news: CallNews) => void;
}

export interface Calls {
  add(call: Call): void;
  get(reference: string): Call | undefined;
  /** It is followed, or was until lately. */
  knows(reference: string): boolean;
  /** Nothing was placed: no news will come. */
  forget(reference: string): void;
  event(event: AriEvent): void;
  /** Asks the server about the call after so long, unless it is asked about sooner. */
  look(call: Call, afterMs: number): void;
  lookAtTimeout(call: Call): void;
  hangUp(reference: string): Promise<boolean>;
  ask(reference: string): Promise<AskResult>;
  /** The socket is back on the same server: what of these still lives? */
  reconcile(targets: readonly Call[]): Promise<void>;
  all(): readonly Call[];
  /** Another start of the server: no channel of before it lives. */
  serverRestarted(): void;
  /** Events may have been missed from now on. */
  socketLost(): void;
  close(): void;
}

export const followCalls = (context: CallsContext): Calls => {
  const { rest, timing, options, log } = context;
  const calls = new Map<string, Call>();
  const ended = recentReferences<true>();
  const witnessed = typeof options.hangupContext === 'string';
  let closed = false;

  const lives = (call: Call): boolean => calls.get(call.reference) === call;

  const tell = (news: readonly CallNews[]): void => {
    for (const each of news) {
      try {
        context.tell(each);
      } catch (error) {
        log('A listener failed on news of a call', { kind: each.kind, error: (error as Error).name });
      }
    }
  };

  const drop = (call: Call): void => {
    if (call.timer !== null) clearTimeout(call.timer);
    call.timer = null;
    calls.delete(call.reference);
  };

  const finish = (call: Call, news: readonly CallNews[]): void => {
    if (!lives(call)) return;
    drop(call);
    ended.set(call.reference, true);
    tell(news);
    if (witnessed) void clearWitness(rest, call.reference, timing.requestTimeoutMs);
  };

  const look = (call: Call, afterMs: number): void => {
    const at = performance.now() + afterMs;
    if (closed || !lives(call) || call.timerAt <= at) return;
    if (call.timer !== null) clearTimeout(call.timer);
    call.timerAt = at;
    call.timer = setTimeout(() => {
      call.timer = null;
      call.timerAt = Infinity;
      void check(call);
    }, afterMs);
  };

  const lookAtTimeout = (call: Call): void => {
    if (call.timer !== null) clearTimeout(call.timer);
    call.timer = null;
    call.timerAt = Infinity;
    const now = performance.now();
    if (call.upSince === null) {
      const left = call.startedAt + call.ringMs + timing.ringGraceMs - now;
      return look(call, left > 0 ? left : timing.askGapMs);
    }
    const left = call.upSince + call.talkMs + timing.talkMarginMs - now;
    look(call, Math.min(timing.upCheckMs, left > 0 ? left : timing.askGapMs));
  };

  const care = answeredCallCare({ rest, app: context.app, options, timing, look, lookAtTimeout, lives, tell });

  const isOverdue = (call: Call): boolean => {
    const now = performance.now();
    return call.upSince === null
      ? now > call.startedAt + call.ringMs + 6 * timing.ringGraceMs
      : now > call.upSince + call.talkMs + timing.talkMarginMs;
  };

  /** The server has the channel. */
  const found = (call: Call, channel: AriChannel): void => {
    call.absentSince = null;
    confirm(call);
    call.state = sawState(call.state, channel.state, new Date().toISOString());
    if (call.state.reached === 'Up') call.upSince ??= performance.now();
    // First of all, since an answer may want a sooner look.
    lookAtTimeout(call);
    progressed(call);
  };

  const confirm = (call: Call): void => {
    if (call.placement === 'unknown') {
      call.placement = 'confirmed';
      if (call.hangUpAsked) void sendHangUp(call.reference);
    }
  };

  const progressed = (call: Call): void => {
    if (call.state.reached === 'Up') {
      call.upSince ??= performance.now();
      care.answered(call);
    }
    tell(tellProgress(call));
  };

  /** The server has no such channel. Beside a place request without an answer, the first such word proves nothing. */
  const missing = async (call: Call): Promise<void> => {
    const now = performance.now();
    call.absentSince ??= now;
    const gap = call.placement === 'confirmed' ? timing.eventGraceMs : timing.askGapMs;
    const left = call.absentSince + gap - now;
    if (left > 0) return look(call, left);
    if (absentVerdict(call, now) === null && witnessed) {
      const told = await readWitness(rest, call.reference, call.state, timing.requestTimeoutMs);
      if (told !== null) {
        call.state = told;
        return finish(call, tellEnded(call, performance.now()));
      }
    }
    finish(call, tellAbsent(call, absentVerdict(call, now), 'the carrier no longer has it'));
  };

  const check = async (call: Call): Promise<void> => {
    if (closed || call.placement === 'sending') return;
    if (isOverdue(call)) await sendHangUp(call.reference);
    const { channel, gone } = await askForChannel(rest, call.reference, timing.requestTimeoutMs);
    if (closed || !lives(call)) return;
    if (channel !== null) {
      found(call, channel);
      await care.check(call);
    } else if (gone) await missing(call);
    else look(call, timing.askGapMs);
  };

  const sendHangUp = async (reference: string): Promise<boolean> => {
    const reply = await rest.request({
      method: 'DELETE',
      path: `/channels/${reference}?reason=normal`,
      timeoutMs: timing.requestTimeoutMs,
    });
    const call = calls.get(reference);
    if (call !== undefined) look(call, timing.endGraceMs);
    if (reply.kind === 'reply' && reply.status === 204) return true;
    return saysNoSuchChannel(reply) && (call === undefined || call.placement === 'confirmed');
  };

  const apply = (call: Call, event: AriEvent): void => {
    call.absentSince = null;
    confirm(call);
    call.state = evolveCall(call.state, event, new Date().toISOString());
    if (call.state.destroyed !== null) return finish(call, tellEnded(call, performance.now()));
    if (call.state.machine !== null) care.detected(call);
    progressed(call);
    if (event.type === 'ChannelHangupRequest' || (event.type === 'StasisEnd' && call.detection === 'off'))
      look(call, timing.endGraceMs);
  };

  /** The event proves the call: the place request is answered by it, and its news wait until that answer has been read. */
  const prove = (call: Call, event: AriEvent): void => {
    if (call.held !== null) {
      call.held.push(event);
      return;
    }
    call.held = [event];
    call.proven?.();
    setImmediate(() => {
      const held = call.held ?? [];
      call.held = null;
      if (call.placement === 'sending') call.placement = 'confirmed';
      for (const each of held) if (!closed && lives(call)) apply(call, each);
    });
  };

  const askAbout = questioner(context, { get: (reference) => calls.get(reference), isOver: ended.has, found, missing });

  return {
    add: (call) => {
      calls.set(call.reference, call);
    },
    get: (reference) => calls.get(reference),
    knows: (reference) => calls.has(reference) || ended.has(reference),
    forget: (reference) => {
      const call = calls.get(reference);
      if (call !== undefined) drop(call);
    },
    event: (event) => {
      const call = event.channelId === null ? undefined : calls.get(event.channelId);
      if (call === undefined) return;
      if (call.placement === 'sending' || call.held !== null) prove(call, event);
      else apply(call, event);
    },
    look,
    lookAtTimeout,
    hangUp: async (reference) => {
      if (ended.has(reference)) return true;
      const call = calls.get(reference);
      if (call !== undefined) call.hangUpAsked = true;
      return sendHangUp(reference);
    },
    ask: (reference) => askAbout(reference),
    reconcile: (targets) => reconcileCalls(context, { lives, found, missing, look }, targets),
    all: () => [...calls.values()],
    serverRestarted: () => {
      for (const call of [...calls.values()])
        if (call.placement !== 'sending')
          finish(call, tellAbsent(call, absentVerdict(call, performance.now()), 'the server was restarted'));
    },
    socketLost: () => {
      for (const call of calls.values()) call.unbroken = false;
    },
    close: () => {
      closed = true;
      for (const call of [...calls.values()]) drop(call);
    },
  };
};
