import { isLeft } from 'fp-ts/Either';
import type { CreateAgent, UpdateAgent } from '../../../src/domain/agent/commands';
import { agentDecider } from '../../../src/domain/agent/decider';
import type { AgentEvent } from '../../../src/domain/agent/events';
import {
  copyOf,
  draftOf,
  editedOf,
  publishedOf,
  resolveVersion,
  usableAgent,
  type Agent,
} from '../../../src/domain/agent/state';
import { fold, given } from '../../support/given';
import { contentWith, created, draftSaved, node, published, valid, withMore } from './fixtures';

const create = (rest: Partial<CreateAgent> = {}): CreateAgent => ({
  type: 'CreateAgent',
  workflowId: 1,
  definitionId: 10,
  workflowUuid: 'u-1',
  name: 'Agent',
  content: contentWith(valid),
  takenTriggerPaths: [],
  ...rest,
});
const update = (rest: Partial<UpdateAgent> = {}): UpdateAgent => ({
  type: 'UpdateAgent',
  name: null,
  workflowDefinition: null,
  workflowConfigurations: null,
  templateContextVariables: null,
  definitionId: 11,
  takenTriggerPaths: [],
  ...rest,
});
const publish = { type: 'PublishDraft', versionName: null, changeDescription: null, takenTriggerPaths: [] } as const;
const archive = { type: 'ChangeStatus', status: 'archived' } as const;
const restore = { type: 'ChangeStatus', status: 'active' } as const;

const other = contentWith({ ...valid, viewport: { x: 1, y: 1, zoom: 1 } });
const unfinished = contentWith({ nodes: [], edges: [] });
const agentOf = (events: readonly AgentEvent[]): Agent => {
  const state = fold(agentDecider, events);
  if (state === null) throw new Error('no agent');
  return state;
};

describe('creating an agent', () => {
  test('publishes version 1', () => {
    given(agentDecider).when(create()).then([created()]);
    const state = agentOf([created()]);
    expect(publishedOf(state)).toMatchObject({ definition_id: 10, version_number: 1, status: 'published' });
    expect(draftOf(state)).toBeUndefined();
    expect(state.status).toBe('active');
  });

  test('is refused with an unfinished definition, with every fault', () => {
    given(agentDecider)
      .when(create({ content: unfinished }))
      .thenFails('invalid_definition', /Start Call/);
  });

  test('with the trigger path of another agent is a clash', () => {
    const content = contentWith(withMore([node('t', 'trigger', { trigger_path: 'mine' })]));
    const decided = agentDecider.decide(create({ content, takenTriggerPaths: ['mine'] }), null, { now: 0 });
    expect(isLeft(decided) && decided.left).toMatchObject({ kind: 'invalid_definition', taken: true });
  });

  test('repeated does nothing; another agent of this id is a conflict', () => {
    given(agentDecider, [created()]).when(create()).thenNothing();
    given(agentDecider, [created()])
      .when(create({ workflowUuid: 'u-2' }))
      .thenFails('conflict');
  });

  test('as a copy brings the draft along, unfinished as it may be', () => {
    given(agentDecider)
      .when(create({ draft: { definitionId: 11, content: unfinished } }))
      .then([created(), draftSaved(unfinished)]);
  });
});

describe('saving', () => {
  test('makes a draft with the next number, then keeps changing that one', () => {
    given(agentDecider, [created()])
      .when(update({ workflowDefinition: other.workflow_definition }))
      .then([draftSaved(other)]);
    given(agentDecider, [created(), draftSaved(other)])
      .when(update({ workflowConfigurations: { dictionary: 'x' }, definitionId: 99 }))
      .then([draftSaved({ ...other, workflow_configurations: { dictionary: 'x' } })]);
  });

  test('renames at once, without a draft', () => {
    given(agentDecider, [created()])
      .when(update({ name: 'New' }))
      .then([{ type: 'AgentRenamed', data: { workflow_id: 1, name: 'New' } }]);
    expect(
      given(agentDecider, [created()])
        .when(update({ name: 'New', templateContextVariables: { a: 1 } }))
        .events(),
    ).toHaveLength(2);
  });

  test('what is there already changes nothing', () => {
    given(agentDecider, [created()])
      .when(update({ name: 'Agent', workflowDefinition: valid }))
      .thenNothing();
    given(agentDecider, [created()]).when(update()).thenNothing();
  });

  test('takes unfinished work, but not what can never be right', () => {
    expect(
      given(agentDecider, [created()])
        .when(update({ workflowDefinition: {} }))
        .events(),
    ).toHaveLength(1);
    given(agentDecider, [created()])
      .when(update({ workflowDefinition: { nodes: [node('a', 'startCall'), node('b', 'startCall')] } }))
      .thenFails('invalid_definition');
  });

  test('never touches published content', () => {
    const state = agentOf([created(), draftSaved(other)]);
    expect(publishedOf(state).content).toEqual(contentWith(valid));
    expect(editedOf(state).content).toEqual(other);
  });
});

