/** What a test opened is closed after it, also when it failed: `afterwards(() => store.close())`. The last one first. */
export const closing = (): ((close: () => unknown) => void) => {
  const opened: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  }, 60_000);
  return (close) => void opened.push(close);
};
