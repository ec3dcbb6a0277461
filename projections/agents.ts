/** Agents with their versions' numbers and states; what a version contains is in agent_versions. One document per agent. */
import type { AgentEvent } from '../src/domain/agent/events';
import type { Projected, Projection } from '../src/engine/projection';

export interface VersionSummary {
  readonly definition_id: number;
  readonly version_number: number;
  readonly status: 'draft' | 'published' | 'archived';
  readonly created_at: string;
  readonly published_at: string | null;
  readonly version_name: string | null;
  readonly change_description: string | null;
}

export interface AgentDoc {
  readonly organization: number;
  readonly id: number;
  readonly name: string;
  readonly status: 'active' | 'archived';
  readonly workflow_uuid: string;
  readonly created_at: string;
  /** Oldest first; at most one draft, exactly one published. */
  readonly versions: readonly VersionSummary[];
  /** Position and stream revision of the last event that changed it. */
  readonly etag: string;
  readonly revision: number;
}

export const agentKey = (org: number, id: number): string => `${org}/${id}`;

type Event = Projected<AgentEvent>;

const changeVersion = (
  doc: AgentDoc,
  definition: number,
  change: (version: VersionSummary) => VersionSummary,
): readonly VersionSummary[] => doc.versions.map((v) => (v.definition_id === definition ? change(v) : v));

const evolveAgent = (doc: AgentDoc, event: Exclude<Event, { type: 'AgentCreated' }>): AgentDoc => {
  const changed = { etag: event.position, revision: event.revision };
  switch (event.type) {
    case 'DraftSaved': {
      const { definition_id, version_number } = event.data;
      if (doc.versions.some((v) => v.definition_id === definition_id)) return { ...doc, ...changed };
      const draft: VersionSummary = {
        definition_id,
        version_number,
        status: 'draft',
        created_at: event.at,
        published_at: null,
        version_name: null,
        change_description: null,
      };
      return { ...doc, ...changed, versions: [...doc.versions, draft] };
    }
    case 'VersionPublished': {
      const { definition_id, version_name, change_description } = event.data;
      return {
        ...doc,
        ...changed,
        versions: doc.versions.map((v) =>
          v.definition_id === definition_id
            ? { ...v, status: 'published', published_at: event.at, version_name, change_description }
            : v.status === 'published'
              ? { ...v, status: 'archived' }
              : v,
        ),
      };
    }
    case 'VersionDescribed': {
      const { definition_id, version_name, change_description } = event.data;
      return {
        ...doc,
        ...changed,
        versions: changeVersion(doc, definition_id, (v) => ({ ...v, version_name, change_description })),
      };
    }
    case 'AgentRenamed':
      return { ...doc, ...changed, name: event.data.name };
    case 'AgentArchived':
      return { ...doc, ...changed, status: 'archived' };
    case 'AgentRestored':
      return { ...doc, ...changed, status: 'active' };
    default:
      return doc;
  }
};

export const agents: Projection<AgentDoc> = {
  name: 'agents',
  version: 1,
  categories: ['agent'],
  opens: [],
  indexes: [{ fields: ['organization', 'status'] }, { fields: ['organization', 'created_at'] }],
  keys: (event) => [agentKey(event.org, (event.data as unknown as { workflow_id: number }).workflow_id)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Event;
    if (event.type !== 'AgentCreated') return doc && evolveAgent(doc, event);
    return {
      organization: event.org,
      id: event.data.workflow_id,
      name: event.data.name,
      status: 'active',
      workflow_uuid: event.data.workflow_uuid,
      created_at: event.at,
      versions: [
        {
          definition_id: event.data.definition_id,
          version_number: event.data.version_number,
          status: 'published',
          created_at: event.at,
          published_at: event.at,
          version_name: null,
          change_description: null,
        },
      ],
      etag: event.position,
      revision: event.revision,
    };
  },
};

const withStatus = (doc: AgentDoc, status: VersionSummary['status']): VersionSummary | null =>
  doc.versions.find((v) => v.status === status) ?? null;

export const publishedVersion = (doc: AgentDoc): VersionSummary | null => withStatus(doc, 'published');
/** The version that an agent's detail shows: the draft if there is one, else what is published. */
export const shownVersion = (doc: AgentDoc): VersionSummary | null =>
  withStatus(doc, 'draft') ?? withStatus(doc, 'published');

/** An agent in a list. `totalRuns`: runs whose latest attempt used it. */
export const agentListItem = (doc: AgentDoc, totalRuns: number) => {
  const version = shownVersion(doc);
  return {
    id: doc.id,
    name: doc.name,
    status: doc.status,
    created_at: doc.created_at,
    total_runs: totalRuns,
    folder_id: null,
    workflow_uuid: doc.workflow_uuid,
    current_definition_id: publishedVersion(doc)?.definition_id ?? null,
    version_number: version?.version_number ?? null,
    version_status: version?.status ?? null,
  };
};

/** A version without its content. */
export const versionSummary = (version: VersionSummary) => ({
  id: version.definition_id,
  version_number: version.version_number,
  status: version.status,
  published_at: version.published_at,
});
