/**
 * Carries out commands: decide on the cached state of the stream, append with the revision it was folded to, and on a conflict read the missing
 * tail and decide again. The usual command costs one append and no read (the pattern of equinox-js).
 */
import { randomUUID } from 'node:crypto';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import { NO_STREAM, type DomainEvent, type RecordedEvent, type SealedEvent } from '../core/event';
import { upcast, type EventTypes } from '../core/event-types';
import type { Failure } from '../core/failure';
import { organizationOf } from '../core/ids';
import type { Position } from '../core/position';
import type { Clock } from '../ports/clock';
import type { Appended, AppendFailure, EventStore } from '../ports/event-store';
import { chain, NO_HASH } from './envelope';
import { pause } from './pause';
import { stateCache } from './state-cache';

/** Who asks, and for what reason. */
export interface CommandContext {
  readonly actor: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  /** Given where the caller repeats a command after a crash; else a new one is made. */
  readonly commandId?: string;
}

export interface Executed<State, Event> {
  /** What was appended; empty when there was nothing to do. */
  readonly events: readonly Event[];
  readonly state: State;
  /** Revision of the stream after it. */
  readonly revision: number;
  /** Position of the last event appended; null when nothing was. */
  readonly position: Position | null;
}

interface Folded {
  readonly state: unknown;
  readonly revision: number;
  readonly hash: string;
}

export interface ExecuteOptions {
  /** The stream is expected to have no events: decide without reading it first. A conflict reads it. */
  readonly assumeNew?: boolean;
}

export interface Executor {
  run<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    command: C,
    context: CommandContext,
    options?: ExecuteOptions,
  ): Promise<Either<Failure, Executed<S, E>>>;
  /** The folded state of a stream, at least as new as its last event when the call began. Rejects when the store is away. */
  load<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
  ): Promise<{ readonly state: S; readonly revision: number }>;
}

export interface ExecutorDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly catalog: EventTypes;
  /** Folded states kept in memory (default 20,000), and what they may weigh together, characters (default 32 Mi); the least recently used go first. */
  readonly cacheSize?: number;
  readonly cacheWeight?: number;
  /** Told of every append, for those who wait for read models or wake up on news. */
  readonly onAppend?: (stream: string, appended: Appended) => void;
}

/** A conflict more often than this in one command means something other than a race. */
const ATTEMPTS = 50;
/** How long an append of unknown outcome is repeated before the caller is told so, ms. */
const UNKNOWN_BUDGET = 4000;

const away = (stream: string, error: unknown): Either<Failure, never> =>
  left({ kind: 'unavailable', message: `${stream} can't be read: ${(error as Error).message}`, stored: 'no' });

