import fc from 'fast-check';
import type { RecordedEvent } from '../../src/core/event';
import { PARTITIONS, partitionOf } from '../../src/core/ids';
import { positionOf, START } from '../../src/core/position';
import { inOrder } from '../../src/dialer/heap';
import type { DialerState } from '../../src/dialer/model';
import { packSnapshot, restoreSnapshots, unpackSnapshot, type Snapshot } from '../../src/dialer/snapshot';
import { fold, newState } from '../../src/dialer/state';
import { simulate } from '../simulation/simulate';
import { ledger, NOW, ORG } from './given';

const foldAll = (events: readonly RecordedEvent[], state = newState()): DialerState => {
  for (const event of events) fold(state, event);
  return state;
};

/** Comparable: buffers of heaps differ in what lies behind their end. */
const seen = (state: DialerState) =>
  [...state.organizations.values()].map((org) => ({
    ...org,
    campaigns: [...org.campaigns.values()].map((c) => ({ ...c, waiting: [...inOrder(c.waiting)] })),
  }));

const snapshotsOf = (state: DialerState): readonly Snapshot[] =>
  Array.from({ length: PARTITIONS }, (_, partition) =>
    unpackSnapshot(packSnapshot(state, partition), partition),
  ).flatMap((s) => s ?? []);

const restored = (snapshots: readonly Snapshot[]): DialerState => {
  const state = newState();
  restoreSnapshots(state, snapshots);
  return state;
};

describe('the fold', () => {
  let events: readonly RecordedEvent[] = [];
  beforeAll(async () => {
    const run = await simulate({ seed: 77, kills: 2, pauses: 2, silentCarrier: true });
    events = run.world.ledger.all;
  }, 30_000);

  it('gives the same state from the beginning as from a snapshot of any moment', () => {
    expect(events.length).toBeGreaterThan(300);
    const whole = seen(foldAll(events));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: events.length }), (cut) => {
        const state = restored(snapshotsOf(foldAll(events.slice(0, cut))));
        expect(state.position).toBe(cut === 0 ? START : events[cut - 1]?.position);
        expect(seen(foldAll(events.slice(cut), state))).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('passes over what its snapshot has seen already', () => {
    const cut = Math.floor(events.length / 2);
    const state = restored(snapshotsOf(foldAll(events.slice(0, cut))));
    expect(seen(foldAll(events, state))).toEqual(seen(foldAll(events)));
  });

  it('holds a slot for every call in flight, and none when all is over', () => {
    const state = newState();
    for (const event of events) {
      fold(state, event);
      const org = state.organizations.get(ORG);
      if (org === undefined) continue;
      const byCampaign = new Map<number, number>();
      for (const call of org.calls.values())
        byCampaign.set(call.campaign ?? 0, (byCampaign.get(call.campaign ?? 0) ?? 0) + 1);
      for (const campaign of org.campaigns.values()) expect(campaign.inFlight).toBe(byCampaign.get(campaign.id) ?? 0);
      expect(org.references.size).toBe([...org.calls.values()].filter((c) => c.claim !== null).length);
    }
    const org = state.organizations.get(ORG);
    expect([org?.calls.size, org?.references.size, org?.campaigns.size]).toEqual([0, 0, 0]);
  });
});

describe('snapshots', () => {
  const state = (): DialerState =>
    foldAll(ledger().basics().campaign(1, 100, 5).at(NOW).turn(1, 'me', [100, 1]).placed(1, 101).events);
  const partition = partitionOf(ORG);

  it('are passed over when a byte of them is not as it was written', () => {
    const packed = packSnapshot(state(), partition);
    expect(unpackSnapshot(packed, partition)).not.toBeNull();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: packed.length - 2 }), (i) => {
        const other = packed[i] === 'x' ? 'y' : 'x';
        expect(unpackSnapshot(packed.slice(0, i) + other + packed.slice(i + 1), partition)).toBeNull();
      }),
      { numRuns: 200 },
    );
    expect(unpackSnapshot(packed.slice(0, -20), partition)).toBeNull();
    expect(unpackSnapshot('', partition)).toBeNull();
  });
  it('are passed over when they are of another partition or schema', () => {
    const packed = packSnapshot(state(), partition);
    expect(unpackSnapshot(packed, partition + 1)).toBeNull();
    expect(unpackSnapshot(packed.replace(/"schema":\d+/, '"schema":0'), partition)).toBeNull();
  });
  it('hold no ciphertext of a contact', () => {
    expect(packSnapshot(state(), partition)).not.toContain('"contact"');
  });
  it('of one partition tell how far the quiet ones are', () => {
    const all = state();
    const own = unpackSnapshot(packSnapshot(all, partition), partition) as Snapshot;
    expect(restored([own]).position).toBe(all.position);
    const quiet = (partition + 1) % PARTITIONS;
    expect(
      restored([{ ...own, lastEvents: own.lastEvents.map((p, i) => (i === quiet ? positionOf(2) : p)) }]).position,
    ).toBe(START);
  });
  it('are not needed', () => {
    expect(restored([])).toEqual(newState());
  });
});
