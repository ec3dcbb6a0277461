/** Organizations, telephony configurations and agents, as far as dialing needs them. */
import type { JsonObject } from '../core/event';
import type { AgentEvent, VersionContent } from '../domain/agent/events';
import type { OrganizationEvent } from '../domain/organization/events';
import type { TelephonyEvent } from '../domain/telephony/events';
import type { AgentState, AgentVersion, CallerNumber, ConfigurationState, OrganizationState } from './model';

/** Seconds that a call may last when its version does not say. */
const TALK_SECONDS = 300;
const TALK_SECONDS_MAX = 1200;

export const foldOrganization = (org: OrganizationState, event: OrganizationEvent): void => {
  org.limits = event.data.limits;
};

const talkSecondsOf = (content: VersionContent): number => {
  const seconds = (content.workflow_configurations as JsonObject)['max_call_duration'];
  return typeof seconds === 'number' && seconds >= 1 && seconds <= TALK_SECONDS_MAX
    ? Math.floor(seconds)
    : TALK_SECONDS;
};

const versionOf = (data: { definition_id: number; version_number: number; content: VersionContent }): AgentVersion => ({
  definition: data.definition_id,
  number: data.version_number,
  status: 'draft',
  talkSeconds: talkSecondsOf(data.content),
});

const publish = (agent: AgentState, definition: number): void => {
  const before = agent.published === null ? undefined : agent.versions.get(agent.published);
  if (before !== undefined) before.status = 'archived';
  const version = agent.versions.get(definition);
  if (version !== undefined) version.status = 'published';
  agent.published = definition;
};

export const foldAgent = (org: OrganizationState, event: AgentEvent): void => {
  if (event.type === 'AgentCreated') {
    const agent: AgentState = {
      archived: false,
      versions: new Map([[event.data.definition_id, versionOf(event.data)]]),
      published: null,
    };
    publish(agent, event.data.definition_id);
    org.agents.set(event.data.workflow_id, agent);
    return;
  }
  const agent = org.agents.get(event.data.workflow_id);
  if (agent === undefined) return;
  switch (event.type) {
    case 'DraftSaved': {
      agent.versions.set(event.data.definition_id, versionOf(event.data));
      return;
    }
    case 'VersionPublished':
      return publish(agent, event.data.definition_id);
    case 'AgentArchived':
      agent.archived = true;
      return;
    case 'AgentRestored':
      agent.archived = false;
      return;
    case 'VersionDescribed':
    case 'AgentRenamed':
      return;
  }
};

const withNumber = (config: ConfigurationState, number: CallerNumber): void => {
  config.numbers = [...config.numbers.filter((n) => n.id !== number.id), number];
};

export const foldTelephony = (org: OrganizationState, event: TelephonyEvent): void => {
  if (event.type === 'DefaultOutboundChanged') return;
  if (event.type === 'ConfigCreated') {
    org.configurations.set(event.data.telephony_configuration_id, {
      provider: event.data.provider,
      inactive: null,
      deleted: false,
      credentials: event.data.credentials,
      numbers: [],
    });
    return;
  }
  const config = org.configurations.get(event.data.telephony_configuration_id);
  if (config === undefined) return;
  switch (event.type) {
    case 'CredentialsReplaced':
      config.credentials = event.data.credentials;
      return;
    case 'ConfigInactivated':
      config.inactive = event.data.reason;
      return;
    case 'ConfigReactivated':
      config.inactive = null;
      return;
    case 'ConfigDeleted':
      config.deleted = true;
      return;
    case 'PhoneNumberAdded': {
      const { phone_number_id, address_normalized, is_active } = event.data;
      return withNumber(config, { id: phone_number_id, address: address_normalized, active: is_active });
    }
    case 'PhoneNumberChanged': {
      const known = config.numbers.find((n) => n.id === event.data.phone_number_id);
      if (known !== undefined) withNumber(config, { ...known, active: event.data.is_active });
      return;
    }
    case 'PhoneNumberRemoved':
      config.numbers = config.numbers.filter((n) => n.id !== event.data.phone_number_id);
      return;
    default:
      return;
  }
};
