/** Values by key, bounded in number and in weight; the least recently set go first. */

export interface StateCache<A> {
  get(key: string): A | undefined;
  /** Makes it the newest. One that is heavier than all may be together is not kept. */
  set(key: string, value: A, weight: number): void;
  delete(key: string): void;
}

export const stateCache = <A>(most: number, heaviest: number): StateCache<A> => {
  const kept = new Map<string, { readonly value: A; readonly weight: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  return {
    get: (key) => kept.get(key)?.value,
    set: (key, value, weight) => {
      drop(key);
      kept.set(key, { value, weight });
      total += weight;
      while (kept.size > most || total > heaviest) drop(kept.keys().next().value as string);
    },
    delete: drop,
  };
};
