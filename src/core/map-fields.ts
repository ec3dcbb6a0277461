/** The object with each field changed: a copy only where one did change, since copying a wide object takes longer than looking through it. */
export const mapFields = <T>(
  value: Readonly<Record<string, T>>,
  change: (field: T, key: string) => T,
): Readonly<Record<string, T>> => {
  let copy: Record<string, T> | null = null;
  for (const key of Object.keys(value)) {
    const before = value[key] as T;
    const after = change(before, key);
    if (after === before) continue;
    copy ??= { ...value };
    copy[key] = after;
  }
  return copy ?? value;
};
