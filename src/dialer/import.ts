/**
 * Reads a campaign's CSV, or of a redial the contacts of its parent, into sealed batches of contacts. One writer by batch number: the next batch is appended at the revision of the last, so a
 * second importer loses and stops. After a crash it goes on behind the last batch queued. Dialing begins with the first batch.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isLeft, type Either } from 'fp-ts/Either';
import { describeFailure, type Failure } from '../core/failure';
import { campaignStream, contactsStream, type OrganizationId } from '../core/ids';
import { campaignDecider } from '../domain/campaign/decider';
import { contactBatches } from '../domain/campaign/contact-batches';
import { parseRedialList } from '../domain/campaign/redial';
import { contactsEvents } from '../domain/campaign/events';
import { readContacts } from '../engine/contacts-csv';
import { chain } from '../engine/envelope';
import { pause } from '../engine/pause';
import { untilAnswered } from './commands';
import type { CampaignState, OrganizationState } from './model';
import { redialedContacts } from './redialed-contacts';
import type { QueuedContact, SealedBatch } from './seal-batch';
import { sealHere, sealInThread, type Sealer } from './sealer';
import type { Shell } from './shell';

export interface Importer {
  /** Begins, or goes on; does nothing when it is under way. */
  begin(org: OrganizationState, campaign: number): void;
  /** Resolves when no import is under way any more; imports end after their present batch when the dialer stops. */
  stopped(): Promise<void>;
}

/** A list of contacts, in order. */
interface ContactSource {
  readonly batches: AsyncIterable<readonly QueuedContact[]>;
  /** How it went; only after the iteration. */
  outcome(): Either<Failure, unknown>;
}

interface Tail {
  revision: number;
  hash: string;
}

/** `elsewhere`: another importer wrote that batch; `over`: the import has ended meanwhile; else why it can't be stored. */
type Written = 'written' | 'elsewhere' | 'over' | { readonly refused: string };

/** Batches that may be under way besides the one being sealed. */
const AHEAD = 3;
/** Contacts from which on a thread of its own is worth its start. */
const THREAD_FROM = 5000;
const RETRY_MS = 500;
const LOOK_MS = 50;

