/** What a campaign rests on, found out before a command is decided: agents and their versions, a carrier that is ready, a contact list that fits. */
import type { Readable } from 'node:stream';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { notFound, rejected, type Failure } from '../core/failure';
import { agentStream, recordingsStream, telephonyStream, type OrganizationId } from '../core/ids';
import { agentDecider } from '../domain/agent/decider';
import { resolveVersion, usableAgent, type AgentVersion } from '../domain/agent/state';
import { requiredVariables } from '../domain/agent/template-variables';
import { contactCheck, type ContactList } from '../domain/campaign/contact-check';
import type { RequestedVariant } from '../domain/campaign/traffic-split';
import { recordingDecider } from '../domain/recording/decider';
import { chooseConfiguration } from '../domain/telephony/choose';
import { telephonyDecider } from '../domain/telephony/decider';
import type { Configuration } from '../domain/telephony/state';
import { scanContacts } from '../engine/contacts-csv';
import type { Api } from './api';
import { campaignPrefix } from './routes/uploads';

/** The version that an agent would be dialed with. */
const versionOf = async (
  api: Api,
  org: OrganizationId,
  agent: number,
  definition: number | null,
  unknown: Failure,
): Promise<Either<Failure, AgentVersion>> => {
  const { state } = await api.platform.execute.load(agentDecider, agentStream(org, agent));
  if (state === null) return left(unknown);
  const usable = usableAgent(state);
  return isLeft(usable) ? usable : resolveVersion(state, definition);
};

/** Versions that a campaign would dial with now, in the order of its variants. */
export const selectedVersions = async (
  api: Api,
  org: OrganizationId,
  selected: { readonly workflowId: number } | { readonly variants: readonly RequestedVariant[] },
): Promise<Either<Failure, readonly AgentVersion[]>> => {
  if ('workflowId' in selected) {
    const version = await versionOf(api, org, selected.workflowId, null, notFound('Workflow not found'));
    return isLeft(version) ? version : right([version.right]);
  }
  const versions: AgentVersion[] = [];
  for (const { workflow_id, workflow_definition_id } of selected.variants) {
    const unknown = rejected(`Traffic split agent not found: the organization has no agent ${workflow_id}`);
    const version = await versionOf(api, org, workflow_id, workflow_definition_id, unknown);
    if (isLeft(version)) return version;
    versions.push(version.right);
  }
  return right(versions);
};

/** The configuration to dial with; null asks for the default. */
export const usableConfiguration = async (
  api: Api,
  org: OrganizationId,
  requested: number | null,
): Promise<Either<Failure, Configuration>> => {
  const { state } = await api.platform.execute.load(telephonyDecider, telephonyStream(org));
  return chooseConfiguration(state, requested);
};

/** Whether a key lies among the organization's own contact lists. */
export const isOwnSource = (org: OrganizationId, key: string): boolean =>
  key.startsWith(campaignPrefix(org)) && !key.split('/').some((part) => part === '..' || part === '.');

export const SOURCE_DENIED: Failure = {
  kind: 'forbidden',
  message: 'Access denied: the source file does not belong to your organization',
};

/** Where a key lies is checked first: what belongs to another organization is not looked at. */
const openSource = async (api: Api, org: OrganizationId, key: string): Promise<Either<Failure, Readable>> => {
  if (!isOwnSource(org, key)) return left(SOURCE_DENIED);
  const source = await api.platform.objects.get(key);
  return source === null
    ? left(rejected('There is no file under this source_id: upload it first, then create the campaign'))
    : right(source);
};

/** Reads the whole list and checks it against what the versions need. */
export const checkSource = async (
  api: Api,
  org: OrganizationId,
  key: string,
  versions: readonly AgentVersion[],
  e164Only: boolean,
): Promise<Either<Failure, ContactList & { readonly sha256: string }>> => {
  const source = await openSource(api, org, key);
  if (isLeft(source)) return source;
  const { state } = await api.platform.execute.load(recordingDecider, recordingsStream(org));
  const known = new Set([...state.known.values()].map((r) => r.recording_id));
  const required = [...new Set(versions.flatMap((v) => requiredVariables(v.content.workflow_definition)))];
  return scanContacts(source.right, contactCheck({ e164Only, required, recordingExists: (id) => known.has(id) }));
};
