/**
 * Template variables: `{{ path }}`, `{{ path | default }}`, `{{ path | fallback:default }}` in what an agent says and in the greeting of a contact.
 */
import type { Json, JsonObject } from '../../core/event';
import { edgesOf, nodesOf } from './graph';

interface Placeholder {
  readonly path: string;
  /** What is behind `|`; null: no bar. */
  readonly filter: string | null;
}

/**
 * The placeholders of a text, from the left. A path is anything but `|`, white space and `}`; what is behind `|` holds no `}`. Read in one pass,
 * since a regular expression takes quadratic time over hostile text: where what follows a path does not fit, it fits none of the openings before it.
 */
const placeholdersIn = (text: string): readonly Placeholder[] => {
  const found: Placeholder[] = [];
  const inner = /\s*([^|\s}]*)\s*/y;
  let at = 0;
  for (;;) {
    const start = text.indexOf('{{', at);
    if (start < 0) return found;
    inner.lastIndex = start + 2;
    const [whole = '', path = ''] = inner.exec(text) ?? [];
    const behind = start + 2 + whole.length;
    const bar = text[behind] === '|';
    if (path === '') {
      at = behind;
      continue;
    }
    const close = bar ? text.indexOf('}', behind) : behind;
    if (close < 0) return found;
    if (text.startsWith('}}', close)) {
      found.push({ path, filter: bar ? text.slice(behind + 1, close) : null });
      at = close + 2;
    } else {
      // Braces at the end of the path may open a placeholder whose own path comes after the white space.
      at = bar ? close : Math.max(start + 1, start + whole.trimEnd().length);
    }
  }
};

/** Names that we fill ourselves in every call; a column of the same name is replaced. */
const FILLED_VARIABLES: ReadonlySet<string> = new Set([
  'campaign_id',
  'provider',
  'source_uuid',
  'caller_number',
  'called_number',
  'direction',
  'telephony_configuration_id',
  'runtime_configuration',
  'is_retry',
  'retry_attempt',
  'retry_reason',
]);

/** `current_time`, `current_weekday`, each also with `_<IANA zone>` behind it: known at any time. */
const isBuiltIn = (name: string): boolean => /^current_(time|weekday)(_.+)?$/.test(name);

const requiredIn = (text: Json | undefined): readonly string[] =>
  typeof text !== 'string'
    ? []
    : placeholdersIn(text).flatMap(({ path, filter }) =>
        filter !== null || path.includes('.') || FILLED_VARIABLES.has(path) || isBuiltIn(path) ? [] : [path],
      );

const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  startCall: ['prompt', 'greeting'],
  agentNode: ['prompt'],
  endCall: ['prompt'],
  globalNode: ['prompt'],
};

/**
 * What a contact list must supply for a definition, sorted: names in prompts, in the greeting and in what is said on an edge. Not among them: paths
 * with a dot, names with a default, and what is known without the list.
 */
export const requiredVariables = (definition: JsonObject): readonly string[] => {
  const names = [
    ...nodesOf(definition).flatMap(({ type, data }) => (SPOKEN[type] ?? []).flatMap((f) => requiredIn(data[f]))),
    ...edgesOf(definition).flatMap(({ data }) => requiredIn(data['transition_speech'])),
  ];
  return [...new Set(names)].sort();
};
