import { agentDetail, agentVersionKey, agentVersions, versionRecord } from '../../projections/agent_versions';
import {
  agentKey,
  agentListItem,
  agents,
  publishedVersion,
  shownVersion,
  versionSummary,
  type AgentDoc,
} from '../../projections/agents';
import { agentStream } from '../../src/core/ids';
import type { AgentEvent } from '../../src/domain/agent/events';
import { evolveAgent, type AgentState } from '../../src/domain/agent/state';
import { at, document, expectValid, happened, type Given } from './given-events';
import { agentCreated, ORG } from './stories';

const tell = (event: AgentEvent): Given => happened(agentStream(ORG, 3), event);
const agent = (story: readonly Given[]): AgentDoc => document(agents, agentKey(ORG, 3), story);
const created = agentCreated(3, 'Sales', 31);
const second = { workflow_id: 3, definition_id: 32, version_number: 2 };
const draft = tell({
  type: 'DraftSaved',
  data: {
    ...second,
    content: {
      workflow_definition: { nodes: [{ id: 'a' }], edges: [] },
      workflow_configurations: {
        call_dispositions: [
          { code: 'sold', description: 'bought' },
          { code: 'later', description: 'x' },
        ],
      },
      template_context_variables: { city: 'Rome' },
    },
  },
});
const published = tell({
  type: 'VersionPublished',
  data: { ...second, version_name: 'two', change_description: null },
});

it('is created with version 1 published', () => {
  expectValid([created]);
  const doc = agent([created]);
  expect(agentListItem(doc, 5)).toEqual({
    id: 3,
    name: 'Sales',
    status: 'active',
    created_at: at(0),
    total_runs: 5,
    folder_id: null,
    workflow_uuid: 'uuid-3',
    current_definition_id: 31,
    version_number: 1,
    version_status: 'published',
  });
});

it('shows the draft while there is one, and what is published as current', () => {
  const story = [created, draft];
  expectValid(story);
  const doc = agent(story);
  const version = shownVersion(doc);
  if (version === null) throw new Error('no version');
  const content = document(agentVersions, agentVersionKey(ORG, 3, version.definition_id), story);
  expect(agentDetail(doc, version, content, 2)).toEqual({
    id: 3,
    name: 'Sales',
    status: 'active',
    created_at: at(0),
    workflow_definition: { nodes: [{ id: 'a' }], edges: [] },
    current_definition_id: 31,
    template_context_variables: { city: 'Rome' },
    call_disposition_codes: { disposition_codes: ['sold', 'later'] },
    total_runs: 2,
    workflow_configurations: {
      call_dispositions: [
        { code: 'sold', description: 'bought' },
        { code: 'later', description: 'x' },
      ],
    },
    version_number: 2,
    version_status: 'draft',
    workflow_uuid: 'uuid-3',
  });
});

it('publishing archives the version before; the content of each stays', () => {
  const story = [created, draft, published];
  expectValid(story);
  const doc = agent(story);
  expect(doc.versions.map((v) => [v.version_number, v.status, v.published_at])).toEqual([
    [1, 'archived', at(0)],
    [2, 'published', at(2)],
  ]);
  const version = publishedVersion(doc);
  if (version === null) throw new Error('no version');
  expect(versionSummary(version)).toEqual({ id: 32, version_number: 2, status: 'published', published_at: at(2) });
  const first = document(agentVersions, agentVersionKey(ORG, 3, 31), story);
  expect(first.workflow_definition).toEqual({ nodes: [], edges: [] });
  expect(versionRecord(version, document(agentVersions, agentVersionKey(ORG, 3, 32), story))).toMatchObject({
    id: 32,
    version_name: 'two',
    change_description: null,
    created_at: at(1),
    published_at: at(2),
  });
});

it('is renamed, archived and restored; names of versions change', () => {
  const story = [
    created,
    tell({ type: 'AgentRenamed', data: { workflow_id: 3, name: 'Retail' } }),
    tell({ type: 'AgentArchived', data: { workflow_id: 3 } }),
    tell({
      type: 'VersionDescribed',
      data: { workflow_id: 3, definition_id: 31, version_number: 1, version_name: 'one', change_description: 'first' },
    }),
    tell({ type: 'AgentRestored', data: { workflow_id: 3 } }),
  ];
  expectValid(story);
  expect(agent(story.slice(0, 3))).toMatchObject({ name: 'Retail', status: 'archived' });
  expect(agent(story)).toMatchObject({
    status: 'active',
    versions: [{ version_name: 'one', change_description: 'first' }],
  });
});

it('revision is the one that the rules compare with If-Match', () => {
  const story = [created, draft, draft, published];
  const state = story.reduce<AgentState>((s, { event }) => evolveAgent(s, event as AgentEvent), null);
  expect(agent(story).revision).toBe(state?.revision);
});
