import { randomUUID } from 'node:crypto';
import {
  agentStream,
  campaignStream,
  organizationStream,
  PARTITIONS,
  partitionOf,
  telephonyStream,
} from '../../src/core/ids';
import { chooseVariant } from '../../src/domain/campaign/traffic-split';
import { sealForOrganization } from '../../src/engine/seal';
import type { Leases } from '../../src/ports/leases';
import { AGENT, CONFIG, ORG, phoneOf, world, WORLD_START, type World } from '../support/dialer-world';

const MINUTE = 60_000;
const completed = (w: World) => (): boolean => w.events('CampaignCompleted').length > 0;
const quick = { outcome: () => 'completed' as const, ringMs: [50, 100] as const, talkMs: [100, 300] as const };
const most = (times: readonly number[], ms: number): number =>
  times.reduce((best, at) => Math.max(best, times.filter((t) => t >= at && t - at <= ms).length), 0);

describe('a campaign', () => {
  it('calls every contact, retries whom it should, and is completed with the last of them', async () => {
    const w = await world({ network: { seed: 5 } });
    const id = await w.campaign(50);
    const { dialer } = await w.process();
    await w.until(completed(w), 5 * MINUTE, 'completed');
    expect(w.network.seen.length).toBeGreaterThan(50);
    expect(w.events('RunCompleted')).toHaveLength(50);
    for (const call of w.network.seen) {
      const row = Number(call.tags['run']) - 1;
      expect(call.to).toBe(phoneOf(row + 1));
    }
    const last = w.events('RunCompleted').at(-1);
    const end = w.events('CampaignCompleted')[0];
    expect(Date.parse(end?.metadata.at ?? '') - Date.parse(last?.metadata.at ?? '')).toBeLessThan(50);
    expect(dialer.explain(ORG, id)[0]).toMatchObject({ gate: 'running', open: false });
  });

  it('says in the ledger what each call used', async () => {
    const w = await world({ network: quick });
    await w.write(
      telephonyStream(ORG),
      ...['+15550009', '+15550008', '+15550007'].map((address, i) => ({
        type: 'PhoneNumberAdded',
        data: {
          telephony_configuration_id: CONFIG,
          phone_number_id: 90 + i,
          address,
          address_normalized: address,
          address_type: 'pstn',
          is_default_caller_id: false,
          label: null,
          inbound_workflow_id: null,
          telephony_trunk_id: null,
          country_code: null,
          is_active: i !== 1,
          extra_metadata: {},
        },
      })),
    );
    await w.campaign(4);
    await w.process({ ringSeconds: 20 });
    await w.until(completed(w), MINUTE, 'completed');
    const attempts = w.data('CallAttempted');
    expect(attempts[0]).toMatchObject({
      attempt: 1,
      retry: 0,
      variant_id: `${AGENT}:latest`,
      workflow_id: AGENT,
      definition_id: 50,
      version_number: 1,
      split_revision: 0,
      weight: 100,
      ring_seconds: 20,
      talk_seconds: 60,
      row: 0,
      retry_reason: null,
      provider: 'ari',
    });
    // One active number after the other; the inactive one never.
    expect(attempts.map((a) => a['caller_phone_number_id'])).toEqual([92, 90, 92, 90]);
    expect(w.network.seen.map((s) => s.callerId)).toEqual(['+15550007', '+15550009', '+15550007', '+15550009']);
    for (const { data } of w.events('CallAttempted')) expect(JSON.stringify(data)).not.toContain('+1555');
  });

  it('shares contacts by the split, and uses pinned and latest versions as they are when it calls', async () => {
    const w = await world({ network: quick });
    const content = { workflow_definition: {}, workflow_configurations: {}, template_context_variables: {} };
    const publish = async (definition: number, number: number): Promise<void> => {
      const ref = { workflow_id: AGENT, definition_id: definition, version_number: number };
      await w.write(
        agentStream(ORG, AGENT),
        { type: 'DraftSaved', data: { ...ref, content } },
        { type: 'VersionPublished', data: { ...ref, version_name: null, change_description: null } },
      );
    };
    const split = {
      seed: 'first',
      revision: 4,
      variants: [
        { id: `${AGENT}:50`, workflow_id: AGENT, workflow_definition_id: 50, weight: 60 },
        { id: `${AGENT}:latest`, workflow_id: AGENT, workflow_definition_id: null, weight: 40 },
      ],
    };
    await w.campaign(40, { traffic_split: split, rate_limit_per_second: 10 });
    await w.process();
    await w.until(() => w.network.seen.length >= 15, MINUTE, '15 calls');
    await publish(51, 2);
    await w.until(completed(w), MINUTE, 'completed');
    const attempts = w.data('CallAttempted');
    for (const a of attempts) {
      const wanted = chooseVariant(split, phoneOf(a['run_id'] as number));
      expect([a['variant_id'], a['weight'], a['split_revision']]).toEqual([wanted.id, wanted.weight, 4]);
      if (wanted.workflow_definition_id === 50) expect(a['version_number']).toBe(1);
    }
    const latest = attempts.filter((a) => a['variant_id'] === `${AGENT}:latest`).map((a) => a['version_number']);
    expect(new Set(latest)).toEqual(new Set([1, 2]));
    expect([...latest]).toEqual([...latest].sort());
  });
});

