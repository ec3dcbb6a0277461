/** Which engines answer, and since when one does not. */
import type { Clock } from '../ports/clock';

export interface EngineHealth {
  readonly name: string;
  /** Why it does not answer; null: it does. */
  readonly reason: string | null;
  /** When it was first found away, ISO 8601; null: it answers. */
  readonly since: string | null;
}

export interface EngineWatch {
  /** From now on this engine is looked at too. */
  add(name: string, ping: () => Promise<void>): void;
  /** Asks every engine, or these, at once; answers within 2 s, in the order in which they were added. */
  look(names?: readonly string[]): Promise<readonly EngineHealth[]>;
  /** What the last look found. */
  known(): readonly EngineHealth[];
  /** Looks every 2 s by itself, so that `since` is right though nobody asks. */
  start(): void;
  stop(): void;
}

/** An engine that says nothing for so long is away, ms. */
const ANSWER_MS = 2000;
const EVERY_MS = 2000;

/** The rejection's own text, not that of what was made of it on the way. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
};

export const engineWatch = (clock: Clock): EngineWatch => {
  const pings = new Map<string, () => Promise<void>>();
  const found = new Map<string, EngineHealth>();
  let next: { cancel(): void } | null = null;
  let isStopped = false;

  const ask = (ping: () => Promise<void>): Promise<string | null> =>
    new Promise((resolve) => {
      const timer = clock.after(ANSWER_MS, () => resolve(`no answer within ${ANSWER_MS} ms`));
      ping()
        .then(
          () => resolve(null),
          (error: unknown) => resolve(reasonOf(error)),
        )
        .finally(() => timer.cancel());
    });

  const look: EngineWatch['look'] = (names) =>
    Promise.all(
      [...pings]
        .filter(([name]) => names === undefined || names.includes(name))
        .map(async ([name, ping]) => {
          const asked = new Date(clock.now()).toISOString();
          const reason = await ask(ping);
          const health = { name, reason, since: reason === null ? null : (found.get(name)?.since ?? asked) };
          found.set(name, health);
          return health;
        }),
    );

  const again = (): void => {
    next = clock.after(EVERY_MS, () => {
      void look().then(() => {
        if (!isStopped) again();
      });
    });
  };

  return {
    add: (name, ping) => void pings.set(name, ping),
    look,
    known: () => [...found.values()],
    start: again,
    stop: () => {
      isStopped = true;
      next?.cancel();
    },
  };
};
