/**
 * Publishes the ledger's events on the bus, in order, each under its own id as message id, so that the server drops repeats. Several relays may
 * run at once: each sends the same events in the same order, and the first of each counts.
 */
import type { Position } from '../../core/position';
import type { Logger } from '../../engine/telemetry';
import type { EventStore } from '../../ports/event-store';
import { natsBus, type JetStreamManager } from './nats-driver';
import { decode, DEFAULT_NAME, encode, ensureStream, streamOf, subjectOf } from './nats-stream';
import { backoff } from './waiting';

export interface NatsRelayOptions {
  readonly url: string;
  readonly events: EventStore;
  readonly log: Logger;
  /** First word of the subjects (default `ledger`). */
  readonly name?: string;
}

export interface Relay {
  /** Relays until the signal comes. Never rejects: it begins again after every failure of bus or ledger. */
  run(signal: AbortSignal): Promise<void>;
  /** Everything up to here is on the bus, as far as this process knows; null: nothing yet. */
  position(): Position | null;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Messages under way at once. */
const WINDOW = 256;
const ACK_TIMEOUT = 5000;

/** Where the bus ends, by its last message: the server may have lost the newest ones, and another relay may be ahead. */
const lastOnBus = async (jsm: JetStreamManager, name: string): Promise<Position | null> => {
  const stream = streamOf(name);
  const { state } = await jsm.streams.info(stream);
  if (state.messages === 0) return null;
  const last = await jsm.streams.getMessage(stream, { seq: state.last_seq });
  return decode(last.data)?.position ?? null;
};

export const natsRelay = (options: NatsRelayOptions): Relay => {
  const { events, log } = options;
  const name = options.name ?? DEFAULT_NAME;
  const bus = natsBus(options.url, 'relay');
  let relayed: Position | null = null;

  const relay = async (signal: AbortSignal, onProgress: () => void): Promise<void> => {
    const nc = await bus.connection();
    const jsm = await nc.jetstreamManager({ timeout: ACK_TIMEOUT });
    await ensureStream(jsm, name);
    // A new bus begins at the end of the ledger: what is older is read there.
    let before = (await lastOnBus(jsm, name)) ?? relayed ?? (await events.head());
    relayed = before;
    const js = nc.jetstream({ timeout: ACK_TIMEOUT });
    const maxPayload = nc.info?.max_payload ?? 1024 * 1024;
    for await (const batch of events.subscribe({ after: before, limit: WINDOW, signal })) {
      const acks = batch.events.map((event) => {
        const ack = js.publish(subjectOf(name, event), encode(event, before, maxPayload), { msgID: event.id });
        before = event.position;
        return ack;
      });
      await Promise.all(acks);
      relayed = batch.position;
      onProgress();
    }
  };

  return {
    position: () => relayed,
    ping: bus.ping,
    close: bus.close,
    run: async (signal) => {
      const retry = backoff(50, 1000);
      let isAway = false;
      while (!signal.aborted) {
        const attempt = new AbortController();
        try {
          await relay(AbortSignal.any([signal, attempt.signal]), () => {
            if (isAway) log.info({ position: relayed }, 'relay goes on');
            isAway = false;
            retry.reset();
          });
        } catch (error) {
          if (signal.aborted) return;
          if (!isAway)
            log.warn({ reason: (error as Error).message, position: relayed }, 'relay stopped; it begins again');
          isAway = true;
        } finally {
          attempt.abort();
        }
        await retry.wait(signal);
      }
    },
  };
};
