/** Test calls: the policy, and the dialer around it through death of its process. */
import { agentStream, runStream, telephonyStream } from '../../src/core/ids';
import { defaultTimes, type Capacity } from '../../src/dialer/capacity';
import { nextActions, type Action } from '../../src/dialer/next-actions';
import { packSnapshot, unpackSnapshot } from '../../src/dialer/snapshot';
import { fold, newState } from '../../src/dialer/state';
import { partitionOf } from '../../src/core/ids';
import { ORG as WORLD_ORG, world, type World } from '../support/dialer-world';
import { AGENT, capacity, CONFIG, ledger, NOW, ORG, type Ledger } from './given';

const actions = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly Action[] =>
  nextActions(given.fold(), now, capacity(but), defaultTimes);
const runs = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly number[] =>
  actions(given, but, now).flatMap((a) => (a.type === 'claim' ? a.claims.map(({ run }) => run) : []));
const failed = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly (readonly [number, string])[] =>
  actions(given, but, now).flatMap((a) =>
    a.type === 'fail_request' ? [[a.request.ref.run_id, a.reason] as const] : [],
  );

describe('the policy for a test call', () => {
  it('claims it for the first time, without a campaign', () => {
    expect(actions(ledger().basics().requested(500)).find((a) => a.type === 'claim')).toEqual({
      type: 'claim',
      claims: [{ campaign: null, run: 500, row: 0, attempt: 1, retry: 0, reason: null }],
    });
  });
  it('claims it before the contacts of a campaign, within the limits of the organization', () => {
    const given = ledger().basics({ concurrent_calls: 2, calls_per_second: 100 }).campaign(1, 100, 5).requested(500);
    expect(runs(given)).toEqual([500, 100]);
  });
  it('claims it beside a campaign that is paused, tripped or outside its window', () => {
    const schedule_config = {
      enabled: true,
      timezone: 'UTC',
      slots: [{ day_of_week: 5, start_time: '09:00', end_time: '10:00' }],
    };
    expect(runs(ledger().basics().campaign(1, 100, 5, { schedule_config }).requested(500))).toEqual([500]);
  });
  it.each<[string, (given: Ledger) => Ledger, Partial<Capacity>]>([
    ['this process does not own the partition', (g) => g, { owned: false }],
    ['its turn is being written', (g) => g, { turnFree: false }],
    ['the carrier is not ready', (g) => g, { carrier: () => ({ ready: false, reason: 'away', until: null }) }],
    ['the organization has no slot', (g) => g.campaign(1, 100, 1).claimed(1, 100), {}],
    ['the organization has no rate left', (g) => g, { rate: () => ({ room: 0, waitMs: 10 }) }],
    ['an own turn holds it', (g) => g, { held: new Map([[500, null]]) }],
    ['it is being given back', (g) => g, { inHand: (run) => run === 500 }],
    ['a turn names it', (g) => g.turn(null, 'other', [500, 1]), {}],
    ['it is in a call', (g) => g.placed(null, 500), {}],
    ['it is over', (g) => g.placed(null, 500).ended(null, 500, 'busy'), {}],
    ['its agent is archived', (g) => g.add(agentStream(ORG, AGENT), 'AgentArchived', { workflow_id: AGENT }), {}],
    [
      'its configuration is inactive',
      (g) => g.add(telephonyStream(ORG), 'ConfigInactivated', { telephony_configuration_id: CONFIG, reason: 'x' }),
      {},
    ],
  ])('does not claim it while %s', (_name, change, but) => {
    const given = change(ledger().basics({ concurrent_calls: 1, calls_per_second: 100 }).requested(500));
    expect(runs(given, but)).toEqual([]);
  });
  it('does not claim it when the number that it was to show is gone', () => {
    expect(
      runs(
        ledger()
          .basics()
          .requested(500, NOW + 60_000, { caller_phone_number_id: 9 }),
      ),
    ).toEqual([]);
  });
  it('claims it again with the next attempt number after its claim was given back', () => {
    const given = ledger().basics().requested(500).turn(null, 'me', [500, 1]).claimed(null, 500);
    given.run('CallWithdrawn', null, 500, { reason: 'x' });
    expect(actions(given).find((a) => a.type === 'claim')).toMatchObject({ claims: [{ run: 500, attempt: 2 }] });
  });
  it('wakes up when its time is over, and then fails it with the gate that kept it back', () => {
    const given = ledger().basics().requested(500);
    const away = { carrier: () => ({ ready: false as const, reason: 'the events socket is down', until: null }) };
    expect(actions(given, away)).toEqual([{ type: 'wake', at: NOW + 60_000 }]);
    expect(failed(given, away, NOW + 59_999)).toEqual([]);
    expect(failed(given, away, NOW + 60_000)).toEqual([[500, 'the events socket is down']]);
    expect(failed(given, {}, NOW + 60_000)).toEqual([[500, 'nobody dialed it in time']]);
    expect(runs(given, {}, NOW + 60_000)).toEqual([]);
    expect(failed(given, { busy: (kind) => kind === 'fail_request' }, NOW + 60_000)).toEqual([]);
  });
  it('does not fail one that is in a call, however late', () => {
    expect(failed(ledger().basics().requested(500).placed(null, 500), {}, NOW + 3_600_000)).toEqual([]);
  });
  it('knows it again from a snapshot, which holds nothing of the person', () => {
    const given = ledger().basics().requested(500).requested(501).placed(null, 501);
    const state = newState();
    for (const event of given.events) fold(state, event);
    const packed = packSnapshot(state, partitionOf(ORG));
    expect(packed).not.toContain('$sealed":"AAAA","key":"page');
    const org = unpackSnapshot(packed, partitionOf(ORG))?.organizations[0];
    expect(org).toEqual(given.fold());
    expect([...(org?.requests.keys() ?? [])]).toEqual([500, 501]);
  });
});

