/** Secrets inside definitions and configurations: sealed on disk, masked in every answer. */
import { isSealed, type Sealed } from '../../core/event-types';
import type { Json, JsonObject } from '../../core/event';
import { maskAll } from '../../core/mask';
import { mapFields } from '../../core/map-fields';
import { sameJson } from '../../core/same-json';
import type { VersionContent } from './events';
import { isObject, mapNodeData } from './graph';

/** Fields of node data that are secrets. */
export const NODE_SECRETS: readonly string[] = ['qa_api_key', 'tuner_api_key', 'noveum_api_key', 'paygent_api_key'];
/** Fields of model settings that are secrets. */
export const MODEL_SECRETS: readonly string[] = ['api_key', 'credentials', 'aws_access_key', 'aws_secret_key'];
/** All of them, for faults that show an `input`. */
export const AGENT_SECRET_FIELDS: ReadonlySet<string> = new Set([...NODE_SECRETS, ...MODEL_SECRETS]);

/** Configurations that hold settings of models, wherever in them. */
const MODEL_SETTINGS: readonly string[] = ['model_overrides', 'model_configuration_v2_override'];
const isEmpty = (value: Json): boolean => value === null || value === '';

/** One change of one secret; `path` names its place: `qa-1.qa_api_key`, `model_overrides.llm.api_key`. */
type Change = (value: Json, path: string) => Json;

const inFields = (value: JsonObject, names: readonly string[], path: string, change: Change): JsonObject =>
  mapFields(value, (v, key) => (names.includes(key) && !isEmpty(v) ? change(v, `${path}.${key}`) : v));

const anywhere = (value: Json, path: string, change: Change): Json => {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const changed = items.map((v, i) => anywhere(v, `${path}.${i}`, change));
    return changed.every((v, i) => v === items[i]) ? value : changed;
  }
  if (!isObject(value) || isSealed(value)) return value;
  return mapFields(value, (v, key) =>
    MODEL_SECRETS.includes(key)
      ? isEmpty(v)
        ? v
        : change(v, `${path}.${key}`)
      : anywhere(v, `${path}.${key}`, change),
  );
};

const mapConfigurations = (configurations: JsonObject, change: Change): JsonObject =>
  mapFields(configurations, (value, key) => (MODEL_SETTINGS.includes(key) ? anywhere(value, key, change) : value));

/** The content with each secret that is there changed; everything else as it is. */
export const mapSecrets = (content: VersionContent, change: Change): VersionContent => {
  const seen = new Map<string, number>();
  /** A draft may hold an id twice: the second node is `id#2`. */
  const place = (id: string): string => {
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    return nth === 1 ? id : `${id}#${nth}`;
  };
  return {
    ...content,
    workflow_definition: mapNodeData(content.workflow_definition, (data, { id }) =>
      inFields(data, NODE_SECRETS, place(String(id)), change),
    ),
    workflow_configurations: mapConfigurations(content.workflow_configurations, change),
  };
};

/** The content with each secret sealed by `seal`; what is sealed already stays. */
export const sealSecrets = async (
  content: VersionContent,
  seal: (plain: Json) => Promise<Sealed>,
): Promise<VersionContent> => {
  const plain: Json[] = [];
  mapSecrets(content, (value) => {
    if (!isSealed(value)) plain.push(value);
    return value;
  });
  const sealed: Sealed[] = [];
  for (const value of plain) sealed.push(await seal(value));
  let next = 0;
  return mapSecrets(content, (value) => (isSealed(value) ? value : ({ ...sealed[next++] } as JsonObject)));
};

/**
 * `incoming` with each secret that is the one in force, or its mask, replaced by what is stored: so a mask that comes back keeps the secret, and
 * content sent unchanged is stored unchanged (a secret sealed anew would look like another). `stored` is sealed, `readable` the same content
 * opened; nodes are matched by id.
 */
export const restoreSecrets = (
  incoming: VersionContent,
  stored: VersionContent,
  readable: VersionContent,
): VersionContent => {
  const inForce = new Map<string, Json>();
  mapSecrets(readable, (value, path) => {
    inForce.set(path, value);
    return value;
  });
  const kept = new Map<string, Json>();
  mapSecrets(stored, (value, path) => {
    kept.set(path, value);
    return value;
  });
  return mapSecrets(incoming, (value, path) => {
    const secret = inForce.get(path);
    const isSame = secret !== undefined && (sameJson(value, secret) || sameJson(value, maskAll(secret)));
    return isSame ? (kept.get(path) ?? secret) : value;
  });
};
