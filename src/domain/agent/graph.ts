/** The nodes and edges of a definition, read leniently: what is not shaped like one is left out (shape.ts reports it). */
import type { Json, JsonObject } from '../../core/event';

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
}

export interface GraphEdge {
  /** null: it was sent without one. */
  readonly id: string | null;
  readonly source: string;
  readonly target: string;
  readonly data: JsonObject;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const dataOf = (value: JsonObject): JsonObject => (isObject(value['data']) ? value['data'] : {});

export const nodesOf = (definition: JsonObject): readonly GraphNode[] =>
  listOf(definition['nodes']).flatMap((node) =>
    isObject(node) && typeof node['id'] === 'string' && typeof node['type'] === 'string'
      ? [{ id: node['id'], type: node['type'], data: dataOf(node) }]
      : [],
  );

export const edgesOf = (definition: JsonObject): readonly GraphEdge[] =>
  listOf(definition['edges']).flatMap((edge) =>
    isObject(edge) && typeof edge['source'] === 'string' && typeof edge['target'] === 'string'
      ? [
          {
            id: typeof edge['id'] === 'string' ? edge['id'] : null,
            source: edge['source'],
            target: edge['target'],
            data: dataOf(edge),
          },
        ]
      : [],
  );

/** The definition with the data of its nodes changed; everything else, and what is not shaped like a node, stays as it is. */
export const mapNodeData = (
  definition: JsonObject,
  change: (data: JsonObject, node: { readonly id: Json | undefined; readonly type: Json | undefined }) => JsonObject,
): JsonObject =>
  Array.isArray(definition['nodes'])
    ? {
        ...definition,
        nodes: (definition['nodes'] as readonly Json[]).map((node) => {
          if (!isObject(node) || !isObject(node['data'])) return node;
          const data = change(node['data'], { id: node['id'], type: node['type'] });
          return data === node['data'] ? node : { ...node, data };
        }),
      }
    : definition;

/** Something that a definition or a version is refused for, in the shape of the wire. */
export interface WorkflowError {
  readonly kind: 'node' | 'edge' | 'workflow';
  readonly id: string | null;
  readonly field: string | null;
  readonly message: string;
}
export const nodeError = (id: string, field: string | null, message: string): WorkflowError => ({
  kind: 'node',
  id,
  field,
  message,
});
export const edgeError = (id: string | null, field: string | null, message: string): WorkflowError => ({
  kind: 'edge',
  id,
  field,
  message,
});
export const workflowError = (field: string | null, message: string): WorkflowError => ({
  kind: 'workflow',
  id: null,
  field,
  message,
});
