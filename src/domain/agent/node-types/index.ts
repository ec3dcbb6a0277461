/** The catalogue of node types, sorted by name as the wire lists it. */
import { agentNode, endCall, globalNode, startCall } from './call-nodes';
import { noveum, paygent, qa, trigger, tuner, webhook } from './integration-nodes';
import type { NodeSpec } from './spec';

export const nodeTypes: readonly NodeSpec[] = [
  agentNode,
  endCall,
  globalNode,
  noveum,
  paygent,
  qa,
  startCall,
  trigger,
  tuner,
  webhook,
];

const byName: ReadonlyMap<string, NodeSpec> = new Map(nodeTypes.map((spec) => [spec.name, spec]));

export const nodeType = (name: string): NodeSpec | undefined => byName.get(name);

export { SPEC_VERSION } from './spec';
export type { NodeSpec, PropertySpec } from './spec';
