import type { EventStore } from '../../ports/event-store';
import type { Feed } from '../../ports/feed';

/** The tail of the embedded ledger, which tells its own appends at once: no bus is needed in one process. */
export const embeddedFeed = (events: EventStore): Feed => {
  const closing = new AbortController();
  return {
    subscribe: ({ signal, ...options }) =>
      events.subscribe({ ...options, signal: AbortSignal.any([signal, closing.signal]) }),
    close: async () => closing.abort(),
  };
};
