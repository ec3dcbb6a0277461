/**
 * What Asterisk itself says of its channels, beside and without the platform: the list of open channels, sampled, and every channel's creation,
 * dialled number and end as an application that is subscribed to all of them hears it. The list shows how many are open at once; the events
 * show calls too short for any sample.
 */
import { WebSocket } from '../../src/carriers/websocket';
import { ariPassword, ariUser } from './asterisk';

/** One channel. Two channels that had the same id one after the other are two of these. Times: epoch ms, this process's clock. */
export interface SeenChannel {
  readonly id: string;
  readonly firstSeen: number;
  lastSeen: number;
  /** Its end, as an event told it; null: open, or it went with its server. */
  ended: number | null;
  /** What was dialled, without the endpoint; null: no event told. */
  number: string | null;
}

export interface Sample {
  readonly at: number;
  /** Ids of the open channels; null: Asterisk did not answer. */
  readonly open: readonly string[] | null;
}

export interface Witness {
  channels(): readonly SeenChannel[];
  samples(): readonly Sample[];
  stop(): void;
}

interface ChannelFields {
  readonly id: string;
  readonly name: string;
  readonly creationtime: string;
}

interface EventFields {
  readonly type: string;
  readonly channel?: ChannelFields;
  readonly peer?: ChannelFields;
  readonly dialstring?: string;
}

const authorization = `Basic ${Buffer.from(`${ariUser}:${ariPassword}`).toString('base64')}`;

/** Watches from now on, through restarts of the server; rejects when the first connection cannot be made. */
export const watchAsterisk = async (url: string, everyMs = 100): Promise<Witness> => {
  const channels = new Map<string, SeenChannel>();
  const samples: Sample[] = [];
  let stopped = false;
  let socket: WebSocket | null = null;

  const saw = ({ id, name, creationtime }: ChannelFields): SeenChannel => {
    const identity = `${id} ${name} ${creationtime}`;
    const now = Date.now();
    let seen = channels.get(identity);
    if (seen === undefined) {
      seen = { id, firstSeen: now, lastSeen: now, ended: null, number: null };
      channels.set(identity, seen);
    }
    seen.lastSeen = now;
    return seen;
  };

  const hear = (event: EventFields): void => {
    const channel = event.channel ?? event.peer;
    if (channel === undefined) return;
    const seen = saw(channel);
    if (event.dialstring !== undefined) seen.number = event.dialstring.split('@')[0] ?? null;
    if (event.type === 'ChannelDestroyed') seen.ended = seen.lastSeen;
  };

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const opening = new WebSocket(`${url.replace('http', 'ws')}/ari/events?app=witness&subscribeAll=true`, {
        headers: { authorization },
        handshakeTimeout: 1_000,
      });
      socket = opening;
      opening.on('open', () => {
        const body = JSON.stringify({ disallowed: [{ type: 'ChannelVarset' }, { type: 'ChannelDialplan' }] });
        const headers = { authorization, 'content-type': 'application/json' };
        void fetch(`${url}/ari/applications/witness/eventFilter`, { method: 'PUT', headers, body }).catch(() => null);
        resolve();
      });
      opening.on('message', (data) => hear(JSON.parse((data as Buffer).toString('utf8')) as EventFields));
      opening.on('error', reject);
      opening.on('close', () => {
        if (!stopped) setTimeout(() => void listen().catch(() => null), 50);
      });
    });

  const sample = async (): Promise<void> => {
    const at = Date.now();
    try {
      const reply = await fetch(`${url}/ari/channels`, {
        headers: { authorization },
        signal: AbortSignal.timeout(2_000),
      });
      const list = reply.status === 200 ? ((await reply.json()) as ChannelFields[]) : null;
      samples.push({ at, open: list === null ? null : list.map((channel) => saw(channel).id) });
    } catch {
      samples.push({ at, open: null });
    }
    if (!stopped) setTimeout(() => void sample(), Math.max(0, at + everyMs - Date.now()));
  };

  await listen();
  void sample();
  return {
    channels: () => [...channels.values()],
    samples: () => samples,
    stop: () => {
      stopped = true;
      socket?.terminate();
    },
  };
};

/** The most channels that any sample showed. */
export const mostOpen = (samples: readonly Sample[]): number =>
  samples.reduce((most, { open }) => Math.max(most, open?.length ?? 0), 0);
