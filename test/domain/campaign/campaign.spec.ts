import fc from 'fast-check';
import { isLeft } from 'fp-ts/Either';
import type { CampaignCommand } from '../../../src/domain/campaign/commands';
import { campaignDecider } from '../../../src/domain/campaign/decider';
import type { CampaignEvent } from '../../../src/domain/campaign/events';
import { given, NOW } from '../../support/given';
import {
  campaign,
  completed,
  created,
  deleted,
  failed,
  imported,
  importFailed,
  IN_STATE,
  paused,
  resumed,
  started,
  STATS,
  tripped,
} from './fixtures';

const after = (...events: readonly CampaignEvent[]) => given(campaignDecider, events);
const inState = (state: keyof typeof IN_STATE) => after(...IN_STATE[state]);
const STATES = Object.keys(IN_STATE) as readonly (keyof typeof IN_STATE)[];

const start: CampaignCommand = { type: 'StartCampaign', firstRunId: 1000 };
const startAnew: CampaignCommand = { type: 'StartCampaign', firstRunId: 2000 };
const pause: CampaignCommand = { type: 'PauseCampaign' };
const resume: CampaignCommand = { type: 'ResumeCampaign' };
const change = (changes: object, split: object | null = null): CampaignCommand =>
  ({ type: 'ChangeCampaign', changes, split }) as CampaignCommand;
const trip = (resumes: number | null = null): CampaignCommand => ({ type: 'TripBreaker', stats: STATS, resumes });
const complete: CampaignCommand = { type: 'CompleteCampaign' };
const remove: CampaignCommand = { type: 'DeleteCampaign' };
const redial = (childId = 6): CampaignCommand => ({ type: 'RedialCampaign', childId, request: { name: null } });

describe('creation', () => {
  const create: CampaignCommand = { type: 'CreateCampaign', campaign: campaign() };
  it('writes all settings out', () => after().when(create).then([created()]));
  it('repeated under the same reserved id is nothing', () => after(created(), started).when(create).thenNothing());
  it('on the stream of another campaign is a conflict', () =>
    after(created({ campaign_id: 4 }))
      .when(create)
      .thenFails('conflict'));
});

describe('what was never created, or is deleted', () => {
  const commands = [start, pause, resume, change({}), trip(), complete, redial(), remove];
  it.each(commands.map((c) => [c.type, c] as const))('is not found: %s', (_, command) => {
    after().when(command).thenFails('not_found', 'Campaign not found');
    after(created(), deleted).when(command).thenFails('not_found');
  });
});

describe('start', () => {
  it('from draft takes a block of run ids for all contacts', () => after(created()).when(start).then([started]));
  it('from paused resumes', () => inState('paused').when(startAnew).then([resumed]));
  it('repeated with the same run ids is nothing, whatever happened since', () => {
    for (const state of STATES.filter((s) => s !== 'draft')) inState(state).when(start).thenNothing();
  });
  it.each(['running', 'completed', 'failed'] as const)('from %s is refused, naming the state', (state) =>
    inState(state)
      .when(startAnew)
      .thenFails('rejected', `Campaign must be in 'draft' or 'paused' state to start, current state: ${state}`),
  );
});

describe('pause and resume', () => {
  it('pause a running campaign and resume a paused one', () => {
    inState('running').when(pause).then([paused]);
    inState('paused').when(resume).then([resumed]);
  });
  it.each(['draft', 'paused', 'completed', 'failed'] as const)('a campaign in %s is not paused', (state) =>
    inState(state)
      .when(pause)
      .thenFails('rejected', `Campaign must be in 'running' state to pause, current state: ${state}`),
  );
  it.each(['draft', 'running', 'completed', 'failed'] as const)('a campaign in %s is not resumed', (state) =>
    inState(state)
      .when(resume)
      .thenFails('rejected', `Campaign must be in 'paused' state to resume, current state: ${state}`),
  );
});

