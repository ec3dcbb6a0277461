/** Engines as requests see them: a rejection of the port is 'unavailable', told apart from a mistake of our own. */
import type { Platform } from '../engine/platform';
import { within } from '../engine/within';
import { Refusal } from './problem';

/** An engine that did not answer. */
class EngineAway extends Refusal {
  constructor(engine: string, cause: unknown, stored: 'no' | 'maybe') {
    super({ kind: 'unavailable', message: `${engine} is not answering; try again`, stored });
    this.cause = cause;
    this.message = `${engine}: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** An engine that says nothing for so long is away, ms. A request is answered within 5 s, the look at its key included. */
const READ_MS = 3000;
const APPEND_MS = 4500;

interface Guard {
  /** What may have happened when it did not answer. */
  readonly stored: 'no' | 'maybe';
  readonly withinMs: number | null;
}

/** The same port; its rejections say which engine is away, and so does its silence. Refusals pass. */
export const guarded = <T extends object>(
  port: T,
  engine: string,
  { stored, withinMs }: Guard = { stored: 'no', withinMs: READ_MS },
): T => {
  // Only of a call that was given up here is it open what it did: an adapter's own limit says nothing of an append.
  const away = (error: unknown, gaveUp: boolean): unknown =>
    error instanceof Refusal ? error : new EngineAway(engine, error, gaveUp ? stored : 'no');
  const guards = new Map<unknown, (...args: readonly unknown[]) => unknown>();
  return new Proxy(port, {
    get: (target, name, receiver): unknown => {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      let guard = guards.get(member);
      if (guard === undefined) {
        guard = (...args) => {
          const answer: unknown = Reflect.apply(member as () => unknown, target, args);
          return answer instanceof Promise ? within(withinMs, String(name), answer, away) : answer;
        };
        guards.set(member, guard);
      }
      return guard;
    },
  });
};

/** The platform for request handlers. */
export const guardedPlatform = (platform: Platform): Platform => ({
  ...platform,
  events: guarded(platform.events, 'The event store'),
  reads: guarded(platform.reads, 'The read store'),
  views: guarded(platform.views, 'The read store'),
  // Large objects take their time.
  objects: guarded(platform.objects, 'The object store', { stored: 'no', withinMs: null }),
  vault: guarded(platform.vault, 'The vault'),
  execute: guarded(platform.execute, 'The event store', { stored: 'maybe', withinMs: APPEND_MS }),
});
