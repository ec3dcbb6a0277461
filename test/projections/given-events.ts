/** Folds plain events through a projection: `documents(projection, [event(...), ...])`. */
import type { DomainEvent, JsonObject } from '../../src/core/event';
import { eventCatalog } from '../../src/domain/event-catalog';
import { isValidData } from '../../src/core/event-types';
import { organizationOf } from '../../src/core/ids';
import { positionOf } from '../../src/core/position';
import type { ProjectedEvent, Projection } from '../../src/engine/projection';

export interface Given {
  readonly stream: string;
  readonly event: DomainEvent;
  readonly actor: string;
}

export const happened = (stream: string, event: DomainEvent, actor = 'api-key:1'): Given => ({ stream, event, actor });

/** Minute n of the story, from 2026-03-02T12:00Z on: `at(0)` is when the first event was decided. */
export const at = (minute: number): string => new Date(Date.UTC(2026, 2, 2, 12, minute)).toISOString();

/** One minute apart, positions from 1. Seals are taken as opened: their data may be what is inside. */
export const projected = (story: readonly Given[]): readonly ProjectedEvent[] => {
  const revisions = new Map<string, number>();
  return story.map(({ stream, event, actor }, i) => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    return {
      id: `event-${i}`,
      type: event.type,
      data: event.data as JsonObject,
      org: organizationOf(stream) as number,
      actor,
      at: at(i),
      stream,
      revision,
      position: positionOf(i + 1),
    };
  });
};

/** Documents by key after these events. */
export const documents = <Doc extends object>(
  projection: Projection<Doc>,
  story: readonly Given[],
): ReadonlyMap<string, Doc> => {
  const found = new Map<string, Doc>();
  for (const event of projected(story)) {
    const category = event.stream.slice(0, event.stream.indexOf('-'));
    if (!projection.categories.some((c) => c === category) || projection.types?.includes(event.type) === false)
      continue;
    for (const key of projection.keys(event)) {
      const next = projection.evolve(found.get(key) ?? null, event, key);
      if (next === null) found.delete(key);
      else found.set(key, next);
    }
  }
  return found;
};

/** The one document of these events under this key; fails the test when there is none. */
export const document = <Doc extends object>(
  projection: Projection<Doc>,
  key: string,
  story: readonly Given[],
): Doc => {
  const found = documents(projection, story).get(key);
  if (found === undefined) throw new Error(`no document ${key}`);
  return found;
};

/** The event's data is what the catalog says, so that a story in a test is one that can happen. */
export const expectValid = (story: readonly Given[], unsealed: readonly string[] = []): void => {
  expect(story.length).toBeGreaterThan(0);
  for (const { event } of story)
    if (!unsealed.includes(event.type) && !isValidData(eventCatalog, event.type, event.data))
      throw new Error(`${event.type} is not valid: ${JSON.stringify(event.data)}`);
};
