import * as t from 'io-ts';
import { eventType, orNull, type EventOf } from '../../core/event-types';

/** Streams `dialing-<org>`: who may claim the next calls. */
export const dialingEvents = {
  /** A batch of claims that will follow; slots count from here. */
  TurnTaken: eventType(
    t.type({
      /** Random id of the process that claims. */
      owner: t.string,
      claims: t.readonlyArray(
        /** `campaign_id` null: a test call. */
        t.type({ campaign_id: orNull(t.number), run_id: t.number, attempt: t.number }),
      ),
    }),
  ),
  /** No later turn is taken before this revision of that stream is folded. */
  DialingFenced: eventType(t.type({ stream: t.string, revision: t.number })),
};
export type DialingEvent = EventOf<typeof dialingEvents>;
