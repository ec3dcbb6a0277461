/** Asking the server about one call, and what its answers prove. */
import type { AskResult } from '../../ports/carrier';
import type { Call } from './call';
import type { AriTiming } from './options';
import { recentReferences } from './recent';
import type { RestClient, RestResult } from './rest';
import type { AriChannel } from './wire';
import { errorMessage, readChannel } from './wire';

/** Only ARI's own JSON means "no such channel"; a 404 in HTML comes from a server that is booting, or from something else. */
export const saysNoSuchChannel = (reply: RestResult): boolean =>
  reply.kind === 'reply' && reply.status === 404 && errorMessage(reply.body) === 'Channel not found';

/** The channel, or that there is none; neither: no answer that proves anything. */
export interface ChannelAnswer {
  readonly channel: AriChannel | null;
  readonly gone: boolean;
}

export const askForChannel = async (rest: RestClient, reference: string, timeoutMs: number): Promise<ChannelAnswer> => {
  const reply = await rest.request({ method: 'GET', path: `/channels/${reference}`, timeoutMs });
  const channel = reply.kind === 'reply' && reply.status === 200 ? readChannel(reply.body) : null;
  return { channel, gone: saysNoSuchChannel(reply) };
};

const noProof: AskResult = { kind: 'unreachable', message: 'Asterisk gave no answer that proves anything' };
const firstWord: AskResult = { kind: 'unreachable', message: 'One "no such channel" is no proof; ask again' };

interface Followed {
  readonly get: (reference: string) => Call | undefined;
  /** Its end has been told. */
  readonly isOver: (reference: string) => boolean;
  readonly found: (call: Call, channel: AriChannel) => void;
  readonly missing: (call: Call) => Promise<void>;
}

/**
 * The port's `ask`. A followed call is gone when its end has been told, and not before; any other after a second "no such channel", since
 * beside a place request without an answer the first one proves nothing.
 */
export const questioner = (
  { rest, timing }: { readonly rest: RestClient; readonly timing: AriTiming },
  followed: Followed,
): ((reference: string) => Promise<AskResult>) => {
  const absences = recentReferences<number>();
  return async (reference) => {
    if (followed.isOver(reference)) return { kind: 'gone' };
    const { channel, gone } = await askForChannel(rest, reference, timing.requestTimeoutMs);
    const call = followed.get(reference);
    if (channel !== null) {
      if (call !== undefined && call.placement !== 'sending') setImmediate(() => followed.found(call, channel));
      return { kind: 'alive', answered: channel.state === 'Up' };
    }
    if (followed.isOver(reference)) return { kind: 'gone' };
    if (!gone) return noProof;
    if (call !== undefined) {
      if (call.placement !== 'sending') await followed.missing(call);
      return followed.isOver(reference) ? { kind: 'gone' } : firstWord;
    }
    const now = performance.now();
    const since = absences.get(reference) ?? now;
    if (now - since >= timing.askGapMs) return { kind: 'gone' };
    absences.set(reference, since);
    return firstWord;
  };
};
