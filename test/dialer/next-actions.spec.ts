import { defaultTimes, type Capacity } from '../../src/dialer/capacity';
import { explain } from '../../src/dialer/explain';
import { nextActions, type Action, type Claim } from '../../src/dialer/next-actions';
import { agentStream, campaignStream, organizationStream, telephonyStream } from '../../src/core/ids';
import { AGENT, capacity, CONFIG, ledger, NOW, ORG, referenceOf, type Ledger } from './given';

const actions = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly Action[] =>
  nextActions(given.fold(), now, capacity(but), defaultTimes);
const claims = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly Claim[] =>
  actions(given, but, now).flatMap((a) => (a.type === 'claim' ? a.claims : []));
const runs = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly number[] =>
  claims(given, but, now).map(({ run }) => run);
const wakes = (given: Ledger, but: Partial<Capacity> = {}, now = NOW): readonly number[] =>
  actions(given, but, now).flatMap((a) => (a.type === 'wake' ? [a.at] : []));
const shut = (given: Ledger, but: Partial<Capacity> = {}, now = NOW) =>
  explain(given.fold(), 1, now, capacity(but))
    .filter((gate) => !gate.open)
    .map(({ gate }) => gate);
const one = (contacts = 5, settings = {}): Ledger => ledger().basics().campaign(1, 100, contacts, settings);

describe('whom it calls', () => {
  it('calls fresh contacts in the order of the list', () => {
    expect(runs(one())).toEqual([100, 101, 102, 103, 104]);
    expect(shut(one())).toEqual([]);
  });
  it('calls a fresh contact for the first time', () => {
    expect(claims(one(1))).toEqual([{ campaign: 1, run: 100, row: 0, attempt: 1, retry: 0, reason: null }]);
  });
  it('leaves out contacts in flight, over, and erased before their first call', () => {
    const given = one()
      .turn(1, 'me', [100, 1])
      .placed(1, 101)
      .placed(1, 102)
      .ended(1, 102, 'completed')
      .run('RunCompleted', 1, 103, { outcome: 'canceled' }, 0);
    expect(runs(given)).toEqual([104]);
  });
  it('calls due retries before fresh contacts, the earliest due first', () => {
    const given = one()
      .placed(1, 100)
      .ended(1, 100, 'busy', NOW - 1)
      .placed(1, 101)
      .ended(1, 101, 'no_answer', NOW - 5);
    expect(claims(given)).toEqual([
      { campaign: 1, run: 101, row: 1, attempt: 2, retry: 1, reason: 'no_answer' },
      { campaign: 1, run: 100, row: 0, attempt: 2, retry: 1, reason: 'busy' },
      ...[102, 103, 104].map((run) => ({ campaign: 1, run, row: run - 100, attempt: 1, retry: 0, reason: null })),
    ]);
  });
  it('does not call a retry before it is due, and wakes up then', () => {
    const given = one(1)
      .placed(1, 100)
      .ended(1, 100, 'busy', NOW + 30_000);
    expect(runs(given)).toEqual([]);
    expect(wakes(given)).toEqual([NOW + 30_000]);
    expect(runs(given, {}, NOW + 30_000)).toEqual([100]);
  });
  it('calls a contact that was given back before all others, with the next attempt number and its budget untouched', () => {
    const given = one(3)
      .placed(1, 100)
      .ended(1, 100, 'busy', NOW - 1)
      .claimed(1, 101)
      .run('CallWithdrawn', 1, 101, { reason: 'x' });
    expect(claims(given)[0]).toEqual({ campaign: 1, run: 101, row: 1, attempt: 2, retry: 0, reason: null });
  });
  it('keeps the reason and budget of a retry that was given back', () => {
    const given = one(1)
      .placed(1, 100)
      .ended(1, 100, 'busy', NOW - 1)
      .turn(1, 'me', [100, 2])
      .claimed(1, 100, 2, 1)
      .run('CallWithdrawn', 1, 100, { reason: 'x' }, 2, 1);
    expect(claims(given)).toEqual([{ campaign: 1, run: 100, row: 0, attempt: 3, retry: 1, reason: 'busy' }]);
  });
  it('leaves out what an own turn holds that the feed has not shown yet', () => {
    expect(runs(one(3), { held: new Map([[100, 1]]) })).toEqual([101, 102]);
  });
});

