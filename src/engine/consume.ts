/** The loop of every consumer: batches in order, each handled before the next; whatever fails is begun again, for ever, until it is stopped. */
import type { EventBatch } from '../ports/event-store';
import type { Clock } from '../ports/clock';
import { pause } from './pause';

export interface ConsumeOptions {
  readonly clock: Clock;
  /** Ends the loop; a batch in hand is finished first. */
  readonly signal: AbortSignal;
  /** Opens a subscription where the checkpoints stand. Asked again after every failure. */
  readonly source: () => Promise<AsyncIterable<EventBatch>>;
  /** Handles one batch and stores its checkpoint. A rejection begins anew at `source`. */
  readonly handle: (batch: EventBatch) => Promise<void>;
  /** Told of each failure. `pauseMs`: until the next try. */
  readonly onFailure: (error: unknown, pauseMs: number) => void;
}

/** Thrown by `handle` to begin anew at once, without counting as a failure: what it works on was replaced. */
export class BeginAnew extends Error {}

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5000;

/** Resolves when it was stopped. Never rejects. Pauses between failures double from 50 ms to 5 s; a batch handled begins them anew. */
export const consume = async ({ clock, signal, source, handle, onFailure }: ConsumeOptions): Promise<void> => {
  let pauseMs = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const batch of await source()) {
        if (signal.aborted) return;
        await handle(batch);
        pauseMs = FIRST_PAUSE;
      }
      if (signal.aborted) return;
      throw new Error('the subscription ended');
    } catch (error) {
      if (error instanceof BeginAnew) continue;
      onFailure(error, pauseMs);
      await pause(clock, pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE);
    }
  }
};
