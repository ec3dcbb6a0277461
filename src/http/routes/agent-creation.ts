/** Agents made new: from a definition, by the language model, as a copy. */
import { randomUUID } from 'node:crypto';
import { isLeft, left, right } from 'fp-ts/Either';
import { decode, freeObject } from '../../core/codec';
import type { JsonObject } from '../../core/event';
import { agentStream } from '../../core/ids';
import type { CreateAgent } from '../../domain/agent/commands';
import { agentDecider } from '../../domain/agent/decider';
import { definitionErrors, describeError } from '../../domain/agent/definition';
import { AgentCreate, AgentFromTemplate, type AgentFromTemplate as TemplateBody } from '../../domain/agent/requests';
import { AGENT_SECRET_FIELDS } from '../../domain/agent/secrets';
import { contentOf, copyOf } from '../../domain/agent/state';
import { fillTriggerPaths, renewTriggerPaths } from '../../domain/agent/trigger-paths';
import { composeAgent } from '../../engine/compose-agent';
import { openContent, sealContent } from '../agent-content';
import { shown, type Api } from '../api';
import { tooLate } from '../reservations';
import { agentNotFound } from '../resources';
import { route, type Handled, type KeyedRequest, type Route } from '../route';
import { AgentDetail } from '../shapes/agents';
import { replyAgent } from '../show-agent';
import { triggerPathClaims } from '../trigger-path-claims';
import { AgentPath } from './agents';

const example = {
  name: 'Reminder',
  workflow_definition: {
    nodes: [
      { id: 'start', type: 'startCall', position: { x: 0, y: 0 }, data: { name: 'Start', prompt: 'Greet {{name}}.' } },
      { id: 'end', type: 'endCall', position: { x: 0, y: 200 }, data: { name: 'End', prompt: 'Say goodbye.' } },
    ],
    edges: [
      { id: 'e', source: 'start', target: 'end', data: { label: 'done', condition: 'Everything has been said' } },
    ],
  },
};

export const agentCreationRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const paths = triggerPathClaims(platform);

  type Draft = {
    readonly name: string;
    readonly content: CreateAgent['content'];
    readonly draft?: CreateAgent['content'] | null;
  };

  /** Creates an agent of what was written, generated or copied. */
  const create = async (request: KeyedRequest<unknown, unknown, unknown>, made: Draft): Promise<Handled> => {
    const { org, commands } = request;
    const command: CreateAgent = {
      type: 'CreateAgent',
      workflowId: 0,
      definitionId: 0,
      workflowUuid: '',
      name: made.name,
      content: made.content,
      takenTriggerPaths: await paths.taken(org, made.content.workflow_definition, null),
      ...(made.draft === undefined || made.draft === null ? {} : { draft: { definitionId: 0, content: made.draft } }),
    };
    const possible = await commands.probe(agentDecider, null, command);
    if (isLeft(possible)) return possible;
    const id = await commands.id('agent');
    if (isLeft(id)) return id;
    const definitionId = await commands.id('definition');
    if (isLeft(definitionId)) return definitionId;
    const draftId = command.draft === undefined ? right(0) : await commands.id('definition');
    if (isLeft(draftId)) return draftId;
    const stream = agentStream(org, id.right);
    const definitions = [made.content, ...(command.draft === undefined ? [] : [command.draft.content])].map(
      (content) => content.workflow_definition,
    );
    const claimed = await paths.claim(org, id.right, definitions);
    if (isLeft(claimed)) return claimed;
    if (!claimed.right()) return left(tooLate);
    const done = await commands.run(
      agentDecider,
      stream,
      {
        ...command,
        workflowId: id.right,
        definitionId: definitionId.right,
        workflowUuid: commands.once(randomUUID),
        content: await sealContent(api, org, command.content),
        ...(command.draft === undefined
          ? {}
          : { draft: { definitionId: draftId.right, content: await sealContent(api, org, command.draft.content) } }),
      },
      { assumeNew: true },
    );
    return isLeft(done) ? done : shown(api, stream, done.right, (now) => replyAgent(now, org, id.right));
  };

  const generate = async (request: KeyedRequest<undefined, undefined, TemplateBody>): Promise<Handled> => {
    const { call_type, use_case, activity_description } = request.body;
    const composed = await composeAgent(
      api.languageModel,
      { callType: call_type, useCase: use_case, activityDescription: activity_description },
      (definition) => {
        const kept = decode(freeObject, definition, ['workflow_definition']);
        if (isLeft(kept)) return kept.left.map((fault) => fault.msg);
        return definitionErrors(definition as JsonObject, 'complete').map(describeError);
      },
    );
    if (isLeft(composed)) return composed;
    const { name, definition, generatedBy } = composed.right;
    return create(request, {
      name,
      content: contentOf(renewTriggerPaths(definition as JsonObject, randomUUID), { generated_by: generatedBy }),
    });
  };

  const shape = { tag: 'agents', response: { schema: AgentDetail.schema } } as const;
  const BASE = '/api/v1/workflow';
  return [
    route({
      ...shape,
      method: 'POST',
      path: `${BASE}/create/definition`,
      scope: 'write',
      summary: 'Create an agent from a definition; version 1 is published',
      body: AgentCreate,
      secrets: AGENT_SECRET_FIELDS,
      example,
      failures: [409],
      handle: (request) =>
        create(request, {
          name: request.body.name,
          content: contentOf(fillTriggerPaths(request.body.workflow_definition as JsonObject, randomUUID)),
        }),
    }),
    route({
      ...shape,
      method: 'POST',
      path: `${BASE}/create/template`,
      scope: 'write',
      summary: 'Create an agent that a language model writes from two texts',
      body: AgentFromTemplate,
      example: { use_case: 'Appointment reminder', activity_description: 'Remind patients and offer to reschedule.' },
      failures: [502],
      handle: generate,
    }),
    route({
      ...shape,
      method: 'POST',
      path: `${BASE}/{workflow_id}/duplicate`,
      scope: 'write',
      summary: 'Copy an agent',
      params: AgentPath,
      failures: [400, 404],
      handle: async (request) => {
        const { org, params } = request;
        const { state } = await platform.execute.load(agentDecider, agentStream(org, params.workflow_id));
        if (state === null) return left(agentNotFound(params.workflow_id));
        const { name, content, draft } = copyOf(state, randomUUID);
        return create(request, {
          name,
          content: await openContent(api, org, content),
          draft: draft === null ? null : await openContent(api, org, draft),
        });
      },
    }),
  ];
};