describe('a draft', () => {
  const asked = { type: 'CreateDraft', definitionId: 11 } as const;

  test('on request holds the published content; a second one is never made', () => {
    given(agentDecider, [created()])
      .when(asked)
      .then([draftSaved(contentWith(valid))]);
    given(agentDecider, [created(), draftSaved(other)])
      .when(asked)
      .thenNothing();
  });

  test('is published, and the version before it archived', () => {
    given(agentDecider, [created(), draftSaved(other)])
      .when({ ...publish, versionName: 'Second' })
      .then([published(11, 2, 'Second')]);
    const state = agentOf([created(), draftSaved(other), published()]);
    expect(state.versions.map((v) => v.status)).toEqual(['archived', 'published']);
    expect(
      given(agentDecider, [created(), draftSaved(other), published()])
        .when({ ...asked, definitionId: 12 })
        .events(),
    ).toEqual([draftSaved(other, 12, 3)]);
  });

  test('is not published unfinished, and not without there being one', () => {
    given(agentDecider, [created(), draftSaved(unfinished)])
      .when(publish)
      .thenFails('invalid_definition');
    given(agentDecider, [created()])
      .when(publish)
      .thenFails('rejected', /no draft/);
  });
});

test('versions are described: left out stays, null clears', () => {
  const described = (version_name: string | null, change_description: string | null): AgentEvent => ({
    type: 'VersionDescribed',
    data: { workflow_id: 1, definition_id: 10, version_number: 1, version_name, change_description },
  });
  const describe = { type: 'DescribeVersion', definitionId: 10 } as const;
  given(agentDecider, [created()])
    .when({ ...describe, versionName: 'First' })
    .then([described('First', null)]);
  const first = [created(), described('First', 'why')];
  given(agentDecider, first)
    .when({ ...describe, versionName: null })
    .then([described(null, 'why')]);
  given(agentDecider, first)
    .when({ ...describe, versionName: 'First' })
    .thenNothing();
  given(agentDecider, first)
    .when({ ...describe, definitionId: 99 })
    .thenFails('not_found');
});

describe('the status of an agent', () => {
  const archived: AgentEvent = { type: 'AgentArchived', data: { workflow_id: 1 } };

  test('changes back and forth, and repeated does nothing', () => {
    given(agentDecider, [created()]).when(archive).then([archived]);
    given(agentDecider, [created(), archived]).when(archive).thenNothing();
    given(agentDecider, [created(), archived])
      .when(restore)
      .then([{ type: 'AgentRestored', data: { workflow_id: 1 } }]);
    given(agentDecider, [created()]).when(restore).thenNothing();
  });

  test('archived keeps it from being used', () => {
    expect(usableAgent(agentOf([created()]))).toMatchObject({ right: { id: 1 } });
    expect(usableAgent(agentOf([created(), archived]))).toMatchObject({ left: { kind: 'rejected' } });
    expect(usableAgent(null)).toMatchObject({ left: { kind: 'not_found' } });
  });
});

describe('the version of a campaign', () => {
  const state = agentOf([created(), draftSaved(other), published(), draftSaved(unfinished, 12, 3)]);

  test('is the published one, or the one pinned', () => {
    expect(resolveVersion(state, null)).toMatchObject({
      right: { definition_id: 11, version_number: 2, status: 'published' },
    });
    expect(resolveVersion(state, 10)).toMatchObject({
      right: { version_number: 1, status: 'archived', content: contentWith(valid) },
    });
  });

  test('is no draft and no version of another agent', () => {
    expect(resolveVersion(state, 12)).toMatchObject({ left: { kind: 'rejected' } });
    expect(resolveVersion(state, 99)).toMatchObject({ left: { kind: 'rejected' } });
    expect(resolveVersion(null, null)).toMatchObject({ left: { kind: 'not_found' } });
  });
});

test('a copy has the published content and the draft, each with trigger paths of its own', () => {
  const content = contentWith(withMore([node('t', 'trigger', { trigger_path: 'mine' })]));
  const copy = copyOf(agentOf([created(content), draftSaved(unfinished)]), () => 'fresh');
  expect(copy.name).toBe('Agent - Duplicate');
  expect(copy.draft).toEqual(unfinished);
  expect(JSON.stringify(copy.content)).toContain('"trigger_path":"fresh"');
  expect(JSON.stringify(copy.content)).not.toContain('mine');
});

test('If-Match holds for the newest revision only', () => {
  given(agentDecider, [created()])
    .when({ ...archive, ifRevision: 0 })
    .events();
  given(agentDecider, [created(), draftSaved(other)])
    .when({ ...archive, ifRevision: 0 })
    .thenFails('stale');
});

test('an agent that does not exist is not found', () => {
  for (const command of [update({ name: 'x' }), publish, archive])
    given(agentDecider).when(command).thenFails('not_found');
});

it('an agent weighs what its versions contain, however often it is asked', () => {
  const one = fold(agentDecider, [created()]);
  const two = fold(agentDecider, [
    created(),
    draftSaved(contentWith(valid, { workflow_configurations: { max_call_duration: 60 } })),
  ]);
  const weigh = agentDecider.weigh ?? (() => NaN);
  expect(weigh(null)).toBe(0);
  expect(weigh(one)).toBe(JSON.stringify(one?.versions[0]?.content).length);
  expect(weigh(two)).toBe(weigh(one) + JSON.stringify(two?.versions[1]?.content).length);
  expect(weigh(two)).toBe(weigh(two));
});
