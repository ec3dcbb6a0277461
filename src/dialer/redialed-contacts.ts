/**
 * The contacts of a campaign that a redial calls again, from the batches in the ledger. Who was erased meanwhile keeps the place, empty: so the
 * contacts of a redial are the same in number and order whenever they are read, and an import goes on where it stopped.
 */
import { left, right, type Either } from 'fp-ts/Either';
import { upcast } from '../core/event-types';
import { rejected, type Failure } from '../core/failure';
import { contactsStream, type OrganizationId } from '../core/ids';
import { BATCH_LIMITS } from '../domain/campaign/contact-batches';
import { contactsEvents } from '../domain/campaign/events';
import type { Platform } from '../engine/platform';
import { opener } from '../engine/seal';
import { openContact, type Batch } from './contacts';
import type { QueuedContact } from './seal-batch';

/** Batches read at once, half a megabyte each at most. */
const READ = 8;
/** Contacts opened at once. */
const OPENED = 100;

/** null: it is not to be opened. */
type Place = { readonly batch: Batch; readonly index: number } | null;

export interface RedialedContacts {
  /** To be iterated once. Ends early where a contact is not in the ledger. Rejects when ledger or vault are away. */
  readonly batches: AsyncIterable<readonly QueuedContact[]>;
  /** How it went; only after the iteration. */
  outcome(): Either<Failure, null>;
}

/** Contacts of campaign `parent` by run ids, ascending. The first `queued` are not opened: they come as empty places. */
export const redialedContacts = (
  platform: Pick<Platform, 'events' | 'vault' | 'log'>,
  org: OrganizationId,
  parent: number,
  runs: readonly number[],
  queued = 0,
): RedialedContacts => {
  // Keys as they are in the vault now: who is erased, by whatever process, is not queued anew.
  const keys = { seals: opener(platform.vault), log: platform.log };
  let found = 0;

  /** Places of the runs, up to the first one that is missing. */
  async function* places(): AsyncGenerator<Place, void> {
    const stream = contactsStream(org, parent);
    for (let revision = 0; found < runs.length; revision += READ) {
      const events = await platform.events.readStream(stream, revision, READ);
      for (const event of events) {
        const batch = upcast(contactsEvents, event.type, event.data, event.metadata.schema) as unknown as Batch & {
          readonly first_run_id: number;
        };
        const end = batch.first_run_id + batch.contacts.length;
        for (let run = runs[found]; run !== undefined && run < end; run = runs[found]) {
          if (run < batch.first_run_id) return;
          found += 1;
          yield found > queued ? { batch, index: run - batch.first_run_id } : null;
        }
      }
      if (events.length < READ) return;
    }
  }

  async function* opened(): AsyncGenerator<readonly QueuedContact[], void> {
    const open = (group: readonly Place[]): Promise<readonly QueuedContact[]> =>
      Promise.all(
        group.map(async (p) => (p === null ? null : ((await openContact(keys, org, p.batch, p.index))?.data ?? null))),
      );
    let group: Place[] = [];
    for await (const place of places()) {
      if (group.push(place) < OPENED) continue;
      yield await open(group);
      group = [];
    }
    if (group.length > 0) yield await open(group);
  }

  async function* batches(): AsyncGenerator<readonly QueuedContact[], void> {
    let batch: QueuedContact[] = [];
    let characters = 0;
    for await (const group of opened())
      for (const contact of group) {
        const size = JSON.stringify(contact).length;
        if (
          batch.length >= BATCH_LIMITS.contacts ||
          (batch.length > 0 && characters + size > BATCH_LIMITS.characters)
        ) {
          yield batch;
          batch = [];
          characters = 0;
        }
        batch.push(contact);
        characters += size;
      }
    if (batch.length > 0) yield batch;
  }

  return {
    batches: { [Symbol.asyncIterator]: batches },
    outcome: () =>
      found === runs.length ? right(null) : left(rejected('the campaign that is redialed has no such contacts')),
  };
};
