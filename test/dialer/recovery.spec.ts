import type { RecordedEvent } from '../../src/core/event';
import { campaignStream, partitionOf, runStream } from '../../src/core/ids';
import { snapshotKey } from '../../src/dialer/snapshots';
import { runDecider } from '../../src/domain/run/decider';
import type { RunCommand } from '../../src/domain/run/commands';
import { ORG, world, type World } from '../support/dialer-world';

const MINUTE = 60_000;
const quick = { outcome: () => 'completed' as const, ringMs: [50, 100] as const, talkMs: [100, 300] as const };
const completed = (w: World) => (): boolean => w.events('CampaignCompleted').length > 0;
const story = (w: World, run: number): readonly string[] =>
  w.ledger.all.filter((e) => e.stream === runStream(ORG, run)).map((e) => e.type);
const dataOf = (e: RecordedEvent | undefined): Readonly<Record<string, unknown>> => e?.data ?? {};

describe('a process that dies', () => {
  it('between turn and claim: the attempt number is burnt and the contact called by the next', async () => {
    const w = await world({ network: quick });
    await w.campaign(3);
    const first = await w.process();
    first.kill('TurnTaken');
    await w.until(() => w.events('TurnTaken').length > 0, MINUTE, 'a turn');
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    const claimed = dataOf(w.events('TurnTaken')[0])['claims'] as readonly { run_id: number }[];
    const run = claimed[0]?.run_id ?? 0;
    expect(story(w, run).slice(0, 2)).toEqual(['CallWithdrawn', 'CallAttempted']);
    expect(w.network.seen.filter((s) => Number(s.tags['run']) === run).map((s) => s.tags['attempt'])).toEqual(['2']);
  });

  it('between claim and place: the contact is asked about, never called, and closed as uncertain', async () => {
    const w = await world({ network: quick });
    await w.campaign(1);
    const first = await w.process();
    first.kill('CallAttempted');
    await w.until(() => w.events('CallAttempted').length > 0, MINUTE, 'a claim');
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    expect(story(w, 1)).toEqual(['CallAttempted', 'CallUncertain', 'CallEnded', 'RunCompleted']);
    expect(dataOf(w.events('RunCompleted')[0])['outcome']).toBe('uncertain');
    expect(w.network.seen).toEqual([]);
  });

  it('while calls are with the carrier: the next process follows them to their own ends', async () => {
    const w = await world({ network: { ...quick, talkMs: [8000, 9000] } });
    await w.campaign(8, { rate_limit_per_second: 20 });
    const first = await w.process();
    await w.until(() => w.events('CallAnswered').length >= 8, MINUTE, 'eight calls');
    first.kill();
    await w.clock.advance(1000);
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(8);
    expect(w.data('RunCompleted').map((e) => e['outcome'])).toEqual(Array(8).fill('completed'));
  });

  it('while calls end that nobody hears of: they are closed as uncertain, and nobody is called again', async () => {
    const w = await world({ network: quick });
    await w.campaign(8, { rate_limit_per_second: 20 });
    const first = await w.process();
    await w.until(() => w.network.seen.length >= 8, MINUTE, 'eight calls');
    first.kill();
    await w.clock.advance(5000);
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(8);
    expect(w.data('RunCompleted').map((e) => e['outcome'])).toContain('uncertain');
  });
});

describe('a call without news', () => {
  it('is asked about after its ring time, and closed when its carrier knows it no more', async () => {
    const w = await world({ network: { ...quick, faults: { lostNews: 1 } } });
    await w.campaign(1);
    await w.process();
    await w.until(completed(w), 2 * MINUTE, 'completed');
    expect(dataOf(w.events('CallEnded')[0])).toMatchObject({ outcome: 'uncertain', evidence: { state: 'gone' } });
    expect(w.network.seen).toHaveLength(1);
  });

  it('whose place request was not answered is closed at the limit while its carrier cannot tell, and its slot is held on', async () => {
    const w = await world({
      limits: { concurrent_calls: 1, calls_per_second: 9 },
      network: {
        ...quick,
        talkMs: [40_000, 40_000],
        faults: { lostAnswer: 1, lostNews: 1, unreachable: 1 },
      },
    });
    await w.campaign(2);
    await w.process({ uncertainLimitMs: 5000 });
    await w.until(() => w.events('RunCompleted').length > 0, MINUTE, 'closed');
    expect(w.network.living()).toBe(1);
    expect(dataOf(w.events('CallEnded')[0])).toMatchObject({
      outcome: 'uncertain',
      evidence: { state: 'unreachable' },
    });
    w.network.setFaults({ unreachable: 1 });
    await w.clock.advance(20_000);
    expect(w.network.seen).toHaveLength(1);
    // As soon as its carrier says that it is gone, the slot is free.
    w.network.setFaults({});
    await w.until(() => w.network.seen.length === 2, MINUTE, 'the second call');
    expect(w.network.seen[0]?.endedAt).toBeLessThanOrEqual(w.network.seen[1]?.placedAt as number);
  });

  it('that outlives every limit is hung up', async () => {
    const w = await world({ network: { ...quick, talkMs: [3_600_000, 3_600_000], ignoresLimits: true } });
    await w.campaign(1);
    await w.process();
    await w.until(completed(w), 10 * MINUTE, 'completed');
    expect(w.network.living()).toBe(0);
    expect(w.clock.monotonic()).toBeGreaterThan((45 + 60) * 1000);
  });
});