describe('each gate keeps the campaign from calling and says why', () => {
  it('ownership', () => {
    expect(actions(one(), { owned: false })).toEqual([]);
    expect(shut(one(), { owned: false })).toEqual(['ownership']);
  });
  it.each(['CampaignPaused', 'CampaignFailed'])('running: after %s', (type) => {
    const given = one().add(campaignStream(ORG, 1), type, { campaign_id: 1, error: 'x' });
    expect(runs(given)).toEqual([]);
    expect(shut(given)).toEqual(['running']);
  });
  it('running: a draft', () => {
    const given = ledger().basics();
    expect(explain(given.fold(), 1, NOW, capacity())).toEqual([
      { gate: 'running', open: false, reason: 'the campaign is over, or there is none', until: null },
    ]);
  });
  it('schedule, until its next opening', () => {
    const slots = [{ day_of_week: 0, start_time: '13:00', end_time: '14:00' }];
    const given = one(5, { schedule_config: { enabled: true, timezone: 'UTC', slots } });
    expect(runs(given)).toEqual([]);
    expect(shut(given)).toEqual(['schedule']);
    expect(wakes(given)).toEqual([NOW + 3_600_000]);
    expect(runs(given, {}, NOW + 3_600_000)).toHaveLength(5);
    expect(runs(given, {}, NOW + 7_200_000 - 1)).toHaveLength(5);
    expect(runs(given, {}, NOW + 7_200_000)).toEqual([]);
  });
  it('breaker', () => {
    const given = one(10, {
      circuit_breaker: { enabled: true, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 2 },
    }).at(NOW - 1000);
    for (const run of [100, 101]) given.placed(1, run).ended(1, run, 'failed');
    expect(runs(given)).toEqual([]);
    expect(shut(given)).toEqual(['breaker']);
  });
  it('agent: archived', () => {
    const given = one().add(agentStream(ORG, AGENT), 'AgentArchived', { workflow_id: AGENT });
    expect(runs(given)).toEqual([]);
    expect(shut(given)).toEqual(['agent']);
    expect(runs(given.add(agentStream(ORG, AGENT), 'AgentRestored', { workflow_id: AGENT }))).toHaveLength(5);
  });
  it('agent: one variant of the split has no such version', () => {
    const variants = [
      { id: '5:latest', workflow_id: AGENT, workflow_definition_id: null, weight: 90 },
      { id: '5:99', workflow_id: AGENT, workflow_definition_id: 99, weight: 10 },
    ];
    const given = one().add(campaignStream(ORG, 1), 'TrafficSplitRevised', {
      campaign_id: 1,
      workflow_id: AGENT,
      traffic_split: { seed: 'x', revision: 1, variants },
    });
    expect(shut(given)).toEqual(['agent']);
  });
  it.each(['ConfigInactivated', 'ConfigDeleted'])('carrier: after %s', (type) => {
    const given = one().add(telephonyStream(ORG), type, { telephony_configuration_id: CONFIG, reason: 'x' });
    expect(runs(given)).toEqual([]);
    expect(shut(given)).toEqual(['carrier']);
  });
  it('carrier: not ready, until it says', () => {
    const carrier = () => ({ ready: false as const, reason: 'booting', until: NOW + 700 });
    expect(runs(one(), { carrier })).toEqual([]);
    expect(shut(one(), { carrier })).toEqual(['carrier']);
    expect(wakes(one(), { carrier })).toEqual([NOW + 700]);
  });
  it('due: everybody is in a call or over', () => {
    const given = one(1).placed(1, 100);
    expect(shut(given)).toEqual(['due']);
  });
  it('organization concurrency, with turns, held turns and calls alike', () => {
    const given = ledger()
      .basics({ concurrent_calls: 4, calls_per_second: 100 })
      .campaign(1, 100, 10)
      .turn(1, 'other', [100, 1])
      .placed(1, 101);
    expect(runs(given, { held: new Map([[102, 1]]) })).toEqual([103]);
    given.placed(1, 104);
    expect(shut(given, { held: new Map([[102, 1]]) })).toEqual(['organization_concurrency']);
  });
  it('organization concurrency acts at once when the limit is changed', () => {
    const given = one(10).add(organizationStream(ORG), 'LimitsChanged', {
      organization_id: ORG,
      limits: { concurrent_calls: 2, calls_per_second: 100 },
    });
    expect(runs(given)).toEqual([100, 101]);
  });
  it('campaign concurrency', () => {
    const given = one(10, { max_concurrency: 3 }).placed(1, 100);
    expect(runs(given)).toEqual([101, 102]);
    expect(shut(given.placed(1, 101).placed(1, 102))).toEqual(['campaign_concurrency']);
  });
  it('rate, until there is room', () => {
    const rate = (campaign: number | null) => (campaign === 1 ? { room: 0, waitMs: 40 } : { room: 9, waitMs: 0 });
    expect(runs(one(), { rate })).toEqual([]);
    expect(shut(one(), { rate })).toEqual(['rate']);
    expect(wakes(one(), { rate })).toEqual([NOW + 40]);
  });
  it('rate: no more than it leaves, of the campaign and of the organization', () => {
    expect(runs(one(9), { rate: (c) => ({ room: c === 1 ? 2 : 5, waitMs: 0 }) })).toHaveLength(2);
    expect(runs(one(9), { rate: (c) => ({ room: c === 1 ? 9 : 4, waitMs: 0 }) })).toHaveLength(4);
  });
  it('takes one turn at a time, and no more than can be made in time', () => {
    expect(runs(one(), { turnFree: false })).toEqual([]);
    expect(runs(one(), { batch: 2 })).toEqual([100, 101]);
  });
  it('shows the gates in the order in which they are asked', () => {
    expect(explain(one().fold(), 1, NOW, capacity()).map(({ gate }) => gate)).toEqual([
      'ownership',
      'running',
      'schedule',
      'breaker',
      'agent',
      'carrier',
      'due',
      'organization_concurrency',
      'campaign_concurrency',
      'rate',
    ]);
  });
});

