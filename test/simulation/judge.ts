/**
 * What must hold whatever happened, judged from the ledger and from the telephone network's own record. Answers the faults found, in words;
 * none: all is well. It also tells how much it looked at, so that a run in which nothing happened is no proof.
 */
import type { RecordedEvent } from '../../src/core/event';
import type { Seen } from '../support/fake-carrier';

export interface Law {
  readonly contacts: number;
  readonly campaigns: readonly {
    readonly id: number;
    readonly firstRun: number;
    readonly contacts: number;
    readonly rate: number;
    readonly concurrency: number | null;
    readonly maxRetries: number;
  }[];
  /** Runs of test calls. */
  readonly testCalls: readonly number[];
  readonly limits: { readonly concurrent_calls: number; readonly calls_per_second: number };
  /** Times (monotonic ms) between which a campaign must not be called. */
  readonly silences: readonly { readonly campaign: number; readonly from: number; readonly to: number }[];
}

export interface Verdict {
  readonly faults: readonly string[];
  readonly placed: number;
  readonly mostAtOnce: number;
}

const dataOf = (event: RecordedEvent): Record<string, unknown> => event.data as Record<string, unknown>;

const mostLiving = (calls: readonly Seen[]): number => {
  const changes = calls.flatMap((c) => [
    [c.placedAt, 1] as const,
    ...(c.endedAt === null ? [] : [[c.endedAt, -1] as const]),
  ]);
  // A call that ends at the moment when another begins makes room for it.
  changes.sort(([a, x], [b, y]) => a - b || x - y);
  let living = 0;
  return changes.reduce((most, [, by]) => Math.max(most, (living += by)), 0);
};

/** Most calls placed within any second, both ends included. */
const mostPerSecond = (calls: readonly Seen[]): number => {
  const times = calls.map((c) => c.placedAt).sort((a, b) => a - b);
  let from = 0;
  return times.reduce((most, at, i) => {
    while (at - (times[from] as number) > 1000) from += 1;
    return Math.max(most, i - from + 1);
  }, 0);
};

const groupBy = <A, K>(items: readonly A[], key: (item: A) => K): ReadonlyMap<K, A[]> => {
  const groups = new Map<K, A[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
};

export const judge = (law: Law, events: readonly RecordedEvent[], seen: readonly Seen[]): Verdict => {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: () => string): void => {
    if (!holds) faults.push(fault());
  };

  for (const [reference, calls] of groupBy(seen, (s) => s.reference))
    expect(calls.length === 1, () => `reference ${reference} was placed ${calls.length} times`);
  for (const [attempt, calls] of groupBy(seen, (s) => `${s.tags['run']}/${s.tags['attempt']}`))
    expect(calls.length === 1, () => `attempt ${attempt} was placed ${calls.length} times`);

  const attempted = new Map(
    events.filter((e) => e.type === 'CallAttempted').map((e) => [dataOf(e)['reference'] as string, e]),
  );
  for (const call of seen)
    expect(attempted.has(call.reference), () => `reference ${call.reference} reached the network without a claim`);

  const runs = groupBy(
    events.filter((e) => e.stream.startsWith('run-')),
    (e) => dataOf(e)['run_id'] as number,
  );
  for (const campaign of law.campaigns) {
    const name = `campaign ${campaign.id}`;
    const inCampaign = (run: number): boolean =>
      run >= campaign.firstRun && run < campaign.firstRun + campaign.contacts;
    const calls = seen.filter((s) => inCampaign(Number(s.tags['run'])));
    const living = mostLiving(calls);
    expect(living <= (campaign.concurrency ?? Infinity), () => `${name} had ${living} calls at once`);
    const perSecond = mostPerSecond(calls);
    expect(perSecond <= campaign.rate, () => `${name} made ${perSecond} calls within a second`);
    for (const silence of law.silences.filter((s) => s.campaign === campaign.id))
      for (const call of calls)
        expect(
          call.placedAt <= silence.from || call.placedAt >= silence.to,
          () => `${name} called at ${call.placedAt}, though silent from ${silence.from} to ${silence.to}`,
        );
    for (let run = campaign.firstRun; run < campaign.firstRun + campaign.contacts; run++) {
      const story = runs.get(run) ?? [];
      const ends = story.filter((e) => e.type === 'RunCompleted').length;
      expect(ends === 1, () => `run ${run} has ${ends} terminal events`);
      const own = calls.filter((s) => Number(s.tags['run']) === run).sort((a, b) => a.placedAt - b.placedAt);
      expect(own.length <= 1 + campaign.maxRetries, () => `run ${run} was called ${own.length} times`);
      own.forEach((call, i) => {
        const before = own[i - 1];
        if (before === undefined) return;
        expect(
          before.endedAt !== null && before.endedAt <= call.placedAt,
          () => `run ${run} was called while its call before was alive`,
        );
        expect(
          ['busy', 'no_answer', 'voicemail'].includes(before.outcome),
          () => `run ${run} was called again after ${before.outcome}`,
        );
      });
      for (const retry of story.filter((e) => e.type === 'RetryScheduled')) {
        const next = story.find((e) => e.type === 'CallAttempted' && e.revision > retry.revision);
        const due = Date.parse(dataOf(retry)['due_at'] as string);
        expect(next === undefined || Date.parse(next.metadata.at) >= due, () => `run ${run} was retried too early`);
      }
    }
    const completions = events.filter(
      (e) => e.type === 'CampaignCompleted' && dataOf(e)['campaign_id'] === campaign.id,
    );
    expect(completions.length === 1, () => `${name} was completed ${completions.length} times`);
  }
  for (const run of law.testCalls) {
    const ends = (runs.get(run) ?? []).filter((e) => e.type === 'RunCompleted').length;
    expect(ends === 1, () => `test call ${run} has ${ends} terminal events`);
    const called = seen.filter((s) => Number(s.tags['run']) === run).length;
    expect(called <= 1, () => `test call ${run} was called ${called} times`);
  }
  const mostAtOnce = mostLiving(seen);
  expect(mostAtOnce <= law.limits.concurrent_calls, () => `the organization had ${mostAtOnce} calls at once`);
  const perSecond = mostPerSecond(seen);
  expect(perSecond <= law.limits.calls_per_second, () => `the organization made ${perSecond} calls within a second`);
  return { faults, placed: seen.length, mostAtOnce };
};
