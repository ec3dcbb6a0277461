/** Redialing: a new campaign of those contacts of a completed one that were not reached. */
import { isLeft, left } from 'fp-ts/Either';
import type { JsonObject } from '../../core/event';
import { rejected } from '../../core/failure';
import { campaignStream, type OrganizationId } from '../../core/ids';
import { campaignDecider } from '../../domain/campaign/decider';
import type { CampaignEvent } from '../../domain/campaign/events';
import { CampaignRedial, type CampaignRedial as RedialBody } from '../../domain/campaign/requests';
import type { Campaign } from '../../domain/campaign/state';
import type { CommandContext } from '../../engine/execute';
import { shown, type Api } from '../api';
import { writeRedialList, type RedialList } from '../redial';
import { campaignNotFound, replyCampaign } from '../resources';
import { route, type Handled, type KeyedRequest, type Route } from '../route';
import { CampaignDetail } from '../shapes/campaigns';
import { CampaignPath } from './campaigns';

type Created = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

/** Longest name of a campaign, characters. */
const NAME_LENGTH = 255;

const NOBODY = 'No contact matches: nobody ended in a way that was selected';
/** The name of a redial that was given none; the parent's is cut rather than the mark that tells the two apart. */
const redialName = (parent: string): string => {
  const mark = ' (Redial)';
  return `${[...parent].slice(0, NAME_LENGTH - mark.length).join('')}${mark}`;
};

const erasedText = (n: number): string => `${n} who would match ${n === 1 ? 'was' : 'were'} erased`;

/** The child: settings, split, source and configuration of its parent, of whose contacts it calls those on the list. */
const childOf = (parent: Campaign, childId: number, body: RedialBody, list: RedialList): Created => ({
  campaign_id: childId,
  name: body.name ?? redialName(parent.name),
  retry_config: body.retry_config ?? parent.retry_config,
  max_concurrency: parent.max_concurrency,
  rate_limit_per_second: parent.rate_limit_per_second,
  schedule_config: parent.schedule_config,
  circuit_breaker: parent.circuit_breaker,
  source_type: 'csv',
  source_id: parent.source_id,
  source_sha256: parent.source_sha256,
  total_rows: list.rows,
  workflow_id: parent.workflow_id,
  traffic_split: parent.traffic_split,
  telephony_configuration_id: parent.telephony_configuration_id,
  e164_only: parent.e164_only,
  parent_campaign_id: parent.campaign_id,
  redial: { list_key: list.key, list_sha256: list.sha256, erased: list.erased },
});

export const campaignRedialRoutes = (api: Api): readonly Route[] => {
  const { events, execute, objects } = api.platform;

  const parentOf = async (org: OrganizationId, id: number): Promise<Campaign | null> =>
    (await execute.load(campaignDecider, campaignStream(org, id))).state.campaign;

  /** Makes the child of a redial that ended between its two events. Nothing to do where the child is, or was. */
  const finish = async (org: OrganizationId, parent: Campaign, context: CommandContext): Promise<void> => {
    if (parent.redialed_campaign_id === null) return;
    const own = campaignStream(org, parent.redialed_campaign_id);
    const { state } = await execute.load(campaignDecider, own);
    if (state.campaign !== null || state.deleted) return;
    const stated = (await events.readStream(campaignStream(org, parent.campaign_id))).findLast(
      (event) => event.type === 'CampaignRedialed',
    );
    const child = (stated?.data['request'] as JsonObject | undefined)?.['campaign'] as Created | undefined;
    if (child !== undefined)
      await execute.run(campaignDecider, own, { type: 'CreateCampaign', campaign: child }, context);
  };

  const redial = async (
    request: KeyedRequest<{ readonly campaign_id: number }, undefined, RedialBody>,
  ): Promise<Handled> => {
    const { org, params, body, commands, context } = request;
    const stream = campaignStream(org, params.campaign_id);
    const intent = { type: 'RedialCampaign', childId: 0, request: {} } as const;
    const parent = await parentOf(org, params.campaign_id);
    if (parent === null) return left(campaignNotFound());
    await finish(org, parent, context);
    const possible = await commands.probe(campaignDecider, stream, intent);
    if (isLeft(possible)) return possible;
    const written = await writeRedialList(api, org, parent.campaign_id, body);
    if (isLeft(written)) return written;
    const list = written.right;
    if (list.rows === 0) return left(rejected(NOBODY + (list.erased === 0 ? '' : `; ${erasedText(list.erased)}`)));
    const childId = await commands.id('campaign');
    if (isLeft(childId)) return childId;
    // The parent's event holds the whole child, so that whoever finds it without its child can make it.
    const child = childOf(parent, childId.right, body, list);
    const stated = await commands.run(campaignDecider, stream, {
      ...intent,
      childId: child.campaign_id,
      request: { campaign: child as unknown as JsonObject },
    });
    if (isLeft(stated)) {
      // Where it may be stored all the same, the child that it names needs its list.
      if (stated.left.kind !== 'unavailable') await objects.remove(list.key);
      return stated;
    }
    const own = campaignStream(org, child.campaign_id);
    const created = await commands.run(campaignDecider, own, { type: 'CreateCampaign', campaign: child });
    return isLeft(created)
      ? created
      : shown(api, own, created.right, (now) => replyCampaign(now, org, child.campaign_id));
  };

  return [
    route({
      method: 'POST',
      path: '/api/v1/campaign/{campaign_id}/redial',
      scope: 'write',
      tag: 'campaigns',
      summary: 'Make a new campaign of the contacts that a completed one did not reach; once per campaign',
      params: CampaignPath,
      body: CampaignRedial,
      example: { retry_on_busy: true, retry_on_no_answer: true, retry_on_voicemail: false },
      response: { schema: CampaignDetail.schema },
      failures: [404],
      handle: redial,
    }),
  ];
};
