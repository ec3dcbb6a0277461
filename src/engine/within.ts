/** A limit on how long an answer is waited for. */

export class TimedOut extends Error {}

/**
 * The promise's answer, or a rejection with `TimedOut` after `ms`; null: however long it takes. What comes later is ignored, also a rejection.
 * `failed` makes of what went wrong what is rejected with; `gaveUp`: it was this limit, and not the promise's own rejection.
 */
export const within = <A>(
  ms: number | null,
  what: string,
  promise: Promise<A>,
  failed: (error: unknown, gaveUp: boolean) => unknown = (error) => error,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown, gaveUp: boolean): void => reject(failed(error, gaveUp) as Error);
    const timer =
      ms === null ? undefined : setTimeout(() => fail(new TimedOut(`${what}: no answer within ${ms} ms`), true), ms);
    promise.then(
      (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
      (error: unknown) => {
        clearTimeout(timer);
        fail(error, false);
      },
    );
  });
