/** Engines as requests see them: a rejection of the port is 'unavailable', told apart from a mistake of our own. */
import type { Platform } from '../engine/platform';
import { Refusal } from './problem';

/** An engine that did not answer. */
class EngineAway extends Refusal {
  constructor(engine: string, cause: unknown) {
    super({ kind: 'unavailable', message: `${engine} is not answering; try again`, stored: 'no' });
    this.cause = cause;
    this.message = `${engine}: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** The same port; its rejections say which engine is away. Refusals pass. */
export const guarded = <T extends object>(port: T, engine: string): T =>
  new Proxy(port, {
    get: (target, name, receiver): unknown => {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member as () => unknown, target, args);
        return answer instanceof Promise
          ? answer.catch((error: unknown) => {
              throw error instanceof Refusal ? error : new EngineAway(engine, error);
            })
          : answer;
      };
    },
  });

/** The platform for request handlers. */
export const guardedPlatform = (platform: Platform): Platform => ({
  ...platform,
  events: guarded(platform.events, 'The event store'),
  reads: guarded(platform.reads, 'The read store'),
  views: guarded(platform.views, 'The read store'),
  objects: guarded(platform.objects, 'The object store'),
  vault: guarded(platform.vault, 'The vault'),
  execute: guarded(platform.execute, 'The event store'),
});
