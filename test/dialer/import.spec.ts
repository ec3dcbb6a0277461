import { contactsStream } from '../../src/core/ids';
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

  it('does not import or call for a redial, whose contacts are chosen by others', async () => {
    const w = await world({ limits, network: quick });
    await w.campaign(20, { parent_campaign_id: 99 });
    await w.process();
    await w.clock.advance(5000);
    expect(w.events('ContactsQueued')).toEqual([]);
  });
});
