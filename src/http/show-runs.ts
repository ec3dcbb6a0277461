/** Runs as answers show them. */
import { namesNeeded, runRecord } from '../../projections/run_views';
import { runs, type RunDoc } from '../../projections/runs';
import { callerNumbers } from '../../projections/telephony_views';
import type { OrganizationId } from '../core/ids';
import type { Condition } from '../ports/read-store';
import type { Api } from './api';
import { findAgents, findTelephony } from './resources';
import { runConditions, runOrder, type RunQuery } from './run-query';

export const showRuns = async (api: Api, org: OrganizationId, docs: readonly RunDoc[]) => {
  const { workflows } = namesNeeded(docs);
  const [agents, telephony] = await Promise.all([findAgents(api, org, workflows), findTelephony(api, org)]);
  const names = {
    workflows: new Map([...agents].map(([id, agent]) => [id, agent.name])),
    callers: callerNumbers(telephony),
  };
  return docs.map((doc) => runRecord(doc, names));
};

/** One page of the runs that `of` names. */
export const pageOfRuns = async (api: Api, org: OrganizationId, of: Condition, query: RunQuery) => {
  const where = [{ field: 'organization', is: org }, of, ...runConditions(query)];
  const [docs, total] = await Promise.all([
    api.platform.views.find(runs, { where, ...runOrder(query) }),
    api.platform.views.count(runs, where),
  ]);
  return {
    runs: await showRuns(api, org, docs),
    total_count: total,
    page: query.page,
    limit: query.limit,
    total_pages: Math.ceil(total / query.limit),
  };
};
