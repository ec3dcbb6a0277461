import { createHash } from 'node:crypto';
import { contactsStream } from '../../src/core/ids';
import { redialListText } from '../../src/domain/campaign/redial';
import type { ContactData } from '../../src/domain/campaign/events';
import { continuesChain, NO_HASH } from '../../src/engine/envelope';
import { contactKeyId, opener } from '../../src/engine/seal';
import { ORG, phoneOf, world, type World } from '../support/dialer-world';

const MINUTE = 60_000;
const quick = { outcome: () => 'completed' as const, ringMs: [50, 100] as const, talkMs: [100, 300] as const };
const limits = { concurrent_calls: 50, calls_per_second: 50 };

const queuedContacts = async (w: World): Promise<readonly ContactData[]> => {
  const seals = opener(w.vault);
  const found: ContactData[] = [];
  for (const { data } of w.events('ContactsQueued')) {
    const { page, contacts } = data as unknown as { page: string; contacts: readonly string[] };
    for (const [i, $sealed] of contacts.entries())
      found.push(
        (await seals.open(ORG, { $sealed, key: contactKeyId(page, i), field: 'contact' })) as unknown as ContactData,
      );
  }
  return found;
};

const batchesAreWhole = (w: World, contacts: number): void => {
  const batches = w.events('ContactsQueued');
  let next = 1;
  let hash = NO_HASH;
  batches.forEach((event, i) => {
    const {
      batch,
      first_run_id,
      contacts: sealed,
    } = event.data as unknown as {
      batch: number;
      first_run_id: number;
      contacts: readonly string[];
    };
    expect([event.revision, batch, first_run_id]).toEqual([i, i, next]);
    expect(sealed.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(event.data).length).toBeLessThan(512 * 1024);
    expect(continuesChain(hash, event)).toBe(true);
    hash = event.metadata.hash;
    next += sealed.length;
  });
  expect(next - 1).toBe(contacts);
};

describe('the import', () => {
  it('queues every contact in order, sealed with its own key, in whole batches', async () => {
    const w = await world({ limits, network: quick });
    await w.campaign(1203);
    const { kill } = await w.process();
    await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'imported');
    kill();
    batchesAreWhole(w, 1203);
    expect(w.data('ImportCompleted')).toEqual([
      { campaign_id: 1, contacts: 1203, batches: w.events('ContactsQueued').length },
    ]);
    const contacts = await queuedContacts(w);
    expect(contacts.map((c) => c.phone_number)).toEqual(Array.from({ length: 1203 }, (_, i) => phoneOf(i + 1)));
    expect(contacts[7]?.variables).toMatchObject({ first_name: 'Name 7' });
    const text = w
      .events('ContactsQueued')
      .map((e) => JSON.stringify(e))
      .join();
    expect(text).not.toContain('+1555');
    expect(text).not.toContain('Name');
  });

  it('lets dialing begin with its first batch', async () => {
    const w = await world({ limits, network: quick, store: { latency: () => 100 } });
    await w.campaign(4000);
    await w.process();
    await w.until(() => w.network.seen.length > 0, MINUTE, 'a first call');
    expect(w.events('ImportCompleted')).toHaveLength(0);
    await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'imported');
  });

  it.each([1, 2, 3, 4])('goes on where it stopped when its process is killed after batch %d', async (batch) => {
    const w = await world({ limits, network: quick, store: { latency: () => 20 } });
    await w.campaign(2100, { rate_limit_per_second: 1 });
    const first = await w.process();
    await w.until(() => w.events('ContactsQueued').length >= batch, MINUTE, 'batches');
    first.kill();
    const second = await w.process();
    await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'imported');
    second.kill();
    batchesAreWhole(w, 2100);
    expect((await queuedContacts(w)).map((c) => c.phone_number)).toEqual(
      Array.from({ length: 2100 }, (_, i) => phoneOf(i + 1)),
    );
  });

  it('is made once by two processes that both do it', async () => {
    const w = await world({ limits, network: quick, store: { latency: () => 20 } });
    await w.campaign(2100, { rate_limit_per_second: 1 });
    await w.process();
    await w.process();
    await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'imported');
    batchesAreWhole(w, 2100);
  });

  it('goes on while the campaign is paused', async () => {
    const w = await world({ limits, network: quick, store: { latency: () => 20 } });
    const id = await w.campaign(2100);
    await w.process();
    await w.until(() => w.events('ContactsQueued').length >= 1, MINUTE, 'a batch');
    await w.fenced(id, { type: 'PauseCampaign' });
    await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'imported');
  });

  it.each([
    [
      'has another content than at creation',
      (key: string, w: World) => w.objects.stored.set(key, Buffer.from('phone_number\n+15550000')),
      'is not the one',
    ],
    ['is gone', (key: string, w: World) => w.objects.stored.delete(key), 'not there any more'],
  ])('fails when the file %s: the campaign fails, nobody is called', async (_name, change, text) => {
    const w = await world({ limits, network: quick });
    await w.campaign(20);
    change(`org/${ORG}/1.csv`, w);
    await w.process();
    await w.until(() => w.events('CampaignFailed').length > 0, MINUTE, 'failed');
    expect(w.data('ImportFailed')[0]?.['error']).toContain(text);
    await w.clock.advance(5000);
    expect(w.network.seen).toEqual([]);
    expect(w.ledger.all.filter((e) => e.stream === contactsStream(ORG, 1))).toEqual([]);
  });

  it('that failed halfway accounts for every contact queued, also when the campaign is deleted before they are canceled', async () => {
    const w = await world({ limits, network: quick, store: { latency: () => 20 } });
    const id = await w.campaign(600, { rate_limit_per_second: 1 });
    const first = await w.process();
    await w.until(() => w.events('ContactsQueued').length >= 1, MINUTE, 'a batch');
    first.kill();
    await w.clock.advance(1000);
    await w.command(id, { type: 'FailImport', error: 'the list cannot be stored' });
    await w.command(id, { type: 'DeleteCampaign' });
    const queued = w.data('ContactsQueued').reduce((n, d) => n + (d['contacts'] as readonly string[]).length, 0);
    await w.process();
    const ended = (): number => new Set(w.data('RunCompleted').map((d) => d['run_id'])).size;
    await w.until(() => ended() >= queued, 10 * MINUTE, 'every contact has ended');
    expect([ended(), w.events('RunCompleted').length]).toEqual([queued, queued]);
  });
});

