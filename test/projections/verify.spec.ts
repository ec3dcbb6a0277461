import { projectionsWithAuditIndex as projections, runProjections } from '../../projections';
import { campaignAudit } from '../../projections/campaign_audit';
import { campaigns } from '../../projections/campaigns';
import type { JsonObject, RecordedEvent } from '../../src/core/event';
import { eventCatalog } from '../../src/domain/event-catalog';
import { collectionOf } from '../../src/engine/projection';
import { verify, type VerifyReport } from '../../src/engine/verify';
import type { EventStore } from '../../src/ports/event-store';
import { appendHistory, randomHistory } from '../support/history';
import { testPlatform, type TestPlatform } from '../support/platform';
import { projected } from './given-events';
import { attempted, call, campaignCreated, contactsQueued, ended, ORG } from './stories';

let platform: TestPlatform;
let log: readonly RecordedEvent[];
beforeAll(async () => {
  platform = await testPlatform();
  await appendHistory(platform.events, await randomHistory(platform.vault, { seed: 11 }));
  const runner = runProjections(platform, projections);
  await runner.caughtUp();
  await runner.stop();
  log = (await platform.events.readAll({ after: '0'.repeat(20) as RecordedEvent['position'], limit: 100_000 })).events;
});
afterAll(() => platform.dispose());

const check = (changed: Partial<TestPlatform> = {}): Promise<VerifyReport> =>
  verify({ ...platform, ...changed }, projections, eventCatalog);

/** The ledger as somebody with a hex editor would leave it. */
const tampered = (change: (event: RecordedEvent) => RecordedEvent | null): EventStore => ({
  ...platform.events,
  readAll: async (options) => {
    const batch = await platform.events.readAll(options);
    return { ...batch, events: batch.events.flatMap((e) => change(e) ?? []) };
  },
});
const some = (type: string): RecordedEvent => {
  const found = log.find((e) => e.type === type);
  if (found === undefined) throw new Error(`the history has no ${type}`);
  return found;
};
const only = (event: RecordedEvent, change: (event: RecordedEvent) => RecordedEvent | null) =>
  tampered((e) => (e.id === event.id ? change(e) : e));

it('finds nothing in what is as it was written, and leaves nothing behind', async () => {
  const before = await platform.reads.collections();
  const report = await check();
  expect(report).toMatchObject({ ok: true, events: log.length, faults: [], faultCount: 0 });
  expect(report.streams).toBe(new Set(log.map((e) => e.stream)).size);
  expect(report.documents['runs']).toBeGreaterThan(5);
  expect(await platform.reads.collections()).toEqual(before);
});

