/**
 * Appends until it is killed: several writers, each on a stream of its own, single events and batches. Every acknowledged append is told on
 * stdout, synchronously, after it was answered: `<stream> <first revision> <ids, comma separated>`.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { isLeft } from 'fp-ts/Either';
import { embeddedEventStore } from '../../../src/adapters/embedded/event-store';
import type { EventStore } from '../../../src/ports/event-store';

const WRITERS = 12;

const write = async (store: EventStore, stream: string, seed: number): Promise<never> => {
  let revision = (await store.readStream(stream)).length - 1;
  for (let n = seed; ; n++) {
    const size = n % 5 === 0 ? 40 : 1;
    const events = Array.from({ length: size }, (_, i) => ({
      id: randomUUID(),
      type: 'CallAttempted',
      data: { of: size, i, text: 'x'.repeat(100 + ((n * 37) % 900)) },
      metadata: {
        org: '1',
        actor: 'dialer',
        correlation_id: 'c',
        causation_id: 'c',
        command_id: 'c',
        schema: 1,
        at: '2026-01-01T00:00:00.000Z',
        hash: '0'.repeat(64),
      },
    }));
    const answer = await store.append(stream, revision, events);
    if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
    writeSync(1, `${stream} ${revision + 1} ${events.map((e) => e.id).join(',')}\n`);
    revision = answer.right.revision;
  }
};

const run = async (folder: string): Promise<void> => {
  const store = await embeddedEventStore({ folder });
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(store, `run-1_${i + 1}`, i)));
};

void run(process.argv[2] as string);
