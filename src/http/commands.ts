/** How a handler changes things. With an Idempotency-Key the same interface remembers what the request reserved and did (idempotency.ts). */
import { isLeft, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import type { DomainEvent, Json } from '../core/event';
import type { Failure } from '../core/failure';
import type { SequenceKind } from '../core/ids';
import type { CommandContext, Executed, ExecuteOptions } from '../engine/execute';
import type { Platform } from '../engine/platform';

export interface Commands {
  /**
   * Whether the command would be accepted now, without doing anything: asked before an id is taken for it, so that what is refused leaves no
   * trace in the ledger. `stream` null: a new one.
   */
  probe<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string | null,
    command: C,
  ): Promise<Either<Failure, null>>;
  /** A new id. */
  id(kind: SequenceKind): Promise<Either<Failure, number>>;
  /** `count` consecutive ids; answers the first. */
  ids(kind: SequenceKind, count: number): Promise<Either<Failure, number>>;
  /** A random value that a repeat of the request must use again. */
  once<T extends Json>(make: () => T): T;
  run<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    command: C,
    options?: ExecuteOptions,
  ): Promise<Either<Failure, Executed<S, E>>>;
}

export const plainCommands = (platform: Platform, context: CommandContext): Commands => ({
  probe: async (decider, stream, command) => {
    const state = stream === null ? decider.initial : (await platform.execute.load(decider, stream)).state;
    const decided = decider.decide(command, state, { now: platform.clock.now() });
    return isLeft(decided) ? decided : right(null);
  },
  id: (kind) => platform.sequences.next(kind),
  ids: (kind, count) => platform.sequences.block(kind, count),
  once: (make) => make(),
  run: (decider, stream, command, options) => platform.execute.run(decider, stream, command, context, options),
});
