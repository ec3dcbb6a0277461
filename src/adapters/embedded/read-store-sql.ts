/** Queries of the read-store port as SQL over JSON documents. */
import { createHash } from 'node:crypto';
import type { Condition, Document, Index, Query, Scalar } from '../../ports/read-store';

export type SqlValue = string | number | null;
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Table of a collection, quoted. Throws on a name that is not letters, digits and underscore. */
export const tableOf = (collection: string): string => {
  if (!/^\w{1,100}$/.test(collection)) throw new Error(`not a collection name: "${collection}"`);
  return `"c_${collection}"`;
};
/** Table of the keys removed from a collection, with the position of the removal, so that an older write does not bring them back. */
export const removedOf = (collection: string): string => tableOf(collection).replace('"c_', '"r_');

const pathOf = (field: string): readonly string[] => {
  if (!/^\w+(\.\w+)*$/.test(field)) throw new Error(`not a field: "${field}"`);
  return field.split('.');
};
/** Column that holds an indexed field beside the document, quoted. */
export const columnOf = (field: string): string => `"f:${pathOf(field).join('.')}"`;
/** A field as found in the document itself. */
export const extractionOf = (field: string): string =>
  `json_extract(document,'$${pathOf(field)
    .map((name) => `."${name}"`)
    .join('')}')`;

/** What `extractionOf` would find, without parsing JSON. */
export const valueOf = (document: Document, field: string): SqlValue => {
  let at: unknown = document;
  for (const name of field.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return null;
    at = Object.hasOwn(at, name) ? (at as Document)[name] : null;
  }
  if (at === null || at === undefined) return null;
  if (typeof at === 'boolean') return Number(at);
  return typeof at === 'object' ? JSON.stringify(at) : (at as string | number);
};

/** Fields that have a column, in the order of the table's columns. */
export type Fields = readonly string[];

export const createSql = (collection: string, fields: Fields): string =>
  `CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (key TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, ` +
  `${fields.map((field) => `${columnOf(field)}, `).join('')}document TEXT NOT NULL)`;

/** A column for a field of a table that has documents already. */
export const addColumnSql = (collection: string, field: string): readonly string[] => [
  `ALTER TABLE ${tableOf(collection)} ADD COLUMN ${columnOf(field)}`,
  `UPDATE ${tableOf(collection)} SET ${columnOf(field)} = ${extractionOf(field)}`,
];

/**
 * The last field of an index is the one that lists are sorted by, newest first; the key closes every index: ties are sorted by it, and a
 * page is found without touching the documents before it.
 */
export const indexSql = (collection: string, { fields, unique }: Index): string => {
  const name = createHash('sha1')
    .update(JSON.stringify([collection, fields, unique === true]))
    .digest('hex')
    .slice(0, 16);
  const columns = [...fields.map(columnOf).map((c, i) => (i === fields.length - 1 ? `${c} DESC` : c)), 'key'];
  const on = `INDEX IF NOT EXISTS "i_${name}" ON ${tableOf(collection)}`;
  return unique === true
    ? `CREATE UNIQUE ${on} (${fields.map(columnOf).join(', ')})`
    : `CREATE ${on} (${columns.join(', ')})`;
};

const expressionOf = (field: string, fields: Fields): string =>
  fields.includes(field) ? columnOf(field) : extractionOf(field);

const bindable = (value: Scalar): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

/** SQLite orders all numbers before all texts; a range holds values of its bounds' type only. */
const typeGuard = (expression: string, bound: Scalar): string =>
  typeof bound === 'string' ? `typeof(${expression}) = 'text'` : `typeof(${expression}) IN ('integer', 'real')`;

const conditionSql = (condition: Condition, fields: Fields): Sql => {
  const expression = expressionOf(condition.field, fields);
  if ('is' in condition)
    return condition.is === null
      ? { text: `${expression} IS NULL`, values: [] }
      : { text: `${expression} = ?`, values: [bindable(condition.is)] };
  if ('in' in condition) {
    const listed = `${expression} IN (SELECT value FROM json_each(?))`;
    return {
      text: condition.in.includes(null) ? `(${listed} OR ${expression} IS NULL)` : listed,
      values: [JSON.stringify(condition.in.filter((v) => v !== null))],
    };
  }
  const bounds = [
    ...(condition.from === undefined || condition.from === null ? [] : [['>=', condition.from] as const]),
    ...(condition.to === undefined || condition.to === null ? [] : [['<=', condition.to] as const]),
  ];
  if (bounds.length === 0) return { text: 'TRUE', values: [] };
  return {
    text: bounds.map(([op, bound]) => `${expression} ${op} ? AND ${typeGuard(expression, bound)}`).join(' AND '),
    values: bounds.map(([, bound]) => bindable(bound)),
  };
};

export const whereSql = (where: readonly Condition[], fields: Fields): Sql => {
  const parts = where.map((condition) => conditionSql(condition, fields));
  return {
    text: parts.length === 0 ? '' : `WHERE ${parts.map((p) => p.text).join(' AND ')}`,
    values: parts.flatMap((p) => p.values),
  };
};

/** `column` of the documents that a query finds, in its order: NULLs last whatever the direction, ties by key. */
export const querySql = (collection: string, query: Query, fields: Fields, column: 'document' | 'rowid'): Sql => {
  const where = whereSql(query.where, fields);
  const expression = query.sort === undefined ? null : expressionOf(query.sort.field, fields);
  // Descending, SQLite has NULLs last by itself, and reads an index backwards for it.
  const order =
    expression === null ? 'key' : `${expression} ${query.sort?.descending === true ? 'DESC' : 'ASC NULLS LAST'}, key`;
  return {
    text: `SELECT ${column} FROM ${tableOf(collection)} ${where.text} ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: [...where.values, query.limit ?? -1, query.skip ?? 0],
  };
};
