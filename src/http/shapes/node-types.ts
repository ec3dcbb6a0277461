/** What node types look like when they are read. */
import { list, nullable, object, required } from '../../core/codec';
import { anyObject, nullableInt, nullableString, string } from './values';

export const NodeType = object('NodeType', {
  name: required(string),
  display_name: required(string),
  description: required(string),
  llm_hint: required(nullableString),
  docs_url: required(nullableString),
  category: required(string),
  icon: required(string),
  version: required(string),
  /** Property specifications; a row of a collection holds further ones. */
  properties: required(list(anyObject)),
  examples: required(
    list(
      object('NodeExample', {
        name: required(string),
        description: required(nullableString),
        data: required(anyObject),
      }),
    ),
  ),
  graph_constraints: required(
    nullable(
      object('GraphConstraints', {
        min_incoming: required(nullableInt),
        max_incoming: required(nullableInt),
        min_outgoing: required(nullableInt),
        max_outgoing: required(nullableInt),
        min_instances: required(nullableInt),
        max_instances: required(nullableInt),
      }),
    ),
  ),
});
export const NodeTypes = object('NodeTypes', { spec_version: required(string), node_types: required(list(NodeType)) });
