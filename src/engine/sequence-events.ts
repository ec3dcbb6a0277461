import * as t from 'io-ts';
import { eventType, type EventOf } from '../core/event-types';

/** Streams `sequence-<kind>`: integer ids in blocks, so that an id never costs an append of its own. */
export const sequenceEvents = {
  /** Ids `first` … `first + count - 1` belong to whoever appended it. */
  IdsReserved: eventType(t.type({ first: t.number, count: t.number })),
};
export type SequenceEvent = EventOf<typeof sequenceEvents>;
