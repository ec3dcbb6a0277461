/** What the EventStoreDB adapter never sends: the server would throw over it, or store what the ledger must not hold. */
import { isLeft } from 'fp-ts/Either';
import { eventStoreDb } from '../../../src/adapters/production/eventstoredb';
import { NO_STREAM } from '../../../src/core/event';
import { silentLogger } from '../../../src/engine/telemetry';
import type { EventStore } from '../../../src/ports/event-store';
import { sealedEvents } from './events';

const [good] = sealedEvents('run-1_1', 1);
const bad: Readonly<Record<string, Parameters<EventStore['append']>>> = {
  'no events': ['run-1_1', NO_STREAM, []],
  'a stream without a name': ['', NO_STREAM, [good!]],
  'a stream of the server': ['$settings', NO_STREAM, [good!]],
  'a type of the server': ['run-1_1', NO_STREAM, [{ ...good!, type: '$metadata' }]],
  'a type without a name': ['run-1_1', NO_STREAM, [{ ...good!, type: '' }]],
  'an id that is no UUID': ['run-1_1', NO_STREAM, [{ ...good!, id: 'first' }]],
  'an id in capitals': ['run-1_1', NO_STREAM, [{ ...good!, id: good!.id.toUpperCase() }]],
  'data that JSON can not carry': ['run-1_1', NO_STREAM, [{ ...good!, data: { n: 1n as unknown as number } }]],
  'data of a million bytes': [
    'run-1_1',
    NO_STREAM,
    sealedEvents('run-1_1', 1, undefined, () => ({ x: 'x'.repeat(999_992) })),
  ],
  'metadata of a million bytes': [
    'run-1_1',
    NO_STREAM,
    [{ ...good!, metadata: { ...good!.metadata, actor: 'x'.repeat(1_000_000) } }],
  ],
  'a revision with a fraction': ['run-1_1', 0.5, [good!]],
  'a revision that none has': ['run-1_1', -2, [good!]],
};
it.each(Object.entries(bad))('%s: refused, before anything is sent', async (_, append) => {
  // Nobody listens there: whatever was sent would be `unavailable`.
  const store = eventStoreDb({ url: 'esdb://127.0.0.1:9?tls=false', log: silentLogger, retryFor: 0 });
  const answer = await store.append(...append);
  expect(isLeft(answer) && answer.left.kind).toBe('refused');
  await store.close();
});
