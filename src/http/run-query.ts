/** Paging, sorting and filtering of runs, the same for agents and campaigns. */
import * as t from 'io-ts';
import {
  Codec,
  integerText,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  refine,
  required,
  taggedUnion,
  text,
  withDefault,
  type Decoded,
} from '../core/codec';
import type { Condition, Query } from '../ports/read-store';
import { instant, parseInstant } from './instant';
import { parseJson } from './json';

const range = object('NumberRange', { min: optional(nullable(number())), max: optional(nullable(number())) });
const numberRange = { type: required(literal('numberRange')), value: required(range) };

const Filter = taggedUnion('attribute', {
  dateRange: object('DateRangeFilter', {
    attribute: required(literal('dateRange')),
    type: required(literal('dateRange')),
    value: required(object('DateRange', { from: optional(nullable(instant)), to: optional(nullable(instant)) })),
  }),
  dispositionCode: object('DispositionFilter', {
    attribute: required(literal('dispositionCode')),
    type: required(literal('multiSelect')),
    value: required(object('DispositionCodesWanted', { codes: required(list(text(), { max: 100 })) })),
  }),
  duration: object('DurationFilter', { attribute: required(literal('duration')), ...numberRange }),
  status: object('StatusFilter', {
    attribute: required(literal('status')),
    type: required(literal('radio')),
    value: required(object('StatusWanted', { status: required(oneOf(['completed', 'in_progress'])) })),
  }),
  tokenUsage: object('TokenUsageFilter', { attribute: required(literal('tokenUsage')), ...numberRange }),
});
type Filter = Decoded<typeof Filter>;
const Filters = list(Filter, { max: 50 });

/** Filters come as JSON within the query string; their faults are told with their place in it. */
const filtersText: Codec<readonly Filter[]> = new Codec<readonly Filter[]>(
  'RunFilters',
  (u, c) => {
    if (typeof u !== 'string' || u.trim() === '') return t.success([]);
    const parsed = parseJson(u);
    return parsed._tag === 'Left' ? notJson.validate(u, c) : Filters.validate(parsed.right, c);
  },
  {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: Filters.schema,
    description: 'A JSON list of `{attribute, type, value}`; all of them must hold',
  },
  true,
);
const notJson = refine(text(), () => 'the filters are not JSON') as unknown as Codec<readonly Filter[]>;

export const RunQuery = object('RunQuery', {
  page: withDefault(integerText({ ge: 1 }), 1),
  limit: withDefault(integerText({ ge: 1, le: 100 }), 50),
  filters: withDefault(filtersText, []),
  sort_by: withDefault(text({ description: '`duration`, else by `created_at`' }), 'created_at'),
  sort_order: withDefault(text({ description: '`asc`, else descending' }), 'desc'),
});
export type RunQuery = Decoded<typeof RunQuery>;

const bounds = (field: string, from: string | number | null, to: string | number | null): readonly Condition[] =>
  from === null && to === null ? [] : [{ field, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }];

/** Runs begun in a period, both ends included; an end that is left out is open. */
export const between = (from: string | null | undefined, to: string | null | undefined): readonly Condition[] =>
  bounds('created_at', parseInstant(from ?? ''), parseInstant(to ?? ''));

/** No run has used a token: a range that leaves zero out matches none. */
const noTokens = (min: number, max: number): readonly Condition[] =>
  min <= 0 && max >= 0 ? [] : [{ field: 'id', is: -1 }];

const conditionsOf = (filter: Filter): readonly Condition[] => {
  switch (filter.attribute) {
    case 'dateRange':
      return between(filter.value.from, filter.value.to);
    case 'dispositionCode':
      return [{ field: 'disposition', in: filter.value.codes }];
    case 'duration':
      return bounds('duration', filter.value.min ?? null, filter.value.max ?? null);
    case 'status':
      return [{ field: 'is_completed', is: filter.value.status === 'completed' }];
    case 'tokenUsage':
      return noTokens(filter.value.min ?? 0, filter.value.max ?? 0);
  }
};

/** The conditions of a query besides whose runs they are. */
export const runConditions = (query: RunQuery): readonly Condition[] => query.filters.flatMap(conditionsOf);

export const runOrder = (query: RunQuery): Required<Pick<Query, 'sort' | 'skip' | 'limit'>> => ({
  sort: { field: query.sort_by === 'duration' ? 'duration' : 'created_at', descending: query.sort_order !== 'asc' },
  skip: (query.page - 1) * query.limit,
  limit: query.limit,
});
