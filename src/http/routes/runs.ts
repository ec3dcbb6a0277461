/** Runs of a campaign, of an agent, and one run. */
import { isLeft, left, right } from 'fp-ts/Either';
import { runKey, runs } from '../../../projections/runs';
import { integerText, object, required } from '../../core/codec';
import { notFound } from '../../core/failure';
import type { Api } from '../api';
import { publicLinks } from '../artifacts';
import { report, ReportQuery } from '../report';
import { agentNotFound, findCampaign } from '../resources';
import { ok, route, type Route } from '../route';
import { RunQuery } from '../run-query';
import { AgentRunList, Run, RunList } from '../shapes/runs';
import { findAgent } from '../show-agent';
import { pageOfRuns, showRuns } from '../show-runs';
import { AgentPath } from './agents';
import { CampaignPath } from './campaigns';

const RunPath = object('RunPath', { workflow_id: required(integerText()), run_id: required(integerText()) });

export const runRoutes = (api: Api): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/campaign/{campaign_id}/runs',
    scope: 'read',
    tag: 'runs',
    summary: 'List the runs of a campaign: one per contact, from its first attempt on',
    params: CampaignPath,
    query: RunQuery,
    response: { schema: RunList.schema },
    failures: [404],
    handle: async ({ org, params, query }) => {
      const campaign = await findCampaign(api, org, params.campaign_id);
      if (isLeft(campaign)) return campaign;
      return ok(await pageOfRuns(api, org, { field: 'campaign_id', is: params.campaign_id }, query));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/workflow/{workflow_id}/runs',
    scope: 'read',
    tag: 'runs',
    summary: 'List the runs whose latest attempt used an agent',
    params: AgentPath,
    query: RunQuery,
    response: { schema: AgentRunList.schema },
    failures: [404],
    handle: async ({ org, params, query }) => {
      if ((await findAgent(api, org, params.workflow_id)) === null) return left(agentNotFound(params.workflow_id));
      const page = await pageOfRuns(api, org, { field: 'workflow_id', is: params.workflow_id }, query);
      return ok({ ...page, applied_filters: query.filters });
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/workflow/{workflow_id}/report',
    scope: 'read',
    tag: 'runs',
    summary: 'Get the answered calls of an agent as CSV',
    params: AgentPath,
    query: ReportQuery,
    response: { mediaType: 'text/csv' },
    failures: [404],
    handle: async ({ org, params, query }) => {
      const id = params.workflow_id;
      if ((await findAgent(api, org, id)) === null) return left(agentNotFound(id));
      return right(await report(api, org, { field: 'workflow_id', is: id }, query, `workflow_${id}_report.csv`));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/workflow/{workflow_id}/runs/{run_id}',
    scope: 'read',
    tag: 'runs',
    summary: 'Get a run',
    params: RunPath,
    response: { schema: Run.schema },
    failures: [404],
    handle: async ({ org, params }) => {
      const doc = await api.platform.views.get(runs, runKey(org, params.run_id));
      if (doc === null) return left(notFound('Workflow run not found'));
      const [[shown], links] = await Promise.all([showRuns(api, org, [doc]), publicLinks(api, doc)]);
      return ok({ ...shown, ...links });
    },
  }),
];
