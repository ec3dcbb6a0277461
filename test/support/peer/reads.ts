/** Reads and subscriptions of the peer. */
import { randomUUID } from 'node:crypto';
import { status, type ServerWritableStream } from '@grpc/grpc-js';
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { offsetAt, ordinalAt, type Log, type LogEvent } from './log';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  handlerThrew,
  nameOf,
  notFoundMessage,
  rpcError,
} from './wire';

type Call = ServerWritableStream<ReadReq, ReadResp>;

/** Live events that may wait for a consumer before it is dropped. */
const LIVE_BUFFER = 100;
const DEFAULT_WINDOW = 32;
const PAGE = 500;
const TOO_SLOW = 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';

/** Ends the call with a gRPC error. */
class Refused extends Error {
  constructor(readonly rpc: ReturnType<typeof rpcError>) {
    super(rpc.details);
  }
}

type Write = (message: ReadResp, isTooSlow?: () => Promise<boolean>) => Promise<boolean>;

/** Writes with back-pressure; false when the call is over. A consumer that takes nothing while `isTooSlow` says so is dropped. */
const writing = (call: Call, over: AbortSignal): Write => {
  const drainedWithin = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (drained: boolean) => (): void => {
        clearTimeout(timer);
        call.off('drain', drain);
        over.removeEventListener('abort', drain);
        resolve(drained);
      };
      const drain = settle(true);
      const timer = setTimeout(settle(false), ms);
      call.on('drain', drain);
      over.addEventListener('abort', drain);
    });
  return async (message, isTooSlow) => {
    if (over.aborted) return false;
    if (call.write(message)) return true;
    while (!(await drainedWithin(50)))
      if ((await isTooSlow?.()) === true) throw new Refused(rpcError(status.ABORTED, TOO_SLOW));
    return !over.aborted;
  };
};

const positionOf = (position: ReadReq.Options.Position): number => {
  const ordinal = ordinalAt(BigInt(position.getCommitPosition()));
  if (ordinal === null) throw new Refused(rpcError(status.UNKNOWN, 'Unexpected ReadAllResult: Error'));
  return ordinal;
};

const countOf = (options: ReadReq.Options): number => {
  const count = Number(options.getCount());
  if (count === 0) throw new Refused(handlerThrew());
  return count;
};

const readStream = async (log: Log, options: ReadReq.Options, write: Write): Promise<void> => {
  const from = options.getStream() as ReadReq.Options.StreamOptions;
  const name = nameOf(from.getStreamIdentifier());
  const count = countOf(options);
  const events = await log.stream(name);
  if (events.length === 0) {
    await write(notFoundMessage(name));
    return;
  }
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  const first = from.hasRevision() ? Number(from.getRevision()) : backwards === from.hasEnd() ? null : Infinity;
  const wanted = backwards
    ? events.filter((e) => first === null || e.revision <= first).reverse()
    : events.filter((e) => first === null || e.revision >= first);
  for (const event of wanted.slice(0, count)) if (!(await write(eventMessage(event)))) return;
};

const readAll = async (log: Log, options: ReadReq.Options, write: Write): Promise<void> => {
  const from = options.getAll() as ReadReq.Options.AllOptions;
  let left = countOf(options);
  const position = from.getPosition();
  const head = await log.head();
  if (options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS) {
    const before = position === undefined ? (from.hasEnd() ? head + 1 : 0) : positionOf(position);
    for (const event of await log.before(before, left)) if (!(await write(eventMessage(event)))) return;
    return;
  }
  if (from.hasEnd()) return;
  // Inclusive forwards; a place beyond the end is empty, one between two records is an error.
  if (position !== undefined && BigInt(position.getCommitPosition()) > offsetAt(head)) return;
  let at = position === undefined ? 0 : positionOf(position) - 1;
  while (left > 0) {
    const slice = await log.behind(at, Math.min(left, PAGE));
    for (const event of slice.events) if (!(await write(eventMessage(event)))) return;
    left -= slice.events.length;
    at = slice.last;
    if (slice.caughtUp) return;
  }
};

const passes = (filter: ReadReq.Options.FilterOptions | undefined): ((event: LogEvent) => boolean) => {
  if (filter === undefined) return () => true;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const text = (event: LogEvent): string => (filter.hasStreamIdentifier() ? event.stream : event.type);
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) return (event) => prefixes.some((prefix) => text(event).startsWith(prefix));
  const pattern = new RegExp(expression?.getRegex() ?? '');
  return (event) => pattern.test(text(event));
};

/** Where a subscription begins: behind the first record found at or after its position, as the server does it. */
const resumeAt = async (log: Log, from: ReadReq.Options.AllOptions): Promise<number> => {
  if (from.hasEnd()) return log.head();
  const position = from.getPosition();
  if (position === undefined) return 0;
  const head = await log.head();
  if (BigInt(position.getCommitPosition()) > offsetAt(head)) return head;
  const ordinal = ordinalAt(BigInt(position.getCommitPosition()));
  if (ordinal === null) throw new Refused(handlerThrew());
  for (let at = ordinal - 1; ;) {
    const slice = await log.behind(at, PAGE);
    const found = slice.events[0];
    if (found !== undefined) return ordinalAt(found.position) as number;
    if (slice.caughtUp) return head;
    at = slice.last;
  }
};

const subscribeAll = async (log: Log, options: ReadReq.Options, write: Write, over: AbortSignal): Promise<void> => {
  const filter = options.getFilter();
  const isWanted = passes(filter);
  const window = filter?.hasMax() === true ? filter.getMax() : DEFAULT_WINDOW;
  const every = window * Math.max(1, filter?.getCheckpointintervalmultiplier() ?? 1);
  let at = await resumeAt(log, options.getAll() as ReadReq.Options.AllOptions);
  let searched = 0;
  let live = false;
  await write(confirmationMessage(randomUUID()));
  const isTooSlow = async (): Promise<boolean> => live && (await log.head()) - at > LIVE_BUFFER;
  while (!over.aborted) {
    const slice = await log.behind(at, PAGE);
    for (const event of slice.events) {
      at = ordinalAt(event.position) as number;
      if (isWanted(event) && !(await write(eventMessage(event), isTooSlow))) return;
      searched += 1;
      if (filter !== undefined && searched % every === 0 && !(await write(checkpointMessage(event.position)))) return;
    }
    at = slice.last;
    if (!slice.caughtUp) continue;
    if (!live && !(await write(caughtUpMessage()))) return;
    live = true;
    if ((await log.head()) === at) await log.news(over);
  }
};

/** One call of Read. Never rejects. */
export const serveRead = async (log: Log, call: Call): Promise<void> => {
  const over = new AbortController();
  const ended = (): void => over.abort();
  call.on('cancelled', ended);
  call.on('close', ended);
  call.on('error', ended);
  const write = writing(call, over.signal);
  const options = call.request.getOptions() as ReadReq.Options;
  try {
    if (options.hasSubscription()) await subscribeAll(log, options, write, over.signal);
    else if (options.hasAll()) await readAll(log, options, write);
    else await readStream(log, options, write);
    if (!over.signal.aborted) call.end();
  } catch (error) {
    call.emit('error', error instanceof Refused ? error.rpc : handlerThrew());
  }
};
