/** One open subscription, read at the consumer's pace, with the client's marks put back where they belong between the events. */
import type { RecordedEvent } from '../../core/event';
import type { Position } from '../../core/position';
import { toRecorded, type StoreClient } from './eventstoredb-client';

export interface Taken {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here was looked at; null: nothing new. */
  readonly position: Position | null;
  /** History is done and nothing more has arrived. */
  readonly caughtUp: boolean;
}

export interface Tail {
  /** true: `take` has something; false: nothing within `timeoutMs`, or the signal came. Rejects when the subscription failed and all is taken. */
  news(timeoutMs: number): Promise<boolean>;
  take(limit: number): Taken;
  isLive(): boolean;
  /** Nothing has arrived that is not taken. */
  isQuiet(): boolean;
  stop(): Promise<void>;
}

/** Something the client told between two events: it belongs behind the event with that ordinal. */
type Mark = { readonly behind: number } & (
  { readonly kind: 'live'; readonly live: boolean } | { readonly kind: 'checkpoint'; readonly position: Position }
);

export const openTail = async (
  client: StoreClient,
  after: Position,
  streams: string,
  buffer: number,
  signal: AbortSignal,
): Promise<Tail> => {
  const marks: Mark[] = [];
  let consumed = 0;
  let live = false;
  let failure: unknown = null;
  let wake: (() => void) | null = null;

  const awaken = (): void => wake?.();
  // The mark is told when the client reads it, while earlier events still lie in the stream's buffer.
  const arrived = (): number => consumed + stream.readableLength;
  const { stream, stop } = await client.subscribe(after, streams, buffer, (position) => {
    marks.push({ kind: 'checkpoint', behind: arrived(), position });
    awaken();
  });
  const turned = (isLive: boolean) => (): void => {
    marks.push({ kind: 'live', behind: arrived(), live: isLive });
    awaken();
  };
  const failed = (error: unknown): void => {
    failure ??= error;
    awaken();
  };
  stream.on('caughtUp', turned(true));
  stream.on('fellBehind', turned(false));
  stream.on('error', failed);
  stream.on('close', () => failed(new Error('the subscription was closed')));
  stream.on('end', () => failed(new Error('the server ended the subscription')));
  stream.on('readable', awaken);
  signal.addEventListener('abort', awaken);

  const hasNews = (): boolean => stream.readableLength > 0 || marks.length > 0;

  return {
    isLive: () => live,
    isQuiet: () => !hasNews(),
    news: async (timeoutMs) => {
      if (!hasNews() && failure === null && !signal.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      wake = null;
      if (signal.aborted) return false;
      if (hasNews()) return true;
      if (failure !== null) throw failure;
      return false;
    },
    take: (limit) => {
      const events: RecordedEvent[] = [];
      let position: Position | null = null;
      for (;;) {
        for (let mark = marks[0]; mark !== undefined && mark.behind <= consumed; mark = marks[0]) {
          marks.shift();
          if (mark.kind === 'live') live = mark.live;
          else position = mark.position;
        }
        if (events.length >= limit) break;
        const next = stream.read() as { readonly event?: Parameters<typeof toRecorded>[0] } | null;
        if (next === null) break;
        consumed += 1;
        if (next.event === undefined) continue;
        const event = toRecorded(next.event);
        events.push(event);
        position = event.position;
      }
      return { events, position, caughtUp: live && !hasNews() };
    },
    stop: async () => {
      signal.removeEventListener('abort', awaken);
      await stop();
    },
  };
};
