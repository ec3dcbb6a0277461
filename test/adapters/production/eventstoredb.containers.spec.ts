/**
 * The EventStoreDB adapter under the contract of its port, and while its server is killed and paused: the server named by EVENTSTORE_URL, else
 * the peer in a container.
 */
import { isLeft } from 'fp-ts/Either';
import { eventStoreDb } from '../../../src/adapters/production/eventstoredb';
import { NO_STREAM } from '../../../src/core/event';
import { START } from '../../../src/core/position';
import { silentLogger } from '../../../src/engine/telemetry';
import type { EventStore } from '../../../src/ports/event-store';
import { eventStoreContract } from '../../contract/event-store';
import { eventually } from '../../contract/waiting';
import { withEngine } from '../../support/engines';
import { closing } from './closing';
import { sealedEvents, tailOf } from './events';
import { countUnhandled } from './unhandled';

const answers = (store: EventStore) =>
  eventually(30_000, 'the server answers', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );

withEngine('eventstore', {}, (engine) => {
  eventStoreContract(
    'EventStoreDB adapter',
    {
      create: async () => {
        const open = () => eventStoreDb({ url: engine().url, log: silentLogger, sweepEvery: 300 });
        let adapter = open();
        await answers(adapter);
        return {
          adapter,
          reopen: async () => {
            await adapter.close();
            adapter = open();
            return adapter;
          },
          dispose: () => adapter.close(),
        };
      },
    },
    { runs: 5 },
  );
});

withEngine('eventstore', { mayStop: true }, (engine) => {
  const afterwards = closing();

  it('stores each acknowledged append once, and its subscription leaves nothing out and repeats nothing, while the server is killed and paused', async () => {
    const unhandled = countUnhandled();
    afterwards(unhandled.stop);
    const store = eventStoreDb({
      url: engine().url,
      log: silentLogger,
      sweepEvery: 500,
      readTimeout: 1500,
      appendDeadline: 1500,
    });
    afterwards(store.close);
    await answers(store);
    let isOver = false;
    afterwards(() => (isOver = true));
    let repeated = 0;
    const writers = Array.from({ length: 8 }, async (_, n) => {
      const stream = `run-1_${n}`;
      let tail = tailOf(NO_STREAM, []);
      while (!isOver) {
        const events = sealedEvents(stream, 1 + (n % 3), tail);
        for (;;) {
          const answer = await store.append(stream, tail.revision, events);
          if (!isLeft(answer)) {
            tail = tailOf(answer.right.revision, events);
            break;
          }
          if (answer.left.kind === 'conflict' || answer.left.kind === 'refused')
            throw new Error(JSON.stringify(answer.left));
          repeated += 1;
          await new Promise((next) => setTimeout(next, 20));
        }
      }
      return { stream, revision: tail.revision };
    });
    const seen: string[] = [];
    const end = new AbortController();
    afterwards(() => end.abort());
    const following = (async () => {
      for await (const batch of store.subscribe({ after: START, categories: ['run'], signal: end.signal }))
        seen.push(...batch.events.map((e) => `${e.stream}@${e.revision}`));
    })();
    const moves = async (what: string) => {
      const from = seen.length;
      const begun = performance.now();
      await eventually(40_000, what, () => seen.length > from + 50);
      return Math.round(performance.now() - begun);
    };
    const times: number[] = [await moves('events come')];
    for (let round = 0; round < 2; round++) {
      await engine().kill();
      await new Promise((next) => setTimeout(next, 300));
      await engine().start();
      times.push(await moves('events come again after a kill'));
      await engine().pause();
      await new Promise((next) => setTimeout(next, 2500));
      await engine().unpause();
      times.push(await moves('events come again after a pause'));
    }
    isOver = true;
    const written = await Promise.all(writers);
    const total = written.reduce((sum, { revision }) => sum + revision + 1, 0);
    await eventually(40_000, 'the subscription has all', () => seen.length >= total);
    end.abort();
    await following;
    process.stderr.write(`${total} events, ${repeated} appends begun again; ms for 50 events ${times.join(', ')}\n`);
    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
    for (const { stream, revision } of written) {
      const events = await store.readStream(stream);
      expect(events.map((e) => e.revision)).toEqual(Array.from({ length: revision + 1 }, (_, n) => n));
      expect(new Set(events.map((e) => e.id)).size).toBe(revision + 1);
    }
    expect(repeated).toBeGreaterThan(0);
    expect(unhandled.seen).toEqual([]);
  }, 240_000);
});
