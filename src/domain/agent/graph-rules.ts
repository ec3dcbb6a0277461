/** Rules about how nodes are joined, by the constraints in the catalogue of node types. */
import type { JsonObject } from '../../core/event';
import { edgeError, edgesOf, nodeError, nodesOf, workflowError, type WorkflowError } from './graph';
import { nodeType, nodeTypes } from './node-types';

/** The name under which an agent takes a transition: letters and digits of its label, everything else an underscore. */
export const transitionName = (label: string): string => label.toLowerCase().replace(/[^a-z0-9]/gu, '_');

/** Types of which a definition holds more than it may. */
export const instanceErrors = (definition: JsonObject, least: boolean): readonly WorkflowError[] => {
  const nodes = nodesOf(definition);
  return nodeTypes.flatMap(({ name, display_name, graph_constraints }) => {
    const min = graph_constraints?.min_instances ?? 0;
    const max = graph_constraints?.max_instances ?? Infinity;
    const count = nodes.filter((node) => node.type === name).length;
    if (least && count < min) return [workflowError(null, `The workflow needs a ${display_name} node`)];
    if (count > max) return [workflowError(null, `The workflow may have only one ${display_name} node`)];
    return [];
  });
};

/** Transitions of one node that an agent could not tell apart. */
export const transitionErrors = (definition: JsonObject): readonly WorkflowError[] => {
  const named = edgesOf(definition).flatMap((edge) => {
    const label = edge.data['label'];
    return typeof label === 'string' && label !== '' ? [{ edge, name: transitionName(label) }] : [];
  });
  const counts = new Map<string, number>();
  const key = (source: string, name: string): string => JSON.stringify([source, name]);
  for (const { edge, name } of named) counts.set(key(edge.source, name), (counts.get(key(edge.source, name)) ?? 0) + 1);
  return named
    .filter(({ edge, name }) => (counts.get(key(edge.source, name)) ?? 0) > 1)
    .map(({ edge, name }) =>
      edgeError(edge.id, 'data.label', `Another edge of this node is called "${name}" too; give it another label`),
    );
};

const number = (n: number, word: string): string => `${n} ${word} edge${n === 1 ? '' : 's'}`;

/** Neighbours count once, however many edges lead to them. */
export const degreeErrors = (definition: JsonObject): readonly WorkflowError[] => {
  const nodes = nodesOf(definition);
  const known = new Set(nodes.map((node) => node.id));
  const incoming = new Map<string, Set<string>>();
  const outgoing = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, from: string, to: string): void => {
    map.set(from, (map.get(from) ?? new Set()).add(to));
  };
  for (const edge of edgesOf(definition))
    if (known.has(edge.source) && known.has(edge.target)) {
      add(outgoing, edge.source, edge.target);
      add(incoming, edge.target, edge.source);
    }
  return nodes.flatMap((node) => {
    const spec = nodeType(node.type);
    const allowed = spec?.graph_constraints ?? null;
    if (spec === undefined || allowed === null) return [];
    const errors: WorkflowError[] = [];
    const judge = (word: string, count: number, least: number | null, most: number | null): void => {
      if (most !== null && count > most)
        errors.push(
          nodeError(
            node.id,
            null,
            most === 0
              ? `${spec.display_name} may have no ${word} edges`
              : `${spec.display_name} may have at most ${number(most, word)}`,
          ),
        );
      if (least !== null && count < least)
        errors.push(nodeError(node.id, null, `${spec.display_name} needs at least ${number(least, word)}`));
    };
    judge('incoming', incoming.get(node.id)?.size ?? 0, allowed.min_incoming, allowed.max_incoming);
    judge('outgoing', outgoing.get(node.id)?.size ?? 0, allowed.min_outgoing, allowed.max_outgoing);
    return errors;
  });
};