export const executor = (deps: ExecutorDeps): Executor => {
  const { store, clock, catalog } = deps;
  const cache = stateCache<Folded>(deps.cacheSize ?? 20_000, deps.cacheWeight ?? 32 * 1024 * 1024);

  /** Keeps the newest: a read that was under way while another command appended is older than what that one left. */
  const remember = <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string, folded: Folded): void => {
    if ((cache.get(stream)?.revision ?? NO_STREAM) > folded.revision) return;
    cache.set(stream, folded, decider.weigh?.(folded.state as S) ?? 0);
  };

  const fold = <S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    from: Folded,
    events: readonly RecordedEvent[],
  ): Folded => {
    let state = from.state as S;
    for (const event of events)
      state = decider.evolve(state, {
        type: event.type,
        data: upcast(catalog, event.type, event.data, event.metadata.schema),
      } as unknown as E);
    const last = events.at(-1);
    return last === undefined ? from : { state, revision: last.revision, hash: last.metadata.hash };
  };

  const readTail = async <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): Promise<Folded> => {
    const known = cache.get(stream) ?? { state: decider.initial, revision: NO_STREAM, hash: NO_HASH };
    const folded = fold(decider, known, await store.readStream(stream, known.revision + 1));
    remember(decider, stream, folded);
    return folded;
  };

  /**
   * The very same append again while its outcome is unknown, then the truth or `outcome_unknown`. Once it is unknown, only an answer about the
   * stream settles it: that a later try stored nothing says nothing of the first.
   */
  const append = async (
    stream: string,
    expected: number,
    events: Parameters<EventStore['append']>[2],
  ): Promise<Either<AppendFailure, Appended>> => {
    const until = clock.monotonic() + UNKNOWN_BUDGET;
    let maybeStored = false;
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      const answer = await store.append(stream, expected, events);
      const failed = isLeft(answer) ? answer.left : null;
      maybeStored ||= failed?.kind === 'outcome_unknown';
      // A store that is away now says nothing about an earlier try.
      const isOpen = maybeStored && (failed?.kind === 'outcome_unknown' || failed?.kind === 'unavailable');
      if (!isOpen) return answer;
      if (clock.monotonic() >= until) return left({ kind: 'outcome_unknown', message: failed?.message ?? '' });
      await pause(clock, wait);
    }
  };

  const decideAndAppend = async <S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    command: C,
    context: CommandContext,
    options: ExecuteOptions = {},
  ): Promise<Either<Failure, Executed<S, E>>> => {
    const commandId = context.commandId ?? randomUUID();
    const org = organizationOf(stream);
    /** Whether the state decided on was read from the store for this command. */
    let isNewest = false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      let tail = cache.get(stream);
      if (tail === undefined && attempt === 0 && options.assumeNew === true)
        tail = { state: decider.initial, revision: NO_STREAM, hash: NO_HASH };
      if (tail === undefined) {
        try {
          tail = await readTail(decider, stream);
        } catch (error) {
          return away(stream, error);
        }
        isNewest = true;
      }
      const now = clock.now();
      const decided = decider.decide(command, tail.state as S, { now });
      // A rejection, or nothing to do, may rest on a stale state: it stands only on the newest one.
      if (!isNewest && (isLeft(decided) || decided.right.length === 0)) {
        isNewest = true;
        try {
          if ((await readTail(decider, stream)).revision !== tail.revision) continue;
        } catch (error) {
          return away(stream, error);
        }
      }
      if (isLeft(decided)) return decided;
      const events = decided.right;
      if (events.length === 0)
        return right({ events, state: tail.state as S, revision: tail.revision, position: null });
      let sealed: readonly SealedEvent[];
      try {
        sealed = chain(
          stream,
          tail,
          events.map((e) => ({ type: e.type, data: e.data, schema: catalog[e.type]?.schema ?? 1 })),
          {
            org: org === null ? 'system' : String(org),
            actor: context.actor,
            correlationId: context.correlationId ?? commandId,
            causationId: context.causationId ?? commandId,
            commandId,
            at: new Date(now).toISOString(),
          },
        );
      } catch (error) {
        return left({ kind: 'rejected', message: `it can't be stored as JSON: ${(error as Error).message}` });
      }
      const answer = await append(stream, tail.revision, sealed);
      if (isLeft(answer)) {
        const failure = answer.left;
        // Another writer was first: drop nothing, read what is missing, decide again.
        if (failure.kind === 'conflict') {
          try {
            await readTail(decider, stream);
          } catch (error) {
            return away(stream, error);
          }
          isNewest = true;
          continue;
        }
        cache.delete(stream);
        if (failure.kind === 'refused')
          return left({ kind: 'rejected', message: `it can't be stored: ${failure.message}` });
        return left({
          kind: 'unavailable',
          message: failure.message,
          stored: failure.kind === 'outcome_unknown' ? 'maybe' : 'no',
        });
      }
      let state = tail.state as S;
      for (const event of events) state = decider.evolve(state, event);
      const newest = cache.get(stream);
      const hash = sealed.at(-1)?.metadata.hash ?? tail.hash;
      if (newest === undefined || newest.revision < answer.right.revision)
        remember(decider, stream, { state, revision: answer.right.revision, hash });
      deps.onAppend?.(stream, answer.right);
      return right({ events, state, revision: answer.right.revision, position: answer.right.position });
    }
    return left({ kind: 'unavailable', message: `too many writers at once on ${stream}; try again`, stored: 'no' });
  };

  // Commands of this process on one stream go one after the other, so that they do not make conflicts for each other.
  const queues = new Map<string, Promise<unknown>>();
  const run: Executor['run'] = (decider, stream, command, context, options) => {
    const before = queues.get(stream);
    const done =
      before === undefined
        ? decideAndAppend(decider, stream, command, context, options)
        : before.then(() => decideAndAppend(decider, stream, command, context, options));
    const queued = done
      .catch(() => undefined)
      .then(() => {
        if (queues.get(stream) === queued) queues.delete(stream);
      });
    queues.set(stream, queued);
    return done;
  };

  return {
    run,
    load: async <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string) => {
      const folded = await readTail(decider, stream);
      return { state: folded.state as S, revision: folded.revision };
    },
  };
};
