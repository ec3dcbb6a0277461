/** Agents as answers show them: the document, the content of a version, and how many runs there were. */
import { left } from 'fp-ts/Either';
import { agentKey, agents, shownVersion, type AgentDoc, type VersionSummary } from '../../projections/agents';
import {
  agentDetail,
  agentVersionKey,
  agentVersions,
  versionRecord,
  type AgentVersionDoc,
} from '../../projections/agent_versions';
import { runs } from '../../projections/runs';
import type { OrganizationId } from '../core/ids';
import { parsePosition } from '../core/position';
import type { Api } from './api';
import { agentNotFound } from './resources';
import { ok, type Handled } from './route';

/** Runs whose latest attempt used the agent. */
export const totalRuns = (api: Api, org: OrganizationId, id: number): Promise<number> =>
  api.platform.views.count(runs, [
    { field: 'organization', is: org },
    { field: 'workflow_id', is: id },
  ]);

/** The same; null while the read models are away, so that a command can be answered all the same. */
const totalRunsIfKnown = (api: Api, org: OrganizationId, id: number): Promise<number | null> =>
  totalRuns(api, org, id).catch(() => null);

export const findAgent = (api: Api, org: OrganizationId, id: number): Promise<AgentDoc | null> =>
  api.platform.views.get(agents, agentKey(org, id));

const contentOf = (api: Api, doc: AgentDoc, version: VersionSummary): Promise<AgentVersionDoc | null> =>
  api.platform.views.get(agentVersions, agentVersionKey(doc.organization, doc.id, version.definition_id));

/** The answer that shows one agent: its draft if there is one, else what is published. */
export const replyAgent = async (api: Api, org: OrganizationId, id: number): Promise<Handled> => {
  const doc = await findAgent(api, org, id);
  const version = doc === null ? null : shownVersion(doc);
  if (doc === null || version === null) return left(agentNotFound(id));
  const [content, runCount] = await Promise.all([contentOf(api, doc, version), totalRunsIfKnown(api, org, id)]);
  return content === null
    ? left(agentNotFound(id))
    : ok(
        { ...agentDetail(doc, version, content, runCount ?? 0), total_runs: runCount },
        parsePosition(doc.etag) ?? undefined,
      );
};

/** Versions in full, in the order given; one whose content is not there yet is left out. */
export const showVersions = async (api: Api, doc: AgentDoc, versions: readonly VersionSummary[]) => {
  const contents = await Promise.all(versions.map((version) => contentOf(api, doc, version)));
  return versions.flatMap((version, i) => {
    const content = contents[i];
    return content === null || content === undefined ? [] : [versionRecord(version, content)];
  });
};
