import { agents } from '../../projections/agents';
import { campaignKey, campaigns } from '../../projections/campaigns';
import { trafficStats, trafficStatsAgents, trafficStatsView } from '../../projections/traffic_stats';
import { document, documents, type Given } from './given-events';
import {
  agentCreated,
  attempted,
  call,
  CAMPAIGN,
  campaignCreated,
  ended,
  onCampaign,
  onRun,
  ORG,
  split,
} from './stories';

const KEY = campaignKey(ORG, CAMPAIGN);
const view = (story: readonly Given[]) => {
  const all = [agentCreated(3, 'Sales', 31), agentCreated(4, 'Support', 41), agentCreated(5, 'Third', 51), ...story];
  const byId = new Map([...documents(agents, all).values()].map((a) => [a.id, a]));
  const stats = documents(trafficStats, all).get(KEY) ?? null;
  return trafficStatsView(stats, document(campaigns, KEY, all), byId);
};
const answered = (run: number) =>
  onRun(run, {
    type: 'CallAnswered',
    data: { ...call(run), occurred_at: '2026-03-02T12:10:00.000Z', answered_by: null },
  });

it('shows the variants in the order of the split, with zeros, before any call', () => {
  expect(view([campaignCreated()])).toEqual({
    total_attempts: 0,
    variants: [
      {
        id: '3:31',
        workflow_id: 3,
        workflow_name: 'Sales',
        workflow_definition_id: 31,
        version_number: 1,
        target_weight: 60,
        attempts: 0,
        completed: 0,
        actual_percentage: 0,
        states: {},
        outcomes: {},
        definitions: [],
      },
      {
        id: '4:latest',
        workflow_id: 4,
        workflow_name: 'Support',
        workflow_definition_id: null,
        version_number: null,
        target_weight: 40,
        attempts: 0,
        completed: 0,
        actual_percentage: 0,
        states: {},
        outcomes: {},
        definitions: [],
      },
    ],
  });
});

it('counts each attempt under the variant and version that it used', () => {
  const other = call(103, { variant_id: '4:latest', workflow_id: 4, definition_id: 41, version_number: 1 });
  const newer = call(104, { variant_id: '4:latest', workflow_id: 4, definition_id: 42, version_number: 2 });
  const shown = view([
    campaignCreated(),
    attempted(call(100)),
    attempted(call(101)),
    attempted(call(102)),
    attempted(other),
    attempted(newer),
    answered(101),
    answered(102),
    ended(call(102), 'completed', 9),
    ended(other, 'no_answer'),
    onRun(104, { type: 'CallRefused', data: { ...newer, code: 'x', message: 'y' } }),
  ]);
  expect(shown.total_attempts).toBe(5);
  expect(shown.variants).toMatchObject([
    {
      id: '3:31',
      attempts: 3,
      completed: 1,
      actual_percentage: 60,
      states: { initialized: 1, running: 1, completed: 1 },
      outcomes: { completed: 1, unknown: 2 },
      definitions: [{ definition_id: 31, version_number: 2, attempts: 3 }],
    },
    {
      id: '4:latest',
      attempts: 2,
      completed: 2,
      actual_percentage: 40,
      states: { completed: 2 },
      outcomes: { 'no-answer': 1, failed: 1 },
      definitions: [
        { definition_id: 41, version_number: 1, attempts: 1 },
        { definition_id: 42, version_number: 2, attempts: 1 },
      ],
    },
  ]);
});

it('a removed variant that was used comes last, without a weight', () => {
  const revised = onCampaign({
    type: 'TrafficSplitRevised',
    data: {
      campaign_id: CAMPAIGN,
      workflow_id: 5,
      traffic_split: {
        ...split,
        revision: 2,
        variants: [{ id: '5:latest', workflow_id: 5, workflow_definition_id: null, weight: 100 }],
      },
    },
  });
  const story = [campaignCreated(), attempted(call(100)), revised];
  const shown = view(story);
  expect(shown.variants.map((v) => [v.id, v.target_weight, v.workflow_definition_id, v.attempts])).toEqual([
    ['5:latest', 100, null, 0],
    ['3:31', null, 31, 1],
  ]);
  const stats = documents(trafficStats, story).get(KEY) ?? null;
  expect(trafficStatsAgents(stats, document(campaigns, KEY, story))).toEqual([5, 3]);
});

it('withdrawn claims and burnt turns do not count', () => {
  const withdrawn = view([
    campaignCreated(),
    attempted(call(100)),
    onRun(100, { type: 'CallWithdrawn', data: { ...call(100), reason: 'paused' } }),
    onRun(101, { type: 'CallWithdrawn', data: { ...call(101), reason: 'the claim never came' } }),
  ]);
  expect(withdrawn).toEqual(view([campaignCreated()]));
});

it('a plain campaign has the one variant that it dials', () => {
  const latest = call(100, { variant_id: '3:latest' });
  const shown = view([campaignCreated({ traffic_split: null }), attempted(latest)]);
  expect(shown.variants.map((v) => [v.id, v.target_weight, v.attempts])).toEqual([['3:latest', 100, 1]]);
});