describe('a slot of a call that could not be asked about', () => {
  const evidence = { state: 'unreachable' };
  const over = { occurred_at: new Date(NOW).toISOString(), duration_seconds: null };
  const given = (): Ledger =>
    ledger()
      .basics({ concurrent_calls: 1, calls_per_second: 9 })
      .campaign(1, 100, 3)
      .at(NOW)
      .placed(1, 100)
      .run('CallEnded', 1, 100, { outcome: 'uncertain', evidence, ...over })
      .run('RunCompleted', 1, 100, { outcome: 'uncertain' });

  it('is held until ring and talk time have passed', () => {
    expect(runs(given())).toEqual([]);
    expect(runs(given(), {}, NOW + 345_000)).toEqual([]);
    expect(runs(given(), {}, NOW + 345_000 + 30_000)).toEqual([101]);
  });
  it('is free once its carrier says that the call is gone', () => {
    expect(runs(given(), { gone: new Set([referenceOf(100, 1)]) })).toEqual([101]);
    expect(actions(given()).map((a) => a.type)).toContain('ask_lingering');
  });
});

describe('fairness', () => {
  it('gives the next slot to the campaign with the fewest calls', () => {
    const given = ledger()
      .basics({ concurrent_calls: 6, calls_per_second: 100 })
      .campaign(1, 100, 50)
      .campaign(2, 200, 50);
    for (const run of [100, 101, 102]) given.placed(1, run);
    expect(claims(given).map(({ campaign }) => campaign)).toEqual([2, 2, 2]);
  });
  it('alternates between campaigns of equal need', () => {
    const given = ledger()
      .basics({ concurrent_calls: 4, calls_per_second: 100 })
      .campaign(1, 100, 50)
      .campaign(2, 200, 50);
    const turns = claims(given).map(({ campaign }) => campaign);
    expect([...turns].sort()).toEqual([1, 1, 2, 2]);
    expect(turns[0]).not.toBe(turns[1]);
  });
  it('serves the one that was served less when only one call fits', () => {
    const given = ledger()
      .basics({ concurrent_calls: 1, calls_per_second: 100 })
      .campaign(1, 100, 50)
      .campaign(2, 200, 50)
      .placed(1, 100)
      .ended(1, 100, 'completed');
    expect(claims(given).map(({ campaign }) => campaign)).toEqual([2]);
  });
  it('leaves what one campaign cannot use to the others', () => {
    const given = ledger()
      .basics({ concurrent_calls: 9, calls_per_second: 100 })
      .campaign(1, 100, 50, { max_concurrency: 2 })
      .campaign(2, 200, 50);
    const of = (id: number) => claims(given).filter(({ campaign }) => campaign === id).length;
    expect([of(1), of(2)]).toEqual([2, 7]);
  });
});