export const importer = (shell: Shell): Importer => {
  const { platform } = shell;
  const { clock, events, execute, objects, vault, log } = platform;
  const running = new Set<Promise<void>>();

  const over = (org: OrganizationId, campaign: CampaignState): boolean =>
    shell.stopping() ||
    shell.signal.aborted ||
    !shell.owns(org) ||
    campaign.imported !== 'waiting' ||
    (campaign.status !== 'running' && campaign.status !== 'paused');

  /** Again while the engine is away; null when the import is over meanwhile. */
  const patiently = async <A>(
    org: OrganizationId,
    campaign: CampaignState,
    what: string,
    work: () => Promise<A>,
  ): Promise<A | null> => {
    while (!over(org, campaign)) {
      try {
        return await work();
      } catch (error) {
        log.warn({ org, campaign: campaign.id, err: error }, what);
        await pause(clock, RETRY_MS, shell.signal);
      }
    }
    return null;
  };

  const hashOf = async (source: Readable): Promise<string> => {
    const hash = createHash('sha256');
    for await (const chunk of source) hash.update(chunk as Buffer);
    return hash.digest('hex');
  };

  const fail = async (org: OrganizationId, campaign: CampaignState, error: string): Promise<void> => {
    log.warn({ org, campaign: campaign.id }, `the import failed: ${error}`);
    await untilAnswered(clock, shell.signal, () =>
      execute.run(
        campaignDecider,
        campaignStream(org, campaign.id),
        { type: 'FailImport', error },
        { actor: 'dialer' },
      ),
    );
  };

  /** Its keys, durable; false: the import is over meanwhile. */
  const storeKeys = async (org: OrganizationId, campaign: CampaignState, batch: SealedBatch): Promise<boolean> =>
    (await patiently(org, campaign, 'the keys of contacts cannot be stored', async () => {
      await vault.createPage(org, batch.page, batch.keys);
      return true;
    })) ?? false;

  const append = async (
    org: OrganizationId,
    campaign: CampaignState,
    tail: Tail,
    firstRun: number,
    batch: SealedBatch,
  ): Promise<Written> => {
    const stream = contactsStream(org, campaign.id);
    const commandId = randomUUID();
    const data = {
      campaign_id: campaign.id,
      batch: tail.revision + 1,
      first_run_id: firstRun,
      page: batch.page,
      contacts: batch.contacts,
    };
    const sealed = chain(
      stream,
      tail,
      [{ type: 'ContactsQueued', data, schema: contactsEvents.ContactsQueued.schema }],
      {
        org: String(org),
        actor: 'dialer',
        correlationId: commandId,
        causationId: commandId,
        commandId,
        at: new Date(clock.now()).toISOString(),
      },
    );
    while (!over(org, campaign)) {
      // The very same append again: whatever became of the one before, it is written once.
      const answer = await events.append(stream, tail.revision, sealed);
      if (!isLeft(answer)) {
        tail.revision = answer.right.revision;
        tail.hash = sealed.at(-1)?.metadata.hash ?? tail.hash;
        return 'written';
      }
      if (answer.left.kind === 'conflict') return 'elsewhere';
      if (answer.left.kind === 'refused') return { refused: answer.left.message };
      await pause(clock, RETRY_MS, shell.signal);
    }
    return 'over';
  };

  /** Queues what is left of the list. Answers how many contacts and batches there are in all; null: it ended before. */
  const queueAll = async (
    org: OrganizationId,
    campaign: CampaignState,
    list: ContactSource,
    sealer: Sealer,
  ): Promise<{ readonly contacts: number; readonly batches: number } | null> => {
    const tail: Tail = { revision: campaign.batches.length - 1, hash: campaign.contactsHash };
    let queued = campaign.queued;
    let before = 0;
    /** Batches under way, each written after the one before it; keys are stored, and contacts sealed, meanwhile. */
    const underWay: Promise<Written>[] = [];
    let last: Promise<Written> = Promise.resolve('written');
    const push = (contacts: readonly QueuedContact[], firstRun: number): void => {
      const sealing = sealer.seal(org, contacts);
      const keys = sealing.then((batch) => storeKeys(org, campaign, batch));
      const previous = last;
      last = (async () => {
        const wrote = await previous;
        if (wrote !== 'written') return wrote;
        return (await keys) ? append(org, campaign, tail, firstRun, await sealing) : 'over';
      })();
      underWay.push(last);
    };
    const settle = async (most: number): Promise<Written> => {
      let wrote: Written = 'written';
      while (wrote === 'written' && underWay.length > most) wrote = (await underWay.shift()) ?? 'written';
      return wrote;
    };
    try {
      for await (const read of list.batches) {
        const contacts = read.slice(Math.max(0, queued - before));
        before += read.length;
        if (contacts.length === 0) continue;
        const wrote = await settle(AHEAD);
        if (wrote !== 'written') return await stoppedBy(org, campaign, wrote);
        if (over(org, campaign)) return null;
        push(contacts, campaign.firstRun + queued);
        queued += contacts.length;
      }
      const wrote = await settle(0);
      if (wrote !== 'written') return await stoppedBy(org, campaign, wrote);
      const outcome = list.outcome();
      if (isLeft(outcome)) {
        await fail(org, campaign, describeFailure(outcome.left));
        return null;
      }
    } finally {
      await last;
    }
    return { contacts: queued, batches: tail.revision + 1 };
  };

  const stoppedBy = async (
    org: OrganizationId,
    campaign: CampaignState,
    why: Exclude<Written, 'written'>,
  ): Promise<null> => {
    if (typeof why === 'object') await fail(org, campaign, `a batch of contacts cannot be stored: ${why.refused}`);
    return null;
  };

  const listIn = async (org: OrganizationId, campaign: CampaignState, source: Readable): Promise<ContactSource> => {
    if (campaign.redialOf === null) return readContacts(source, contactBatches(campaign.e164Only));
    const runs = parseRedialList(await text(source));
    return isLeft(runs)
      ? { batches: Readable.from([]), outcome: () => runs }
      : redialedContacts(platform, org, campaign.redialOf, runs.right, campaign.queued);
  };

  const importAll = async (org: OrganizationId, campaign: CampaignState): Promise<void> => {
    const open = (): Promise<Readable | null> => objects.get(campaign.sourceKey);
    // The whole file is checked before the first contact can be called.
    const hash = await patiently(org, campaign, 'the contact list cannot be read', async () => {
      const source = await open();
      return source === null ? 'missing' : hashOf(source);
    });
    if (hash === null) return;
    if (hash === 'missing') return fail(org, campaign, 'the uploaded contact list is not there any more');
    if (hash !== campaign.sourceSha256)
      return fail(org, campaign, 'the uploaded contact list is not the one that the campaign was created with');
    const source = await patiently(org, campaign, 'the contact list cannot be read', open);
    if (source === null) return;
    let imported: Awaited<ReturnType<typeof queueAll>>;
    const sealer = campaign.contacts - campaign.queued > THREAD_FROM ? sealInThread() : sealHere;
    try {
      imported = await queueAll(org, campaign, await listIn(org, campaign, source), sealer);
    } catch (error) {
      log.warn({ org, campaign: campaign.id, err: error }, 'the contact list cannot be read');
      return pause(clock, RETRY_MS, shell.signal);
    } finally {
      sealer.close();
    }
    if (imported === null) return;
    const done = { type: 'CompleteImport', ...imported } as const;
    const completed = await untilAnswered(clock, shell.signal, () =>
      execute.run(campaignDecider, campaignStream(org, campaign.id), done, { actor: 'dialer' }),
    );
    if (isLeft(completed) && !shell.signal.aborted) return fail(org, campaign, describeFailure(completed.left));
  };

  return {
    begin: (org, id) => {
      const campaign = org.campaigns.get(id);
      const { busy } = shell.org(org.id);
      const key = `import/${id}`;
      if (campaign === undefined || busy.has(key)) return;
      busy.add(key);
      const work = importAll(org.id, campaign)
        // The fold shows what was written a moment later: only then may it be begun again.
        .then(() => pause(clock, LOOK_MS, shell.signal))
        .catch((error: unknown) => log.error({ org: org.id, campaign: id, err: error }, 'an import failed'))
        .finally(() => {
          running.delete(work);
          busy.delete(key);
          shell.poke(org.id);
        });
      running.add(work);
    },
    stopped: async () => {
      await Promise.allSettled([...running]);
    },
  };
};