const MINUTE = 60_000;
const quick = { outcome: () => 'completed' as const, ringMs: [50, 100] as const, talkMs: [100, 300] as const };
const PHONE = '+16660000001';
const story = (w: World, run: number): readonly string[] =>
  w.ledger.all.filter((e) => e.stream === runStream(WORLD_ORG, run)).map((e) => e.type);
const over = (w: World) => (): boolean => w.events('RunCompleted').length > 0;

describe('a test call', () => {
  it('is placed by the same path as every call, and ends with its outcome', async () => {
    const w = await world({ network: quick });
    await w.process();
    const run = await w.testCall(PHONE);
    await w.until(over(w), MINUTE, 'over');
    expect(story(w, run)).toEqual([
      'CallRequested',
      'CallAttempted',
      'CallPlaced',
      'CallRinging',
      'CallAnswered',
      'CallEnded',
      'RunCompleted',
    ]);
    expect(w.network.seen.map((s) => [s.to, s.tags])).toEqual([[PHONE, { run: String(run), attempt: '1' }]]);
    expect(w.data('TurnTaken')).toMatchObject([{ claims: [{ campaign_id: null, run_id: run, attempt: 1 }] }]);
    expect(w.data('RunCompleted')).toMatchObject([{ campaign_id: null, outcome: 'completed' }]);
  });

  it('that was busy is not called again', async () => {
    const w = await world({ network: { ...quick, outcome: () => 'busy' } });
    await w.process();
    await w.testCall(PHONE);
    await w.until(over(w), MINUTE, 'over');
    await w.clock.advance(MINUTE);
    expect(w.network.seen).toHaveLength(1);
    expect(w.data('RunCompleted')).toMatchObject([{ outcome: 'busy' }]);
  });

  it('that was asked for while no dialer lived is made by the next one, if it comes in time', async () => {
    const w = await world({ network: quick });
    await w.testCall(PHONE);
    await w.clock.advance(30_000);
    await w.process();
    await w.until(over(w), MINUTE, 'over');
    expect(w.network.seen).toHaveLength(1);
  });

  it('is never made late: it fails, with the reason', async () => {
    const w = await world({ network: quick });
    const run = await w.testCall(PHONE);
    await w.clock.advance(61_000);
    await w.process();
    await w.until(over(w), MINUTE, 'over');
    expect(story(w, run)).toEqual(['CallRequested', 'RunCompleted']);
    expect(w.data('RunCompleted')).toMatchObject([{ outcome: 'failed', reason: expect.any(String) }]);
    expect(w.network.seen).toEqual([]);
  });

  it('whose process dies between turn and claim is called by the next, once', async () => {
    const w = await world({ network: quick });
    const run = await w.testCall(PHONE);
    const first = await w.process();
    first.kill('TurnTaken');
    await w.until(() => w.events('TurnTaken').length > 0, MINUTE, 'a turn');
    await w.process();
    await w.until(over(w), MINUTE, 'over');
    expect(story(w, run).slice(0, 3)).toEqual(['CallRequested', 'CallWithdrawn', 'CallAttempted']);
    expect(w.network.seen.map((s) => s.tags['attempt'])).toEqual(['2']);
  });

  it('whose process dies between claim and place is asked about, never called, and closed as uncertain', async () => {
    const w = await world({ network: quick });
    const run = await w.testCall(PHONE);
    const first = await w.process();
    first.kill('CallAttempted');
    await w.until(() => w.events('CallAttempted').length > 0, MINUTE, 'a claim');
    await w.process();
    await w.until(over(w), 2 * MINUTE, 'over');
    expect(story(w, run)).toEqual(['CallRequested', 'CallAttempted', 'CallUncertain', 'CallEnded', 'RunCompleted']);
    expect(w.network.seen).toEqual([]);
  });

  it('is followed to its end by the next process', async () => {
    const w = await world({ network: { ...quick, talkMs: [8000, 9000] } });
    await w.testCall(PHONE);
    const first = await w.process();
    await w.until(() => w.events('CallAnswered').length > 0, MINUTE, 'answered');
    first.kill();
    await w.process();
    await w.until(over(w), MINUTE, 'over');
    expect(w.network.seen).toHaveLength(1);
    expect(w.data('RunCompleted')).toMatchObject([{ outcome: 'completed' }]);
  });

  it('is called once by two processes that both believe to own everything', async () => {
    const w = await world({ network: quick, store: { latency: () => 10 } });
    await w.process();
    await w.process();
    await w.testCall(PHONE);
    await w.until(over(w), MINUTE, 'over');
    await w.clock.advance(5000);
    expect(w.network.seen).toHaveLength(1);
  });

  it('whose person was erased before the call ends uncalled', async () => {
    const w = await world({ network: quick });
    const run = await w.testCall(PHONE);
    const { contact } = w.data('CallRequested')[0] as { contact: { key: string } };
    await w.vault.eraseKeys(WORLD_ORG, contact.key.split('/')[1] ?? '', [0]);
    await w.process();
    await w.until(over(w), MINUTE, 'over');
    expect(story(w, run)).toEqual(['CallRequested', 'RunCompleted']);
    expect(w.network.seen).toEqual([]);
  });
});
