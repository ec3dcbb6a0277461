/** Attempts of a campaign by variant: versions used, states, outcomes. Each attempt counts where it was made. One document per campaign. */
import type { JsonObject } from '../src/core/event';
import type { RunEvent } from '../src/domain/run/events';
import type { Projected, Projection } from '../src/engine/projection';
import type { AgentDoc } from './agents';
import { versionNumber } from './campaign_views';
import { campaignKey, type CampaignDoc } from './campaigns';
import { disposition } from './wire_words';

export interface VariantStats {
  readonly id: string;
  readonly workflow_id: number;
  readonly attempts: number;
  readonly completed: number;
  /** Runs with a call under this variant that is not answered yet, and those talking. */
  readonly dialing: readonly number[];
  readonly talking: readonly number[];
  /** Attempts that are over, by disposition. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly definitions: readonly {
    readonly definition_id: number;
    readonly version_number: number;
    readonly attempts: number;
  }[];
}

export interface TrafficStatsDoc {
  readonly organization: number;
  readonly campaign_id: number;
  /** In order of their first attempt. */
  readonly variants: readonly VariantStats[];
}

type Event = Projected<RunEvent>;

const empty = (event: Event): VariantStats => ({
  id: event.data.variant_id,
  workflow_id: event.data.workflow_id,
  attempts: 0,
  completed: 0,
  dialing: [],
  talking: [],
  outcomes: {},
  definitions: [],
});

const attempted = (stats: VariantStats, event: Event, by: 1 | -1): VariantStats => {
  const { definition_id, version_number } = event.data;
  const known = stats.definitions.some((d) => d.definition_id === definition_id);
  const definitions = known
    ? stats.definitions
    : [...stats.definitions, { definition_id, version_number, attempts: 0 }];
  return {
    ...stats,
    attempts: stats.attempts + by,
    definitions: definitions.map((d) => (d.definition_id === definition_id ? { ...d, attempts: d.attempts + by } : d)),
  };
};

const without = (runs: readonly number[], run: number): readonly number[] =>
  runs.includes(run) ? runs.filter((r) => r !== run) : runs;

const over = (stats: VariantStats, run: number, word: string): VariantStats => ({
  ...stats,
  completed: stats.completed + 1,
  dialing: without(stats.dialing, run),
  talking: without(stats.talking, run),
  outcomes: { ...stats.outcomes, [word]: (stats.outcomes[word] ?? 0) + 1 },
});

const evolveVariant = (stats: VariantStats, event: Event): VariantStats => {
  const run = event.data.run_id;
  switch (event.type) {
    case 'CallAttempted':
      return { ...attempted(stats, event, 1), dialing: [...stats.dialing, run] };
    case 'CallWithdrawn':
      // A turn whose claim never came was not counted.
      return stats.dialing.includes(run)
        ? { ...attempted(stats, event, -1), dialing: without(stats.dialing, run) }
        : stats;
    case 'CallAnswered':
      return { ...stats, dialing: without(stats.dialing, run), talking: [...stats.talking, run] };
    case 'CallRefused':
      return over(stats, run, disposition('failed'));
    case 'CallEnded':
      return over(stats, run, disposition(event.data.outcome));
    default:
      return stats;
  }
};

export const trafficStats: Projection<TrafficStatsDoc> = {
  name: 'traffic_stats',
  version: 1,
  categories: ['run'],
  types: ['CallAttempted', 'CallWithdrawn', 'CallAnswered', 'CallRefused', 'CallEnded'],
  opens: [],
  indexes: [],
  keys: (event) => {
    const { campaign_id } = event.data as { campaign_id?: number | null } & JsonObject;
    return typeof campaign_id === 'number' ? [campaignKey(event.org, campaign_id)] : [];
  },
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Event;
    const variants = doc?.variants ?? [];
    const at = variants.findIndex((v) => v.id === event.data.variant_id);
    const before = variants[at];
    const after = evolveVariant(before ?? empty(event), event);
    if (before === undefined && after.attempts === 0) return doc;
    return {
      organization: event.org,
      campaign_id: event.data.campaign_id as number,
      variants: before === undefined ? [...variants, after] : variants.with(at, after),
    };
  },
};

/** Counts of what there is; zeros are left out. */
const present = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));

interface Shown {
  readonly id: string;
  readonly workflow_id: number;
  readonly workflow_definition_id: number | null;
  readonly target_weight: number | null;
}

/** The variants in force, in the order of the split; a plain campaign has one. */
const current = (campaign: CampaignDoc): readonly Shown[] =>
  campaign.traffic_split === null
    ? [
        {
          id: `${campaign.workflow_id}:latest`,
          workflow_id: campaign.workflow_id,
          workflow_definition_id: null,
          target_weight: 100,
        },
      ]
    : campaign.traffic_split.variants.map((v) => ({ ...v, target_weight: v.weight }));

/** The pinned version in a variant's id (`<workflow_id>:<definition_id>` or `<workflow_id>:latest`). */
const pinned = (id: string): number | null => {
  const definition = Number(id.slice(id.indexOf(':') + 1));
  return Number.isInteger(definition) ? definition : null;
};

/** Statistics of a campaign by variant: those of the split in force first, in its order, then removed ones that were used. */
export const trafficStatsView = (
  doc: TrafficStatsDoc | null,
  campaign: CampaignDoc,
  agents: ReadonlyMap<number, AgentDoc>,
) => {
  const used = doc?.variants.filter((v) => v.attempts > 0) ?? [];
  const total = used.reduce((n, v) => n + v.attempts, 0);
  const inForce = current(campaign);
  const removed = used
    .filter((v) => !inForce.some((c) => c.id === v.id))
    .map((v) => ({
      id: v.id,
      workflow_id: v.workflow_id,
      workflow_definition_id: pinned(v.id),
      target_weight: null,
    }));
  return {
    total_attempts: total,
    variants: [...inForce, ...removed].map((shown) => {
      const stats = used.find((v) => v.id === shown.id);
      const agent = agents.get(shown.workflow_id);
      const attempts = stats?.attempts ?? 0;
      const completed = stats?.completed ?? 0;
      const talking = stats?.talking.length ?? 0;
      return {
        id: shown.id,
        workflow_id: shown.workflow_id,
        workflow_name: agent?.name ?? 'Unknown agent',
        workflow_definition_id: shown.workflow_definition_id,
        version_number: versionNumber(agent, shown.workflow_definition_id),
        target_weight: shown.target_weight,
        attempts,
        completed,
        actual_percentage: total === 0 ? 0 : (100 * attempts) / total,
        states: present({ initialized: attempts - completed - talking, running: talking, completed }),
        outcomes: present({ ...stats?.outcomes, unknown: attempts - completed }),
        definitions: stats?.definitions.filter((d) => d.attempts > 0) ?? [],
      };
    }),
  };
};

/** Ids of the agents whose names the statistics show. */
export const trafficStatsAgents = (doc: TrafficStatsDoc | null, campaign: CampaignDoc): readonly number[] => [
  ...new Set([...current(campaign).map((v) => v.workflow_id), ...(doc?.variants.map((v) => v.workflow_id) ?? [])]),
];
