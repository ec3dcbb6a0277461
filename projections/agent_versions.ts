/** What the versions of an agent contain, secrets masked. One document per version. */
import type { JsonObject } from '../src/core/event';
import type { AgentEvent } from '../src/domain/agent/events';
import type { Projected, Projection } from '../src/engine/projection';
import { publishedVersion, type AgentDoc, type VersionSummary } from './agents';

export interface AgentVersionDoc {
  readonly organization: number;
  readonly workflow_id: number;
  readonly definition_id: number;
  readonly version_number: number;
  readonly workflow_definition: JsonObject;
  readonly workflow_configurations: JsonObject;
  readonly template_context_variables: JsonObject;
}

export const agentVersionKey = (org: number, agent: number, definition: number): string =>
  `${org}/${agent}/${definition}`;

export const agentVersions: Projection<AgentVersionDoc> = {
  name: 'agent_versions',
  version: 1,
  categories: ['agent'],
  types: ['AgentCreated', 'DraftSaved'],
  opens: [],
  masks: ['AgentCreated', 'DraftSaved'],
  // Contents are large: a thousand of them in memory would be felt.
  insertOnly: true,
  indexes: [{ fields: ['organization', 'workflow_id', 'version_number'] }],
  keys: (event) => {
    const { workflow_id, definition_id } = event.data as unknown as { workflow_id: number; definition_id: number };
    return [agentVersionKey(event.org, workflow_id, definition_id)];
  },
  evolve: (_doc, recorded) => {
    const event = recorded as unknown as Extract<Projected<AgentEvent>, { type: 'AgentCreated' | 'DraftSaved' }>;
    const { workflow_id, definition_id, version_number, content } = event.data;
    return { organization: event.org, workflow_id, definition_id, version_number, ...content };
  },
};

/** The codes of `call_dispositions`, which is where an agent's configuration lists them. */
const dispositionCodes = (configurations: JsonObject): readonly string[] => {
  const listed = configurations['call_dispositions'];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((d) => {
    const code = (d as JsonObject | null)?.['code'];
    return typeof code === 'string' ? [code] : [];
  });
};

/** An agent in full, showing `version` (shownVersion, or the published one). `totalRuns`: runs whose latest attempt used it. */
export const agentDetail = (doc: AgentDoc, version: VersionSummary, content: AgentVersionDoc, totalRuns: number) => ({
  id: doc.id,
  name: doc.name,
  status: doc.status,
  created_at: doc.created_at,
  workflow_definition: content.workflow_definition,
  current_definition_id: publishedVersion(doc)?.definition_id ?? null,
  template_context_variables: content.template_context_variables,
  call_disposition_codes: { disposition_codes: dispositionCodes(content.workflow_configurations) },
  total_runs: totalRuns,
  workflow_configurations: content.workflow_configurations,
  version_number: version.version_number,
  version_status: version.status,
  workflow_uuid: doc.workflow_uuid,
});

/** A version in full. */
export const versionRecord = (version: VersionSummary, content: AgentVersionDoc) => ({
  id: version.definition_id,
  version_number: version.version_number,
  status: version.status,
  created_at: version.created_at,
  published_at: version.published_at,
  version_name: version.version_name,
  change_description: version.change_description,
  workflow_json: content.workflow_definition,
  workflow_configurations: content.workflow_configurations,
  template_context_variables: content.template_context_variables,
});
