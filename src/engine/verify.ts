/**
 * Checks everything that is stored: hash chains of all streams, event data against its types, read models against a fresh fold of the log, and
 * the counters in them against counts made apart from that fold. Reads only, but for collections of its own that it drops at the end.
 */
import type { RecordedEvent } from '../core/event';
import { isValidData, upcast, type EventTypes } from '../core/event-types';
import { categoryOf } from '../core/ids';
import type { Position } from '../core/position';
import { chainCheck } from './chain-check';
import { compare, foldedDocuments } from './compare';
import type { PreparedBatch } from './fold';
import type { Platform } from './platform';
import { collectionOf, type Projection } from './projection';
import { replay } from './replay';
import { LIVE_SETTING, liveCollection, parseLive } from './views';

/** `chain`: an event was changed, removed or moved. `data`: it says what no event of its type says. No values are shown: they may be personal. */
export interface Fault {
  readonly kind: 'chain' | 'data' | 'document' | 'counter';
  readonly message: string;
  readonly eventId?: string;
  readonly position?: Position;
  readonly collection?: string;
  readonly key?: string;
  readonly paths?: readonly string[];
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly events: number;
  readonly streams: number;
  /** Documents compared, by read model. */
  readonly documents: Readonly<Record<string, number>>;
  /** The first 1000. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

export interface VerifyOptions {
  readonly onProgress?: (text: string) => void;
}

export type VerifyPlatform = Pick<Platform, 'events' | 'reads' | 'seals' | 'clock'>;

const SHOWN = 1000;

interface Checked {
  readonly projection: Projection;
  readonly live: string;
  readonly fresh: string;
  readonly upTo: Position;
}

/** Rejects when a store is away. */
export const verify = async (
  platform: VerifyPlatform,
  projections: readonly Projection[],
  catalog: EventTypes,
  { onProgress }: VerifyOptions = {},
): Promise<VerifyReport> => {
  const { events, reads } = platform;
  const faults: Fault[] = [];
  let faultCount = 0;
  const fault = (f: Fault): void => {
    faultCount += 1;
    if (faults.length < SHOWN) faults.push(f);
  };

  const live = parseLive(await reads.setting(LIVE_SETTING));
  const checked: Checked[] = [];
  for (const projection of projections) {
    const collection = liveCollection(projection, live);
    const fresh = `${collectionOf(projection)}_check`;
    await reads.drop(fresh); // of a verification that was cut off
    // One index serves the audits' counts.
    await reads.ensure({ name: fresh, indexes: projection.indexes.slice(0, 1) });
    checked.push({ projection, live: collection, fresh, upTo: await reads.checkpoint(collection) });
  }
  const head = await events.head();

  const chains = chainCheck();
  const checkEvent = (event: RecordedEvent): void => {
    const at = { eventId: event.id, position: event.position };
    const where = `${event.type} ${event.stream}@${event.revision}`;
    const broken = chains.next(event);
    if (broken !== null) fault({ kind: 'chain', message: `${where}: ${broken}`, ...at });
    try {
      const data = upcast(catalog, event.type, event.data, event.metadata.schema);
      if (!isValidData(catalog, event.type, data))
        fault({ kind: 'data', message: `${where}: its data is not what this type of event holds`, ...at });
    } catch (error) {
      fault({ kind: 'data', message: `${where}: ${(error as Error).message}`, ...at });
    }
  };

  const audits = checked.flatMap((c) =>
    c.projection.audit === undefined ? [] : [{ ...c, audit: c.projection.audit() }],
  );
  const audited = (batch: PreparedBatch, i: number): void => {
    const recorded = batch.events[i] as RecordedEvent;
    for (const { projection, audit, upTo } of audits) {
      if (recorded.position > upTo || !projection.categories.includes(categoryOf(recorded.stream))) continue;
      const event = batch.at(i, 'stored');
      if (event !== null) audit.see(event);
    }
  };

  let seen = 0;
  const poisoned = new Set<string>();
  await replay(platform, {
    targets: checked.map((c) => ({ projection: c.projection, collection: c.fresh, upTo: c.upTo })),
    catalog,
    upTo: head,
    see: (batch, prepared) =>
      batch.forEach((event, i) => {
        seen += 1;
        checkEvent(event);
        try {
          audited(prepared, i);
        } catch {
          // told as a fault of its data
        }
      }),
    onPoison: ({ projection }, { eventId, type, position, error }) => {
      poisoned.add(projection.name);
      fault({ kind: 'data', message: `${projection.name} can't fold ${type} ${eventId}: ${error}`, eventId, position });
    },
    onProgress: (p) =>
      onProgress?.(
        `${p.events} events checked, ${Math.round(p.eventsPerSecond)}/s, about ${Math.ceil(p.secondsLeft)} s left`,
      ),
  });
  const folded = checked.filter((c) => !poisoned.has(c.projection.name));

  const documents: Record<string, number> = {};
  for (const c of folded) {
    const { name } = c.projection;
    onProgress?.(`comparing ${name}`);
    const { documents: compared, differences } = await compare(platform, catalog, c.projection, c, c.upTo);
    documents[name] = compared;
    for (const { key, paths } of differences)
      fault({
        kind: 'document',
        message: `${name} ${key} is not what the log says: ${paths.join(', ')}`,
        collection: c.live,
        key,
        paths,
      });
  }
  for (const { projection, audit, upTo } of audits) {
    const fresh = new Map(folded.filter((c) => c.upTo === upTo).map((c) => [c.projection.name, c.fresh]));
    if (!fresh.has(projection.name)) continue;
    for (const message of await audit.compare(foldedDocuments(reads, fresh)))
      fault({ kind: 'counter', message: `${projection.name}: ${message}` });
  }
  for (const c of checked) await reads.drop(c.fresh);
  return { ok: faultCount === 0, events: seen, streams: chains.streams(), documents, faults, faultCount };
};
