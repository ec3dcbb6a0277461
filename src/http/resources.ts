/** Documents that several resources' answers are made of. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { agentKey, agents, type AgentDoc } from '../../projections/agents';
import { agentsOf, campaignDetail } from '../../projections/campaign_views';
import { campaignKey, campaigns, type CampaignDoc } from '../../projections/campaigns';
import { organizationKey, organizations } from '../../projections/organizations';
import { telephonyConfigs, telephonyKey, type TelephonyDoc } from '../../projections/telephony_configs';
import { notFound, type Failure } from '../core/failure';
import type { OrganizationId } from '../core/ids';
import { parsePosition } from '../core/position';
import { warnings } from '../domain/campaign/warnings';
import { DEFAULT_LIMITS } from '../domain/organization/decider';
import type { Limits } from '../domain/organization/events';
import type { Api } from './api';
import { ok, type Handled } from './route';

export const campaignNotFound = (): Failure => notFound('Campaign not found');
export const agentNotFound = (id: number): Failure => notFound(`Workflow with id ${id} not found`);
export const configNotFound = (): Failure => notFound('Telephony configuration not found');

/** By creation, and by id what was created in the same millisecond: stores know keys as text, where 10 comes before 9. */
export const newestFirst = <D extends { readonly created_at: string; readonly id: number }>(
  docs: readonly D[],
): readonly D[] =>
  docs.toSorted((a, b) => (a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1));

/** A campaign of the organization. */
export const findCampaign = async (
  api: Api,
  org: OrganizationId,
  id: number,
): Promise<Either<Failure, CampaignDoc>> => {
  const doc = await api.platform.views.get(campaigns, campaignKey(org, id));
  return doc === null ? left(campaignNotFound()) : right(doc);
};

/** Those of the agents that exist, by id. */
export const findAgents = async (
  api: Api,
  org: OrganizationId,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AgentDoc>> => {
  const found = await Promise.all(ids.map((id) => api.platform.views.get(agents, agentKey(org, id))));
  return new Map(found.filter((doc) => doc !== null).map((doc) => [doc.id, doc]));
};

/** The organization's telephony; without any configuration where it has none. */
export const findTelephony = async (api: Api, org: OrganizationId): Promise<TelephonyDoc> =>
  (await api.platform.views.get(telephonyConfigs, telephonyKey(org))) ?? {
    organization: org,
    default_id: null,
    configs: [],
  };

export const findLimits = async (api: Api, org: OrganizationId): Promise<Limits> =>
  (await api.platform.views.get(organizations, organizationKey(org)))?.limits ?? DEFAULT_LIMITS;

/** Campaigns in full. */
export const showCampaigns = async (api: Api, org: OrganizationId, docs: readonly CampaignDoc[]) => {
  const [agentDocs, telephony, limits] = await Promise.all([
    findAgents(api, org, [...new Set(docs.flatMap(agentsOf))]),
    findTelephony(api, org),
    findLimits(api, org),
  ]);
  return docs.map((doc) => {
    const config = telephony.configs.find((c) => c.id === doc.telephony_configuration_id);
    return campaignDetail(doc, {
      agents: agentDocs,
      telephonyConfiguration: config?.name ?? null,
      warnings: warnings(doc, limits, config?.numbers.filter((n) => n.is_active).length ?? 0),
    });
  });
};

/** The answer that shows one campaign. */
export const replyCampaign = async (api: Api, org: OrganizationId, id: number): Promise<Handled> => {
  const doc = await findCampaign(api, org, id);
  if (isLeft(doc)) return doc;
  const [shown] = await showCampaigns(api, org, [doc.right]);
  return ok(shown, parsePosition(doc.right.etag) ?? undefined);
};
