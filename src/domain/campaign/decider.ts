/** The rules of a campaign's life: draft, running, paused, completed or failed. Commands repeated yield no event. */
import { left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, notFound, rejected, type Failure } from '../../core/failure';
import { sameJson } from '../../core/same-json';
import type { CampaignCommand } from './commands';
import type { CampaignEvent, Settings } from './events';
import { evolveCampaign, initialCampaign, type Campaign, type CampaignState } from './state';
import { primaryAgent, reviseSplit } from './traffic-split';

type Decision = Either<Failure, readonly CampaignEvent[]>;
type CommandOf<T extends CampaignCommand['type']> = Extract<CampaignCommand, { type: T }>;

const nothing: Decision = right([]);
const only = (...events: readonly CampaignEvent[]): Decision => right(events);
const missing: Decision = left(notFound('Campaign not found'));
const refuse = (text: string): Decision => left(rejected(text));
const refOf = (campaign: Campaign): { readonly campaign_id: number } => ({ campaign_id: campaign.campaign_id });

const wrongState = (campaign: Campaign, wanted: string, to: string): Decision =>
  refuse(`Campaign must be in ${wanted} state to ${to}, current state: ${campaign.status}`);

const create = ({ campaign }: CommandOf<'CreateCampaign'>, { campaign: known, deleted }: CampaignState): Decision => {
  if (deleted) return missing;
  if (known === null) return only({ type: 'CampaignCreated', data: campaign });
  return known.campaign_id === campaign.campaign_id
    ? nothing
    : left(conflict(`the stream holds campaign ${known.campaign_id}, not ${campaign.campaign_id}`));
};

const start = ({ firstRunId }: CommandOf<'StartCampaign'>, campaign: Campaign): Decision => {
  if (campaign.first_run_id === firstRunId) return nothing;
  if (campaign.status === 'paused') return only({ type: 'CampaignResumed', data: refOf(campaign) });
  if (campaign.status !== 'draft') return wrongState(campaign, "'draft' or 'paused'", 'start');
  return only({
    type: 'CampaignStarted',
    data: { ...refOf(campaign), first_run_id: firstRunId, contacts: campaign.total_rows },
  });
};

/** The part of `changes` that differs from what holds now. */
const differing = (changes: Partial<Settings>, campaign: Campaign): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([key, value]) => value !== undefined && !sameJson(value, campaign[key as keyof Settings]),
    ),
  );

const change = ({ changes, split }: CommandOf<'ChangeCampaign'>, campaign: Campaign): Decision => {
  if (campaign.status === 'completed' || campaign.status === 'failed')
    return refuse(`Cannot update a ${campaign.status} campaign`);
  const events: CampaignEvent[] = [];
  const differs = differing(changes, campaign);
  if (Object.keys(differs).length > 0)
    events.push({ type: 'CampaignChanged', data: { ...refOf(campaign), ...differs } });
  const revised = split === null ? null : reviseSplit(campaign.traffic_split, split.variants, () => split.freshSeed);
  if (revised?.changed === true)
    events.push({
      type: 'TrafficSplitRevised',
      data: {
        ...refOf(campaign),
        traffic_split: revised.split,
        workflow_id: primaryAgent(revised.split.variants),
      },
    });
  return right(events);
};

/** The import goes on while the campaign is paused. */
const importing = (campaign: Campaign): boolean =>
  campaign.imported === 'waiting' && (campaign.status === 'running' || campaign.status === 'paused');

const completeImport = ({ contacts, batches }: CommandOf<'CompleteImport'>, campaign: Campaign): Decision => {
  if (!importing(campaign)) return nothing;
  return contacts === campaign.total_rows
    ? only({ type: 'ImportCompleted', data: { ...refOf(campaign), contacts, batches } })
    : left(conflict(`${contacts} contacts were imported, the campaign was created with ${campaign.total_rows}`));
};

const failImport = ({ error }: CommandOf<'FailImport'>, campaign: Campaign): Decision =>
  importing(campaign)
    ? only(
        { type: 'ImportFailed', data: { ...refOf(campaign), error } },
        { type: 'CampaignFailed', data: { ...refOf(campaign), error } },
      )
    : nothing;

const redial = ({ childId, request }: CommandOf<'RedialCampaign'>, campaign: Campaign): Decision => {
  if (campaign.redialed_campaign_id === childId) return nothing;
  if (campaign.status !== 'completed')
    return refuse(`Only completed campaigns can be redialed (current state: ${campaign.status})`);
  if (campaign.redialed_campaign_id !== null) return refuse('This campaign has already been redialed');
  return only({ type: 'CampaignRedialed', data: { ...refOf(campaign), redialed_campaign_id: childId, request } });
};

const decideFor = (
  command: Exclude<CampaignCommand, { type: 'CreateCampaign' }>,
  campaign: Campaign,
  revision: number,
): Decision => {
  if ('ifRevision' in command && command.ifRevision !== undefined && command.ifRevision !== revision)
    return left({ kind: 'stale', message: 'The campaign was changed since; read it again.' });
  const { status } = campaign;
  switch (command.type) {
    case 'StartCampaign':
      return start(command, campaign);
    case 'PauseCampaign':
      return status === 'running'
        ? only({ type: 'CampaignPaused', data: refOf(campaign) })
        : wrongState(campaign, "'running'", 'pause');
    case 'ResumeCampaign':
      return status === 'paused'
        ? only({ type: 'CampaignResumed', data: refOf(campaign) })
        : wrongState(campaign, "'paused'", 'resume');
    case 'ChangeCampaign':
      return change(command, campaign);
    case 'CompleteImport':
      return completeImport(command, campaign);
    case 'FailImport':
      return failImport(command, campaign);
    case 'TripBreaker':
      return status === 'running' && (command.resumes === null || command.resumes === campaign.resumes)
        ? only({ type: 'CircuitBreakerTripped', data: { ...refOf(campaign), ...command.stats } })
        : nothing;
    case 'CompleteCampaign':
      return status === 'running' && campaign.imported === 'completed'
        ? only({ type: 'CampaignCompleted', data: refOf(campaign) })
        : nothing;
    case 'RedialCampaign':
      return redial(command, campaign);
    case 'DeleteCampaign':
      return status === 'running' || status === 'paused'
        ? refuse(`A ${status} campaign cannot be deleted; only a draft, completed or failed one can`)
        : only({ type: 'CampaignDeleted', data: refOf(campaign) });
  }
};

export const campaignDecider: Decider<CampaignState, CampaignCommand, CampaignEvent> = {
  name: 'campaign',
  initial: initialCampaign,
  decide: (command, state) => {
    if (command.type === 'CreateCampaign') return create(command, state);
    return state.campaign === null ? missing : decideFor(command, state.campaign, state.revision);
  },
  evolve: evolveCampaign,
};