describe('the campaign as a whole', () => {
  const over = (given: Ledger, ...list: readonly number[]): Ledger => {
    for (const run of list) given.placed(1, run).ended(1, run, 'completed');
    return given;
  };
  it('is completed with its last contact, not before', () => {
    expect(actions(over(one(2), 100)).map((a) => a.type)).not.toContain('complete');
    expect(actions(over(one(2), 100, 101))).toContainEqual({ type: 'complete', campaign: 1 });
  });
  it('is not completed while a retry waits, while it is paused, or twice', () => {
    expect(
      actions(
        over(one(2), 100)
          .placed(1, 101)
          .ended(1, 101, 'busy', NOW + 1),
      ).map((a) => a.type),
    ).not.toContain('complete');
    const paused = over(one(1), 100).add(campaignStream(ORG, 1), 'CampaignPaused', { campaign_id: 1 });
    expect(actions(paused)).toEqual([]);
    expect(actions(paused.add(campaignStream(ORG, 1), 'CampaignResumed', { campaign_id: 1 }))).toContainEqual({
      type: 'complete',
      campaign: 1,
    });
    expect(actions(over(one(1), 100), { busy: (kind) => kind === 'complete' })).toEqual([]);
    expect(actions(over(one(1), 100).add(campaignStream(ORG, 1), 'CampaignCompleted', { campaign_id: 1 }))).toEqual([]);
  });
  it('is completed outside its window too', () => {
    const slots = [{ day_of_week: 3, start_time: '13:00', end_time: '14:00' }];
    const given = one(1, { schedule_config: { enabled: true, timezone: 'UTC', slots } });
    expect(actions(over(given, 100))).toContainEqual({ type: 'complete', campaign: 1 });
  });
  it('trips its breaker once, by failures and refusals, never by unknown outcomes', () => {
    const circuit_breaker = { enabled: true, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 4 };
    const given = one(20, { circuit_breaker }).at(NOW);
    over(given, 100, 101);
    for (const run of [102, 103]) given.placed(1, run).ended(1, run, 'uncertain');
    given.placed(1, 104).ended(1, 104, 'failed');
    expect(actions(given).map((a) => a.type)).not.toContain('trip');
    given.claimed(1, 105).run('CallRefused', 1, 105, { code: '400', message: 'x' });
    expect(actions(given).filter((a) => a.type === 'trip')).toMatchObject([
      { campaign: 1, resumes: 0, stats: { failure_count: 2, success_count: 2, failure_rate: 0.5 } },
    ]);
    expect(actions(given, { busy: (kind) => kind === 'trip' }).map((a) => a.type)).not.toContain('trip');
    given
      .add(campaignStream(ORG, 1), 'CircuitBreakerTripped', { campaign_id: 1 })
      .add(campaignStream(ORG, 1), 'CampaignResumed', { campaign_id: 1 });
    expect(actions(given).map((a) => a.type)).not.toContain('trip');
    expect(runs(given)).toHaveLength(14);
  });
  it('is imported once it is started, paused or not', () => {
    const given = one(5);
    given.events.splice(-2);
    expect(actions(given)).toEqual([{ type: 'import', campaign: 1 }]);
    expect(shut(given)).toEqual(['due']);
    expect(actions(given, { busy: (kind) => kind === 'import' })).toEqual([]);
  });
  it('that failed and was deleted before its contacts were canceled still has each of them canceled, and is then forgotten', () => {
    const given = one(4)
      .placed(1, 100)
      .placed(1, 101)
      .ended(1, 101, 'busy', NOW + 30_000)
      .add(campaignStream(ORG, 1), 'CampaignFailed', { campaign_id: 1, error: 'x' })
      .add(campaignStream(ORG, 1), 'CampaignDeleted', { campaign_id: 1 });
    expect(actions(given).find((a) => a.type === 'cancel')).toMatchObject({
      contacts: [{ run: 101 }, { run: 102 }, { run: 103 }],
    });
    given.ended(1, 100, 'busy', NOW + 30_000);
    for (const run of [101, 102, 103]) given.run('RunCompleted', 1, run, { outcome: 'canceled' }, 0);
    expect(actions(given).find((a) => a.type === 'cancel')).toMatchObject({ contacts: [{ run: 100 }] });
    given.run('RunCompleted', 1, 100, { outcome: 'canceled' }, 1);
    expect(given.fold().campaigns.size).toBe(0);
  });
  it('that failed has its remaining contacts canceled', () => {
    const given = one(3)
      .at(NOW)
      .placed(1, 100)
      .add(campaignStream(ORG, 1), 'CampaignFailed', { campaign_id: 1, error: 'x' });
    expect(actions(given)).toMatchObject([{ type: 'cancel', campaign: 1, contacts: [{ run: 101 }, { run: 102 }] }]);
  });
});