describe('a contact whose key was destroyed', () => {
  it('is canceled when its turn comes, and never called', async () => {
    const w = await world({ network: quick });
    const id = await w.campaign(5, { rate_limit_per_second: 1 });
    await w.process();
    await w.until(() => w.events('ContactsQueued').length > 0, MINUTE, 'imported');
    await w.vault.eraseKeys(ORG, dataOf(w.events('ContactsQueued')[0])['page'] as string, [3, 4]);
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen.map((s) => s.tags['run'])).toEqual(['1', '2', '3']);
    expect(w.data('RunCompleted').map((e) => [e['run_id'], e['outcome']])).toContainEqual([4, 'canceled']);
    expect(w.events('CampaignCompleted')[0]?.stream).toBe(campaignStream(ORG, id));
  });

  it('that is erased while it waits ends at once, and the campaign does not wait for it', async () => {
    const w = await world({ network: { ...quick, outcome: () => 'busy' } });
    await w.campaign(1, {
      retry_config: {
        enabled: true,
        max_retries: 1,
        retry_delay_seconds: 3600,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: true,
      },
    });
    await w.process();
    await w.until(() => w.events('RetryScheduled').length > 0, MINUTE, 'a retry');
    const { run_id, campaign_id, variant_id, workflow_id, definition_id, version_number } = w.data(
      'RetryScheduled',
    )[0] as never;
    const command: RunCommand = {
      type: 'CancelRun',
      call: { run_id, campaign_id, attempt: 0, retry: 0, variant_id, workflow_id, definition_id, version_number },
    };
    void w.execute.run(runDecider, runStream(ORG, 1), command, { actor: 'test' });
    await w.until(completed(w), 1000, 'completed');
  });
});

describe('a graceful stop', () => {
  it('leaves no claim unsent, writes a snapshot, and the next process goes on from it', async () => {
    const w = await world({ network: { ...quick, talkMs: [5000, 9000] } });
    await w.campaign(60, { rate_limit_per_second: 10 });
    const first = await w.process();
    await w.until(() => w.network.seen.length >= 12, MINUTE, 'twelve calls');
    let stopped = false;
    void first.dialer.stop().then(() => (stopped = true));
    await w.until(() => stopped, 10_000, 'stopped');
    const before = w.network.seen.length;
    const claims = w.events('CallAttempted').length - w.events('CallWithdrawn').length;
    expect(claims).toBe(before);
    await w.clock.advance(3000);
    expect(w.network.seen.length).toBe(before);
    expect([...w.objects.stored.keys()]).toContain(snapshotKey(partitionOf(ORG)));

    const position = w.ledger.all.at(-1)?.position ?? '';
    const second = await w.process();
    expect(second.readFrom()?.[0]).toBeDefined();
    expect((second.readFrom()?.[0] ?? '') > '00000000000000000020').toBe(true);
    expect((second.readFrom()?.[0] ?? '') <= position).toBe(true);
    await w.until(completed(w), 2 * MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(60);
  });

  it('is bounded while the ledger is away', async () => {
    let away = false;
    const w = await world({ network: quick, store: { fate: () => (away ? 'unavailable' : 'ok') } });
    await w.campaign(60, { rate_limit_per_second: 30 });
    const { dialer } = await w.process({ stopMs: 2000 });
    await w.until(() => w.network.seen.length >= 12, MINUTE, 'twelve calls');
    away = true;
    let stopped = false;
    void dialer.stop().then(() => (stopped = true));
    await w.until(() => stopped, 10_000, 'stopped');
    await w.clock.advance(1000);
    const before = w.network.seen.length;
    await w.clock.advance(5000);
    expect(w.network.seen.length).toBe(before);
  });
});

describe('a snapshot that does not fit', () => {
  it('is passed over: the whole feed is folded', async () => {
    const w = await world({ network: quick });
    await w.campaign(10);
    const first = await w.process();
    await w.until(() => w.network.seen.length >= 3, MINUTE, 'three calls');
    let stopped = false;
    void first.dialer.stop().then(() => (stopped = true));
    await w.until(() => stopped, 10_000, 'stopped');
    const key = snapshotKey(partitionOf(ORG));
    const stored = w.objects.stored.get(key) as Buffer;
    stored[stored.length - 10] = 0;
    const second = await w.process();
    expect(second.readFrom()).toEqual(['00000000000000000000']);
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(10);
  });
});
