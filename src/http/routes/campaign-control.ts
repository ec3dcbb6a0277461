/** Starting, pausing and resuming a campaign. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Failure } from '../../core/failure';
import { campaignStream, type OrganizationId } from '../../core/ids';
import type { CampaignCommand } from '../../domain/campaign/commands';
import { campaignDecider } from '../../domain/campaign/decider';
import type { Campaign } from '../../domain/campaign/state';
import { shown, type Api } from '../api';
import { selectedVersions, usableConfiguration } from '../campaign-ground';
import { fence } from '../fence';
import { campaignNotFound, replyCampaign } from '../resources';
import { route, type Handled, type KeyedRequest, type Route } from '../route';
import { CampaignDetail } from '../shapes/campaigns';
import { CampaignPath } from './campaigns';

type OnCampaign = KeyedRequest<{ readonly campaign_id: number }, undefined, undefined>;

export const campaignControlRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;

  /** Whether the campaign could dial: its agents are not archived, its configuration is ready. */
  const canDial = async (org: OrganizationId, campaign: Campaign): Promise<Either<Failure, null>> => {
    const configuration = await usableConfiguration(api, org, campaign.telephony_configuration_id);
    if (isLeft(configuration)) return configuration;
    const versions = await selectedVersions(
      api,
      org,
      campaign.traffic_split === null
        ? { workflowId: campaign.workflow_id }
        : { variants: campaign.traffic_split.variants },
    );
    return isLeft(versions) ? versions : right(null);
  };

  const begin =
    (make: (firstRunId: number) => CampaignCommand) =>
    async ({ org, params, commands }: OnCampaign): Promise<Handled> => {
      const stream = campaignStream(org, params.campaign_id);
      const possible = await commands.probe(campaignDecider, stream, make(0));
      if (isLeft(possible)) return possible;
      const { campaign } = (await platform.execute.load(campaignDecider, stream)).state;
      if (campaign === null) return left(campaignNotFound());
      const ready = await canDial(org, campaign);
      if (isLeft(ready)) return ready;
      const firstRunId = campaign.status === 'draft' ? await commands.ids('run', campaign.total_rows) : right(0);
      if (isLeft(firstRunId)) return firstRunId;
      const done = await commands.run(campaignDecider, stream, make(firstRunId.right));
      return isLeft(done) ? done : shown(api, stream, done.right, (now) => replyCampaign(now, org, params.campaign_id));
    };

  const pause = async ({ org, params, commands, context }: OnCampaign): Promise<Handled> => {
    const stream = campaignStream(org, params.campaign_id);
    const done = await commands.run(campaignDecider, stream, { type: 'PauseCampaign' });
    if (isLeft(done)) return done;
    const fenced = fence(api, org, stream, done.right, context);
    return shown(api, stream, done.right, (now) => replyCampaign(now, org, params.campaign_id), fenced);
  };

  const shape = {
    method: 'POST',
    scope: 'write',
    tag: 'campaigns',
    params: CampaignPath,
    response: { schema: CampaignDetail.schema },
    failures: [400, 404],
  } as const;
  const ONE = '/api/v1/campaign/{campaign_id}';
  return [
    route({
      ...shape,
      path: `${ONE}/start`,
      summary: 'Start a draft; resume a paused campaign',
      handle: begin((firstRunId) => ({ type: 'StartCampaign', firstRunId })),
    }),
    route({
      ...shape,
      path: `${ONE}/pause`,
      summary: 'Pause a running campaign: no further call is placed after the answer',
      handle: pause,
    }),
    route({
      ...shape,
      path: `${ONE}/resume`,
      summary: 'Resume a paused campaign',
      handle: begin(() => ({ type: 'ResumeCampaign' })),
    }),
  ];
};
