/**
 * Documents of read models as MongoDB stores them, and queries over them. Names of fields that MongoDB gives a meaning to (a dot, a leading
 * dollar, the empty name) are escaped.
 */
import type { Json } from '../../core/event';
import type { Condition, Document, Index } from '../../ports/read-store';
import type { Filter } from './mongo-driver';

/** One document under its key. A removed one stays as a stone without document, so that an older write does not bring it back. */
export interface Row {
  readonly _id: string;
  readonly position: string;
  readonly document?: Document;
  readonly gone?: true;
}

const NEEDS_ESCAPE = /^$|^\$|[.%\0]/;
const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '.': '%2e', $: '%24', '\0': '%00' };

const escapeName = (name: string): string =>
  name === '' ? '%' : name.replace(/^\$|[%.\0]/g, (character) => ESCAPES[character] as string);
const unescapeName = (name: string): string =>
  name === '%'
    ? ''
    : name.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const renamed = (value: Json, needs: RegExp, rename: (name: string) => string): Json => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item as Json, needs, rename));
  const out: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    const to = needs.test(name) ? rename(name) : name;
    const kept = renamed(item as Json, needs, rename);
    // A plain assignment would set the prototype instead.
    if (to === '__proto__')
      Object.defineProperty(out, to, { value: kept, enumerable: true, writable: true, configurable: true });
    else out[to] = kept;
  }
  return out;
};

export const toStored = (document: Document): Document => renamed(document, NEEDS_ESCAPE, escapeName) as Document;
export const toDocument = (stored: Document): Document => renamed(stored, /%/, unescapeName) as Document;

/** Path of a field for MongoDB. */
export const pathOf = (field: string): string => `document.${field.split('.').map(escapeName).join('.')}`;

const conditionOf = (condition: Condition): Filter<Row> | null => {
  const path = pathOf(condition.field);
  // Null finds documents without the field, too.
  if ('is' in condition) return { [path]: { $eq: condition.is } };
  if ('in' in condition) return { [path]: { $in: condition.in } };
  const { from, to } = condition;
  const range = {
    ...(from === undefined || from === null ? {} : { $gte: from }),
    ...(to === undefined || to === null ? {} : { $lte: to }),
  };
  return Object.keys(range).length === 0 ? null : { [path]: range };
};

export const NOT_GONE: Filter<Row> = { gone: { $ne: true } };

export const filterOf = (where: readonly Condition[], ...more: readonly Filter<Row>[]): Filter<Row> => ({
  $and: [NOT_GONE, ...where.map(conditionOf).filter((c) => c !== null), ...more],
});

/**
 * Keys of an index. The last field is the one that lists are sorted by, newest first; the document's key closes it, since it breaks ties.
 * A unique index is over its fields alone.
 */
export const indexKeys = ({ fields, unique }: Index): Record<string, 1 | -1> => ({
  ...Object.fromEntries(fields.map((field, i) => [pathOf(field), i === fields.length - 1 && unique !== true ? -1 : 1])),
  ...(unique === true ? {} : { _id: 1 }),
});
