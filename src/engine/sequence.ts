/** Integer ids from the ledger, reserved in blocks by optimistic concurrency: unique for ever, in no promised order, gaps possible. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import type { Failure } from '../core/failure';
import { sequenceStream, type SequenceKind } from '../core/ids';
import type { SequenceEvent } from './sequence-events';
import type { Executor } from './execute';

interface Reserve {
  readonly count: number;
}

const sequenceDecider: Decider<{ readonly next: number }, Reserve, SequenceEvent> = {
  name: 'sequence',
  initial: { next: 1 },
  decide: ({ count }, { next }) => right([{ type: 'IdsReserved', data: { first: next, count } }]),
  evolve: (_state, event) => ({ next: event.data.first + event.data.count }),
};

/** Ids per reservation where they are taken one by one; runs come in blocks of their own. */
const BLOCK: Readonly<Record<SequenceKind, number>> = {
  organization: 1,
  api_key: 1,
  telephony_configuration: 10,
  phone_number: 10,
  trunk: 10,
  agent: 10,
  definition: 10,
  campaign: 10,
  run: 100,
  recording: 10,
};

export interface Sequences {
  /** One new id. */
  next(kind: SequenceKind): Promise<Either<Failure, number>>;
  /** `count` consecutive ids; answers the first. */
  block(kind: SequenceKind, count: number): Promise<Either<Failure, number>>;
}

export const sequences = (execute: Executor): Sequences => {
  const blocks = new Map<SequenceKind, { next: number; end: number }>();
  const refills = new Map<SequenceKind, Promise<Either<Failure, number>>>();

  const reserve = async (kind: SequenceKind, count: number): Promise<Either<Failure, number>> => {
    const done = await execute.run(sequenceDecider, sequenceStream(kind), { count }, { actor: 'system' });
    if (isLeft(done)) return done;
    const event = done.right.events[0];
    return event === undefined
      ? left({ kind: 'unavailable', message: 'no ids were reserved', stored: 'no' })
      : right(event.data.first);
  };

  const next = async (kind: SequenceKind): Promise<Either<Failure, number>> => {
    for (;;) {
      const block = blocks.get(kind);
      if (block !== undefined && block.next < block.end) return right(block.next++);
      let refill = refills.get(kind);
      if (refill === undefined) {
        refill = reserve(kind, BLOCK[kind])
          .then((first) => {
            if (!isLeft(first)) blocks.set(kind, { next: first.right, end: first.right + BLOCK[kind] });
            return first;
          })
          .finally(() => refills.delete(kind));
        refills.set(kind, refill);
      }
      const refilled = await refill;
      if (isLeft(refilled)) return refilled;
    }
  };

  return { next, block: reserve };
};