/** A redial of these runs of campaign 1. */
const redial = (w: World, runs: readonly number[], settings: object = {}): Promise<number> => {
  const text = redialListText(runs);
  w.objects.stored.set('redial.txt', Buffer.from(text));
  const list_sha256 = createHash('sha256').update(text).digest('hex');
  return w.campaign(runs.length, {
    parent_campaign_id: 1,
    source_id: `org/${ORG}/1.csv`,
    redial: { list_key: 'redial.txt', list_sha256, erased: 0 },
    ...settings,
  });
};

/** A world with a first campaign of so many contacts, all queued, runs 1 and on; nobody of them is called any more. */
const queuedBefore = async (contacts: number, store: object = {}): Promise<World> => {
  const w = await world({ limits: { concurrent_calls: 1000, calls_per_second: 1000 }, network: quick, store });
  await w.campaign(contacts, { rate_limit_per_second: 1 });
  const before = await w.process();
  await w.until(() => w.events('ImportCompleted').length > 0, MINUTE, 'the first list is imported');
  before.kill();
  await w.command(1, { type: 'PauseCampaign' });
  return w;
};

/** Numbers called for runs from this one on, sorted. */
const calledFrom = (w: World, run: number): readonly string[] =>
  w.network.seen
    .filter((s) => Number(s.tags['run']) >= run)
    .map((s) => s.to)
    .sort();

const batchesOf = (w: World, campaign: number) =>
  w.events('ContactsQueued').filter((e) => e.stream === contactsStream(ORG, campaign));

/** Contacts queued for a campaign; null: one that was erased before. */
const contactsOf = async (w: World, campaign: number): Promise<readonly (ContactData | null)[]> => {
  const seals = opener(w.vault);
  const found: (ContactData | null)[] = [];
  for (const { data } of batchesOf(w, campaign)) {
    const { page, contacts } = data as unknown as { page: string; contacts: readonly string[] };
    for (const [i, $sealed] of contacts.entries())
      found.push((await seals.open(ORG, { $sealed, key: contactKeyId(page, i), field: 'contact' })) as never);
  }
  return found;
};

const everyThird = (contacts: number): readonly number[] =>
  Array.from({ length: Math.floor(contacts / 3) }, (_, i) => 3 * i + 2);

