/** How a campaign goes: progress, statistics by variant, the gates that hold it up, its source. */
import { isLeft, left, right } from 'fp-ts/Either';
import { progressView } from '../../../projections/campaign_views';
import { campaignKey, campaigns } from '../../../projections/campaigns';
import { activeNumbers } from '../../../projections/telephony_views';
import { trafficStats, trafficStatsAgents, trafficStatsView } from '../../../projections/traffic_stats';
import { rejected } from '../../core/failure';
import { RETRY_WHEN_OMITTED } from '../../domain/campaign/retry';
import type { Api } from '../api';
import { isOwnSource, SOURCE_DENIED } from '../campaign-ground';
import { report, ReportQuery } from '../report';
import { findAgents, findCampaign, findLimits, findTelephony } from '../resources';
import { ok, route, type Route } from '../route';
import { CampaignDefaults, CampaignGates, CampaignProgress, SourceDownload, TrafficStats } from '../shapes/campaigns';
import { CampaignPath } from './campaigns';

/** Seconds that a link to a source lives. */
const SOURCE_EXPIRES_IN = 3600;

export const campaignInsightRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const shape = { method: 'GET', tag: 'campaigns', params: CampaignPath, failures: [404] } as const;
  const ONE = '/api/v1/campaign/{campaign_id}';
  return [
    route({
      ...shape,
      scope: 'read',
      path: `${ONE}/progress`,
      summary: 'Get how far a campaign is',
      response: { schema: CampaignProgress.schema },
      handle: async ({ org, params }) => {
        const doc = await findCampaign(api, org, params.campaign_id);
        return isLeft(doc) ? doc : ok(progressView(doc.right));
      },
    }),
    route({
      ...shape,
      scope: 'read',
      path: `${ONE}/traffic-stats`,
      summary: 'Get attempts and outcomes by variant, removed ones included',
      response: { schema: TrafficStats.schema },
      handle: async ({ org, params }) => {
        const doc = await findCampaign(api, org, params.campaign_id);
        if (isLeft(doc)) return doc;
        const stats = await platform.views.get(trafficStats, campaignKey(org, doc.right.id));
        const agents = await findAgents(api, org, trafficStatsAgents(stats, doc.right));
        return ok(trafficStatsView(stats, doc.right, agents));
      },
    }),
    route({
      ...shape,
      scope: 'read',
      path: `${ONE}/gates`,
      summary: 'Get what holds the next call up, gate by gate; empty where no dialer runs in this process',
      response: { schema: CampaignGates.schema },
      handle: async ({ org, params }) => {
        const doc = await findCampaign(api, org, params.campaign_id);
        return isLeft(doc) ? doc : ok({ gates: api.dialer?.explain(org, params.campaign_id) ?? [] });
      },
    }),
    route({
      ...shape,
      scope: 'read',
      path: `${ONE}/source-download-url`,
      summary: 'Get a link to the contact list',
      response: { schema: SourceDownload.schema },
      failures: [400, 403, 404],
      handle: async ({ org, params }) => {
        const doc = await findCampaign(api, org, params.campaign_id);
        if (isLeft(doc)) return doc;
        const key = doc.right.source_id;
        if (!isOwnSource(org, key)) return left(SOURCE_DENIED);
        if ((await platform.objects.head(key)) === null)
          return left(rejected('The contact list of this campaign is not there any more'));
        const fileName = key.slice(key.lastIndexOf('/') + 1).replace(/^[0-9a-f-]{36}_/, '');
        return ok({
          download_url: await platform.objects.signDownload(key, SOURCE_EXPIRES_IN, { fileName }),
          expires_in: SOURCE_EXPIRES_IN,
        });
      },
    }),
    route({
      ...shape,
      scope: 'read',
      path: `${ONE}/report`,
      summary: 'Get the answered calls of a campaign as CSV',
      query: ReportQuery,
      response: { mediaType: 'text/csv' },
      handle: async ({ org, params, query }) => {
        const doc = await findCampaign(api, org, params.campaign_id);
        if (isLeft(doc)) return doc;
        const of = { field: 'campaign_id', is: params.campaign_id };
        return right(await report(api, org, of, query, `campaign_${params.campaign_id}_report.csv`));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/organizations/campaign-defaults',
      scope: 'read',
      tag: 'campaigns',
      summary: 'Get what a form for a new campaign begins with',
      response: { schema: CampaignDefaults.schema },
      handle: async ({ org }) => {
        const [limits, telephony, [newest]] = await Promise.all([
          findLimits(api, org),
          findTelephony(api, org),
          platform.views.find(campaigns, {
            where: [{ field: 'organization', is: org }],
            sort: { field: 'created_at', descending: true },
            limit: 1,
          }),
        ]);
        const standard = telephony.configs.find((c) => c.id === telephony.default_id);
        return ok({
          concurrent_call_limit: limits.concurrent_calls,
          from_numbers_count: standard === undefined ? 0 : activeNumbers(standard),
          default_retry_config: RETRY_WHEN_OMITTED,
          last_campaign_settings:
            newest === undefined
              ? null
              : {
                  retry_config: newest.retry_config,
                  max_concurrency: newest.max_concurrency,
                  schedule_config: newest.schedule_config,
                  circuit_breaker: newest.circuit_breaker,
                },
        });
      },
    }),
  ];
};
