/** After a gap in the events: which calls still live? Asterisk replays nothing, so its channels are listed once. */
import type { Call } from './call';
import type { AriTiming } from './options';
import type { RestClient } from './rest';
import type { AriChannel } from './wire';
import { applicationChannels, readChannels } from './wire';

interface Followed {
  readonly lives: (call: Call) => boolean;
  readonly found: (call: Call, channel: AriChannel) => void;
  readonly missing: (call: Call) => Promise<void>;
  readonly look: (call: Call, afterMs: number) => void;
}

/**
 * Looks for these calls in the server's list, and has the application subscribed to those that it lost. A call whose place request is still
 * under way is left alone: its absence would prove nothing. Without a list, each call is asked about by itself.
 */
export const reconcileCalls = async (
  { rest, app, timing }: { readonly rest: RestClient; readonly app: string; readonly timing: AriTiming },
  followed: Followed,
  targets: readonly Call[],
): Promise<void> => {
  const timeoutMs = timing.requestTimeoutMs;
  const settled = targets.filter((call) => call.placement !== 'sending');
  if (settled.length === 0) return;
  const [list, application] = await Promise.all([
    rest.request({ method: 'GET', path: '/channels', timeoutMs }),
    rest.request({ method: 'GET', path: `/applications/${app}`, timeoutMs }),
  ]);
  const channels = list.kind === 'reply' && list.status === 200 ? readChannels(list.body) : null;
  if (channels === null) return settled.forEach((call) => followed.look(call, timing.eventGraceMs));
  const present = new Map(channels.map((channel) => [channel.id, channel]));
  const subscribed = new Set(application.kind === 'reply' ? applicationChannels(application.body) : []);
  for (const call of settled.filter(followed.lives)) {
    const channel = present.get(call.reference);
    if (channel === undefined) {
      await followed.missing(call);
      continue;
    }
    if (!subscribed.has(call.reference)) {
      const path = `/applications/${app}/subscription?eventSource=channel:${call.reference}`;
      await rest.request({ method: 'POST', path, timeoutMs });
    }
    if (followed.lives(call)) followed.found(call, channel);
  }
};