describe('a change', () => {
  const data = (changes: object): CampaignEvent => ({ type: 'CampaignChanged', data: { campaign_id: 5, ...changes } });
  it.each(['draft', 'running', 'paused'] as const)('is taken in %s', (state) =>
    inState(state)
      .when(change({ name: 'Summer' }))
      .then([data({ name: 'Summer' })]),
  );
  it.each(['completed', 'failed'] as const)('is refused in %s', (state) =>
    inState(state)
      .when(change({ name: 'Summer' }))
      .thenFails('rejected', `Cannot update a ${state} campaign`),
  );
  it('writes only what differs', () =>
    after(created({ max_concurrency: 3 }))
      .when(change({ name: 'Spring', max_concurrency: 4, retry_config: { ...campaign().retry_config } }))
      .then([data({ max_concurrency: 4 })]));
  it('of nothing writes nothing', () => {
    after(created()).when(change({})).thenNothing();
    after(created())
      .when(change({ name: 'Spring', rate_limit_per_second: 1 }))
      .thenNothing();
  });
  it('clears the concurrency', () =>
    after(created({ max_concurrency: 3 }))
      .when(change({ max_concurrency: null }))
      .then([data({ max_concurrency: null })]));
  it('is compared with what was changed before', () =>
    after(created(), data({ name: 'Summer' }))
      .when(change({ name: 'Summer' }))
      .thenNothing());
});

describe('a change of the split', () => {
  const wanted = (...weights: readonly number[]) => ({
    variants: weights.map((weight, i) => ({ workflow_id: 7 + i, workflow_definition_id: null, weight })),
    freshSeed: 'fresh',
  });
  const split = (seed: string, revision: number, ...weights: readonly number[]) => ({
    seed,
    revision,
    variants: weights.map((weight, i) => ({
      id: `${7 + i}:latest`,
      workflow_id: 7 + i,
      workflow_definition_id: null,
      weight,
    })),
  });
  const revised = (traffic_split: ReturnType<typeof split>, workflow_id: number): CampaignEvent => ({
    type: 'TrafficSplitRevised',
    data: { campaign_id: 5, traffic_split, workflow_id },
  });
  it('of a plain campaign is revision 1 with a new seed', () =>
    inState('running')
      .when(change({}, wanted(20, 80)))
      .then([revised(split('fresh', 1, 20, 80), 8)]));
  it('keeps the seed and names the new primary agent', () =>
    after(created(), revised(split('old', 1, 20, 80), 8))
      .when(change({}, wanted(60, 40)))
      .then([revised(split('old', 2, 60, 40), 7)]));
  it('into the same split is nothing', () =>
    after(created(), revised(split('old', 1, 20, 80), 8))
      .when(change({}, wanted(20, 80)))
      .thenNothing());
  it('and of settings is one decision', () =>
    inState('paused')
      .when(change({ name: 'Summer' }, wanted(20, 80)))
      .then([
        { type: 'CampaignChanged', data: { campaign_id: 5, name: 'Summer' } },
        revised(split('fresh', 1, 20, 80), 8),
      ]));
  it.each(['completed', 'failed'] as const)('is refused in %s', (state) =>
    inState(state)
      .when(change({}, wanted(20, 80)))
      .thenFails('rejected'),
  );
});

describe('the import', () => {
  const done = (contacts = 500): CampaignCommand => ({ type: 'CompleteImport', contacts, batches: 1 });
  const fail: CampaignCommand = { type: 'FailImport', error: 'changed' };
  it.each(['running', 'paused'] as const)('is completed once while %s', (state) => {
    inState(state).when(done()).then([imported]);
    after(...IN_STATE[state], imported)
      .when(done())
      .thenNothing();
  });
  it('with another number of contacts than at creation is a conflict', () =>
    inState('running')
      .when(done(499))
      .thenFails('conflict', /499.*500/));
  it.each(['running', 'paused'] as const)('that fails while %s fails the campaign', (state) =>
    inState(state).when(fail).then([importFailed, failed]),
  );
  it('fails once, and not after it was completed', () => {
    inState('failed').when(fail).thenNothing();
    after(created(), started, imported).when(fail).thenNothing();
  });
  it('of a draft is nothing', () => {
    inState('draft').when(done()).thenNothing();
    inState('draft').when(fail).thenNothing();
  });
});

describe('the circuit breaker', () => {
  it('pauses a running campaign', () => inState('running').when(trip()).then([tripped]));
  it.each(['draft', 'paused', 'completed', 'failed'] as const)('changes nothing in %s', (state) =>
    inState(state).when(trip()).thenNothing(),
  );
  it('trips once', () => {
    after(created(), started, tripped).when(trip()).thenNothing();
    after(created(), started, tripped).when(resume).then([resumed]);
  });
  it('does not trip on what it saw before the last resume', () => {
    after(created(), started, tripped, resumed).when(trip(0)).thenNothing();
    after(created(), started, tripped, resumed).when(trip(1)).then([tripped]);
  });
});

