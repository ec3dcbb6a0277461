/** How a campaign goes: progress, statistics by variant, the gates that hold it up, its source. */
import { isLeft, left } from 'fp-ts/Either';
import { progressView } from '../../../projections/campaign_views';
import { campaignKey } from '../../../projections/campaigns';
import { trafficStats, trafficStatsAgents, trafficStatsView } from '../../../projections/traffic_stats';
import { rejected } from '../../core/failure';
import type { Api } from '../api';
import { isOwnSource, SOURCE_DENIED } from '../campaign-ground';
import { findAgents, findCampaign } from '../resources';
import { ok, route, type Route } from '../route';
import { CampaignGates, CampaignProgress, SourceDownload, TrafficStats } from '../shapes/campaigns';
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
  ];
};
