import type { Either } from 'fp-ts/Either';
import type { DomainEvent } from './event';
import type { Failure } from './failure';

/** What a decider may know besides command and state. Both come from outside, so that deciding stays pure. */
export interface DecideContext {
  /** Epoch ms of the decision. */
  readonly now: number;
}

/**
 * The rules of one stream. Pure: the same command and state give the same answer, and `evolve` never fails on an event that `decide` made.
 * No events in the answer: there was nothing to do (a command repeated is such a case).
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** Name of the thing, for messages and for the category of its streams. */
  readonly name: string;
  readonly initial: State;
  readonly decide: (command: Command, state: State, context: DecideContext) => Either<Failure, readonly Event[]>;
  readonly evolve: (state: State, event: Event) => State;
  /** About how large a state is, in characters of its JSON; absent: small. Asked after every command, so it must be cheap. */
  readonly weigh?: (state: State) => number;
}
