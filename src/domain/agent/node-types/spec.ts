/** How a type of node is described to editors and to whoever writes definitions (GET /node-types). */
import type { Json, JsonObject } from '../../../core/event';

export type PropertyType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'options'
  | 'multi_options'
  | 'fixed_collection'
  | 'json'
  | 'tool_refs'
  | 'document_refs'
  | 'recording_ref'
  | 'credential_ref'
  | 'mention_textarea'
  | 'url';

/** The property is shown while each of these properties has one of the values. */
export type Conditions = Readonly<Record<string, readonly Json[]>>;

export interface PropertySpec {
  readonly name: string;
  readonly type: PropertyType;
  readonly display_name: string;
  readonly description: string;
  readonly llm_hint: string | null;
  readonly default: Json;
  readonly required: boolean;
  readonly placeholder: string | null;
  readonly display_options: { readonly show: Conditions | null; readonly hide: Conditions | null } | null;
  readonly options:
    readonly { readonly value: string; readonly label: string; readonly description: string | null }[] | null;
  /** Of a row of a fixed_collection. */
  readonly properties: readonly PropertySpec[] | null;
  readonly min_value: number | null;
  readonly max_value: number | null;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly pattern: string | null;
  readonly editor: string | null;
  readonly renderer_options: {
    readonly layout: { readonly column_span: number } | null;
    readonly number_input: { readonly fractional: boolean } | null;
  } | null;
}

export interface GraphConstraints {
  readonly min_incoming: number | null;
  readonly max_incoming: number | null;
  readonly min_outgoing: number | null;
  readonly max_outgoing: number | null;
  readonly min_instances: number | null;
  readonly max_instances: number | null;
}

export interface NodeSpec {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly llm_hint: string | null;
  readonly docs_url: string | null;
  readonly category: 'call_node' | 'global_node' | 'trigger' | 'integration';
  readonly icon: string;
  readonly version: string;
  readonly properties: readonly PropertySpec[];
  readonly examples: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly data: JsonObject;
  }[];
  readonly graph_constraints: GraphConstraints | null;
}

export const SPEC_VERSION = '1.0.0';

type PropertyRest = Partial<Omit<PropertySpec, 'name' | 'type' | 'display_name' | 'description'>>;

export const property = (
  name: string,
  type: PropertyType,
  displayName: string,
  description: string,
  rest: PropertyRest = {},
): PropertySpec => ({
  name,
  type,
  display_name: displayName,
  description,
  llm_hint: null,
  default: null,
  required: false,
  placeholder: null,
  display_options: null,
  options: null,
  properties: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
  pattern: null,
  editor: null,
  renderer_options: null,
  ...rest,
});

export const flag = (
  name: string,
  displayName: string,
  description: string,
  value: boolean,
  rest: PropertyRest = {},
): PropertySpec => property(name, 'boolean', displayName, description, { default: value, ...rest });

export const choice = (
  name: string,
  displayName: string,
  description: string,
  values: readonly (readonly [value: string, label: string])[],
  rest: PropertyRest = {},
): PropertySpec =>
  property(name, 'options', displayName, description, {
    options: values.map(([value, label]) => ({ value, label, description: null })),
    ...rest,
  });

/** Shown while `name` has one of `values`. */
export const shownWhen = (conditions: Conditions): PropertyRest => ({
  display_options: { show: conditions, hide: null },
});

/** The name of a node: every type has one, and it is never blank. */
export const nodeName = (value: string): PropertySpec =>
  property('name', 'string', 'Name', 'What the node is called in the editor and in transcripts.', {
    default: value,
    required: true,
    min_length: 1,
  });

const NO_LIMITS: GraphConstraints = {
  min_incoming: null,
  max_incoming: null,
  min_outgoing: null,
  max_outgoing: null,
  min_instances: null,
  max_instances: null,
};
export const limits = (some: Partial<GraphConstraints>): GraphConstraints => ({ ...NO_LIMITS, ...some });

/** A node that stands outside the conversation: no edges in or out. */
export const DETACHED: Partial<GraphConstraints> = {
  min_incoming: 0,
  max_incoming: 0,
  min_outgoing: 0,
  max_outgoing: 0,
};

export const nodeSpec = (
  spec: Omit<NodeSpec, 'version' | 'llm_hint' | 'docs_url'> & Partial<Pick<NodeSpec, 'llm_hint' | 'docs_url'>>,
): NodeSpec => ({
  name: spec.name,
  display_name: spec.display_name,
  description: spec.description,
  llm_hint: spec.llm_hint ?? null,
  docs_url: spec.docs_url ?? null,
  category: spec.category,
  icon: spec.icon,
  version: SPEC_VERSION,
  properties: spec.properties,
  examples: spec.examples,
  graph_constraints: spec.graph_constraints,
});
