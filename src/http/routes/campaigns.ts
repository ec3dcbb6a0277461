/** Campaigns: creating, reading, changing, deleting. */
import { randomBytes } from 'node:crypto';
import { isLeft, left, right } from 'fp-ts/Either';
import { campaigns } from '../../../projections/campaigns';
import { campaignKey } from '../../../projections/campaigns';
import { integerText, object, required } from '../../core/codec';
import { campaignStream } from '../../core/ids';
import { campaignDecider } from '../../domain/campaign/decider';
import { newCampaign } from '../../domain/campaign/new-campaign';
import {
  CampaignCreate,
  CampaignUpdate,
  changesOf,
  type CampaignCreate as CreateBody,
  type CampaignUpdate as UpdateBody,
} from '../../domain/campaign/requests';
import { shown, visible, type Api } from '../api';
import { checkSource, selectedVersions, usableConfiguration } from '../campaign-ground';
import { ifMatch } from '../conditional';
import { fence } from '../fence';
import { campaignNotFound, newestFirst, replyCampaign, showCampaigns } from '../resources';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { CampaignDetail, CampaignList } from '../shapes/campaigns';
import { Message } from '../shapes/values';

export const CampaignPath = object('CampaignPath', { campaign_id: required(integerText()) });
type OnCampaign<B> = KeyedRequest<{ readonly campaign_id: number }, undefined, B>;

const seed = (): string => randomBytes(16).toString('hex');

export const campaignRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;

  const create = async ({ org, body, commands }: KeyedRequest<undefined, undefined, CreateBody>): Promise<Handled> => {
    const { workflow_id, traffic_split } = body;
    const selected = traffic_split === null ? { workflowId: workflow_id ?? 0 } : { variants: traffic_split.variants };
    const versions = await selectedVersions(api, org, selected);
    if (isLeft(versions)) return versions;
    const configuration = await usableConfiguration(api, org, body.telephony_configuration_id);
    if (isLeft(configuration)) return configuration;
    const e164Only = configuration.right.provider !== 'ari';
    const list = await checkSource(api, org, body.source_id, versions.right, e164Only);
    if (isLeft(list)) return list;
    const id = await commands.id('campaign');
    if (isLeft(id)) return id;
    const stream = campaignStream(org, id.right);
    const campaign = newCampaign(body, {
      campaignId: id.right,
      seed: commands.once(seed),
      sha256: list.right.sha256,
      rows: list.right.rows,
      telephonyConfigurationId: configuration.right.id,
      e164Only,
    });
    const done = await commands.run(campaignDecider, stream, { type: 'CreateCampaign', campaign }, { assumeNew: true });
    if (isLeft(done)) return done;
    return shown(api, stream, done.right, (now) => replyCampaign(now, org, id.right));
  };

  const update = async ({ org, params, body, commands, context, koa }: OnCampaign<UpdateBody>): Promise<Handled> => {
    const id = params.campaign_id;
    const stream = campaignStream(org, id);
    const expected = await ifMatch(koa, () => platform.views.get(campaigns, campaignKey(org, id)));
    if (isLeft(expected)) return expected;
    const variants = body.traffic_split?.variants ?? null;
    const command = {
      type: 'ChangeCampaign',
      changes: changesOf(body),
      split: variants === null ? null : { variants, freshSeed: commands.once(seed) },
      ...expected.right,
    } as const;
    const possible = await commands.probe(campaignDecider, stream, command);
    if (isLeft(possible)) return possible;
    if (variants !== null) {
      const { campaign } = (await platform.execute.load(campaignDecider, stream)).state;
      if (campaign === null) return left(campaignNotFound());
      const versions = await selectedVersions(api, org, { variants });
      if (isLeft(versions)) return versions;
      const list = await checkSource(api, org, campaign.source_id, versions.right, campaign.e164_only);
      if (isLeft(list)) return list;
    }
    const done = await commands.run(campaignDecider, stream, command);
    if (isLeft(done)) return done;
    const fenced = done.right.events.length > 0 ? fence(api, org, stream, done.right, context) : undefined;
    return shown(api, stream, done.right, (now) => replyCampaign(now, org, id), fenced);
  };

  const shape = { tag: 'campaigns', response: { schema: CampaignDetail.schema } } as const;
  const ONE = '/api/v1/campaign/{campaign_id}';
  return [
    route({
      ...shape,
      method: 'POST',
      path: '/api/v1/campaign/create',
      scope: 'write',
      summary: 'Create a campaign of an uploaded contact list',
      description: 'The list is read and checked whole; the campaign is a draft until it is started.',
      body: CampaignCreate,
      example: {
        name: 'Reminders',
        source_type: 'csv',
        source_id: 'campaigns/1/contacts.csv',
        workflow_id: 1,
        retry_config: { max_retries: 2, retry_delay_seconds: 120 },
      },
      failures: [403, 404],
      handle: create,
    }),
    route({
      ...shape,
      method: 'GET',
      path: '/api/v1/campaign',
      scope: 'read',
      summary: 'List the campaigns, newest first',
      response: { schema: CampaignList.schema },
      handle: async ({ org }) => {
        const docs = await platform.views.find(campaigns, { where: [{ field: 'organization', is: org }] });
        return ok({ campaigns: await showCampaigns(api, org, newestFirst(docs)) });
      },
    }),
    route({
      ...shape,
      method: 'GET',
      path: ONE,
      scope: 'read',
      summary: 'Get a campaign',
      params: CampaignPath,
      failures: [404],
      handle: ({ org, params }) => replyCampaign(api, org, params.campaign_id),
    }),
    route({
      ...shape,
      method: 'PATCH',
      path: ONE,
      scope: 'write',
      summary: 'Change a campaign, also while it runs',
      description:
        'What is left out or null stays; `max_concurrency: null` clears it. A changed split holds for the next call, retries included.',
      params: CampaignPath,
      body: CampaignUpdate,
      example: { rate_limit_per_second: 5 },
      conditional: true,
      failures: [403, 404, 412],
      handle: update,
    }),
    route({
      ...shape,
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      summary: 'Delete a campaign that is not running or paused; its events stay',
      params: CampaignPath,
      conditional: true,
      response: { schema: Message.schema },
      failures: [400, 404, 412],
      handle: async ({ org, params, commands, koa }) => {
        const stream = campaignStream(org, params.campaign_id);
        const expected = await ifMatch(koa, () => platform.views.get(campaigns, campaignKey(org, params.campaign_id)));
        if (isLeft(expected)) return expected;
        const done = await commands.run(campaignDecider, stream, { type: 'DeleteCampaign', ...expected.right });
        if (isLeft(done)) return done;
        await visible(api, stream, done.right);
        return right({ body: { message: 'Campaign deleted' } });
      },
    }),
  ];
};
