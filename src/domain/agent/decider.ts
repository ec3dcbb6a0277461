/** The rules of one agent: its name, its status and its versions. Published content never changes. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, notFound, rejected, type Failure } from '../../core/failure';
import { sameJson } from '../../core/same-json';
import type { AgentCommand, CreateAgent, DescribeVersion, PublishDraft, UpdateAgent } from './commands';
import { checkDefinition } from './definition';
import type { AgentEvent, VersionContent } from './events';
import { draftOf, editedOf, evolveAgent, publishedOf, weighAgent, type Agent, type AgentState } from './state';

type Answer = Either<Failure, readonly AgentEvent[]>;

const create = (command: CreateAgent, state: AgentState): Answer => {
  if (state !== null)
    return state.uuid === command.workflowUuid ? right([]) : left(conflict(`Agent ${state.id} exists already.`));
  const taken = new Set(command.takenTriggerPaths);
  const checked = checkDefinition(command.content.workflow_definition, 'complete', taken);
  if (isLeft(checked)) return checked;
  const { workflowId: workflow_id, draft } = command;
  const created: AgentEvent = {
    type: 'AgentCreated',
    data: {
      workflow_id,
      definition_id: command.definitionId,
      version_number: 1,
      name: command.name,
      workflow_uuid: command.workflowUuid,
      content: command.content,
    },
  };
  if (draft === undefined) return right([created]);
  const draftChecked = checkDefinition(draft.content.workflow_definition, 'draft', taken);
  if (isLeft(draftChecked)) return draftChecked;
  return right([
    created,
    {
      type: 'DraftSaved',
      data: { workflow_id, definition_id: draft.definitionId, version_number: 2, content: draft.content },
    },
  ]);
};

const draftGone: Answer = left({ kind: 'stale', message: 'The draft was published meanwhile; try again.' });

/** Content into the draft, which is made if there is none. Unchanged content makes none. */
const saved = (agent: Agent, content: VersionContent, newId: number | null): Answer => {
  const draft = draftOf(agent);
  if (sameJson(content, editedOf(agent).content)) return right([]);
  const definition_id = draft?.definition_id ?? newId;
  if (definition_id === null) return draftGone;
  const version_number = draft?.version_number ?? Math.max(...agent.versions.map((v) => v.version_number)) + 1;
  return right([{ type: 'DraftSaved', data: { workflow_id: agent.id, definition_id, version_number, content } }]);
};

const update = (command: UpdateAgent, agent: Agent): Answer => {
  const events: AgentEvent[] = [];
  if (command.name !== null && command.name !== agent.name)
    events.push({ type: 'AgentRenamed', data: { workflow_id: agent.id, name: command.name } });
  const before = editedOf(agent).content;
  if (command.workflowDefinition !== null) {
    const checked = checkDefinition(command.workflowDefinition, 'draft', new Set(command.takenTriggerPaths));
    if (isLeft(checked)) return checked;
  }
  const content: VersionContent = {
    workflow_definition: command.workflowDefinition ?? before.workflow_definition,
    workflow_configurations: command.workflowConfigurations ?? before.workflow_configurations,
    template_context_variables: command.templateContextVariables ?? before.template_context_variables,
  };
  const draft = saved(agent, content, command.definitionId);
  return isLeft(draft) ? draft : right([...events, ...draft.right]);
};

const publish = (command: PublishDraft, agent: Agent): Answer => {
  const draft = draftOf(agent);
  if (draft === undefined) return left(rejected('There is no draft to publish.'));
  const checked = checkDefinition(draft.content.workflow_definition, 'complete', new Set(command.takenTriggerPaths));
  if (isLeft(checked)) return checked;
  return right([
    {
      type: 'VersionPublished',
      data: {
        workflow_id: agent.id,
        definition_id: draft.definition_id,
        version_number: draft.version_number,
        version_name: command.versionName ?? draft.version_name,
        change_description: command.changeDescription ?? draft.change_description,
      },
    },
  ]);
};

const describe = (command: DescribeVersion, agent: Agent): Answer => {
  const version = agent.versions.find((v) => v.definition_id === command.definitionId);
  if (version === undefined) return left(notFound('Workflow version not found'));
  const version_name = command.versionName === undefined ? version.version_name : command.versionName;
  const change_description =
    command.changeDescription === undefined ? version.change_description : command.changeDescription;
  if (version_name === version.version_name && change_description === version.change_description) return right([]);
  return right([
    {
      type: 'VersionDescribed',
      data: {
        workflow_id: agent.id,
        definition_id: version.definition_id,
        version_number: version.version_number,
        version_name,
        change_description,
      },
    },
  ]);
};

export const agentDecider: Decider<AgentState, AgentCommand, AgentEvent> = {
  name: 'agent',
  initial: null,
  decide: (command, state) => {
    if (command.type === 'CreateAgent') return create(command, state);
    if (state === null) return left(notFound('Workflow not found'));
    if (command.ifRevision !== undefined && command.ifRevision !== state.revision)
      return left({ kind: 'stale', message: 'The agent was changed since; read it again.' });
    switch (command.type) {
      case 'UpdateAgent':
        return update(command, state);
      case 'CreateDraft': {
        if (draftOf(state) !== undefined) return right([]);
        if (command.definitionId === null) return draftGone;
        const { content } = publishedOf(state);
        const version_number = Math.max(...state.versions.map((v) => v.version_number)) + 1;
        return right([
          {
            type: 'DraftSaved',
            data: { workflow_id: state.id, definition_id: command.definitionId, version_number, content },
          },
        ]);
      }
      case 'PublishDraft':
        return publish(command, state);
      case 'DescribeVersion':
        return describe(command, state);
      case 'ChangeStatus':
        if (command.status === state.status) return right([]);
        return right([
          { type: command.status === 'archived' ? 'AgentArchived' : 'AgentRestored', data: { workflow_id: state.id } },
        ]);
    }
  },
  evolve: evolveAgent,
  weigh: weighAgent,
};
