/** Where commands write what they have to say. */
export type Print = (text: string) => void;

/** At most one line in `everyMs`. */
export const throttled = (print: Print, everyMs: number): Print => {
  let last = -Infinity;
  return (text) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    print(text);
  };
};
