/** A small decider with every kind of answer, for tests of the loops around deciders. */
import * as t from 'io-ts';
import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../src/core/decider';
import { eventType, type EventTypes } from '../../src/core/event-types';
import { rejected } from '../../src/core/failure';
import { sequenceEvents } from '../../src/engine/sequence-events';

export type CounterCommand =
  /** Adds `by`, whatever there is. */
  | { readonly kind: 'add'; readonly by: number; readonly note?: unknown }
  /** Rejected where the count is below. */
  | { readonly kind: 'require'; readonly atLeast: number }
  /** Nothing to do where the count is there already. */
  | { readonly kind: 'raise'; readonly to: number };
export type CounterEvent = { readonly type: 'Added'; readonly data: { readonly by: number; readonly note?: unknown } };

export const counter: Decider<{ readonly count: number }, CounterCommand, CounterEvent> = {
  name: 'counter',
  initial: { count: 0 },
  decide: (command, { count }) => {
    switch (command.kind) {
      case 'add':
        return right([
          { type: 'Added', data: { by: command.by, ...(command.note === undefined ? {} : { note: command.note }) } },
        ]);
      case 'require':
        return count >= command.atLeast
          ? right([{ type: 'Added', data: { by: 0 } }])
          : left(rejected(`the count is ${count}`));
      case 'raise':
        return right(count >= command.to ? [] : [{ type: 'Added', data: { by: command.to - count } }]);
    }
  },
  evolve: ({ count }, event) => ({ count: count + event.data.by }),
};

/** `Added` is in its second shape: the first had its number as text. */
export const counterCatalog: EventTypes = {
  Added: {
    ...eventType(t.type({ by: t.number })),
    schema: 2,
    upcast: (data) => ({ ...data, by: Number(data['by']) }),
  },
  ...sequenceEvents,
};
