/** The catalogue of node types that definitions are made of. */
import { left } from 'fp-ts/Either';
import { object, required, text } from '../../core/codec';
import { notFound } from '../../core/failure';
import { nodeType, nodeTypes } from '../../domain/agent/node-types';
import { SPEC_VERSION } from '../../domain/agent/node-types/spec';
import { ok, route, type Route } from '../route';
import { NodeType, NodeTypes } from '../shapes/node-types';

const NodeTypePath = object('NodeTypePath', { name: required(text()) });

export const nodeTypeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/node-types',
    scope: 'read',
    tag: 'agents',
    summary: 'List the types of nodes that definitions are made of',
    response: { schema: NodeTypes.schema },
    handle: async () => ok({ spec_version: SPEC_VERSION, node_types: nodeTypes }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/node-types/{name}',
    scope: 'read',
    tag: 'agents',
    summary: 'Get a type of node',
    params: NodeTypePath,
    response: { schema: NodeType.schema },
    failures: [404],
    handle: async ({ params }) => {
      const spec = nodeType(params.name);
      return spec === undefined ? left(notFound(`Unknown node type: '${params.name}'`)) : ok(spec);
    },
  }),
];
