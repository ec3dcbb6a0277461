/** Which agent and version a call uses. */
import type { Variant } from '../domain/campaign/events';
import { plainVariant } from '../domain/campaign/traffic-split';
import type { AgentVersion, CampaignState, OrganizationState } from './model';

export const variantsOf = (campaign: CampaignState): readonly Variant[] =>
  campaign.split?.variants ?? [plainVariant(campaign.workflow)];

/** The version that a call of this variant uses now: the pinned one, or the latest published; null: there is none that may be used. */
export const versionFor = (org: OrganizationState, variant: Variant): AgentVersion | null => {
  const agent = org.agents.get(variant.workflow_id);
  if (agent === undefined || agent.archived) return null;
  const definition = variant.workflow_definition_id ?? agent.published;
  const version = definition === null ? undefined : agent.versions.get(definition);
  return version === undefined || version.status === 'draft' ? null : version;
};
