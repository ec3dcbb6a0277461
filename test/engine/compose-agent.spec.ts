import fc from 'fast-check';
import { isRight, left, right } from 'fp-ts/Either';
import { offlineComposer } from '../../src/adapters/embedded/offline-composer';
import type { JsonObject } from '../../src/core/event';
import { definitionErrors, describeError } from '../../src/domain/agent/definition';
import { requiredVariables } from '../../src/domain/agent/template-variables';
import { definitionOf, type DraftNode } from '../../src/engine/agent-draft';
import { composeAgent } from '../../src/engine/compose-agent';
import type { LanguageModel, TemplateRequest } from '../../src/ports/language-model';

const request: TemplateRequest = {
  callType: 'outbound',
  useCase: 'Remind patients of appointments',
  activityDescription: 'Say when the appointment is and ask whether it suits',
};
const check = (definition: Readonly<Record<string, unknown>>): readonly string[] =>
  definitionErrors(definition as JsonObject, 'complete').map(describeError);

describe('the offline composer', () => {
  test('writes start, conversation and end, named after the use case, and says who wrote it', async () => {
    const composed = await offlineComposer().compose(request);
    if (!isRight(composed)) throw new Error(composed.left);
    expect(composed.right.name).toBe('Remind patients of appointments - outbound');
    expect(composed.right.generatedBy).toBe('offline-composer');
    const definition = composed.right.definition as JsonObject;
    expect((definition['nodes'] as JsonObject[]).map((n) => n['type'])).toEqual(['startCall', 'agentNode', 'endCall']);
    expect(JSON.stringify(definition)).toContain('ask whether it suits.');
    expect(await offlineComposer().compose(request)).toEqual(composed);
  });

  test('writes a valid agent that needs no template variable, whatever the texts are', async () => {
    const piece = fc.constantFrom('{{', '}}', '{', '}', ' name ', '|', '\n', '\\n', 'Ä', '😀', '.');
    const text = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.array(piece, { maxLength: 30 }).map((p) => p.join('')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('inbound', 'outbound'),
        text,
        text,
        async (callType, useCase, activityDescription) => {
          const composed = await offlineComposer().compose({
            callType,
            useCase,
            activityDescription,
          } as TemplateRequest);
          if (!isRight(composed)) throw new Error(composed.left);
          const definition = composed.right.definition as JsonObject;
          expect(check(definition)).toEqual([]);
          expect(requiredVariables(definition)).toEqual([]);
          expect(JSON.stringify(definition)).not.toContain('{{');
          expect(composed.right.name.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('composing an agent', () => {
  const good = { name: 'A', definition: { nodes: [] }, generatedBy: 'm' };
  const scripted = (...answers: Awaited<ReturnType<LanguageModel['compose']>>[]) => {
    const asked: unknown[] = [];
    const model: LanguageModel = {
      compose: (_request, repair) => {
        asked.push(repair ?? null);
        return Promise.resolve(answers[asked.length - 1] ?? left('asked too often'));
      },
    };
    return { model, asked };
  };

  test('takes a definition with nothing wrong as it is', async () => {
    const { model, asked } = scripted(right(good));
    expect(await composeAgent(model, request, () => [])).toEqual(right(good));
    expect(asked).toEqual([null]);
  });

  test('has a faulty definition repaired once, with its faults', async () => {
    const bad = { ...good, definition: { bad: true } };
    const { model, asked } = scripted(right(bad), right(good));
    const answer = await composeAgent(model, request, (d) => ('bad' in d ? ['no start'] : []));
    expect(answer).toEqual(right(good));
    expect(asked).toEqual([null, { definition: { bad: true }, errors: ['no start'] }]);
  });

  test('fails with what is wrong when the repair is faulty too, and asks no third time', async () => {
    const { model, asked } = scripted(right(good), right(good), right(good));
    const answer = await composeAgent(model, request, () => ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(answer).toMatchObject({
      left: { kind: 'peer_failed', message: expect.stringContaining('a; b; c; d; e and 2 more') },
    });
    expect(asked).toHaveLength(2);
  });

  test('fails with the words of the model when it fails, at once or on the repair', async () => {
    expect(await composeAgent(scripted(left('it is out.')).model, request, () => [])).toMatchObject({
      left: { kind: 'peer_failed', message: 'The agent could not be generated: it is out.' },
    });
    expect(await composeAgent(scripted(right(good), left('it is out.')).model, request, () => ['x'])).toMatchObject({
      left: { kind: 'peer_failed', message: 'The generated agent could not be repaired: it is out.' },
    });
  });

  test('fails when the model throws', async () => {
    const broken: LanguageModel = { compose: () => Promise.reject(new Error('socket closed')) };
    expect(await composeAgent(broken, request, () => [])).toMatchObject({
      left: { kind: 'peer_failed', message: expect.stringContaining('socket closed') },
    });
  });
});

test('a draft is laid out in columns away from the start', () => {
  const node = (id: string, type: DraftNode['type']): DraftNode => ({
    id,
    type,
    name: id,
    prompt: 'p',
    greeting: 'Hello',
  });
  const definition = definitionOf({
    nodes: [
      node('s', 'startCall'),
      node('a', 'agentNode'),
      node('b', 'agentNode'),
      node('e', 'endCall'),
      node('g', 'globalNode'),
    ],
    edges: [
      { source: 's', target: 'a', label: '1', condition: 'c' },
      { source: 's', target: 'b', label: '2', condition: 'c' },
      { source: 'a', target: 's', label: 'back', condition: 'c' },
      { source: 'b', target: 'e', label: '3', condition: 'c' },
    ],
  });
  const nodes = definition['nodes'] as readonly { id: string; position: { x: number; y: number }; data: JsonObject }[];
  expect(nodes.map((n) => [n.id, n.position.x, n.position.y])).toEqual([
    ['s', 0, 0],
    ['a', 420, 0],
    ['b', 420, 220],
    ['e', 840, 0],
    ['g', 0, 220],
  ]);
  expect(nodes.map((n) => n.data['greeting'])).toEqual(['Hello', undefined, undefined, undefined, undefined]);
});
