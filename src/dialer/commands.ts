/** Commands that must get through: repeated with a growing pause while the ledger is away, for ever. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import { conflict, type Failure } from '../core/failure';
import { runDecider } from '../domain/run/decider';
import type { RunCommand } from '../domain/run/commands';
import type { RunEvent } from '../domain/run/events';
import type { RunState } from '../domain/run/state';
import { pause } from '../engine/pause';
import type { Clock } from '../ports/clock';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;

/** Until it is answered with anything but `unavailable`, or the signal fires. A rejection counts as unavailable. */
export const untilAnswered = async <A>(
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<Either<Failure, A>>,
): Promise<Either<Failure, A>> => {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    let answer: Either<Failure, A>;
    try {
      answer = await ask();
    } catch (error) {
      answer = left({ kind: 'unavailable', message: (error as Error).message, stored: 'maybe' });
    }
    if (!(isLeft(answer) && answer.left.kind === 'unavailable') || signal.aborted) return answer;
    await pause(clock, wait, signal);
  }
};

/** Several pieces of news of one run as one append, in order; what does not fit any more is passed over, as it would be alone. */
export const runNewsDecider: Decider<RunState, readonly RunCommand[], RunEvent> = {
  ...runDecider,
  decide: (commands, initial, context) => {
    let state = initial;
    const events: RunEvent[] = [];
    for (const command of commands) {
      const decided = runDecider.decide(command, state, context);
      if (isLeft(decided)) continue;
      for (const event of decided.right) state = runDecider.evolve(state, event);
      events.push(...decided.right);
    }
    return right(events);
  },
};

/**
 * Burns the attempt number of a turn whose claim never came. A claim that was made meanwhile stands: only the process that made it knows
 * whether it was sent.
 */
export const burnDecider: Decider<RunState, Extract<RunCommand, { type: 'WithdrawCall' }>, RunEvent> = {
  ...runDecider,
  decide: (command, state, context) =>
    state.phase === 'idle'
      ? runDecider.decide(command, state, context)
      : left(conflict(`attempt ${state.attempt} of run ${command.call.run_id} was claimed`)),
};