describe('completion', () => {
  it('comes to a running campaign whose import is complete, once', () => {
    after(created(), started, imported).when(complete).then([completed]);
    inState('completed').when(complete).thenNothing();
  });
  it('waits for the import', () => inState('running').when(complete).thenNothing());
  it('never comes to a paused campaign', () =>
    after(created(), started, imported, paused).when(complete).thenNothing());
  it('never comes to a draft or a failed campaign', () => {
    inState('draft').when(complete).thenNothing();
    inState('failed').when(complete).thenNothing();
  });
});

describe('redial', () => {
  const redialed: CampaignEvent = {
    type: 'CampaignRedialed',
    data: { campaign_id: 5, redialed_campaign_id: 6, request: { name: null } },
  };
  it('of a completed campaign names the child', () => inState('completed').when(redial()).then([redialed]));
  it('happens once; the same child again is the same request', () => {
    after(...IN_STATE.completed, redialed)
      .when(redial())
      .thenNothing();
    after(...IN_STATE.completed, redialed)
      .when(redial(8))
      .thenFails('rejected', 'This campaign has already been redialed');
  });
  it.each(['draft', 'running', 'paused', 'failed'] as const)('of a campaign in %s is refused', (state) =>
    inState(state)
      .when(redial())
      .thenFails('rejected', `Only completed campaigns can be redialed (current state: ${state})`),
  );
});

describe('deletion', () => {
  it.each(['draft', 'completed', 'failed'] as const)('is possible in %s', (state) =>
    inState(state).when(remove).then([deleted]),
  );
  it.each(['running', 'paused'] as const)('is refused in %s', (state) =>
    inState(state).when(remove).thenFails('rejected', `A ${state} campaign`),
  );
});

describe('If-Match', () => {
  it('accepts the newest revision and refuses an older one', () => {
    after(created(), started).when({ type: 'PauseCampaign', ifRevision: 1 }).then([paused]);
    after(created(), started).when({ type: 'PauseCampaign', ifRevision: 0 }).thenFails('stale');
  });
});

const anyCommand: fc.Arbitrary<CampaignCommand> = fc.oneof(
  fc.constantFrom<CampaignCommand>(
    start,
    startAnew,
    pause,
    resume,
    trip(),
    trip(0),
    complete,
    redial(),
    redial(7),
    remove,
  ),
  fc.constantFrom<CampaignCommand>(
    { type: 'CreateCampaign', campaign: campaign() },
    { type: 'CompleteImport', contacts: 500, batches: 1 },
    { type: 'FailImport', error: 'changed' },
    change({ name: 'Summer' }),
    change(
      { max_concurrency: 2 },
      { variants: [{ workflow_id: 9, workflow_definition_id: null, weight: 100 }], freshSeed: 's' },
    ),
  ),
);

it('whatever is asked in whatever order, a campaign starts, completes and fails at most once, and ends for good', () => {
  let ends = 0;
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 40, size: 'max' }), (commands) => {
      const log: CampaignEvent[] = [];
      let state = campaignDecider.initial;
      for (const command of [{ type: 'CreateCampaign', campaign: campaign() } as const, ...commands]) {
        const decided = campaignDecider.decide(command, state, { now: NOW });
        if (isLeft(decided)) continue;
        for (const event of decided.right) {
          log.push(event);
          state = campaignDecider.evolve(state, event);
        }
        // The same command again at once never does the same twice.
        const again = campaignDecider.decide(command, state, { now: NOW });
        if (!isLeft(again) && decided.right.length > 0) expect(again.right).toEqual([]);
      }
      const count = (type: CampaignEvent['type']): number => log.filter((e) => e.type === type).length;
      for (const type of [
        'CampaignStarted',
        'ImportCompleted',
        'ImportFailed',
        'CampaignRedialed',
        'CampaignDeleted',
      ] as const)
        expect(count(type)).toBeLessThanOrEqual(1);
      expect(count('CampaignCompleted') + count('CampaignFailed')).toBeLessThanOrEqual(1);
      const end = log.findIndex((e) => e.type === 'CampaignCompleted' || e.type === 'CampaignFailed');
      if (end >= 0) {
        ends += 1;
        for (const event of log.slice(end + 1)) expect(['CampaignRedialed', 'CampaignDeleted']).toContain(event.type);
      }
      expect(state.revision).toBe(log.length - 1);
    }),
    { numRuns: 500 },
  );
  expect(ends).toBeGreaterThan(50);
});
