/** A limit on how long an answer is waited for. */

export class TimedOut extends Error {}

/**
 * The promise's answer, or a rejection with `TimedOut` after `ms`; null: however long it takes. What comes later is ignored, also a rejection.
 * `failed` makes of what went wrong what is rejected with.
 */
export const within = <A>(
  ms: number | null,
  what: string,
  promise: Promise<A>,
  failed: (error: unknown) => unknown = (error) => error,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(failed(error) as Error);
    const timer =
      ms === null ? undefined : setTimeout(() => fail(new TimedOut(`${what}: no answer within ${ms} ms`)), ms);
    promise.then(
      (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
      (error: unknown) => {
        clearTimeout(timer);
        fail(error);
      },
    );
  });