describe('limits', () => {
  it.each([1, 20, 200])('keeps a rate of %d/s at the carrier, and nearly reaches it', async (rate) => {
    const w = await world({ network: quick, limits: { concurrent_calls: 500, calls_per_second: 500 } });
    await w.campaign(rate * 3 + 2, { rate_limit_per_second: rate });
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    const times = w.network.seen.map((s) => s.placedAt);
    expect(most(times, 1000)).toBeLessThanOrEqual(rate);
    const took = (times.at(-1) as number) - (times[0] as number);
    expect(took).toBeLessThan(((rate * 3 + 1) / rate) * 1000 * 1.1 + 100);
    expect(w.events('CallWithdrawn')).toHaveLength(0);
  });

  it('keeps the rate of the organization over all its campaigns', async () => {
    const w = await world({ network: quick, limits: { concurrent_calls: 500, calls_per_second: 10 } });
    await w.campaign(15, { rate_limit_per_second: 9 });
    await w.campaign(15, { rate_limit_per_second: 9 });
    await w.process();
    await w.until(() => w.events('CampaignCompleted').length === 2, MINUTE, 'completed');
    expect(
      most(
        w.network.seen.map((s) => s.placedAt),
        1000,
      ),
    ).toBeLessThanOrEqual(10);
  });

  it('takes a changed rate and a changed concurrency at once', async () => {
    const w = await world({ network: { ...quick, talkMs: [2000, 3000] } });
    const id = await w.campaign(60, { rate_limit_per_second: 1 });
    await w.process();
    await w.until(() => w.network.seen.length >= 2, MINUTE, 'two calls');
    const before = w.network.seen.length;
    await w.command(id, {
      type: 'ChangeCampaign',
      changes: { rate_limit_per_second: 40, max_concurrency: 10 },
      split: null,
    });
    await w.clock.advance(1000);
    expect(w.network.seen.length - before).toBeGreaterThanOrEqual(6);
    expect(w.network.living()).toBeLessThanOrEqual(10);
    await w.write(organizationStream(ORG), {
      type: 'LimitsChanged',
      data: { organization_id: ORG, limits: { concurrent_calls: 3, calls_per_second: 50 } },
    });
    await w.until(() => w.network.living() <= 3, MINUTE, 'three calls left');
    for (let i = 0; i < 50; i++) {
      await w.clock.advance(100);
      expect(w.network.living()).toBeLessThanOrEqual(3);
    }
  });

  it('uses a slot again within 50 ms of its end', async () => {
    const w = await world({
      network: { ...quick, latency: [0, 0], answerLatency: [1, 2] },
      store: { latency: () => 2 },
    });
    await w.campaign(40, { max_concurrency: 1, rate_limit_per_second: 50 });
    await w.process();
    await w.until(completed(w), MINUTE, 'completed');
    const seen = w.network.seen;
    const waits = seen.slice(1).map((s, i) => s.placedAt - (seen[i]?.endedAt as number));
    expect(waits).toHaveLength(39);
    expect(Math.max(...waits)).toBeLessThan(50);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  });
});

