/**
 * Template variables: `{{ path }}`, `{{ path | default }}`, `{{ path | fallback:default }}` in what an agent says and in the greeting of a contact.
 */
import type { Json, JsonObject } from '../../core/event';
import { edgesOf, isObject, nodesOf } from './graph';

interface Placeholder {
  readonly start: number;
  readonly end: number;
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
      found.push({ start, end: close + 2, path, filter: bar ? text.slice(behind + 1, close) : null });
      at = close + 2;
    } else {
      // Braces at the end of the path may open a placeholder whose own path comes after the white space.
      at = bar ? close : Math.max(start + 1, start + whole.trimEnd().length);
    }
  }
};

/** Names that we fill ourselves in every call; a column of the same name is replaced. */
export const FILLED_VARIABLES: ReadonlySet<string> = new Set([
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

const lookUp = (context: JsonObject, path: string): Json | undefined => {
  if (Object.hasOwn(context, path)) return context[path];
  return path
    .split('.')
    .reduce<Json | undefined>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), context);
};

const PREFIX = 'initial_context.';
const resolve = (context: JsonObject, path: string): Json | undefined =>
  lookUp(context, path) ?? (path.startsWith(PREFIX) ? lookUp(context, path.slice(PREFIX.length)) : undefined);

const asText = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** `first_name` → `First Name`. */
const titled = (path: string): string =>
  path
    .split(/[._]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join(' ');

const defaultOf = (path: string, filter: string): string => {
  const text = filter.trim();
  const fallback = /^fallback(?:\s*:\s*(.*))?$/s.exec(text);
  if (fallback === null) return text;
  return fallback[1] === undefined || fallback[1] === '' ? titled(path) : fallback[1];
};

const part = (parts: readonly Intl.DateTimeFormatPart[], type: string): string =>
  parts.find((p) => p.type === type)?.value ?? '';

/** `2026-11-21 09:05:00 UTC`, or a weekday; null where the zone is none that there is. */
const builtIn = (name: string, now: number): string | null => {
  const [, kind, zone = 'UTC'] = /^current_(time|weekday)(?:_(.+))?$/.exec(name) ?? [];
  if (kind === undefined) return null;
  try {
    if (kind === 'weekday') return new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: zone }).format(now);
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    }).formatToParts(now);
    const date = `${part(parts, 'year')}-${part(parts, 'month')}-${part(parts, 'day')}`;
    return `${date} ${part(parts, 'hour')}:${part(parts, 'minute')}:${part(parts, 'second')} ${part(parts, 'timeZoneName')}`;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/**
 * The text with its placeholders filled from `context` and, for `current_time` and `current_weekday`, from `now` (epoch ms). What is null, missing
 * or empty becomes its default, else nothing. Objects and lists become JSON. A literal `\n` becomes a line break.
 */
export const renderTemplate = (text: string, context: JsonObject, now: number): string => {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, path, filter } of placeholdersIn(text)) {
    const value = asText(resolve(context, path) ?? builtIn(path, now));
    parts.push(text.slice(at, start), value === '' && filter !== null ? defaultOf(path, filter) : value);
    at = end;
  }
  return [...parts, text.slice(at)].join('').replaceAll('\\n', '\n');
};