it.each(['CampaignCreated', 'CallAttempted', 'TurnTaken', 'IdsReserved'])(
  'finds one changed character in the data of a %s',
  async (type) => {
    const event = some(type);
    const text = JSON.stringify(event.data);
    const at = text.search(/(?<=[:[])\d/) >= 0 ? text.search(/(?<=[:[])\d/) : text.search(/\d/);
    const other = text[at] === '1' ? '2' : '1';
    const data = JSON.parse(text.slice(0, at) + other + text.slice(at + 1)) as JsonObject;
    const report = await check({ events: only(event, (e) => ({ ...e, data })) });
    expect(report.ok).toBe(false);
    expect(report.faults.filter((f) => f.kind === 'chain').map((f) => f.eventId)).toEqual([event.id]);
  },
);

it.each([
  ['actor', 'somebody'],
  ['at', '2026-03-02T00:00:00.000Z'],
  ['org', '9'],
  ['command_id', '00000000-0000-4000-8000-ffffffffffff'],
] as const)('finds a changed %s in the metadata', async (field, value) => {
  const event = some('CallEnded');
  const changed = { ...event.metadata, [field]: value };
  const report = await check({ events: only(event, (e) => ({ ...e, metadata: changed })) });
  expect(report.faults.filter((f) => f.kind === 'chain').map((f) => f.eventId)).toEqual([event.id]);
});

it('finds a removed event, and one that was moved to another stream', async () => {
  const event = log.find((e) => e.type === 'CallPlaced') ?? some('CallEnded');
  const removed = await check({ events: only(event, () => null) });
  const next = log.find((e) => e.stream === event.stream && e.revision === event.revision + 1);
  expect(removed.faults.filter((f) => f.kind === 'chain').map((f) => f.eventId)).toEqual([next?.id]);
  expect(removed.faults.find((f) => f.kind === 'chain')?.message).toMatch(/is missing before it/);
  const moved = await check({ events: only(event, (e) => ({ ...e, stream: 'run-1_987654' })) });
  expect(moved.faults.some((f) => f.kind === 'chain' && f.eventId === event.id)).toBe(true);
});

it('finds the end of a stream cut off: the read models know more than the log', async () => {
  const last = log.findLast((e) => e.type === 'CallEnded' || e.type === 'RunCompleted') as RecordedEvent;
  const report = await check({
    events: tampered((e) => (e.stream === last.stream && e.revision >= last.revision ? null : e)),
  });
  expect(report.faults.some((f) => f.kind === 'document' && f.collection === collectionOf(campaigns))).toBe(true);
});

it('finds data that no event of its type holds', async () => {
  const event = some('CallEnded');
  const { outcome: _outcome, ...data } = event.data;
  const report = await check({ events: only(event, (e) => ({ ...e, data })) });
  expect(report.faults.some((f) => f.kind === 'data' && f.eventId === event.id)).toBe(true);
});

it('finds a changed, a missing and an invented document, by key and path, without showing values', async () => {
  const collection = 'runs_v1';
  const keys: string[] = [];
  const reads = {
    ...platform.reads,
    all: async function* (name: string) {
      let n = 0;
      for await (const entry of platform.reads.all(name)) {
        n += 1;
        if (name === collection && n <= 2) keys.push(entry.key);
        if (name === collection && n === 2) continue;
        yield name === collection && n === 1
          ? {
              ...entry,
              document: { ...entry.document, is_completed: 'perhaps', contact: { phone_number: '+19990001111' } },
            }
          : entry;
      }
      if (name === collection)
        yield { key: '9/9', document: { organization: 9 }, position: log[0]?.position as RecordedEvent['position'] };
    },
    getMany: (name: string, wanted: readonly string[]) =>
      platform.reads.getMany(name, name === collection ? wanted.filter((k) => k !== keys[1]) : wanted),
  };
  const report = await check({ reads });
  const found = report.faults.filter((f) => f.kind === 'document').map((f) => [f.key, f.paths]);
  expect(found).toEqual(
    expect.arrayContaining([
      [keys[0], expect.arrayContaining(['is_completed'])],
      [keys[1], ['(missing)']],
      ['9/9', ['(not of the log)']],
    ]),
  );
  expect(found).toHaveLength(3);
  expect(JSON.stringify(report)).not.toContain('9990001111');
});

it('finds a document that was written by hand, newer than the log', async () => {
  const other = await testPlatform();
  try {
    await appendHistory(other.events, await randomHistory(other.vault, { seed: 12, organizations: 1, campaigns: 1 }));
    const runner = runProjections(other, projections);
    await runner.caughtUp();
    await runner.stop();
    const [first] = await other.reads.find('campaigns_v1', { where: [], limit: 1 });
    if (first === undefined) throw new Error('no campaign');
    const key = `1/${String(first['id'])}`;
    const position = '00000000000000999999' as RecordedEvent['position'];
    await other.reads.write('campaigns_v1', [{ key, document: { ...first, executed_count: 12345 }, position }]);
    const report = await verify(other, projections, eventCatalog);
    expect(report.faults).toEqual([
      expect.objectContaining({ kind: 'document', key, paths: expect.arrayContaining(['executed_count']) }),
    ]);
  } finally {
    await other.dispose();
  }
});

it('checks under a runner at work without false alarms', async () => {
  const other = await testPlatform();
  const runner = runProjections(other, projections);
  try {
    const history = await randomHistory(other.vault, { seed: 13, organizations: 1 });
    const half = Math.floor(history.length / 2);
    const tails = new Map<string, { revision: number; hash: string }>();
    await appendHistory(other.events, history.slice(0, half), tails);
    await runner.caughtUp();
    let at = half;
    const more = async (): Promise<void> => {
      await appendHistory(other.events, history.slice(at, at + 10), tails);
      at += 10;
      await runner.caughtUp();
    };
    // Documents change after the checkpoints were read, and while they are compared.
    const reads = {
      ...other.reads,
      all: async function* (name: string) {
        await more();
        yield* other.reads.all(name);
      },
    };
    const report = await verify({ ...other, reads }, projections, eventCatalog);
    expect(report.faults).toEqual([]);
    expect(at).toBeGreaterThan(half + 50);
  } finally {
    await runner.stop();
    await other.dispose();
  }
});

it('the audit of campaigns finds counters that disagree with the log, and contacts that were forgotten', async () => {
  const audit = campaignAudit();
  const { data: created } = campaignCreated().event as { data: JsonObject };
  const story = [
    campaignCreated(),
    contactsQueued(0, 3),
    attempted(call(100)),
    ended(call(100), 'completed', 3),
    { ...campaignCreated(), event: { type: 'CampaignCompleted', data: { campaign_id: created['campaign_id'] } } },
  ];
  for (const event of projected(story)) audit.see(event);
  const counters = { executed_count: 2, processed_rows: 1, failed_rows: 0, contacts_ended: 0 };
  const told = await audit.compare({
    has: (name) => name === 'campaigns',
    get: async () => ({ ...counters, contacts_queued: 3, retries_scheduled: 0, in_flight: [] }),
    count: async () => 0,
  });
  const key = `campaign ${ORG}/${String(created['campaign_id'])}`;
  expect(told).toEqual([
    `${key} shows executed_count 2, the log says 1`,
    `${key} is completed with 0 of 3 contacts ended`,
  ]);
});
