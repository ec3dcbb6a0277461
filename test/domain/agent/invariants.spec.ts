/** Whatever is asked in whatever order: one published version, at most one draft, and what was published never changes. */
import fc from 'fast-check';
import { isLeft, isRight } from 'fp-ts/Either';
import type { AgentCommand } from '../../../src/domain/agent/commands';
import { agentDecider } from '../../../src/domain/agent/decider';
import { draftOf, publishedOf, resolveVersion } from '../../../src/domain/agent/state';
import type { VersionContent } from '../../../src/domain/agent/events';
import { fold } from '../../support/given';
import { created, valid } from './fixtures';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const a = <T extends string>(type: T) => fc.constant(type);
const definition = fc.constantFrom(valid, { ...valid, viewport: { x: 1 } }, { nodes: [] });
const text = maybe(fc.constantFrom('one', 'two'));

const command = (fresh: number): fc.Arbitrary<AgentCommand> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        type: a('UpdateAgent'),
        name: text,
        workflowDefinition: maybe(definition),
        workflowConfigurations: maybe(fc.constantFrom({ a: 1 }, { a: 2 })),
        templateContextVariables: fc.constant(null),
        definitionId: fc.constant(fresh),
        takenTriggerPaths: fc.constant([]),
      }),
    },
    fc.record({ type: a('CreateDraft'), definitionId: fc.constant(fresh) }),
    {
      weight: 2,
      arbitrary: fc.record({
        type: a('PublishDraft'),
        versionName: text,
        changeDescription: text,
        takenTriggerPaths: fc.constant([]),
      }),
    },
    fc.record({
      type: a('DescribeVersion'),
      definitionId: fc.integer({ min: 10, max: 20 }),
      versionName: text,
      changeDescription: text,
    }),
    fc.record({ type: a('ChangeStatus'), status: fc.constantFrom('active', 'archived') }),
  );

/** Asked thousands of times, where `expect` would cost more than what is tested. */
const holds = (what: string, condition: boolean): void => {
  if (!condition) throw new Error(`${what} no longer holds`);
};

test('versions keep their promises', () => {
  const commands = fc.tuple(...Array.from({ length: 30 }, (_, i) => command(11 + i)));
  let published = 0;
  fc.assert(
    fc.property(commands, (asked) => {
      let state = fold(agentDecider, [created()]);
      const frozen = new Map<number, VersionContent>();
      for (const one of asked) {
        const decided = agentDecider.decide(one, state, { now: 0 });
        if (isLeft(decided)) continue;
        for (const event of decided.right) state = agentDecider.evolve(state, event);
        if (state === null) throw new Error('the agent is gone');
        const { versions } = state;
        holds('one published version', versions.filter((v) => v.status === 'published').length === 1);
        holds('one draft', versions.filter((v) => v.status === 'draft').length <= 1);
        holds(
          'numbers without gaps',
          versions.every((v, i) => v.version_number === i + 1),
        );
        holds('ids of their own', new Set(versions.map((v) => v.definition_id)).size === versions.length);
        const latest = resolveVersion(state, null);
        holds('the latest is the published one', isRight(latest) && latest.right === publishedOf(state));
        const draft = draftOf(state);
        holds('a draft is not selected', draft === undefined || isLeft(resolveVersion(state, draft.definition_id)));
        for (const version of versions.filter((v) => v.status !== 'draft')) {
          const before = frozen.get(version.definition_id);
          if (before === undefined) {
            frozen.set(version.definition_id, version.content);
            published++;
          } else holds('published content', version.content === before);
        }
      }
    }),
    { numRuns: 100 },
  );
  expect(published).toBeGreaterThan(100);
});
