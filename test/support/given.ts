/** Given / when / then for deciders: `given(decider, events).when(command).then([...])`. */
import { isLeft } from 'fp-ts/Either';
import type { Decider } from '../../src/core/decider';
import type { DomainEvent } from '../../src/core/event';
import { describeFailure, type Failure } from '../../src/core/failure';

/** 2026-03-02T12:00:00.000Z, a Monday: the `now` of decisions in tests. */
export const NOW = Date.UTC(2026, 2, 2, 12);

export const fold = <S, C, E extends DomainEvent>(
  decider: Decider<S, C, E>,
  events: readonly E[],
  from: S = decider.initial,
): S => events.reduce(decider.evolve, from);

export const given = <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, events: readonly E[] = []) => ({
  when: (command: C, now: number = NOW) => {
    const decided = decider.decide(command, fold(decider, events), { now });
    return {
      /** Exactly these events. */
      then: (expected: readonly E[]): void => {
        if (isLeft(decided)) throw new Error(`expected events, got a failure: ${describeFailure(decided.left)}`);
        expect(decided.right).toEqual(expected);
      },
      /** Nothing to do. */
      thenNothing: (): void => {
        expect(decided).toEqual({ _tag: 'Right', right: [] });
      },
      /** A failure of this kind; its text matches `text` where that is given. */
      thenFails: (kind: Failure['kind'], text?: string | RegExp): void => {
        if (!isLeft(decided)) throw new Error(`expected a failure, got ${JSON.stringify(decided.right)}`);
        expect(decided.left.kind).toBe(kind);
        if (text !== undefined) expect(describeFailure(decided.left)).toMatch(text);
      },
      /** What was decided, for assertions of one's own; throws on a failure. */
      events: (): readonly E[] => {
        if (isLeft(decided)) throw new Error(`expected events, got a failure: ${describeFailure(decided.left)}`);
        return decided.right;
      },
    };
  },
});
