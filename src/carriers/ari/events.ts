/**
 * The events WebSocket of one application: opens it, keeps it alive by pings, opens it anew with growing pauses. Asterisk never pings by
 * itself and replays nothing; what a gap means is decided by whoever listens.
 */
import { WebSocket } from '../websocket';

export interface EventSocketSettings {
  /** `ws(s)://host/ari/events?app=...`; the password is in the header, never in the address. */
  readonly url: string;
  readonly authorization: string;
  readonly pingMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** The longest pause where the handshake was refused for its credentials, which time alone does not mend. */
  readonly credentialsRetryMs: number;
}

/** Why there is no socket: the status of a refused handshake, or the code of a failed connection. */
export interface Closing {
  readonly status: number | null;
  readonly code: string | null;
}

export interface EventSocketListener {
  /** The socket is open. Answers whether the connection is fit for use; false closes it and tries again later. */
  readonly opened: () => Promise<boolean>;
  readonly message: (text: string) => void;
  /** It closed, or could not be opened; `retryMs`: until the next try. */
  readonly closed: (why: Closing, retryMs: number) => void;
}

export interface EventSocket {
  isOpen(): boolean;
  /** Drops the socket and waits at least so long before the next try. */
  stepBack(ms: number): void;
  close(): void;
}

/** A connection proves itself by lasting this long; only then does the next pause start small again. */
const provenMs = 5_000;

const closingOf = (error: Error): Closing => {
  const status = /Unexpected server response: (\d{3})/.exec(error.message)?.[1];
  const code = (error as { code?: unknown }).code;
  return { status: status === undefined ? null : Number(status), code: typeof code === 'string' ? code : null };
};

export const eventSocket = (settings: EventSocketSettings, listener: EventSocketListener): EventSocket => {
  let socket: WebSocket | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pauseMs = settings.reconnectMinMs;
  let stepBackMs = 0;
  let ended = false;

  const retry = (why: Closing, openedAt: number | null): void => {
    if (ended) return;
    if (openedAt !== null && performance.now() - openedAt >= provenMs) pauseMs = settings.reconnectMinMs;
    // Half of the pause is chance, so that many connections do not come back in one step.
    const waitMs = Math.max(stepBackMs, pauseMs / 2 + (Math.random() * pauseMs) / 2);
    stepBackMs = 0;
    const refused = why.status === 401 || why.status === 403;
    pauseMs = Math.min(pauseMs * 2, refused ? settings.credentialsRetryMs : settings.reconnectMaxMs);
    listener.closed(why, waitMs);
    timer = setTimeout(connect, waitMs);
  };

  const connect = (): void => {
    let why: Closing = { status: null, code: null };
    let openedAt: number | null = null;
    let ping: NodeJS.Timeout | null = null;
    let alive = true;
    const opening = new WebSocket(settings.url, {
      headers: { authorization: settings.authorization },
      handshakeTimeout: settings.pingMs,
      perMessageDeflate: false,
    });
    socket = opening;
    opening.on('open', () => {
      openedAt = performance.now();
      ping = setInterval(() => {
        if (!alive) return opening.terminate();
        alive = false;
        opening.ping();
      }, settings.pingMs);
      listener.opened().then(
        (fit) => {
          if (!fit) opening.terminate();
        },
        () => opening.terminate(),
      );
    });
    opening.on('pong', () => {
      alive = true;
    });
    opening.on('message', (data) => {
      alive = true;
      listener.message((data as Buffer).toString('utf8'));
    });
    opening.on('error', (error) => {
      why = closingOf(error);
    });
    opening.on('close', () => {
      if (ping !== null) clearInterval(ping);
      if (socket === opening) socket = null;
      retry(why, openedAt);
    });
  };

  connect();
  return {
    isOpen: () => socket !== null && socket.readyState === WebSocket.OPEN,
    stepBack: (ms) => {
      stepBackMs = ms;
      socket?.terminate();
    },
    close: () => {
      ended = true;
      if (timer !== null) clearTimeout(timer);
      socket?.terminate();
    },
  };
};
