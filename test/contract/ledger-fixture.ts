/** Streams and events for suites over a ledger that others may be writing to at the same time. */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import type { JsonObject, RecordedEvent, SealedEvent } from '../../src/core/event';
import type { Position } from '../../src/core/position';
import type { Appended, EventBatch, EventStore } from '../../src/ports/event-store';
import { within } from './waiting';

/** A stream that no other test uses. */
export const newStream = (category = 'run'): string => `${category}-${randomInt(1, 2 ** 40)}_${randomInt(1, 2 ** 40)}`;

export const newEvent = (data: JsonObject = {}, type = 'CallAttempted'): SealedEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    org: '7',
    actor: 'dialer',
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
    command_id: randomUUID(),
    schema: 1,
    at: '2026-03-04T05:06:07.089Z',
    hash: createHash('sha256').update(randomBytes(16)).digest('hex'),
  },
});
export const newEvents = (n: number): readonly SealedEvent[] => Array.from({ length: n }, (_, i) => newEvent({ n: i }));

/** The part of a recorded event that was appended. */
export const sealedPart = ({ id, type, data, metadata }: RecordedEvent): SealedEvent => ({ id, type, data, metadata });

/** Appends what must succeed. */
export const appended = async (
  store: EventStore,
  stream: string,
  expected: number,
  events: readonly SealedEvent[],
): Promise<Appended> => {
  const answer = await store.append(stream, expected, events);
  if (isLeft(answer)) throw new Error(`append to ${stream} failed: ${JSON.stringify(answer.left)}`);
  return answer.right;
};

/** Everything behind `after`, page by page, with the checks that hold for every page. */
export const readOn = async (
  store: EventStore,
  after: Position,
  limit?: number,
  categories?: EventBatchCategories,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let position = after; ;) {
    const batch = await store.readAll({
      after: position,
      ...(limit === undefined ? {} : { limit }),
      ...(categories === undefined ? {} : { categories }),
    });
    checkBatch(position, batch);
    events.push(...batch.events);
    if (batch.caughtUp) return events;
    if (batch.position <= position) throw new Error(`readAll made no progress at ${position}`);
    position = batch.position;
  }
};
type EventBatchCategories = NonNullable<Parameters<EventStore['readAll']>[0]['categories']>;

/** Positions rise within a batch, begin behind what was asked for and end at most at the batch's own. */
export const checkBatch = (after: Position, batch: EventBatch): void => {
  let last = after;
  for (const event of batch.events) {
    if (event.position <= last) throw new Error(`position ${event.position} came after ${last}`);
    last = event.position;
  }
  if (batch.position < last) throw new Error(`batch position ${batch.position} is before its event ${last}`);
};

/** Takes batches until `isDone` says so of the events so far; checks the order over batches. */
export const take = async (
  batches: AsyncIterable<EventBatch>,
  after: Position,
  timeoutMs: number,
  isDone: (events: readonly RecordedEvent[], batch: EventBatch) => boolean,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  const all = async (): Promise<readonly RecordedEvent[]> => {
    let position = after;
    for await (const batch of batches) {
      checkBatch(position, batch);
      position = batch.position;
      events.push(...batch.events);
      if (isDone(events, batch)) return events;
    }
    throw new Error(`the batches ended after ${events.length} events`);
  };
  try {
    return await within(timeoutMs, 'the events of a subscription', all());
  } catch (error) {
    throw new Error(`${(error as Error).message}; ${events.length} events came`, { cause: error });
  }
};
