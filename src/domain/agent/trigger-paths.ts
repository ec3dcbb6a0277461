/** Paths by which other programs start calls of an agent: unique over all agents. */
import type { JsonObject } from '../../core/event';
import { mapNodeData, nodeError, nodesOf, type WorkflowError } from './graph';

const LONGEST = 36;
const FIELD = 'data.trigger_path';

/** A UUID, as those that we make are. */
const MADE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isOpen = (path: unknown): boolean => path === undefined || path === null || path === '';

/** Paths that a definition names. */
export const triggerPathsOf = (definition: JsonObject): readonly string[] =>
  nodesOf(definition).flatMap(({ type, data }) =>
    type === 'trigger' && typeof data['trigger_path'] === 'string' && data['trigger_path'] !== ''
      ? [data['trigger_path']]
      : [],
  );

/**
 * The definition with a path from `make` (a UUID) in each trigger that has none. A trigger that got such a path in `before`, which is what the
 * definition replaces, has it still: the same definition saved again keeps its URL.
 */
export const fillTriggerPaths = (definition: JsonObject, make: () => string, before: JsonObject = {}): JsonObject => {
  const given = new Map(
    nodesOf(before).flatMap(({ id, type, data }) =>
      type === 'trigger' && MADE.test(String(data['trigger_path'])) ? [[id, data['trigger_path']] as const] : [],
    ),
  );
  return mapNodeData(definition, (data, { id, type }) =>
    type === 'trigger' && isOpen(data['trigger_path'])
      ? { ...data, trigger_path: given.get(String(id)) ?? make() }
      : data,
  );
};

/** The definition with a new path in each trigger: for copies, which must not answer to the original's. */
export const renewTriggerPaths = (definition: JsonObject, make: () => string): JsonObject =>
  mapNodeData(definition, (data, { type }) => (type === 'trigger' ? { ...data, trigger_path: make() } : data));

export const triggerPathErrors = (definition: JsonObject): readonly WorkflowError[] => {
  const seen = new Set<string>();
  return nodesOf(definition).flatMap(({ id, type, data }) => {
    const path = data['trigger_path'];
    if (type !== 'trigger' || isOpen(path)) return [];
    if (typeof path !== 'string') return [nodeError(id, FIELD, 'The trigger path must be text')];
    const errors: WorkflowError[] = [];
    if ([...path].length > LONGEST)
      errors.push(nodeError(id, FIELD, `The trigger path must not be longer than ${LONGEST} characters`));
    if (!/^[A-Za-z0-9_-]+$/.test(path))
      errors.push(nodeError(id, FIELD, 'The trigger path may hold only letters, digits, hyphens and underscores'));
    if (seen.has(path)) errors.push(nodeError(id, FIELD, 'Another trigger of this workflow has this path'));
    seen.add(path);
    return errors;
  });
};

/** Triggers whose path another agent has. */
export const takenPathErrors = (definition: JsonObject, taken: ReadonlySet<string>): readonly WorkflowError[] =>
  nodesOf(definition).flatMap(({ id, type, data }) => {
    const path = data['trigger_path'];
    return type === 'trigger' && typeof path === 'string' && taken.has(path)
      ? [nodeError(id, FIELD, 'Another agent has this trigger path; choose another one, or leave it empty to get one')]
      : [];
  });
