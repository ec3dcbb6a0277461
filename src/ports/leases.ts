/**
 * Who owns which partition. A lease makes double work rare, never safety: two owners for a moment are harmless by the rules of the ledger.
 */
export interface LeaseChange {
  readonly owned: ReadonlySet<number>;
}

export interface Leases {
  /** Partitions held now. */
  owned(): ReadonlySet<number>;
  /** Told at every change; the first call comes soon after `start`. */
  start(onChange: (change: LeaseChange) => void): Promise<void>;
  /** Hands everything back. */
  release(): Promise<void>;
}
