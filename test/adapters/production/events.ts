/** Events for tests of ledgers, sealed as the program seals them. */
import { randomUUID } from 'node:crypto';
import { NO_STREAM, type SealedEvent } from '../../../src/core/event';
import { chain, NO_HASH } from '../../../src/engine/envelope';

/** Chains `count` events behind a tail; data carries a number that rises from `first`. */
export const sealedEvents = (
  stream: string,
  count: number,
  tail: { readonly revision: number; readonly hash: string } = { revision: NO_STREAM, hash: NO_HASH },
  data: (n: number) => object = (n) => ({ n }),
): readonly SealedEvent[] =>
  chain(
    stream,
    tail,
    Array.from({ length: count }, (_, n) => ({ type: 'Noted', data: data(tail.revision + 1 + n), schema: 1 })),
    {
      org: '1',
      actor: 'test',
      correlationId: randomUUID(),
      causationId: randomUUID(),
      commandId: randomUUID(),
      at: new Date(0).toISOString(),
    },
  );

/** The tail that `events` leave behind, for the next chain. */
export const tailOf = (revision: number, events: readonly SealedEvent[]) => ({
  revision,
  hash: events.at(-1)?.metadata.hash ?? NO_HASH,
});
