/**
 * A partition's state as text and back. Run ids and settings only: no number, no variable, credentials as sealed as the ledger has them.
 * The first line says schema and SHA-256 of the second.
 */
import { createHash } from 'node:crypto';
import { PARTITIONS, partitionOf } from '../core/ids';
import { parsePosition, START, type Position } from '../core/position';
import { newCursor } from './cursor';
import { packHeap, unpackHeap } from './heap';
import type { CampaignState, DialerState, OrganizationState } from './model';

/** Raised whenever the state means something else: older snapshots are then passed over. */
export const SNAPSHOT_SCHEMA = 3;

export interface Snapshot {
  readonly partition: number;
  readonly position: Position;
  /** Of every partition: the position of its last event up to `position`. */
  readonly lastEvents: readonly Position[];
  readonly organizations: readonly OrganizationState[];
}

const packCampaign = (c: CampaignState) => ({
  ...c,
  cursor: { lowest: c.cursor.lowest, above: [...c.cursor.above] },
  waiting: packHeap(c.waiting),
});
type PackedCampaign = ReturnType<typeof packCampaign>;

const packOrganization = (org: OrganizationState) => ({
  ...org,
  configurations: [...org.configurations],
  agents: [...org.agents].map(([id, agent]) => [id, { ...agent, versions: [...agent.versions] }] as const),
  campaigns: [...org.campaigns.values()].map(packCampaign),
  requests: [...org.requests.values()],
  calls: [...org.calls.values()],
  references: undefined,
});
type PackedOrganization = ReturnType<typeof packOrganization>;

const unpackCampaign = (c: PackedCampaign): CampaignState => ({
  ...c,
  cursor: newCursor(c.cursor.lowest, c.cursor.above),
  waiting: unpackHeap(c.waiting),
});

const unpackOrganization = (org: PackedOrganization): OrganizationState => ({
  ...org,
  configurations: new Map(org.configurations),
  agents: new Map(org.agents.map(([id, agent]) => [id, { ...agent, versions: new Map(agent.versions) }])),
  campaigns: new Map(org.campaigns.map((c) => [c.id, unpackCampaign(c)])),
  requests: new Map(org.requests.map((request) => [request.ref.run_id, request])),
  calls: new Map(org.calls.map((call) => [call.run, call])),
  references: new Map(
    org.calls.flatMap((call) => (call.claim === null ? [] : [[call.claim.reference, call.run] as const])),
  ),
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The partition as it is now. */
export const packSnapshot = (state: DialerState, partition: number): string => {
  const organizations = [...state.organizations.values()].filter((org) => partitionOf(org.id) === partition);
  const body = JSON.stringify({
    partition,
    position: state.position,
    lastEvents: state.lastEvents,
    organizations: organizations.map(packOrganization),
  });
  return `${JSON.stringify({ schema: SNAPSHOT_SCHEMA, sha256: sha256(body) })}\n${body}\n`;
};

/** null: it is not whole, not of this schema, or not of this partition. */
export const unpackSnapshot = (text: string, partition: number): Snapshot | null => {
  const end = text.indexOf('\n');
  try {
    const header = JSON.parse(text.slice(0, end)) as { readonly schema?: unknown; readonly sha256?: unknown };
    const body = text.slice(end + 1, -1);
    if (header.schema !== SNAPSHOT_SCHEMA || header.sha256 !== sha256(body)) return null;
    const packed = JSON.parse(body) as Omit<Snapshot, 'organizations'> & { organizations: PackedOrganization[] };
    if (packed.partition !== partition || parsePosition(packed.position) === null) return null;
    return { ...packed, organizations: packed.organizations.map(unpackOrganization) };
  } catch {
    return null;
  }
};

/**
 * Puts snapshots into an empty state. A partition of which nothing happened up to a later position, as another partition's snapshot tells, is as new
 * as that one. The state's position is then where the feed is to be followed from.
 */
export const restoreSnapshots = (state: DialerState, found: readonly Snapshot[]): void => {
  const own = new Map(found.map((s) => [s.partition, s]));
  let from: Position | null = null;
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const snapshot = own.get(partition);
    const base = snapshot?.position ?? START;
    for (const org of snapshot?.organizations ?? []) state.organizations.set(org.id, org);
    const known = found.reduce(
      (best, other) =>
        (other.lastEvents[partition] ?? START) <= base && other.position > best ? other.position : best,
      base,
    );
    state.restored[partition] = known;
    state.lastEvents[partition] = snapshot?.lastEvents[partition] ?? START;
    if (from === null || known < from) from = known;
  }
  state.position = from ?? START;
};
