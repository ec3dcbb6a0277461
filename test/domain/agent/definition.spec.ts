import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/core/event';
import { checkDefinition, definitionErrors, describeError } from '../../../src/domain/agent/definition';
import { transitionName } from '../../../src/domain/agent/graph-rules';
import { fillTriggerPaths, renewTriggerPaths, triggerPathsOf } from '../../../src/domain/agent/trigger-paths';
import { edge, node, valid, withMore } from './fixtures';

const complete = (definition: JsonObject) => definitionErrors(definition, 'complete');
const draft = (definition: JsonObject) => definitionErrors(definition, 'draft');
const only = (definition: JsonObject) => {
  const errors = complete(definition);
  if (errors.length !== 1) throw new Error(`expected one fault, got ${JSON.stringify(errors)}`);
  return errors[0];
};
const SECRET: JsonObject = { $sealed: 'x', key: 'org/1/1', field: 'agent.secret' };

test('start, conversation and end are a whole agent', () => {
  expect(complete(valid)).toEqual([]);
});

test('positions and ids of edges may be left out', () => {
  const bare = {
    nodes: [
      { id: 's', type: 'startCall', data: { name: 'S', prompt: 'p' } },
      { id: 'e', type: 'endCall', data: { name: 'E', prompt: 'p' } },
    ],
    edges: [{ source: 's', target: 'e', data: { label: 'l', condition: 'c' } }],
  };
  expect(complete(bare)).toEqual([]);
});

