/** Who may claim the next calls of an organization: turns, taken one after the other, and the fences between them. */
import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { NO_STREAM } from '../../core/event';
import { conflict } from '../../core/failure';
import type { DialingEvent } from './events';

export type DialingCommand =
  /**
   * Takes the next turn for a batch of claims. `expected`: the revision of this stream that the claimer has folded; when anything was
   * appended since, the turn is lost (a conflict) and the claimer folds first.
   */
  | {
      readonly type: 'TakeTurn';
      readonly owner: string;
      readonly claims: Extract<DialingEvent, { type: 'TurnTaken' }>['data']['claims'];
      readonly expected: number;
    }
  /** Keeps later turns from being taken before `revision` of `stream` is folded. */
  | { readonly type: 'Fence'; readonly stream: string; readonly revision: number };

export interface DialingState {
  /** Revision of the stream's last event; -1 when there is none. */
  readonly revision: number;
}

export const dialingDecider: Decider<DialingState, DialingCommand, DialingEvent> = {
  name: 'dialing',
  initial: { revision: NO_STREAM },
  decide: (command, state) => {
    if (command.type === 'Fence')
      return right([{ type: 'DialingFenced', data: { stream: command.stream, revision: command.revision } }]);
    return command.expected === state.revision
      ? right([{ type: 'TurnTaken', data: { owner: command.owner, claims: command.claims } }])
      : left(conflict(`the turn was taken at revision ${command.expected}, the stream is at ${state.revision}`));
  },
  evolve: (state) => ({ revision: state.revision + 1 }),
};
