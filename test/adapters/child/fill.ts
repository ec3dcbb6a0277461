/**
 * Appends events of 50 kB until the disk refuses, then a small one every 20 ms until one is taken again; tells each step on stdout.
 * `appended <stream> <revision>`, `refused <json of the failure>`, `healed`, then `done <number of events>`.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { isLeft } from 'fp-ts/Either';
import { embeddedEventStore } from '../../../src/adapters/embedded/event-store';
import type { SealedEvent } from '../../../src/core/event';

const say = (line: string): void => void writeSync(1, `${line}\n`);
const event = (bytes: number): SealedEvent => ({
  id: randomUUID(),
  type: 'ContactsQueued',
  data: { text: 'x'.repeat(bytes) },
  metadata: {
    org: '1',
    actor: 'cli',
    correlation_id: 'c',
    causation_id: 'c',
    command_id: 'c',
    schema: 1,
    at: '2026-01-01T00:00:00.000Z',
    hash: '0'.repeat(64),
  },
});

const run = async (folder: string): Promise<void> => {
  const store = await embeddedEventStore({ folder });
  const stream = 'contacts-1_1';
  let revision = -1;
  let refused = false;
  for (;;) {
    const answer = await store.append(stream, revision, [event(refused ? 10 : 50_000)]);
    if (isLeft(answer)) {
      if (!refused) say(`refused ${JSON.stringify(answer.left)}`);
      refused = true;
      const ping = await store.ping().then(
        () => 'well',
        (error: Error) => error.message,
      );
      if (ping === 'well') continue;
      await new Promise((next) => setTimeout(next, 20));
      continue;
    }
    revision = answer.right.revision;
    say(`appended ${stream} ${revision}`);
    if (!refused) continue;
    say('healed');
    await store.ping();
    say(`done ${(await store.readStream(stream)).length}`);
    return store.close();
  }
};

void run(process.argv[2] as string);