describe('a definition is refused', () => {
  test('without nodes and edges, with both faults, and the missing start', () => {
    expect(complete({})).toEqual([
      { kind: 'workflow', id: null, field: 'nodes', message: 'Field required' },
      { kind: 'workflow', id: null, field: 'edges', message: 'Field required' },
      { kind: 'workflow', id: null, field: null, message: 'The workflow needs a Start Call node' },
    ]);
    expect(complete({ nodes: 1, edges: 'x' }).map((e) => e.message)).toContain('Input should be a valid list');
  });

  test.each(['startCall', 'globalNode', 'trigger', 'tuner', 'noveum', 'paygent'])('with two %s nodes', (type) => {
    const data = Object.fromEntries(['tuner', 'noveum', 'paygent'].includes(type) ? [[`${type}_enabled`, false]] : []);
    const has = type === 'startCall' ? 1 : 2;
    const nodes = Array.from({ length: has }, (_, i) => node(`extra-${i}`, type, data));
    expect(only(withMore(nodes))).toMatchObject({ kind: 'workflow', message: expect.stringContaining('only one') });
  });

  test.each(['startCall', 'globalNode', 'trigger', 'webhook', 'qa'])('with an edge to a %s node', (type) => {
    const target = type === 'startCall' ? 'start' : 'extra';
    const nodes = type === 'startCall' ? [] : [node('extra', type)];
    expect(only(withMore(nodes, [edge('agent', target)]))).toMatchObject({
      kind: 'node',
      id: target,
      message: expect.stringContaining('no incoming edges'),
    });
  });

  test.each(['globalNode', 'webhook', 'qa'])('with an edge from a %s node', (type) => {
    expect(only(withMore([node('extra', type)], [edge('extra', 'end')]))).toMatchObject({
      kind: 'node',
      id: 'extra',
      message: expect.stringContaining('no outgoing edges'),
    });
  });

  test('with an edge from an end', () => {
    expect(only(withMore([], [edge('end', 'agent')]))).toMatchObject({
      id: 'end',
      message: expect.stringContaining('no outgoing'),
    });
  });

  test.each(['agentNode', 'endCall'])('with a %s that nothing leads to', (type) => {
    expect(only(withMore([node('extra', type)]))).toMatchObject({
      kind: 'node',
      id: 'extra',
      field: null,
      message: expect.stringContaining('at least 1 incoming edge'),
    });
  });

  test('with an edge to a node that is not there', () => {
    expect(only(withMore([], [edge('agent', 'nowhere')]))).toEqual({
      kind: 'edge',
      id: 'agent-nowhere',
      field: 'target',
      message: "No node has the id 'nowhere'",
    });
  });

  test('with two transitions of one node that read the same, each named', () => {
    const twice = withMore([node('other', 'endCall')], [edge('agent', 'other', { label: 'To end' })]);
    expect(complete(twice)).toEqual([
      expect.objectContaining({ kind: 'edge', id: 'agent-end', field: 'data.label' }),
      expect.objectContaining({ kind: 'edge', id: 'agent-other', field: 'data.label' }),
    ]);
    expect(draft(twice)).toHaveLength(2);
  });

  test.each([
    ['startCall', 'start'],
    ['agentNode', 'agent'],
    ['endCall', 'end'],
  ])('with a %s without prompt', (type, word) => {
    const at = (valid['nodes'] as readonly JsonObject[]).findIndex((n) => n['type'] === type);
    for (const prompt of [undefined, null, '', '  \n']) {
      const nodes = (valid['nodes'] as readonly JsonObject[]).map((n, i) =>
        i === at ? { ...n, data: { name: 'x', ...(prompt === undefined ? {} : { prompt }) } } : n,
      );
      expect(only({ ...valid, nodes })).toMatchObject({
        kind: 'node',
        field: null,
        message: `Value error, prompt is required for ${word} nodes`,
      });
    }
  });

  test('with a node without name, of unknown type, without id, or with the id of another', () => {
    expect(only(withMore([{ id: 'g', type: 'globalNode', data: { prompt: 'p' } }]))).toEqual({
      kind: 'node',
      id: 'g',
      field: 'name',
      message: 'Field required',
    });
    expect(only(withMore([node('z', 'zzz')]))).toEqual({
      kind: 'node',
      id: 'z',
      field: 'type',
      message: "Value error, unknown node type: 'zzz'",
    });
    expect(only(withMore([{ type: 'globalNode', data: { name: 'g', prompt: 'p' } }]))).toEqual({
      kind: 'workflow',
      id: null,
      field: 'nodes.3.id',
      message: 'Field required',
    });
    expect(only(withMore([node('end', 'endCall')]))).toMatchObject({ id: 'end', field: 'id' });
  });

  test('with an edge whose label and condition are empty or missing', () => {
    const more = withMore(
      [node('e2', 'endCall'), node('e3', 'endCall')],
      [edge('agent', 'e2', { label: '', condition: '' }), { id: 'bare', source: 'agent', target: 'e3' }],
    );
    expect(complete(more)).toEqual([
      { kind: 'edge', id: 'agent-e2', field: 'data.label', message: 'String should have at least 1 character' },
      { kind: 'edge', id: 'agent-e2', field: 'data.condition', message: 'String should have at least 1 character' },
      { kind: 'edge', id: 'bare', field: 'data.label', message: 'Field required' },
      { kind: 'edge', id: 'bare', field: 'data.condition', message: 'Field required' },
    ]);
  });

  test.each([
    [{ allow_interrupt: 'yes' }, 'allow_interrupt'],
    [{ greeting_type: 'song' }, 'greeting_type'],
    [{ delayed_start_duration: 11 }, 'delayed_start_duration'],
    [{ delayed_start_duration: '2' }, 'delayed_start_duration'],
    [{ tool_uuids: [1] }, 'tool_uuids'],
    [{ extraction_variables: {} }, 'extraction_variables'],
    [{ extraction_variables: [{ name: 'a', type: 'date' }] }, 'extraction_variables.0.type'],
    [{ extraction_variables: [{ type: 'string' }] }, 'extraction_variables.0.name'],
    [{ greeting: 5 }, 'greeting'],
  ] as [JsonObject, string][])('with the start data %j', (data, field) => {
    const [, ...others] = valid['nodes'] as readonly Json[];
    expect(only({ ...valid, nodes: [node('start', 'startCall', data), ...others] })).toMatchObject({
      id: 'start',
      field,
    });
  });

  test('with an observation node that is on and lacks its fields, but not with one that is off', () => {
    expect(only(withMore([node('t', 'tuner', { tuner_agent_id: 'a', tuner_api_key: ' ' })]))).toEqual({
      kind: 'node',
      id: 't',
      field: null,
      message: 'Value error, tuner node is enabled but missing required fields: tuner_workspace_id, tuner_api_key',
    });
    expect(complete(withMore([node('t', 'tuner', { tuner_enabled: false })]))).toEqual([]);
    const sealed = { tuner_agent_id: 'a', tuner_workspace_id: 1, tuner_api_key: SECRET };
    expect(complete(withMore([node('t', 'tuner', sealed)]))).toEqual([]);
    expect(complete(withMore([node('t', 'tuner', { ...sealed, tuner_workspace_id: 0 })]))).toMatchObject([
      { field: 'tuner_workspace_id' },
    ]);
  });

  test('with all its faults at once', () => {
    const errors = complete({
      nodes: [
        node('s', 'startCall', { prompt: '' }),
        node('s2', 'startCall'),
        node('x', 'zzz'),
        node('t', 'trigger', { trigger_path: 'a b' }),
        { id: 'a', type: 'agentNode' },
      ],
      edges: [edge('s', 's2', { label: 'go' }), edge('s', 'gone', { label: 'GO' })],
    });
    expect(errors.map((e) => [e.kind, e.id, e.field])).toEqual([
      ['node', 's', null],
      ['node', 'x', 'type'],
      ['node', 'a', 'name'],
      ['node', 'a', null],
      ['edge', 's-gone', 'target'],
      ['node', 't', 'data.trigger_path'],
      ['workflow', null, null],
      ['node', 's2', null],
      ['node', 'a', null],
      ['edge', 's-s2', 'data.label'],
      ['edge', 's-gone', 'data.label'],
    ]);
  });
});

