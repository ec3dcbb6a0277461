import { NO_STREAM } from '../../core/event';
import type { CampaignEvent } from './events';

type Created = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

/** The states that the wire shows. */
export type CampaignStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed';

/** A campaign as its stream tells it: settings and split as they are now. */
export interface Campaign extends Created {
  readonly status: CampaignStatus;
  /** Run id of the first contact; null: not started. */
  readonly first_run_id: number | null;
  readonly imported: 'waiting' | 'completed' | 'failed';
  readonly redialed_campaign_id: number | null;
  /** How often it was resumed. */
  readonly resumes: number;
}

export interface CampaignState {
  /** Revision of the stream's last event. */
  readonly revision: number;
  /** null: never created, or deleted. */
  readonly campaign: Campaign | null;
  readonly deleted: boolean;
}

export const initialCampaign: CampaignState = { revision: NO_STREAM, campaign: null, deleted: false };

const evolve = (campaign: Campaign, event: CampaignEvent): Campaign => {
  switch (event.type) {
    case 'CampaignStarted':
      return { ...campaign, status: 'running', first_run_id: event.data.first_run_id };
    case 'ImportCompleted':
      return { ...campaign, imported: 'completed' };
    case 'ImportFailed':
      return { ...campaign, imported: 'failed' };
    case 'CampaignChanged':
      return { ...campaign, ...event.data };
    case 'TrafficSplitRevised':
      return { ...campaign, traffic_split: event.data.traffic_split, workflow_id: event.data.workflow_id };
    case 'CampaignPaused':
    case 'CircuitBreakerTripped':
      return { ...campaign, status: 'paused' };
    case 'CampaignResumed':
      return { ...campaign, status: 'running', resumes: campaign.resumes + 1 };
    case 'CampaignCompleted':
      return { ...campaign, status: 'completed' };
    case 'CampaignFailed':
      return { ...campaign, status: 'failed' };
    case 'CampaignRedialed':
      return { ...campaign, redialed_campaign_id: event.data.redialed_campaign_id };
    case 'CampaignCreated':
    case 'CampaignDeleted':
      return campaign;
  }
};

const created = (data: Created): Campaign => ({
  ...data,
  status: 'draft',
  first_run_id: null,
  imported: 'waiting',
  redialed_campaign_id: null,
  resumes: 0,
});

export const evolveCampaign = (state: CampaignState, event: CampaignEvent): CampaignState => {
  const revision = state.revision + 1;
  if (event.type === 'CampaignCreated') return { revision, campaign: created(event.data), deleted: false };
  if (event.type === 'CampaignDeleted' || state.campaign === null) return { revision, campaign: null, deleted: true };
  return { ...state, revision, campaign: evolve(state.campaign, event) };
};
