/** Faults in the shape of a definition: fields that are missing or of the wrong type, by the catalogue of node types. */
import { isSealed } from '../../core/event-types';
import type { Json, JsonObject } from '../../core/event';
import { edgeError, isObject, nodeError, workflowError, type WorkflowError } from './graph';
import { nodeType, type NodeSpec, type PropertySpec } from './node-types';
import { NODE_SECRETS } from './secrets';

const REQUIRED = 'Field required';
const TOO_SHORT = 'String should have at least 1 character';
const NOT_TEXT = 'Input should be a valid string';
const NOT_NUMBER = 'Input should be a valid number';
const NOT_LIST = 'Input should be a valid list';
const NOT_OBJECT = 'Input should be a valid dictionary';

/** A secret that is sealed already counts as the text that it was. */
const isText = (name: string, value: unknown): boolean =>
  typeof value === 'string' || (NODE_SECRETS.includes(name) && isSealed(value));
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

type Place = (field: string | null, message: string) => WorkflowError;

const quotedOr = (words: readonly string[]): string =>
  words.length < 2
    ? `'${words.join('')}'`
    : `${words
        .slice(0, -1)
        .map((w) => `'${w}'`)
        .join(', ')} or '${words.at(-1)}'`;

/** What is wrong with the value of a property that is there; null: nothing. */
const valueFault = (spec: PropertySpec, value: Json): string | null => {
  switch (spec.type) {
    case 'number': {
      if (typeof value !== 'number') return NOT_NUMBER;
      if (spec.min_value !== null && value < spec.min_value)
        return `Input should be greater than or equal to ${spec.min_value}`;
      if (spec.max_value !== null && value > spec.max_value)
        return `Input should be less than or equal to ${spec.max_value}`;
      return null;
    }
    case 'boolean':
      return typeof value === 'boolean' ? null : 'Input should be a valid boolean';
    case 'options': {
      const words = spec.options?.map((option) => option.value) ?? [];
      return typeof value === 'string' && ((value === '' && !spec.required) || words.includes(value))
        ? null
        : `Input should be ${quotedOr(words)}`;
    }
    case 'tool_refs':
    case 'document_refs':
    case 'multi_options':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? null
        : 'Input should be a valid list of strings';
    case 'fixed_collection':
      return Array.isArray(value) ? null : NOT_LIST;
    case 'json':
      return null;
    default:
      return isText(spec.name, value) ? null : NOT_TEXT;
  }
};

const propertyFaults = (spec: PropertySpec, value: Json | undefined, path: string, at: Place): WorkflowError[] => {
  if (value === undefined || value === null) return spec.required && spec.default === null ? [at(path, REQUIRED)] : [];
  const wrong = valueFault(spec, value);
  if (wrong !== null) return [at(path, wrong)];
  if (spec.min_length !== null && value === '') return [at(path, TOO_SHORT)];
  if (spec.type !== 'fixed_collection') return [];
  return (value as readonly Json[]).flatMap((row, i) =>
    isObject(row)
      ? (spec.properties ?? []).flatMap((cell) => propertyFaults(cell, row[cell.name], `${path}.${i}.${cell.name}`, at))
      : [at(`${path}.${i}`, NOT_OBJECT)],
  );
};

/** The switch of an observation node; such a node needs its fields only while it is switched on. */
const SWITCHES: Readonly<Record<string, string>> = {
  tuner: 'tuner_enabled',
  noveum: 'noveum_enabled',
  paygent: 'paygent_enabled',
};
const PROMPT_WORDS: Readonly<Record<string, string>> = {
  startCall: 'start',
  agentNode: 'agent',
  endCall: 'end',
  globalNode: 'global',
};

const dataFaults = (spec: NodeSpec, data: JsonObject, at: Place): WorkflowError[] => {
  const faults: WorkflowError[] = [];
  if (data['name'] === undefined || data['name'] === null) faults.push(at('name', REQUIRED));
  else if (typeof data['name'] !== 'string') faults.push(at('name', NOT_TEXT));
  else if (data['name'] === '') faults.push(at('name', TOO_SHORT));
  const word = PROMPT_WORDS[spec.name];
  if (word !== undefined) {
    if (isBlank(data['prompt'])) faults.push(at(null, `Value error, prompt is required for ${word} nodes`));
    else if (typeof data['prompt'] !== 'string') faults.push(at('prompt', NOT_TEXT));
  }
  const onOff = SWITCHES[spec.name];
  if (onOff !== undefined && data[onOff] === false) return faults;
  const others = spec.properties.filter(({ name }) => name !== 'name' && name !== 'prompt' && name !== 'trigger_path');
  if (onOff !== undefined) {
    const missing = others.filter((p) => p.required && isBlank(data[p.name])).map((p) => p.name);
    if (missing.length > 0)
      faults.push(
        at(null, `Value error, ${spec.name} node is enabled but missing required fields: ${missing.join(', ')}`),
      );
  }
  for (const p of others)
    if (!(onOff !== undefined && p.required && isBlank(data[p.name])))
      for (const fault of propertyFaults(p, data[p.name], p.name, at)) faults.push(fault);
  return faults;
};

