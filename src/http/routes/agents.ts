/** Agents ("workflows") of the caller's organization: reading and changing. Versions have a file of their own. */
import { randomUUID } from 'node:crypto';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { agentListItem, agents } from '../../../projections/agents';
import { integerText, mapped, object, optional, refine, required, text } from '../../core/codec';
import type { JsonObject } from '../../core/event';
import type { Failure } from '../../core/failure';
import { agentStream, type OrganizationId } from '../../core/ids';
import type { UpdateAgent } from '../../domain/agent/commands';
import { agentDecider } from '../../domain/agent/decider';
import { AgentStatusChange, AgentUpdate, type AgentUpdate as UpdateBody } from '../../domain/agent/requests';
import { AGENT_SECRET_FIELDS, restoreSecrets } from '../../domain/agent/secrets';
import type { AgentEvent } from '../../domain/agent/events';
import { draftOf, editedOf, type Agent, type AgentState } from '../../domain/agent/state';
import { fillTriggerPaths, triggerPathsOf } from '../../domain/agent/trigger-paths';
import type { Executed } from '../../engine/execute';
import { openContent, sealContent } from '../agent-content';
import { shown, type Api } from '../api';
import { ifMatch } from '../conditional';
import { fence } from '../fence';
import { tooLate } from '../reservations';
import { agentNotFound } from '../resources';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { AgentCount, AgentDetail, AgentList, AgentSummaries } from '../shapes/agents';
import { findAgent, replyAgent, totalRuns } from '../show-agent';
import { triggerPathClaims } from '../trigger-path-claims';

export const AgentPath = object('AgentPath', { workflow_id: required(integerText()) });
/** How often a change begins again because another one came in between. */
export const TRIES = 50;
type OnAgent<B> = KeyedRequest<{ readonly workflow_id: number }, undefined, B>;

const STATUSES = ['active', 'archived'];
/** Left out: all. */
const statusFilter = mapped(
  refine(text({ description: '`active`, `archived`, or both with a comma', example: 'active' }), (value) => {
    const wrong = value.split(',').filter((word) => !STATUSES.includes(word.trim()));
    return wrong.length === 0 ? null : `A status is one of ${STATUSES.join(', ')}; not '${wrong[0]?.trim() ?? ''}'`;
  }),
  (value) => value.split(',').map((word) => word.trim()),
);
const StatusQuery = object('AgentStatusQuery', { status: optional(statusFilter) });