describe('what stops it', () => {
  it('a pause: once it is settled the carrier sees no further call; resumed, it goes on', async () => {
    const w = await world({ network: { ...quick, answerLatency: [200, 400] } });
    const id = await w.campaign(60, { rate_limit_per_second: 50 });
    const { dialer } = await w.process();
    await w.until(() => w.network.seen.length >= 10, MINUTE, 'ten calls');
    const position = await w.fenced(id, { type: 'PauseCampaign' });
    let settled: boolean | null = null;
    void dialer.settled(ORG, position, 1000).then((s) => (settled = s));
    await w.until(() => settled !== null, 1500, 'settled');
    expect(settled).toBe(true);
    const before = w.network.seen.length;
    await w.clock.advance(5000);
    expect(w.network.seen.length).toBe(before);
    expect(dialer.explain(ORG, id).find((g) => !g.open)?.gate).toBe('running');
    await w.command(id, { type: 'ResumeCampaign' });
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(60);
  });

  it('answers that a position was not reached in time', async () => {
    const w = await world();
    const { dialer } = await w.process();
    let settled: boolean | null = null;
    void dialer.settled(ORG, '99999999999999999999' as never, 300).then((s) => (settled = s));
    await w.clock.advance(299);
    expect(settled).toBeNull();
    await w.clock.advance(2);
    expect(settled).toBe(false);
  });

  it('the end of its window: no call outside, and the rest when it opens again', async () => {
    const w = await world({ network: quick });
    const slots = [
      { day_of_week: 0, start_time: '12:00', end_time: '12:01' },
      { day_of_week: 0, start_time: '12:03', end_time: '12:30' },
    ];
    await w.clock.advance(57_000);
    await w.campaign(100, { rate_limit_per_second: 10, schedule_config: { enabled: true, timezone: 'UTC', slots } });
    await w.process();
    await w.until(completed(w), 20 * MINUTE, 'completed');
    const [first, second] = [WORLD_START + MINUTE, WORLD_START + 3 * MINUTE];
    expect(w.network.seen).toHaveLength(100);
    expect(w.network.seen.filter((s) => s.placedAtWall < first).length).toBeGreaterThan(5);
    expect(w.network.seen.filter((s) => s.placedAtWall >= first && s.placedAtWall < second)).toEqual([]);
    expect(w.network.seen.find((s) => s.placedAtWall >= second)?.placedAtWall).toBeLessThan(second + 600);
  });

  it('a clock set forward out of the window, and a clock set back into it', async () => {
    const w = await world({ network: quick });
    const slots = [{ day_of_week: 0, start_time: '12:00', end_time: '13:00' }];
    await w.campaign(200, { rate_limit_per_second: 10, schedule_config: { enabled: true, timezone: 'UTC', slots } });
    await w.process();
    await w.until(() => w.network.seen.length >= 10, MINUTE, 'ten calls');
    w.clock.jump(2 * 60 * MINUTE);
    const before = w.network.seen.length;
    await w.clock.advance(3000);
    // A request that was on its way is all that may arrive.
    expect(w.network.seen.length).toBeLessThanOrEqual(before + 1);
    w.clock.jump(-2 * 60 * MINUTE);
    await w.clock.advance(2000);
    expect(w.network.seen.length).toBeGreaterThan(before + 5);
  });

  it('its circuit breaker: it is paused once, and a resume begins with an empty window', async () => {
    let outcome: 'failed' | 'completed' = 'failed';
    const w = await world({ network: { ...quick, outcome: () => outcome } });
    const id = await w.campaign(60, {
      rate_limit_per_second: 10,
      circuit_breaker: { enabled: true, failure_threshold: 0.5, window_seconds: 120, min_calls_in_window: 5 },
    });
    await w.process();
    await w.until(() => w.events('CircuitBreakerTripped').length > 0, MINUTE, 'tripped');
    await w.clock.advance(500);
    const before = w.network.seen.length;
    expect(before).toBeLessThan(15);
    await w.clock.advance(5000);
    expect(w.network.seen.length).toBe(before);
    expect(w.data('CircuitBreakerTripped')).toMatchObject([{ failure_count: 5, success_count: 0, threshold: 0.5 }]);
    expect(w.data('DialingFenced')).toMatchObject([{ stream: campaignStream(ORG, id) }]);
    outcome = 'completed';
    await w.command(id, { type: 'ResumeCampaign' });
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.events('CircuitBreakerTripped')).toHaveLength(1);
  });

  it('a carrier that asks to wait: nothing is placed meanwhile, contact and budget are given back', async () => {
    const w = await world({ network: { ...quick, faults: { notNow: 1 } } });
    await w.campaign(20, { rate_limit_per_second: 50 });
    const { dialer } = await w.process();
    await w.until(() => w.events('CallWithdrawn').length > 0, MINUTE, 'given back');
    expect(w.network.seen).toHaveLength(0);
    expect(dialer.explain(ORG, 1).find((g) => g.gate === 'carrier')).toMatchObject({
      open: false,
      reason: 'too many requests',
      until: expect.any(Number),
    });
    w.network.setFaults({});
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(20);
    expect(w.data('CallEnded').every((e) => e['retry'] === 0)).toBe(true);
  });

  it('a carrier whose way back to us is down: nothing is claimed', async () => {
    const w = await world({ network: quick });
    w.network.setReadiness({ ready: false, reason: 'the events socket is down', until: null });
    await w.campaign(5);
    const { dialer } = await w.process();
    await w.clock.advance(5000);
    expect(w.events('TurnTaken')).toHaveLength(0);
    expect(dialer.explain(ORG, 1).filter((g) => !g.open)).toEqual([
      { gate: 'carrier', open: false, reason: 'the events socket is down', until: null },
    ]);
    w.network.setReadiness({ ready: true });
    await w.until(completed(w), MINUTE, 'completed');
  });

  it('a partition that another process holds, until it is ours', async () => {
    const w = await world({ network: quick });
    await w.campaign(5);
    let change: (owned: ReadonlySet<number>) => void = () => undefined;
    const leases: Leases = {
      owned: () => new Set(),
      start: async (onChange) => {
        change = (owned) => onChange({ owned });
        onChange({ owned: new Set([...Array(PARTITIONS).keys()].filter((p) => p !== partitionOf(ORG))) });
      },
      release: async () => undefined,
    };
    const { dialer } = await w.process({ leases });
    await w.clock.advance(5000);
    expect(w.events('TurnTaken')).toHaveLength(0);
    expect(dialer.explain(ORG, 1).find((g) => !g.open)?.gate).toBe('ownership');
    change(new Set([partitionOf(ORG)]));
    await w.until(completed(w), MINUTE, 'completed');
  });
});

