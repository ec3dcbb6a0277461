/**
 * The feed over the bus. Each message names the position before it: where that is not behind the reader's own place something is missing, and
 * the reader goes to the ledger for it. A timed look at the ledger covers silence. So whatever the bus loses, repeats or turns round, every event
 * is handed out once, in order of position; a lost message costs latency only.
 */
import type { RecordedEvent } from '../../core/event';
import { categoryOf } from '../../core/ids';
import type { Position } from '../../core/position';
import type { Logger } from '../../engine/telemetry';
import type { EventBatch, EventStore } from '../../ports/event-store';
import type { Feed, FeedOptions } from '../../ports/feed';
import { doorbell, type Doorbell } from './nats-doorbell';
import { natsBus } from './nats-driver';
import { DEFAULT_NAME, type Message } from './nats-stream';
import { backoff } from './waiting';

export interface NatsFeedOptions {
  readonly url: string;
  /** The ledger, for history and repairs. */
  readonly events: EventStore;
  readonly log: Logger;
  /** First word of the subjects (default `ledger`). */
  readonly name?: string;
  /** ms of silence after which the ledger is looked at (default 1000). */
  readonly sweepEvery?: number;
  /** The same while the bus is away or says less than the ledger has (default 200). */
  readonly sweepWhileDown?: number;
}

/** Messages kept for a reader that is busy; more are dropped and read from the ledger. */
const INBOX = 5000;

interface Inbox {
  readonly take: () => Message | undefined;
  readonly peek: () => Message | undefined;
  /** Resolves with the next message, after `ms`, or when the signal comes. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

const openInbox = (bell: Doorbell): Inbox => {
  let messages: Message[] = [];
  let begin = 0;
  let wake: (() => void) | null = null;
  const unlisten = bell.listen({
    message: (message) => {
      if (messages.length - begin >= INBOX) {
        messages = [];
        begin = 0;
      }
      messages.push(message);
      wake?.();
    },
  });
  return {
    peek: () => messages[begin],
    take: () => {
      const message = messages[begin];
      if (message === undefined) return undefined;
      begin += 1;
      if (begin === messages.length || begin > 1000) {
        messages = messages.slice(begin);
        begin = 0;
      }
      return message;
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (messages.length > begin || signal.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = null;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        wake = done;
      }),
    close: unlisten,
  };
};

type Collected =
  | { readonly kind: 'batch'; readonly events: readonly RecordedEvent[]; readonly position: Position }
  /** The next message does not follow on the place reached: the ledger has what is missing. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'nothing' };

/** What the inbox has in one piece behind `cursor`. */
const collect = (inbox: Inbox, cursor: Position, categories: ReadonlySet<string>, limit: number): Collected => {
  const events: RecordedEvent[] = [];
  let position = cursor;
  for (let message = inbox.peek(); message !== undefined && events.length < limit; message = inbox.peek()) {
    if (message.position > position) {
      if (message.before > position || message.event === null) {
        if (position === cursor) return { kind: 'gap' };
        break;
      }
      position = message.position;
      if (categories.has(categoryOf(message.event.stream))) events.push(message.event);
    }
    inbox.take();
  }
  return position === cursor ? { kind: 'nothing' } : { kind: 'batch', events, position };
};

/** Connects lazily; one consumer serves all subscriptions of the process. */
export const natsFeed = (options: NatsFeedOptions): Feed => {
  const { events, log, sweepEvery = 1000, sweepWhileDown = 200 } = options;
  const bus = natsBus(options.url, 'feed');
  const bell = doorbell(bus, options.name ?? DEFAULT_NAME, log);
  const closing = new AbortController();

  async function* subscribe(asked: FeedOptions): AsyncGenerator<EventBatch, void> {
    const signal = AbortSignal.any([asked.signal, closing.signal]);
    if (signal.aborted) return;
    const categories = new Set<string>(asked.categories);
    const limit = asked.limit ?? 1000;
    const retry = backoff(50, 1000);
    const inbox = openInbox(bell);
    let cursor = asked.after;
    let isTold = false;
    /** The ledger is read until it has no more; then the bus is listened to. */
    let isReading = true;
    /** The ledger had news that the bus did not bring. */
    let isBusBehind = false;
    let isLedgerAway = false;
    try {
      while (!signal.aborted) {
        if (isReading) {
          let batch: EventBatch;
          try {
            batch = await events.readAll({ after: cursor, categories: asked.categories, limit });
          } catch (error) {
            if (!isLedgerAway)
              log.warn({ reason: (error as Error).message, position: cursor }, 'feed waits for the ledger');
            isLedgerAway = true;
            await retry.wait(signal);
            continue;
          }
          isLedgerAway = false;
          retry.reset();
          isReading = !batch.caughtUp;
          isBusBehind = batch.position > cursor;
          if (batch.position > cursor || (batch.caughtUp && !isTold)) {
            cursor = batch.position;
            isTold ||= batch.caughtUp;
            yield batch;
          }
          continue;
        }
        const collected = collect(inbox, cursor, categories, limit);
        if (collected.kind === 'batch') {
          cursor = collected.position;
          isBusBehind = false;
          yield { events: collected.events, position: cursor, caughtUp: inbox.peek() === undefined };
        } else if (collected.kind === 'gap') isReading = true;
        else {
          await inbox.wait(bell.isUp() && !isBusBehind ? sweepEvery : sweepWhileDown, signal);
          isReading = inbox.peek() === undefined;
        }
      }
    } finally {
      inbox.close();
    }
  }

  return {
    subscribe,
    close: async () => {
      closing.abort();
      await bell.close();
      await bus.close();
    },
  };
};
