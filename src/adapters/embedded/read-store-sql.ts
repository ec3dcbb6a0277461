/** Queries of the read-store port as SQL over JSON documents. */
import { createHash } from 'node:crypto';
import type { Condition, Index, Query, Scalar } from '../../ports/read-store';

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

/** What an index is made of and a query compares: both must say it in the very same words, or SQLite will not use the index. */
const expressionOf = (field: string): string => {
  if (!/^\w+(\.\w+)*$/.test(field)) throw new Error(`not a field: "${field}"`);
  const path = field
    .split('.')
    .map((name) => `."${name}"`)
    .join('');
  return `json_extract(document,'$${path}')`;
};

/** The key closes every index: ties are sorted by it, and a page is found without touching the documents before it. */
export const indexSql = (collection: string, { fields, unique }: Index): string => {
  const table = tableOf(collection);
  const name = createHash('sha1')
    .update(JSON.stringify([collection, fields, unique === true]))
    .digest('hex')
    .slice(0, 16);
  const columns = [...fields.map(expressionOf), ...(unique === true ? [] : ['key'])].join(', ');
  return `CREATE ${unique === true ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS "i_${name}" ON ${table} (${columns})`;
};

const bindable = (value: Scalar): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

/** SQLite orders all numbers before all texts; a range holds values of its bounds' type only. */
const typeGuard = (expression: string, bound: Scalar): string =>
  typeof bound === 'string' ? `typeof(${expression}) = 'text'` : `typeof(${expression}) IN ('integer', 'real')`;

const conditionSql = (condition: Condition): Sql => {
  const expression = expressionOf(condition.field);
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

export const whereSql = (where: readonly Condition[]): Sql => {
  const parts = where.map(conditionSql);
  return {
    text: parts.length === 0 ? '' : `WHERE ${parts.map((p) => p.text).join(' AND ')}`,
    values: parts.flatMap((p) => p.values),
  };
};

/** `column` of the documents that a query finds, in its order: NULLs last whatever the direction, ties by key. */
export const querySql = (collection: string, query: Query, column: 'document' | 'rowid'): Sql => {
  const where = whereSql(query.where);
  const expression = query.sort === undefined ? null : expressionOf(query.sort.field);
  // Descending, SQLite has NULLs last by itself, and reads an index backwards for it.
  const order =
    expression === null ? 'key' : `${expression} ${query.sort?.descending === true ? 'DESC' : 'ASC NULLS LAST'}, key`;
  return {
    text: `SELECT ${column} FROM ${tableOf(collection)} ${where.text} ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: [...where.values, query.limit ?? -1, query.skip ?? 0],
  };
};
