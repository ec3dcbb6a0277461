import type { CampaignEvent } from './events';
import { settingsOf, type CampaignCreate } from './requests';
import { primaryAgent, reviseSplit } from './traffic-split';

type Created = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

/** What was found out, and reserved, for a request to create a campaign. */
export interface Groundwork {
  readonly campaignId: number;
  /** 32 random lower-case hex digits; used by a split. */
  readonly seed: string;
  /** Of the CSV: SHA-256 (hex) and contacts. */
  readonly sha256: string;
  readonly rows: number;
  readonly telephonyConfigurationId: number;
  readonly e164Only: boolean;
}

/** The campaign that a request asks for. */
export const newCampaign = (body: CampaignCreate, ground: Groundwork): Created => {
  const split =
    body.traffic_split === null ? null : reviseSplit(null, body.traffic_split.variants, () => ground.seed).split;
  const agent = split === null ? body.workflow_id : primaryAgent(split.variants);
  if (agent === null) throw new Error('a campaign has an agent or a split; its codec sees to that');
  return {
    campaign_id: ground.campaignId,
    ...settingsOf(body),
    source_type: 'csv',
    source_id: body.source_id,
    source_sha256: ground.sha256,
    total_rows: ground.rows,
    workflow_id: agent,
    traffic_split: split,
    telephony_configuration_id: ground.telephonyConfigurationId,
    e164_only: ground.e164Only,
    parent_campaign_id: null,
  };
};
