import type { Json, JsonObject } from '../../../src/core/event';
import type { AgentEvent, VersionContent } from '../../../src/domain/agent/events';

export const node = (id: string, type: string, data: JsonObject = {}): JsonObject => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { name: id, prompt: `Do what ${id} does.`, ...data },
});

export const edge = (source: string, target: string, data: JsonObject = {}): JsonObject => ({
  id: `${source}-${target}`,
  source,
  target,
  data: { label: `to ${target}`, condition: 'when it is time', ...data },
});

const start = node('start', 'startCall');
const agent = node('agent', 'agentNode');
const end = node('end', 'endCall');

/** Start, conversation, end: nothing wrong with it. */
export const valid: JsonObject = {
  nodes: [start, agent, end],
  edges: [edge('start', 'agent'), edge('agent', 'end')],
};

/** The valid definition with more nodes and edges. */
export const withMore = (nodes: readonly Json[], edges: readonly Json[] = []): JsonObject => ({
  nodes: [...(valid['nodes'] as readonly Json[]), ...nodes],
  edges: [...(valid['edges'] as readonly Json[]), ...edges],
});

export const contentWith = (workflow_definition: JsonObject, rest: Partial<VersionContent> = {}): VersionContent => ({
  workflow_definition,
  workflow_configurations: {},
  template_context_variables: {},
  ...rest,
});

export const created = (content: VersionContent = contentWith(valid)): AgentEvent => ({
  type: 'AgentCreated',
  data: { workflow_id: 1, definition_id: 10, version_number: 1, name: 'Agent', workflow_uuid: 'u-1', content },
});
export const draftSaved = (content: VersionContent, definition_id = 11, version_number = 2): AgentEvent => ({
  type: 'DraftSaved',
  data: { workflow_id: 1, definition_id, version_number, content },
});
export const published = (definition_id = 11, version_number = 2, version_name: string | null = null): AgentEvent => ({
  type: 'VersionPublished',
  data: { workflow_id: 1, definition_id, version_number, version_name, change_description: null },
});
