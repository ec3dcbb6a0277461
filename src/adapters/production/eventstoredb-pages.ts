/** Reading the whole store page by page. */
import type { RecordedEvent } from '../../core/event';
import { categoryOf, type StreamCategory } from '../../core/ids';
import { START } from '../../core/position';
import type { EventBatch, ReadAllOptions } from '../../ports/event-store';
import type { StoreClient } from './eventstoredb-client';

/** Events looked at per page where nothing else is asked for. */
export const PAGE = 1000;

/** Whether an event is the ledger's own and of one of the categories. Streams and types in `$` are the server's. */
export const passes = (categories: readonly StreamCategory[] | undefined): ((event: RecordedEvent) => boolean) => {
  const wanted = categories === undefined ? null : new Set<string>(categories);
  return (event) =>
    !event.type.startsWith('$') &&
    !event.stream.startsWith('$') &&
    (wanted === null || wanted.has(categoryOf(event.stream)));
};

/**
 * One page. The server reads from a position inclusively, so the event at the cursor comes again and is left out; it is not left out blindly,
 * because a scavenge may have removed it.
 */
export const readPage = async (client: StoreClient, options: ReadAllOptions): Promise<EventBatch> => {
  const { after } = options;
  const limit = options.limit ?? PAGE;
  const count = limit + (after === START ? 0 : 1);
  const found = await client.readAll(after, count);
  const events = (found[0]?.position === after ? found.slice(1) : found).slice(0, limit);
  const position = events.at(-1)?.position ?? after;
  return {
    events: events.filter(passes(options.categories)),
    position,
    caughtUp: found.length < count && position === (found.at(-1)?.position ?? after),
  };
};
