/**
 * History, then live, for ever. The client never reopens a subscription by itself, its marks (caught up, checkpoint) run ahead of the events
 * still buffered, and a consumer too slow while live is dropped by the server: each time it is opened again behind the last batch handed out.
 */
import { START, laterOf, type Position } from '../../core/position';
import type { Logger } from '../../engine/telemetry';
import type { EventBatch, SubscribeOptions } from '../../ports/event-store';
import type { StoreClient } from './eventstoredb-client';
import { describeError } from './eventstoredb-errors';
import { passes, readPage } from './eventstoredb-pages';
import { openTail } from './eventstoredb-tail';
import { backoff } from './waiting';

export interface Subscribing {
  readonly client: StoreClient;
  readonly log: Logger;
  readonly sweepEvery: number;
  /** The adapter is being closed. */
  readonly closing: AbortSignal;
}

/** A regular expression over stream names, for the server. */
export const streamNames = (categories: SubscribeOptions['categories']): string =>
  categories === undefined ? '^[^$]' : `^(${categories.join('|')})-`;

export async function* resubscribing(with_: Subscribing, options: SubscribeOptions): AsyncGenerator<EventBatch, void> {
  const signal = AbortSignal.any([options.signal, with_.closing]);
  const retry = backoff(50, 1000);
  let cursor = options.after;
  let away = false;
  while (!signal.aborted) {
    try {
      for await (const batch of live(with_, { ...options, after: cursor, signal })) {
        if (away) with_.log.info({ position: cursor }, 'event store subscription resumed');
        away = false;
        retry.reset();
        cursor = batch.position;
        yield batch;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!away) with_.log.warn({ reason: describeError(error), position: cursor }, 'event store subscription lost');
      away = true;
      await retry.wait(signal);
    }
  }
}

async function* live({ client, sweepEvery }: Subscribing, options: SubscribeOptions): AsyncGenerator<EventBatch, void> {
  const { signal, categories } = options;
  const limit = options.limit ?? 1000;
  const own = passes(categories);
  let cursor = options.after;

  // A server resumes behind the first record that it finds at or after the cursor. Where a scavenge removed the cursor's own event that would
  // swallow the next one, so it is read and handed out first.
  if (cursor !== START) {
    const [first] = await client.readAll(cursor, 1);
    if (first !== undefined && first.position !== cursor) {
      cursor = first.position;
      yield { events: own(first) ? [first] : [], position: cursor, caughtUp: false };
    }
  }

  const tail = await openTail(client, cursor, streamNames(categories), Math.min(limit, 512), signal);
  let told = false;
  let missed: Position | null = null;
  try {
    while (!signal.aborted) {
      if (await tail.news(sweepEvery)) {
        const taken = tail.take(limit);
        const events = taken.events.filter((event) => event.position > cursor && own(event));
        const position = laterOf(cursor, taken.position ?? cursor);
        if (events.length === 0 && position === cursor && (told || !taken.caughtUp)) continue;
        cursor = position;
        told = taken.caughtUp;
        yield { events, position, caughtUp: taken.caughtUp };
        continue;
      }
      if (signal.aborted) return;
      if (!tail.isLive()) {
        // Silence before the end of history: rejects when the server is not there.
        await client.readBackwards(null, 1);
        continue;
      }
      // Silence. The store is asked itself: events that the filter drops move the place on, and a subscription that died silently is found.
      const swept = await readPage(client, { ...options, after: cursor, limit });
      const [first] = swept.events;
      if (first === undefined) {
        missed = null;
        if (swept.position === cursor) continue;
        cursor = swept.position;
        yield { events: [], position: cursor, caughtUp: swept.caughtUp };
      } else if (tail.isQuiet()) {
        if (missed === first.position) throw new Error('the subscription is silent although events are stored');
        missed = first.position;
      }
    }
  } finally {
    await tail.stop();
  }
}