describe('the ledger away', () => {
  it('costs time only: news wait, nobody is lost or called twice', async () => {
    let away = false;
    const w = await world({
      network: quick,
      store: { fate: () => (away ? 'unavailable' : 'ok'), readable: () => !away },
    });
    await w.campaign(40, { rate_limit_per_second: 20 });
    await w.process();
    await w.until(() => w.network.seen.length >= 10, MINUTE, 'ten calls');
    away = true;
    await w.clock.advance(200);
    const before = w.network.seen.length;
    await w.clock.advance(10_000);
    expect(w.network.seen.length).toBe(before);
    away = false;
    await w.until(completed(w), MINUTE, 'completed');
    expect(w.network.seen).toHaveLength(40);
    expect(w.data('RunCompleted').every((e) => e['outcome'] === 'completed')).toBe(true);
  });
});

describe('a carrier account', () => {
  it('is connected to anew when its credentials are replaced, and calls in flight are followed on', async () => {
    const w = await world({ network: { ...quick, talkMs: [4000, 6000] } });
    await w.campaign(10, { rate_limit_per_second: 5 });
    await w.process();
    await w.until(() => w.network.living() >= 5, MINUTE, 'five calls');
    await w.write(telephonyStream(ORG), {
      type: 'CredentialsReplaced',
      data: {
        telephony_configuration_id: CONFIG,
        credentials: await sealForOrganization(w.vault, ORG, 'telephony.credentials', { app: randomUUID() }),
        account_fingerprint: null,
      },
    });
    await w.until(completed(w), 2 * MINUTE, 'completed');
    expect(w.network.connections()).toBe(2);
    expect(w.data('RunCompleted').every((e) => e['outcome'] === 'completed')).toBe(true);
  });
});
