/**
 * One file per version of every event that was ever written: what a ledger out there holds. A type or a version without its file, and a file that
 * today's program cannot read, fail here. Files are only ever added; a new version of an event comes with an upcast and a file of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/event';
import { isValidData, upcast, type EventTypes } from '../../src/core/event-types';
import { eventCatalog } from '../../src/domain/event-catalog';

interface Golden {
  readonly file: string;
  readonly type: string;
  readonly schema: number;
  readonly data: JsonObject;
}

const catalog: EventTypes = eventCatalog;
const golden: readonly Golden[] = readdirSync(__dirname)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, ...(JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as Omit<Golden, 'file'>) }));

test('there is a file for every version of every type of event', () => {
  const expected = Object.entries(catalog).flatMap(([type, { schema }]) =>
    Array.from({ length: schema }, (_, i) => `${type}.v${i + 1}.json`),
  );
  expect(expected.length).toBeGreaterThan(50);
  expect(golden.map((g) => g.file).sort()).toEqual(expected.sort());
  for (const { file, type, schema } of golden) expect(file).toBe(`${type}.v${schema}.json`);
});

test.each(golden)('$file is still read', ({ type, schema, data }) => {
  const today = upcast(catalog, type, data, schema);
  expect(isValidData(catalog, type, today)).toBe(true);
});

test.each(golden.filter((g) => Object.keys(g.data).length > 0))(
  '$file is checked field by field',
  ({ type, schema, data }) => {
    // Without each of its fields in turn the data is refused, or the field is one that may be missing.
    const today = upcast(catalog, type, data, schema);
    const refusing = Object.keys(today).filter((field) => {
      const { [field]: _left, ...rest } = today;
      return !isValidData(catalog, type, rest);
    });
    expect(refusing.length).toBeGreaterThan(0);
  },
);

test('a type that nobody knows, and a version from the future, stop the reader', () => {
  expect(() => upcast(catalog, 'NoSuchEvent', {}, 1)).toThrow('unknown event type');
  expect(() => upcast(catalog, 'ConfigDeleted', {}, 2)).toThrow('this program knows up to 1');
});

test('an older version becomes the newest by its upcast, the newest is taken as it is', () => {
  const types: EventTypes = {
    Renamed: {
      ...eventCatalog.AgentRenamed,
      schema: 2,
      upcast: (data) => ({ workflow_id: 1, name: data['title'] ?? '' }),
    },
  };
  expect(isValidData(types, 'Renamed', upcast(types, 'Renamed', { title: 'x' }, 1))).toBe(true);
  expect(upcast(types, 'Renamed', { workflow_id: 1, name: 'y' }, 2)).toEqual({ workflow_id: 1, name: 'y' });
});
