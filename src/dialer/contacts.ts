/** Number and seal of a contact, from its batch's event and page, through a bounded cache of batches. */
import { contactsStream, runStream, type OrganizationId } from '../core/ids';
import type { Sealed } from '../core/event-types';
import { contactsEvents, type ContactData } from '../domain/campaign/events';
import { runEvents } from '../domain/run/events';
import { upcast } from '../core/event-types';
import { associatedData, CONTACT_FIELD, contactKeyId, openBytes } from '../engine/seal';
import type { Platform } from '../engine/platform';
import type { CampaignState } from './model';

/** Of a ContactsQueued. */
export interface Batch {
  readonly page: string;
  readonly contacts: readonly string[];
}

export interface OpenedContact {
  readonly phone: string;
  readonly sealed: Sealed;
}

/**
 * A contact of a batch, opened; null: its key was destroyed, or does not fit, or it was erased before it was queued. Rejects when the vault is away.
 */
export const openContact = async (
  platform: Pick<Platform, 'seals' | 'log'>,
  org: OrganizationId,
  { page, contacts }: Batch,
  index: number,
): Promise<{ readonly data: ContactData; readonly sealed: Sealed } | null> => {
  const ciphertext = contacts[index];
  if (ciphertext === undefined) throw new Error(`there is no contact ${index} under page ${page}`);
  const sealed: Sealed = { $sealed: ciphertext, key: contactKeyId(page, index), field: CONTACT_FIELD };
  const key = await platform.seals.key(org, sealed.key);
  if (key === null) return null;
  try {
    const plain = openBytes(key, Buffer.from(ciphertext, 'base64'), associatedData(org, CONTACT_FIELD, sealed.key));
    const data = JSON.parse(plain.toString()) as ContactData | null;
    return data === null ? null : { data, sealed };
  } catch (error) {
    platform.log.error({ org, page, index, err: error }, 'a contact does not open with its key');
    return null;
  }
};

export interface Contacts {
  /** null: its key was destroyed, or does not fit. Rejects when ledger or vault are away. */
  open(org: OrganizationId, campaign: CampaignState, row: number): Promise<OpenedContact | null>;
  /** The person whom a test call is for, from its request. */
  requested(org: OrganizationId, run: number): Promise<OpenedContact | null>;
}

/** Batch number that a row is in: the last one that begins at or before it. */
export const batchOf = (begins: readonly number[], row: number): number => {
  let low = 0;
  let high = begins.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((begins[middle] as number) <= row) low = middle;
    else high = middle;
  }
  return low;
};

export const contactsCache = (
  platform: Pick<Platform, 'events' | 'seals' | 'log'>,
  /** Batches kept, half a megabyte each at most. */
  limit = 48,
): Contacts => {
  const batches = new Map<string, Promise<Batch>>();

  const load = async (stream: string, number: number): Promise<Batch> => {
    const event = (await platform.events.readStream(stream, number, 1))[0];
    if (event === undefined) throw new Error(`${stream} has no batch ${number}`);
    return upcast(contactsEvents, event.type, event.data, event.metadata.schema) as unknown as Batch;
  };

  const batch = (org: OrganizationId, campaign: number, number: number): Promise<Batch> => {
    const stream = contactsStream(org, campaign);
    const key = `${stream}/${number}`;
    const known = batches.get(key);
    if (known !== undefined) {
      batches.delete(key);
      batches.set(key, known);
      return known;
    }
    const loading = load(stream, number);
    loading.catch(() => batches.delete(key));
    batches.set(key, loading);
    if (batches.size > limit) batches.delete(batches.keys().next().value as string);
    return loading;
  };

  return {
    requested: async (org, run) => {
      const event = (await platform.events.readStream(runStream(org, run), 0, 1))[0];
      if (event?.type !== 'CallRequested') throw new Error(`run ${run} was not asked for`);
      const { contact } = upcast(runEvents, event.type, event.data, event.metadata.schema) as { contact: Sealed };
      const opened = (await platform.seals.open(org, contact)) as ContactData | null;
      return opened === null ? null : { phone: opened.phone_number, sealed: contact };
    },
    open: async (org, campaign, row) => {
      const number = batchOf(campaign.batches, row);
      const opened = await openContact(
        platform,
        org,
        await batch(org, campaign.id, number),
        row - (campaign.batches[number] ?? 0),
      );
      return opened === null ? null : { phone: opened.data.phone_number, sealed: opened.sealed };
    },
  };
};
