/** The steps around saving what an agent says: trigger paths, and secrets that are sealed before anything is stored. */
import { agents } from '../../projections/agents';
import { agentVersionKey, agentVersions } from '../../projections/agent_versions';
import type { Json } from '../core/event';
import { isSealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import type { VersionContent } from '../domain/agent/events';
import { mapSecrets, sealSecrets } from '../domain/agent/secrets';
import { triggerPathsOf } from '../domain/agent/trigger-paths';
import { sealForOrganization } from '../engine/seal';
import type { Api } from './api';

const FIELD = 'agent.secret';

export const sealContent = (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> =>
  sealSecrets(content, (plain) => sealForOrganization(api.platform.vault, org, FIELD, plain));

/** The content with its secrets readable; one whose key is gone is null. */
export const openContent = async (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> => {
  const sealed: Json[] = [];
  mapSecrets(content, (value) => {
    sealed.push(value);
    return value;
  });
  const opened = await Promise.all(
    sealed.map((value) => (isSealed(value) ? api.platform.seals.open(org, value) : Promise.resolve(value))),
  );
  let next = 0;
  return mapSecrets(content, () => opened[next++] ?? null);
};

/** Those of the definition's trigger paths that another agent of the organization has in force or in its draft. */
export const takenTriggerPaths = async (
  api: Api,
  org: OrganizationId,
  definition: Readonly<Record<string, unknown>>,
  own: number | null,
): Promise<readonly string[]> => {
  const wanted = new Set(triggerPathsOf(definition as never));
  if (wanted.size === 0) return [];
  const { views } = api.platform;
  const others = (await views.find(agents, { where: [{ field: 'organization', is: org }] })).filter(
    (a) => a.id !== own,
  );
  const versions = await Promise.all(
    others.flatMap((agent) =>
      agent.versions
        .filter((v) => v.status !== 'archived')
        .map((v) => views.get(agentVersions, agentVersionKey(org, agent.id, v.definition_id))),
    ),
  );
  const used = versions.flatMap((v) => (v === null ? [] : triggerPathsOf(v.workflow_definition)));
  return used.filter((path) => wanted.has(path));
};
