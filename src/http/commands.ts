/** How a handler changes things. With an Idempotency-Key the same interface remembers what the request reserved and did (idempotency.ts). */
import type { Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import type { DomainEvent, Json } from '../core/event';
import type { Failure } from '../core/failure';
import type { SequenceKind } from '../core/ids';
import type { CommandContext, Executed, ExecuteOptions } from '../engine/execute';
import type { Platform } from '../engine/platform';

export interface Commands {
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
  id: (kind) => platform.sequences.next(kind),
  ids: (kind, count) => platform.sequences.block(kind, count),
  once: (make) => make(),
  run: (decider, stream, command, options) => platform.execute.run(decider, stream, command, context, options),
});
