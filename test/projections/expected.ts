/** What every document must be: each event folded by itself, one after the other, with nothing of the program's own loops. */
import type { JsonObject, RecordedEvent } from '../../src/core/event';
import { maskText } from '../../src/core/mask';
import { openAll, type Open } from '../../src/engine/seal';
import { liveCollection, LIVE_SETTING, parseLive } from '../../src/engine/views';
import type { Platform } from '../../src/engine/platform';
import type { ProjectedEvent, Projection } from '../../src/engine/projection';

type Documents = Readonly<Record<string, JsonObject>>;

const wholeLog = async ({ events }: Pick<Platform, 'events'>): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  let after = '00000000000000000000' as RecordedEvent['position'];
  for (;;) {
    const batch = await events.readAll({ after, limit: 500 });
    all.push(...batch.events);
    after = batch.position;
    if (batch.caughtUp) return all;
  }
};

/** Fails the test when the log is empty. */
export const expectedDocuments = async (
  platform: Pick<Platform, 'events' | 'seals'>,
  projections: readonly Projection[],
): Promise<Readonly<Record<string, Documents>>> => {
  const log = await wholeLog(platform);
  expect(log.length).toBeGreaterThan(0);
  const masked: Open = async (org, sealed) => {
    const plain = await platform.seals.open(org, sealed);
    return typeof plain === 'string' ? maskText(plain) : plain;
  };
  const found: Record<string, Documents> = {};
  for (const projection of projections) {
    const documents = new Map<string, JsonObject>();
    for (const event of log) {
      const org = Number(event.metadata.org);
      const category = event.stream.slice(0, event.stream.indexOf('-'));
      if (Number.isNaN(org) || !projection.categories.some((c) => c === category)) continue;
      if (projection.types?.includes(event.type) === false) continue;
      const open = projection.opens.includes(event.type)
        ? platform.seals.open
        : projection.masks?.includes(event.type) === true
          ? masked
          : null;
      const projected: ProjectedEvent = {
        id: event.id,
        type: event.type,
        data: open === null ? event.data : await openAll(open, org, event.data),
        org,
        actor: event.metadata.actor,
        at: event.metadata.at,
        stream: event.stream,
        revision: event.revision,
        position: event.position,
      };
      for (const key of projection.keys(projected)) {
        const next = projection.evolve(documents.get(key) ?? null, projected, key);
        if (next === null) documents.delete(key);
        else documents.set(key, next);
      }
    }
    found[projection.name] = Object.fromEntries(documents);
  }
  return found;
};

/** What the live collections hold. */
export const storedDocuments = async (
  { reads }: Pick<Platform, 'reads'>,
  projections: readonly Projection[],
): Promise<Readonly<Record<string, Documents>>> => {
  const live = parseLive(await reads.setting(LIVE_SETTING));
  const found: Record<string, Documents> = {};
  for (const projection of projections) {
    const documents: Record<string, JsonObject> = {};
    for await (const { key, document } of reads.all(liveCollection(projection, live))) documents[key] = document;
    found[projection.name] = documents;
  }
  return found;
};