export const agentRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const paths = triggerPathClaims(platform);

  const changes = async (
    { org, body }: OnAgent<UpdateBody>,
    state: Agent,
    expected: { readonly ifRevision?: number },
  ): Promise<UpdateAgent> => {
    const before = editedOf(state).content;
    const definition = (body.workflow_definition ?? null) as JsonObject | null;
    const configurations = (body.workflow_configurations ?? null) as JsonObject | null;
    const restored = restoreSecrets(
      {
        workflow_definition:
          definition === null
            ? before.workflow_definition
            : fillTriggerPaths(definition, randomUUID, before.workflow_definition),
        workflow_configurations: configurations ?? before.workflow_configurations,
        template_context_variables: {},
      },
      before,
      await openContent(api, org, before),
    );
    const sealed = await sealContent(api, org, restored);
    return {
      type: 'UpdateAgent',
      name: body.name ?? null,
      workflowDefinition: definition === null ? null : sealed.workflow_definition,
      workflowConfigurations: configurations === null ? null : sealed.workflow_configurations,
      templateContextVariables: (body.template_context_variables ?? null) as JsonObject | null,
      definitionId: 0,
      takenTriggerPaths: definition === null ? [] : await paths.taken(org, restored.workflow_definition, state.id),
      ...expected,
    };
  };

  /** Once; on `stale` the agent was changed after it was looked at. */
  const tryUpdate = async (
    request: OnAgent<UpdateBody>,
    state: Agent,
    expected: { readonly ifRevision?: number },
  ): Promise<Either<Failure, Executed<AgentState, AgentEvent>>> => {
    const { org, commands } = request;
    const stream = agentStream(org, state.id);
    const wanted = await changes(request, state, expected);
    const possible = await commands.probe(agentDecider, stream, wanted);
    if (isLeft(possible)) return possible;
    const definitionId = draftOf(state) === undefined ? await commands.id('definition') : right(null);
    if (isLeft(definitionId)) return definitionId;
    const command = { ...wanted, definitionId: definitionId.right };
    if (wanted.workflowDefinition === null) return commands.run(agentDecider, stream, command);
    const claimed = await paths.claim(org, state.id, [wanted.workflowDefinition]);
    if (isLeft(claimed)) return claimed;
    const release = await paths.releasing(org, state, wanted.workflowDefinition);
    if (!claimed.right()) return left(tooLate);
    // On the very state that was looked at: else a change that gave a path up could release what this one has just claimed.
    const done = await commands.run(agentDecider, stream, {
      ...command,
      ...(triggerPathsOf(wanted.workflowDefinition).length === 0 ? {} : { ifRevision: state.revision }),
    });
    if (!isLeft(done)) await release(done.right.state);
    return done;
  };

  const update = async (request: OnAgent<UpdateBody>): Promise<Handled> => {
    const { org, params, koa } = request;
    const id = params.workflow_id;
    const stream = agentStream(org, id);
    const expected = await ifMatch(koa, () => findAgent(api, org, id));
    if (isLeft(expected)) return expected;
    for (let tries = 1; ; tries++) {
      const { state } = await platform.execute.load(agentDecider, stream);
      if (state === null) return left(agentNotFound(id));
      const done = await tryUpdate(request, state, expected.right);
      const again = isLeft(done) && done.left.kind === 'stale' && expected.right.ifRevision === undefined;
      if (again && tries < TRIES) continue;
      return isLeft(done) ? done : shown(api, stream, done.right, (now) => replyAgent(now, org, id));
    }
  };

  const changeStatus = async (
    { org, params, commands, context, koa }: OnAgent<unknown>,
    status: 'active' | 'archived',
  ): Promise<Handled> => {
    const id = params.workflow_id;
    const stream = agentStream(org, id);
    const expected = await ifMatch(koa, () => findAgent(api, org, id));
    if (isLeft(expected)) return expected;
    const done = await commands.run(agentDecider, stream, { type: 'ChangeStatus', status, ...expected.right });
    if (isLeft(done)) return done.left.kind === 'not_found' ? left(agentNotFound(id)) : done;
    const fenced = status === 'archived' ? fence(api, org, stream, done.right, context) : undefined;
    return shown(api, stream, done.right, (now) => replyAgent(now, org, id), fenced);
  };

  /** Newest first. */
  const listed = (org: OrganizationId, statuses: readonly string[] | undefined) =>
    platform.views.find(agents, {
      where: [
        { field: 'organization', is: org },
        ...(statuses === undefined ? [] : [{ field: 'status', in: statuses }]),
      ],
      sort: { field: 'created_at', descending: true },
    });

  const shape = { tag: 'agents', response: { schema: AgentDetail.schema } } as const;
  const BASE = '/api/v1/workflow';
  return [
    route({
      ...shape,
      method: 'GET',
      path: `${BASE}/fetch`,
      scope: 'read',
      summary: 'List the agents',
      query: StatusQuery,
      response: { schema: AgentList.schema },
      handle: async ({ org, query }) => {
        const docs = await listed(org, query.status);
        return ok(await Promise.all(docs.map(async (doc) => agentListItem(doc, await totalRuns(api, org, doc.id)))));
      },
    }),
    route({
      ...shape,
      method: 'GET',
      path: `${BASE}/fetch/{workflow_id}`,
      scope: 'read',
      summary: 'Get an agent with its definition: the draft if there is one',
      params: AgentPath,
      failures: [404],
      handle: ({ org, params }) => replyAgent(api, org, params.workflow_id),
    }),
    route({
      ...shape,
      method: 'GET',
      path: `${BASE}/count`,
      scope: 'read',
      summary: 'Count the agents',
      response: { schema: AgentCount.schema },
      handle: async ({ org }) => {
        const of = (status: string) =>
          platform.views.count(agents, [
            { field: 'organization', is: org },
            { field: 'status', is: status },
          ]);
        const [active, archived] = await Promise.all([of('active'), of('archived')]);
        return ok({ total: active + archived, active, archived });
      },
    }),
    route({
      ...shape,
      method: 'GET',
      path: `${BASE}/summary`,
      scope: 'read',
      summary: 'List ids and names of the agents',
      query: StatusQuery,
      response: { schema: AgentSummaries.schema },
      handle: async ({ org, query }) => {
        const docs = await listed(org, query.status);
        return ok(docs.map(({ id, name }) => ({ id, name })));
      },
    }),
    route({
      ...shape,
      method: 'PUT',
      path: `${BASE}/{workflow_id}`,
      scope: 'write',
      summary: 'Change an agent: its name at once, the rest in its draft',
      params: AgentPath,
      body: AgentUpdate,
      secrets: AGENT_SECRET_FIELDS,
      example: { workflow_configurations: { max_call_duration: 120 } },
      conditional: true,
      failures: [404, 409, 412],
      handle: update,
    }),
    route({
      ...shape,
      method: 'PUT',
      path: `${BASE}/{workflow_id}/status`,
      scope: 'write',
      summary: 'Archive or restore an agent',
      description: 'An archived agent keeps its history and definition, and is not dialed.',
      params: AgentPath,
      body: AgentStatusChange,
      example: { status: 'archived' },
      conditional: true,
      failures: [404, 412],
      handle: (request) => changeStatus(request, request.body.status),
    }),
    route({
      ...shape,
      method: 'DELETE',
      path: `${BASE}/{workflow_id}`,
      scope: 'write',
      summary: 'Archive an agent',
      params: AgentPath,
      conditional: true,
      failures: [404, 412],
      handle: (request) => changeStatus(request, 'archived'),
    }),
  ];
};
