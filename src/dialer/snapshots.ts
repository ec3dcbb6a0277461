/** Keeps snapshots in the object store: one object per partition that changed, written now and then, read at the start. */
import { text } from 'node:stream/consumers';
import { PARTITIONS } from '../core/ids';
import { START, type Position } from '../core/position';
import type { Shell } from './shell';
import { partitionOf } from '../core/ids';
import { packSnapshot, restoreSnapshots, unpackSnapshot, type Snapshot } from './snapshot';

export interface Snapshots {
  /** Reads what there is into the empty state. Never rejects: without snapshots the whole feed is folded. */
  restore(): Promise<void>;
  /** Counts events folded; writes when it is worth it. */
  maybeWrite(events: number): void;
  /** Writes what changed. Never rejects. */
  write(): Promise<void>;
}

export const snapshotKey = (partition: number): string => `snapshots/dialer/${partition}.json`;

export const snapshots = (shell: Shell): Snapshots => {
  const { objects, clock, log } = shell.platform;
  const written: Position[] = Array.from({ length: PARTITIONS }, () => START);
  let events = 0;
  let lastWrite = clock.monotonic();
  let writing: Promise<void> | null = null;

  const read = async (partition: number): Promise<Snapshot | null> => {
    try {
      const stream = await objects.get(snapshotKey(partition));
      if (stream === null) return null;
      const snapshot = unpackSnapshot(await text(stream), partition);
      if (snapshot === null) log.warn({ partition }, 'a snapshot of the dialer is passed over: it does not fit');
      return snapshot;
    } catch (error) {
      log.warn({ partition, err: error }, 'a snapshot of the dialer cannot be read');
      return null;
    }
  };

  const ownedPartitions = (): readonly number[] => {
    const found = new Set<number>();
    for (const id of shell.state.organizations.keys()) if (shell.owns(id)) found.add(partitionOf(id));
    return [...found];
  };

  const writeAll = async (): Promise<void> => {
    for (const partition of ownedPartitions()) {
      const last = shell.state.lastEvents[partition] ?? START;
      if (last <= (written[partition] ?? START)) continue;
      // Packed in one step, so that the state is that of one position.
      const packed = packSnapshot(shell.state, partition);
      try {
        await objects.put(snapshotKey(partition), Buffer.from(packed), 'application/x-ndjson');
        written[partition] = last;
      } catch (error) {
        log.warn({ partition, err: error }, 'a snapshot of the dialer cannot be written');
        return;
      }
    }
  };

  const write = (): Promise<void> => {
    events = 0;
    lastWrite = clock.monotonic();
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  };

  return {
    restore: async () => {
      const found = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => read(partition)));
      restoreSnapshots(
        shell.state,
        found.flatMap((s) => s ?? []),
      );
      shell.state.lastEvents.forEach((position, partition) => {
        written[partition] = position;
      });
    },
    maybeWrite: (folded) => {
      events += folded;
      if (events < shell.settings.snapshotEvents || clock.monotonic() - lastWrite < shell.settings.snapshotMs) return;
      void write();
    },
    write: async () => {
      if (writing !== null) await writing;
      await write();
    },
  };
};
