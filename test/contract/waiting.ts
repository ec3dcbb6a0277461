/** Waiting with an end, for suites over engines that answer in their own time. */

/** Settles like `promise`, or rejects after `timeoutMs` naming what was waited for. */
export const within = async <A>(timeoutMs: number, what: string, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${timeoutMs} ms: ${what}`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Asks again every few ms until the answer is true; rejects after `timeoutMs`. */
export const eventually = async (
  timeoutMs: number,
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> => {
  const until = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 5));
  }
};
