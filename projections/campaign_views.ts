/** Campaigns as the API shows them. */
import type { BreakerConfig } from '../src/domain/campaign/events';
import type { AgentDoc } from './agents';
import type { CampaignDoc } from './campaigns';

/** What a campaign's answer shows of other resources. */
export interface CampaignNames {
  /** Agents by id; one that is missing is shown as unknown. */
  readonly agents: ReadonlyMap<number, AgentDoc>;
  /** Name of the telephony configuration; null: gone. */
  readonly telephonyConfiguration: string | null;
  readonly warnings: readonly string[];
}

/** Ids of the agents whose names a campaign's answer shows. */
export const agentsOf = (doc: CampaignDoc): readonly number[] => [
  ...new Set([doc.workflow_id, ...(doc.traffic_split?.variants.map((v) => v.workflow_id) ?? [])]),
];

/** Shown where a campaign was made without a breaker, which is then really off. */
const NO_BREAKER: BreakerConfig = {
  enabled: false,
  failure_threshold: 0.5,
  window_seconds: 120,
  min_calls_in_window: 5,
};

/** Number of an agent's version; null where there is none such, or `definition` is null (the latest). */
export const versionNumber = (agent: AgentDoc | undefined, definition: number | null): number | null =>
  definition === null ? null : (agent?.versions.find((v) => v.definition_id === definition)?.version_number ?? null);

export const campaignDetail = (doc: CampaignDoc, names: CampaignNames) => ({
  id: doc.id,
  name: doc.name,
  workflow_id: doc.workflow_id,
  workflow_name: names.agents.get(doc.workflow_id)?.name ?? 'Unknown',
  state: doc.state,
  source_type: doc.source_type,
  source_id: doc.source_id,
  total_rows: doc.total_rows,
  processed_rows: doc.processed_rows,
  failed_rows: doc.failed_rows,
  created_at: doc.created_at,
  started_at: doc.started_at,
  completed_at: doc.completed_at,
  retry_config: doc.retry_config,
  traffic_split: doc.traffic_split && {
    revision: doc.traffic_split.revision,
    variants: doc.traffic_split.variants.map((v) => {
      const agent = names.agents.get(v.workflow_id);
      return {
        id: v.id,
        workflow_id: v.workflow_id,
        workflow_name: agent?.name ?? 'Unknown agent',
        workflow_definition_id: v.workflow_definition_id,
        version_number: versionNumber(agent, v.workflow_definition_id),
        weight: v.weight,
      };
    }),
  },
  max_concurrency: doc.max_concurrency,
  rate_limit_per_second: doc.rate_limit_per_second,
  schedule_config: doc.schedule_config,
  circuit_breaker: doc.circuit_breaker ?? NO_BREAKER,
  executed_count: doc.executed_count,
  total_queued_count: doc.contacts_queued + doc.retries_scheduled,
  parent_campaign_id: doc.parent_campaign_id,
  redialed_campaign_id: doc.redialed_campaign_id,
  telephony_configuration_id: doc.telephony_configuration_id,
  telephony_configuration_name: names.telephonyConfiguration,
  logs: doc.logs,
  warnings: names.warnings,
});

export const progressView = (doc: CampaignDoc) => ({
  campaign_id: doc.id,
  state: doc.state,
  total_rows: doc.total_rows,
  processed_rows: doc.processed_rows,
  failed_calls: doc.failed_rows,
  progress_percentage: doc.total_rows === 0 ? 0 : (doc.processed_rows / doc.total_rows) * 100,
  calls_in_flight: doc.in_flight.length,
  contacts_ended: doc.contacts_ended,
  source_sync: doc.source_sync,
  rate_limit: doc.rate_limit_per_second,
  started_at: doc.started_at,
  completed_at: doc.completed_at,
});
