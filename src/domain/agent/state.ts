/** An agent and its versions, folded. */
import { left, right, type Either } from 'fp-ts/Either';
import type { JsonObject } from '../../core/event';
import { notFound, rejected, type Failure } from '../../core/failure';
import type { AgentEvent, VersionContent } from './events';
import { renewTriggerPaths, triggerPathsOf } from './trigger-paths';

export type VersionStatus = 'draft' | 'published' | 'archived';

export interface AgentVersion {
  readonly definition_id: number;
  readonly version_number: number;
  readonly status: VersionStatus;
  /** Secrets are sealed. */
  readonly content: VersionContent;
  readonly version_name: string | null;
  readonly change_description: string | null;
}

export interface Agent {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly status: 'active' | 'archived';
  /** By number, oldest first. One is published, at most one a draft. */
  readonly versions: readonly AgentVersion[];
  /** Revision of the stream, every event of which changes the agent. */
  readonly revision: number;
}
/** null: it does not exist. */
export type AgentState = Agent | null;

export const draftOf = (agent: Agent): AgentVersion | undefined => agent.versions.find((v) => v.status === 'draft');

/** There always is one: creating publishes version 1, and publishing replaces it. */
export const publishedOf = (agent: Agent): AgentVersion => {
  const published = agent.versions.find((v) => v.status === 'published');
  if (published === undefined) throw new Error(`agent ${agent.id} has no published version`);
  return published;
};

/** What an editor shows: the draft, else the published version. */
export const editedOf = (agent: Agent): AgentVersion => draftOf(agent) ?? publishedOf(agent);

/** Paths that no other agent may have: those of the published version and of the draft. */
export const heldTriggerPaths = (state: AgentState): readonly string[] => [
  ...new Set(
    (state?.versions ?? [])
      .filter((v) => v.status !== 'archived')
      .flatMap((v) => triggerPathsOf(v.content.workflow_definition)),
  ),
];

export const NO_AGENT = 'Workflow not found';

/** Whether the agent may be selected, started with and dialed: an archived one may not. */
export const usableAgent = (state: AgentState): Either<Failure, Agent> => {
  if (state === null) return left(notFound(NO_AGENT));
  return state.status === 'archived'
    ? left(rejected(`The agent '${state.name}' is archived; restore it before you use it.`))
    : right(state);
};

/**
 * The version that a campaign uses: the one pinned by id, which must be published or archived (a draft cannot be selected), or with null the
 * published one. Says nothing about whether the agent itself is archived; `usableAgent` does.
 */
export const resolveVersion = (state: AgentState, definitionId: number | null): Either<Failure, AgentVersion> => {
  if (state === null) return left(notFound(NO_AGENT));
  if (definitionId === null) return right(publishedOf(state));
  const version = state.versions.find((v) => v.definition_id === definitionId);
  if (version === undefined)
    return left(
      rejected(`The agent '${state.name}' has no published or archived version with the id ${definitionId}.`),
    );
  return version.status === 'draft'
    ? left(rejected(`Version ${version.version_number} of the agent '${state.name}' is a draft; publish it first.`))
    : right(version);
};

/** What a copy of the agent is created with: its published content, and its draft if it has one, under trigger paths of their own. */
export const copyOf = (
  agent: Agent,
  makePath: () => string,
): { readonly name: string; readonly content: VersionContent; readonly draft: VersionContent | null } => {
  const copied = (content: VersionContent): VersionContent => ({
    ...content,
    workflow_definition: renewTriggerPaths(content.workflow_definition, makePath),
  });
  const draft = draftOf(agent);
  return {
    name: `${agent.name} - Duplicate`,
    content: copied(publishedOf(agent).content),
    draft: draft === undefined ? null : copied(draft.content),
  };
};

/** Characters of contents, by themselves: a content never changes. */
const sizes = new WeakMap<VersionContent, number>();

/** About how large an agent is, in characters of its JSON: that of what its versions contain. */
export const weighAgent = (state: AgentState): number => {
  let total = 0;
  for (const { content } of state?.versions ?? []) {
    let size = sizes.get(content);
    if (size === undefined) {
      size = JSON.stringify(content).length;
      sizes.set(content, size);
    }
    total += size;
  }
  return total;
};

/** The content of a new agent, before anything but its definition is known. */
export const contentOf = (definition: JsonObject, configurations: JsonObject = {}): VersionContent => ({
  workflow_definition: definition,
  workflow_configurations: configurations,
  template_context_variables: {},
});

export const evolveAgent = (state: AgentState, event: AgentEvent): AgentState => {
  if (event.type === 'AgentCreated') {
    const { workflow_id, workflow_uuid, name, definition_id, version_number, content } = event.data;
    return {
      id: workflow_id,
      uuid: workflow_uuid,
      name,
      status: 'active',
      versions: [
        { definition_id, version_number, status: 'published', content, version_name: null, change_description: null },
      ],
      revision: 0,
    };
  }
  if (state === null) return null;
  const next: Agent = { ...state, revision: state.revision + 1 };
  switch (event.type) {
    case 'DraftSaved': {
      const { definition_id, version_number, content } = event.data;
      const known = state.versions.some((v) => v.definition_id === definition_id);
      return {
        ...next,
        versions: known
          ? state.versions.map((v) => (v.definition_id === definition_id ? { ...v, content } : v))
          : [
              ...state.versions,
              { definition_id, version_number, status: 'draft', content, version_name: null, change_description: null },
            ],
      };
    }
    case 'VersionPublished': {
      const { definition_id, version_name, change_description } = event.data;
      return {
        ...next,
        versions: state.versions.map((v) => {
          if (v.definition_id === definition_id) return { ...v, status: 'published', version_name, change_description };
          return v.status === 'published' ? { ...v, status: 'archived' } : v;
        }),
      };
    }
    case 'VersionDescribed': {
      const { definition_id, version_name, change_description } = event.data;
      return {
        ...next,
        versions: state.versions.map((v) =>
          v.definition_id === definition_id ? { ...v, version_name, change_description } : v,
        ),
      };
    }
    case 'AgentRenamed':
      return { ...next, name: event.data.name };
    case 'AgentArchived':
      return { ...next, status: 'archived' };
    case 'AgentRestored':
      return { ...next, status: 'active' };
  }
};
