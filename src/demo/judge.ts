/** Holds the demo's result against two witnesses: the ledger, and the carrier simulator's own record. Pure. */

/** One place request as the simulator saw it. */
export interface SeenCall {
  readonly reference: string;
  readonly runId: number;
  readonly attempt: number;
}

/** What the ledger says of one contact. */
export interface LedgerRun {
  readonly runId: number;
  /** CallAttempted minus CallWithdrawn. */
  readonly attempts: readonly {
    readonly attempt: number;
    readonly reference: string;
    readonly variantId: string;
    readonly withdrawn: boolean;
  }[];
  readonly terminal: number;
  readonly outcome: string | null;
}

export interface Statistics {
  readonly total_attempts: number;
  readonly variants: readonly { readonly id: string; readonly attempts: number; readonly completed: number }[];
}

/** Everything that is off, one line each; empty: the promise held. */
export const judge = (
  contacts: number,
  runs: readonly LedgerRun[],
  seen: readonly SeenCall[],
  stats: Statistics,
): readonly string[] => {
  const faults: string[] = [];
  if (runs.length !== contacts) faults.push(`${contacts} contacts were uploaded, the ledger knows ${runs.length}`);
  for (const run of runs) {
    if (run.terminal !== 1) faults.push(`run ${run.runId} has ${run.terminal} terminal events instead of one`);
  }

  const placed = new Map<string, number>();
  for (const call of seen) {
    const key = `${call.runId}/${call.attempt}`;
    placed.set(key, (placed.get(key) ?? 0) + 1);
  }
  for (const [key, times] of placed)
    if (times > 1) faults.push(`attempt ${key} (run/attempt) reached the carrier ${times} times`);

  const claimed = new Set(runs.flatMap((run) => run.attempts.map((a) => a.reference)));
  for (const call of seen)
    if (!claimed.has(call.reference)) faults.push(`the carrier saw a call of run ${call.runId} that was never claimed`);

  const attempts = runs.flatMap((run) => run.attempts.filter((a) => !a.withdrawn));
  if (stats.total_attempts !== attempts.length)
    faults.push(`statistics count ${stats.total_attempts} attempts, the ledger ${attempts.length}`);
  const byVariant = new Map<string, number>();
  for (const a of attempts) byVariant.set(a.variantId, (byVariant.get(a.variantId) ?? 0) + 1);
  for (const variant of stats.variants) {
    const counted = byVariant.get(variant.id) ?? 0;
    if (variant.attempts !== counted)
      faults.push(`variant ${variant.id}: statistics count ${variant.attempts} attempts, the ledger ${counted}`);
    if (variant.completed !== variant.attempts)
      faults.push(`variant ${variant.id}: ${variant.attempts - variant.completed} attempts are not over`);
    byVariant.delete(variant.id);
  }
  for (const [id, n] of byVariant)
    faults.push(`variant ${id} has ${n} attempts in the ledger and none in the statistics`);
  return faults;
};