describe('the import of a redial', () => {
  it('queues exactly the listed contacts of the parent, under keys of its own, and they are called once each', async () => {
    const w = await queuedBefore(1203);
    const listed = everyThird(1203);
    const child = await redial(w, listed, { rate_limit_per_second: 1000 });
    await w.process();
    await w.until(() => w.events('CampaignCompleted').length > 0, 10 * MINUTE, 'the redial is completed');
    const contacts = await contactsOf(w, child);
    expect(contacts.map((c) => c?.phone_number)).toEqual(listed.map((run) => phoneOf(run)));
    expect(contacts[0]?.variables).toMatchObject({ first_name: 'Name 1' });
    expect(calledFrom(w, 1204)).toEqual(listed.map((run) => phoneOf(run)).sort());
    const pages = (campaign: number) => batchesOf(w, campaign).map((e) => e.data['page']);
    expect(pages(child).filter((page) => pages(1).includes(page))).toEqual([]);
    expect(JSON.stringify(batchesOf(w, child))).not.toContain('+1555');
  });

  it.each([1, 2, 3])('goes on where it stopped when its process is killed after batch %d', async (batch) => {
    const w = await queuedBefore(2100, { latency: () => 20 });
    const listed = Array.from({ length: 1900 }, (_, i) => i + 150);
    const child = await redial(w, listed, { rate_limit_per_second: 1 });
    const first = await w.process();
    await w.until(() => batchesOf(w, child).length >= batch, MINUTE, 'batches');
    expect(w.events('ImportCompleted')).toHaveLength(1);
    first.kill();
    const second = await w.process();
    await w.until(() => w.events('ImportCompleted').length > 1, MINUTE, 'imported');
    second.kill();
    expect((await contactsOf(w, child)).map((c) => c?.phone_number)).toEqual(listed.map((run) => phoneOf(run)));
    expect(batchesOf(w, child).map((e) => e.data['batch'])).toEqual(batchesOf(w, child).map((_, i) => i));
  });

  it('is made once by two processes that both do it', async () => {
    const w = await queuedBefore(2100, { latency: () => 20 });
    const listed = Array.from({ length: 1900 }, (_, i) => i + 150);
    const child = await redial(w, listed, { rate_limit_per_second: 1 });
    await w.process();
    await w.process();
    await w.until(() => w.events('ImportCompleted').length > 1, MINUTE, 'imported');
    expect((await contactsOf(w, child)).map((c) => c?.phone_number)).toEqual(listed.map((run) => phoneOf(run)));
  });

  it('keeps the place of who was erased meanwhile: that contact ends uncalled, all others are called', async () => {
    const w = await queuedBefore(30);
    const { page } = batchesOf(w, 1)[0]?.data as { page: string };
    await w.vault.eraseKeys(ORG, page, [4, 9]);
    const listed = [2, 5, 7, 10];
    const child = await redial(w, listed);
    await w.process();
    await w.until(() => w.events('CampaignCompleted').length > 0, MINUTE, 'completed');
    expect((await contactsOf(w, child)).map((c) => c?.phone_number ?? null)).toEqual([
      phoneOf(2),
      null,
      phoneOf(7),
      null,
    ]);
    expect(calledFrom(w, 31)).toEqual([phoneOf(2), phoneOf(7)]);
    expect(w.data('RunCompleted').filter((d) => d['outcome'] === 'canceled')).toMatchObject([
      { run_id: 32, campaign_id: child, attempt: 0 },
      { run_id: 34, campaign_id: child, attempt: 0 },
    ]);
  });

  it('fails, and calls nobody, where the list is not the one that it was made with, or names nobody', async () => {
    const w = await queuedBefore(20);
    await redial(w, [2, 5]);
    w.objects.stored.set('redial.txt', Buffer.from('2\n6\n'));
    const first = await w.process();
    await w.until(() => w.events('CampaignFailed').length > 0, MINUTE, 'failed');
    first.kill();
    await redial(w, [20, 21]);
    await w.process();
    await w.until(() => w.events('CampaignFailed').length > 1, MINUTE, 'failed');
    expect(w.data('ImportFailed').map((d) => d['error'])).toEqual([
      expect.stringContaining('is not the one'),
      expect.stringContaining('has no such contacts'),
    ]);
    await w.clock.advance(5000);
    expect(calledFrom(w, 21)).toEqual([]);
  });
});
