/** How far a consumer of the ledger is behind. */
import type { Position } from '../core/position';
import type { Clock } from '../ports/clock';
import type { EventStore } from '../ports/event-store';

/**
 * Age in seconds of the oldest event behind `position`, which is the next one for a consumer that stands there; 0 when there is none. Reads one
 * event. Rejects when the store is away.
 */
export const lagSeconds = async (events: EventStore, clock: Clock, position: Position): Promise<number> => {
  const [next] = (await events.readAll({ after: position, limit: 1 })).events;
  return next === undefined ? 0 : Math.max(0, (clock.now() - Date.parse(next.metadata.at)) / 1000);
};
