/** One pull consumer for all readers of a process: it hands on what the bus brings, and says when the bus is not to be relied on. */
import type { Logger } from '../../engine/telemetry';
import { AckPolicy, DeliverPolicy, nanos, type Bus } from './nats-driver';
import { decode, ensureStream, streamOf, type Message } from './nats-stream';
import { backoff } from './waiting';

export interface Listener {
  /** In order of the bus, which may leave out, repeat and turn round. */
  readonly message: (message: Message) => void;
}

export interface Doorbell {
  /** Listens until the function that it answers is called. */
  listen(listener: Listener): () => void;
  /** A consumer stands and was heard of lately. */
  isUp(): boolean;
  close(): Promise<void>;
}

const PULL = { max_messages: 500, expires: 2000 };
/** A consumer that nobody pulls from is removed by the server after this. */
const INACTIVE = 30_000;

export const doorbell = (bus: Bus, name: string, log: Logger): Doorbell => {
  const listeners = new Set<Listener>();
  const closing = new AbortController();
  let isUp = false;
  let ringing: Promise<void> | null = null;

  const hand = (data: Uint8Array): void => {
    const message = decode(data);
    if (message !== null) for (const listener of listeners) listener.message(message);
  };

  /** Pulls until an error; the consumer begins with what is published from now on, since the ledger has what is older. */
  const pull = async (onUp: () => void): Promise<void> => {
    const nc = await bus.connection();
    const jsm = await nc.jetstreamManager({ timeout: 3000 });
    await ensureStream(jsm, name);
    const stream = streamOf(name);
    const made = await jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.New,
      inactive_threshold: nanos(INACTIVE),
    });
    const consumer = await nc.jetstream().consumers.get(stream, made.name);
    onUp();
    try {
      while (!closing.signal.aborted) {
        let count = 0;
        const messages = await consumer.fetch(PULL);
        const stop = (): void => void messages.close();
        closing.signal.addEventListener('abort', stop);
        try {
          for await (const message of messages) {
            count += 1;
            hand(message.data);
          }
        } finally {
          closing.signal.removeEventListener('abort', stop);
        }
        // Silence may mean that the consumer is gone: asked, the server says so.
        if (count === 0 && !closing.signal.aborted) await consumer.info();
      }
    } finally {
      if (!nc.isClosed()) await jsm.consumers.delete(stream, made.name).catch(() => undefined);
    }
  };

  const ring = async (): Promise<void> => {
    const retry = backoff(100, 1000);
    let isTold = false;
    while (!closing.signal.aborted) {
      try {
        await pull(() => {
          if (isTold) log.info('bus consumer is back');
          isTold = false;
          isUp = true;
          retry.reset();
        });
      } catch (error) {
        if (!isTold && !closing.signal.aborted)
          log.warn({ reason: (error as Error).message }, 'bus consumer lost; the ledger is swept meanwhile');
        isTold = true;
      }
      isUp = false;
      await retry.wait(closing.signal);
    }
  };

  return {
    isUp: () => isUp,
    listen: (listener) => {
      listeners.add(listener);
      ringing ??= ring();
      return () => void listeners.delete(listener);
    },
    close: async () => {
      closing.abort();
      await ringing;
    },
  };
};
