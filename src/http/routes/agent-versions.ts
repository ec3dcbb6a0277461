/** Versions of an agent: drafts, publishing, their history. */
import { isLeft, left, right } from 'fp-ts/Either';
import { versionSummary, type AgentDoc } from '../../../projections/agents';
import { integerText, object, oneOf, optional, required, withDefault } from '../../core/codec';
import { notFound } from '../../core/failure';
import { agentStream, type OrganizationId } from '../../core/ids';
import { parsePosition } from '../../core/position';
import { agentDecider } from '../../domain/agent/decider';
import { checkDefinition } from '../../domain/agent/definition';
import { VersionMetadata, VersionPublish } from '../../domain/agent/requests';
import { draftOf, editedOf } from '../../domain/agent/state';
import { shown, visible, type Api } from '../api';
import { ifMatch } from '../conditional';
import { agentNotFound } from '../resources';
import { ok, route, type Handled, type Route } from '../route';
import {
  AgentVersion,
  AgentVersions,
  DefinitionValid,
  VersionMetadata as VersionMetadataAnswer,
  VersionSummaries,
  VersionSummary,
} from '../shapes/agents';
import { findAgent, showVersions } from '../show-agent';
import { triggerPathClaims } from '../trigger-path-claims';
import { AgentPath, TRIES } from './agents';

const VersionPath = object('VersionPath', {
  workflow_id: required(integerText()),
  definition_id: required(integerText()),
});
const VersionQuery = object('VersionQuery', {
  limit: optional(integerText({ ge: 1, le: 100 })),
  offset: withDefault(integerText({ ge: 0 }), 0),
  version_number: optional(integerText({ ge: 1 })),
  status: optional(oneOf(['draft', 'published', 'archived'])),
});

/** Newest first. */
const versionsOf = (doc: AgentDoc) => doc.versions.toSorted((a, b) => b.version_number - a.version_number);

