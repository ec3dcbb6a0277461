/** The bare work that figures are held against, measured in the same run. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { NO_STREAM } from '../../src/core/event';
import { runStream } from '../../src/core/ids';
import { START } from '../../src/core/position';
import { chain, NO_HASH } from '../../src/engine/envelope';
import type { EventStore } from '../../src/ports/event-store';

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Seconds of one csv-parse pass that does nothing else. */
export const bareCsv = async (file: string): Promise<number> => {
  const start = performance.now();
  let rows = 0;
  for await (const _row of createReadStream(file).pipe(parse({}))) rows += 1;
  if (rows === 0) throw new Error('nothing was parsed');
  return secondsSince(start);
};

/** Events of one attempt as the dialer appends them: five appends, six events. */
const APPENDS: readonly (readonly string[])[] = [
  ['CallAttempted'],
  ['CallPlaced'],
  ['CallRinging'],
  ['CallAnswered'],
  ['CallEnded', 'RunCompleted'],
];

/** An empty embedded ledger for `work`. */
export const withEmbeddedStore = async <A>(work: (store: EventStore) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-yardstick-'));
  const store = await embeddedEventStore({ folder });
  try {
    return await work(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Attempts per second when the very appends of an attempt are made bare: chained, durable, 64 contacts at once, nothing else. `streamOf`: the stream of
 * a run; in a ledger that others read, one that none of them looks at.
 */
export const bareAppends = async (
  store: EventStore,
  attempts: number,
  streamOf: (run: number) => string = (run) => runStream(1, run),
): Promise<number> => {
  const data = {
    run_id: 1,
    campaign_id: 1,
    attempt: 1,
    retry: 0,
    variant_id: '1:latest',
    workflow_id: 1,
    definition_id: 1,
    version_number: 1,
  };
  const claim = {
    ...data,
    reference: '0'.repeat(32),
    telephony_configuration_id: 1,
    provider: 'ari',
    caller_phone_number_id: null,
    split_revision: 0,
    weight: 100,
    ring_seconds: 45,
    talk_seconds: 300,
    row: 1,
    retry_reason: null,
    contact: { $sealed: 'A'.repeat(140), key: 'page/0123456789abcdef0123456789abcdef/1', field: 'contact' },
  };
  let next = 1;
  const one = async (): Promise<void> => {
    const run = next++;
    const stream = streamOf(run);
    let tail = { revision: NO_STREAM, hash: NO_HASH };
    for (const types of APPENDS) {
      const by = {
        org: '1',
        actor: 'dialer',
        correlationId: '9b2d2c56-4a55-4fb3-8a3c-000000000001',
        causationId: '9b2d2c56-4a55-4fb3-8a3c-000000000001',
        commandId: '9b2d2c56-4a55-4fb3-8a3c-000000000001',
        at: new Date().toISOString(),
      };
      const events = chain(
        stream,
        tail,
        types.map((type) => ({ type, data: type === 'CallAttempted' ? claim : data, schema: 1 })),
        by,
      );
      const answer = await store.append(stream, tail.revision, events);
      if (answer._tag === 'Left') throw new Error(JSON.stringify(answer.left));
      tail = { revision: answer.right.revision, hash: events.at(-1)?.metadata.hash ?? NO_HASH };
    }
  };
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next <= attempts) await one();
    }),
  );
  return attempts / secondsSince(start);
};

/** Events per second of a bare read of the whole ledger. */
export const bareRead = async (events: EventStore): Promise<number> => {
  const start = performance.now();
  let n = 0;
  for (let after = START; ;) {
    const batch = await events.readAll({ after, limit: 5000 });
    n += batch.events.length;
    after = batch.position;
    if (batch.caughtUp) return n / secondsSince(start);
  }
};
