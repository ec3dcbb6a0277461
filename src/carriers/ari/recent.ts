/** A map of call references that forgets the oldest beyond 20,000: memory stays bounded, and nothing later than that still matters. */
const capacity = 20_000;

export const recentReferences = <A>(): Pick<Map<string, A>, 'get' | 'has'> & {
  readonly set: (reference: string, value: A) => void;
} => {
  const entries = new Map<string, A>();
  return {
    get: (reference) => entries.get(reference),
    has: (reference) => entries.has(reference),
    set: (reference, value) => {
      entries.set(reference, value);
      if (entries.size <= capacity) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
  };
};