export const agentVersionRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const paths = triggerPathClaims(platform);
  const load = (org: OrganizationId, id: number) => platform.execute.load(agentDecider, agentStream(org, id));

  const showVersion = async (
    from: Api,
    org: OrganizationId,
    id: number,
    pick: (doc: AgentDoc) => AgentDoc['versions'][number] | undefined,
  ): Promise<Handled> => {
    const doc = await findAgent(from, org, id);
    const version = doc === null ? undefined : pick(doc);
    if (doc === null || version === undefined) return left(agentNotFound(id));
    const [shown] = await showVersions(from, doc, [version]);
    return shown === undefined ? left(agentNotFound(id)) : ok(shown);
  };

  const ONE = '/api/v1/workflow/{workflow_id}';
  const tag = 'agent versions';
  return [
    route({
      method: 'GET',
      path: `${ONE}/versions`,
      scope: 'read',
      tag,
      summary: 'List the versions of an agent with their content, newest first',
      params: AgentPath,
      query: VersionQuery,
      response: { schema: AgentVersions.schema },
      failures: [404],
      handle: async ({ org, params, query }) => {
        const doc = await findAgent(api, org, params.workflow_id);
        if (doc === null) return left(agentNotFound(params.workflow_id));
        const chosen = versionsOf(doc)
          .filter((v) => query.status === undefined || v.status === query.status)
          .filter((v) => query.version_number === undefined || v.version_number === query.version_number)
          .slice(query.offset, query.limit === undefined ? undefined : query.offset + query.limit);
        return ok(await showVersions(api, doc, chosen));
      },
    }),
    route({
      method: 'GET',
      path: `${ONE}/version-summaries`,
      scope: 'read',
      tag,
      summary: 'List the published and archived versions of an agent, newest first',
      params: AgentPath,
      response: { schema: VersionSummaries.schema },
      failures: [404],
      handle: async ({ org, params }) => {
        const doc = await findAgent(api, org, params.workflow_id);
        if (doc === null) return left(agentNotFound(params.workflow_id));
        return ok(
          versionsOf(doc)
            .filter((v) => v.status !== 'draft')
            .map(versionSummary),
        );
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/validate`,
      scope: 'read',
      tag,
      summary: 'Check the draft, else what is published, by the rules of publishing',
      params: AgentPath,
      response: { schema: DefinitionValid.schema },
      failures: [404],
      handle: async ({ org, params }) => {
        const { state } = await load(org, params.workflow_id);
        if (state === null) return left(agentNotFound(params.workflow_id));
        const { workflow_definition } = editedOf(state).content;
        const taken = await paths.taken(org, workflow_definition, state.id);
        const checked = checkDefinition(workflow_definition, 'complete', new Set(taken));
        return isLeft(checked) ? checked : ok({ is_valid: true, errors: [] });
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/create-draft`,
      scope: 'write',
      tag,
      summary: 'Make a draft of what is published; the one that is there, if there is one',
      params: AgentPath,
      response: { schema: AgentVersion.schema },
      failures: [404],
      handle: async ({ org, params, commands }) => {
        const stream = agentStream(org, params.workflow_id);
        const tryOnce = async () => {
          const { state } = await load(org, params.workflow_id);
          if (state === null) return left(agentNotFound(params.workflow_id));
          const definitionId = draftOf(state) === undefined ? await commands.id('definition') : right(null);
          if (isLeft(definitionId)) return definitionId;
          return commands.run(agentDecider, stream, { type: 'CreateDraft', definitionId: definitionId.right });
        };
        let done = await tryOnce();
        // The draft that was there was published before the command came to it.
        for (let tries = 1; isLeft(done) && done.left.kind === 'stale' && tries < TRIES; tries++)
          done = await tryOnce();
        if (isLeft(done)) return done;
        // By its id: another request may have published it meanwhile.
        const made = done.right.state === null ? undefined : draftOf(done.right.state);
        return shown(api, stream, done.right, (now) =>
          showVersion(now, org, params.workflow_id, (doc) =>
            doc.versions.find((v) => v.definition_id === made?.definition_id),
          ),
        );
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/publish`,
      scope: 'write',
      tag,
      summary: 'Publish the draft; the version before it becomes archived',
      params: AgentPath,
      body: VersionPublish,
      bodyOptional: true,
      example: { version_name: 'Friendlier greeting' },
      response: { schema: VersionSummary.schema },
      failures: [400, 404, 409],
      handle: async ({ org, params, body, commands }) => {
        const stream = agentStream(org, params.workflow_id);
        const { state } = await load(org, params.workflow_id);
        if (state === null) return left(agentNotFound(params.workflow_id));
        const draft = draftOf(state);
        const release = await paths.releasing(org, state, draft?.content.workflow_definition ?? null);
        const done = await commands.run(agentDecider, stream, {
          type: 'PublishDraft',
          versionName: body.version_name ?? null,
          changeDescription: body.change_description ?? null,
          takenTriggerPaths:
            draft === undefined ? [] : await paths.taken(org, draft.content.workflow_definition, state.id),
        });
        if (isLeft(done)) return done;
        await release(done.right.state);
        const made = done.right.state?.versions.find((v) => v.status === 'published');
        return shown(api, stream, done.right, async (now) => {
          const doc = await findAgent(now, org, params.workflow_id);
          const published = doc?.versions.find((v) => v.definition_id === made?.definition_id);
          return published === undefined ? left(agentNotFound(params.workflow_id)) : ok(versionSummary(published));
        });
      },
    }),
    route({
      method: 'PATCH',
      path: `${ONE}/versions/{definition_id}/metadata`,
      scope: 'write',
      tag,
      summary: 'Name or describe a version; left out stays, null clears',
      params: VersionPath,
      body: VersionMetadata,
      example: { version_name: 'Before the holidays', change_description: null },
      conditional: true,
      response: { schema: VersionMetadataAnswer.schema },
      failures: [404, 412],
      handle: async ({ org, params, body, commands, koa }) => {
        const stream = agentStream(org, params.workflow_id);
        const expected = await ifMatch(koa, () => findAgent(api, org, params.workflow_id));
        if (isLeft(expected)) return expected;
        if ((await load(org, params.workflow_id)).state === null) return left(agentNotFound(params.workflow_id));
        const done = await commands.run(agentDecider, stream, {
          type: 'DescribeVersion',
          definitionId: params.definition_id,
          ...(body.version_name === undefined ? {} : { versionName: body.version_name }),
          ...(body.change_description === undefined ? {} : { changeDescription: body.change_description }),
          ...expected.right,
        });
        if (isLeft(done)) return done;
        const now = await visible(api, stream, done.right);
        const etag = (await findAgent(now, org, params.workflow_id))?.etag;
        const version = done.right.state?.versions.find((v) => v.definition_id === params.definition_id);
        return version === undefined
          ? left(notFound('Workflow version not found'))
          : ok(
              {
                id: version.definition_id,
                version_name: version.version_name,
                change_description: version.change_description,
              },
              parsePosition(etag ?? '') ?? undefined,
            );
      },
    }),
  ];
};