describe('the graph', () => {
  test('may have cycles, and no end', () => {
    expect(complete(withMore([node('b', 'agentNode')], [edge('agent', 'b'), edge('b', 'agent')]))).toEqual([]);
    expect(complete({ nodes: [node('s', 'startCall')], edges: [] })).toEqual([]);
  });

  test('counts neighbours once, however many edges lead to them', () => {
    const double = withMore([], [{ ...edge('agent', 'end', { label: 'another way' }), id: 'second' }]);
    expect(complete(double)).toEqual([]);
  });
});

test('a transition is named by the letters and digits of its label', () => {
  expect(transitionName('Go on! ÉA')).toBe('go_on___a');
  expect(transitionName('Ja 😀')).toBe('ja__');
});

describe('a draft', () => {
  test('may be anything unfinished', () => {
    expect(draft({})).toEqual([]);
    expect(draft({ nodes: [node('z', 'zzz'), 5, { id: 1 }], edges: [edge('gone', 'gone too'), null] })).toEqual([]);
  });

  test('may not have two of what there can be only one of, nor a trigger path that can never work', () => {
    expect(draft({ nodes: [node('a', 'startCall'), node('b', 'startCall')] })).toMatchObject([{ kind: 'workflow' }]);
    expect(draft({ nodes: [node('t', 'trigger', { trigger_path: 'x'.repeat(37) })] })).toMatchObject([{ id: 't' }]);
  });
});

describe('trigger paths', () => {
  const trigger = (trigger_path?: Json) =>
    withMore([node('t', 'trigger', trigger_path === undefined ? {} : { trigger_path })]);

  test.each(['x'.repeat(37), 'a b', 'a/b', 'ä', 5, '%41'])('%j cannot be one', (path) => {
    expect(only(trigger(path))).toMatchObject({ kind: 'node', id: 't', field: 'data.trigger_path' });
  });

  test('have up to 36 letters, digits, hyphens and underscores', () => {
    expect(complete(trigger('x'.repeat(36)))).toEqual([]);
    expect(complete(trigger('Call-back_2'))).toEqual([]);
  });

  test('are filled in where they are empty and only there', () => {
    const make = () => 'made';
    for (const empty of [undefined, null, ''])
      expect(triggerPathsOf(fillTriggerPaths(trigger(empty), make))).toEqual(['made']);
    expect(triggerPathsOf(fillTriggerPaths(trigger('mine'), make))).toEqual(['mine']);
    expect(triggerPathsOf(renewTriggerPaths(trigger('mine'), make))).toEqual(['made']);
    expect(fillTriggerPaths(valid, make)).toEqual(valid);
  });

  test('that were made for a trigger stay with it while it names none, and those that were chosen do not', () => {
    const made = '6a5f5f0e-33cf-4f43-8f0c-3c1b8f1c2d3e';
    const path = (now: Json, before: Json) =>
      triggerPathsOf(fillTriggerPaths(trigger(now), () => 'new', trigger(before)))[0];
    expect([path('', made), path(null, made), path('mine', made), path('', 'mine'), path('', null)]).toEqual([
      made,
      made,
      'mine',
      'new',
      'new',
    ]);
  });

  test('that another agent has are a clash of their own kind, unless more is wrong', () => {
    const taken = new Set(['mine']);
    expect(checkDefinition(trigger('mine'), 'complete', taken)).toMatchObject({
      left: { kind: 'invalid_definition', taken: true, errors: [{ id: 't', field: 'data.trigger_path' }] },
    });
    expect(checkDefinition({ ...trigger('mine'), edges: [] }, 'complete', taken)).toMatchObject({
      left: { taken: false },
    });
    expect(checkDefinition(trigger('other'), 'complete', taken)).toEqual({ _tag: 'Right', right: null });
  });
});

test('a fault is told in one line', () => {
  expect(describeError({ kind: 'node', id: 'a', field: 'name', message: 'Field required' })).toBe(
    'node a, name: Field required',
  );
  expect(describeError({ kind: 'workflow', id: null, field: null, message: 'No start' })).toBe('No start');
});

test('whatever is sent, checking never throws', () => {
  const scraps = fc.oneof(fc.jsonValue(), fc.constant(node('s', 'startCall')), fc.constant(edge('s', 's')));
  const some = fc.oneof(fc.jsonValue(), fc.array(scraps, { maxLength: 6 }));
  let refused = 0;
  fc.assert(
    fc.property(some, some, (nodes, edges) => {
      const definition = { nodes, edges } as JsonObject;
      refused += complete(definition).length > 0 ? 1 : 0;
      draft(definition);
      fillTriggerPaths(definition, () => 'x');
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(0);
});