const nodeFaults = (node: Json, index: number, seen: Set<string>): WorkflowError[] => {
  if (!isObject(node)) return [workflowError(`nodes.${index}`, NOT_OBJECT)];
  const id = node['id'];
  if (typeof id !== 'string' || id === '')
    return [workflowError(`nodes.${index}.id`, id === undefined ? REQUIRED : id === '' ? TOO_SHORT : NOT_TEXT)];
  const at: Place = (field, message) => nodeError(id, field, message);
  const faults: WorkflowError[] = [];
  if (seen.has(id)) faults.push(at('id', `Another node has the id '${id}'`));
  seen.add(id);
  const position = node['position'];
  if (position !== undefined && position !== null) {
    if (!isObject(position)) faults.push(at('position', NOT_OBJECT));
    else
      for (const axis of ['x', 'y'])
        if (typeof position[axis] !== 'number') faults.push(at(`position.${axis}`, NOT_NUMBER));
  }
  const data = node['data'] ?? {};
  if (!isObject(data)) faults.push(at('data', NOT_OBJECT));
  const type = node['type'];
  if (typeof type !== 'string') return [...faults, at('type', type === undefined ? REQUIRED : NOT_TEXT)];
  const spec = nodeType(type);
  if (spec === undefined) return [...faults, at('type', `Value error, unknown node type: '${type}'`)];
  return isObject(data) ? [...faults, ...dataFaults(spec, data, at)] : faults;
};

const edgeFaults = (edge: Json, index: number, nodes: ReadonlySet<string>): WorkflowError[] => {
  if (!isObject(edge)) return [workflowError(`edges.${index}`, NOT_OBJECT)];
  const id = typeof edge['id'] === 'string' ? edge['id'] : null;
  const at: Place = (field, message) => edgeError(id, id === null ? `edges.${index}.${field}` : field, message);
  const faults: WorkflowError[] = [];
  if (edge['id'] !== undefined && edge['id'] !== null && id === null) faults.push(at('id', NOT_TEXT));
  for (const end of ['source', 'target']) {
    const node = edge[end];
    if (node === undefined || node === null) faults.push(at(end, REQUIRED));
    else if (typeof node !== 'string') faults.push(at(end, NOT_TEXT));
    else if (!nodes.has(node)) faults.push(at(end, `No node has the id '${node}'`));
  }
  const data = edge['data'] ?? {};
  if (!isObject(data)) return [...faults, at('data', NOT_OBJECT)];
  for (const field of ['label', 'condition']) {
    const value = data[field];
    if (value === undefined || value === null) faults.push(at(`data.${field}`, REQUIRED));
    else if (typeof value !== 'string') faults.push(at(`data.${field}`, NOT_TEXT));
    else if (value === '') faults.push(at(`data.${field}`, TOO_SHORT));
  }
  for (const field of ['transition_speech', 'transition_speech_recording_id']) {
    const value = data[field];
    if (value !== undefined && value !== null && typeof value !== 'string') faults.push(at(`data.${field}`, NOT_TEXT));
  }
  const speech = data['transition_speech_type'];
  if (speech !== undefined && speech !== null && speech !== '' && speech !== 'text' && speech !== 'audio')
    faults.push(at('data.transition_speech_type', `Input should be ${quotedOr(['text', 'audio'])}`));
  return faults;
};

/** Every fault of the shape, in the order of the definition. */
export const shapeErrors = (definition: JsonObject): readonly WorkflowError[] => {
  const faults: WorkflowError[] = [];
  const read = (field: 'nodes' | 'edges'): readonly Json[] => {
    const value = definition[field];
    if (Array.isArray(value)) return value as readonly Json[];
    faults.push(workflowError(field, value === undefined ? REQUIRED : NOT_LIST));
    return [];
  };
  const nodes = read('nodes');
  const edges = read('edges');
  const ids = new Set<string>();
  return [
    ...faults,
    ...nodes.flatMap((node, i) => nodeFaults(node, i, ids)),
    ...edges.flatMap((edge, i) => edgeFaults(edge, i, ids)),
  ];
};
