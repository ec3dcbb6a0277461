import { join } from 'node:path';
import { embeddedReadStore } from '../../src/adapters/embedded/read-store';
import { querySql, whereSql } from '../../src/adapters/embedded/read-store-sql';
import { openDatabase, statements } from '../../src/adapters/embedded/sqlite';
import type { Document } from '../../src/ports/read-store';
import { positionOf, START } from '../../src/core/position';
import type { ReadStore } from '../../src/ports/read-store';
import { readStoreContract } from '../contract/read-store';
import { tempFolder, type TempFolder } from '../support/temp';

readStoreContract('embedded', {
  create: async () => {
    const folder = await tempFolder();
    let store: ReadStore = await embeddedReadStore({ folder: folder.path });
    return {
      adapter: store,
      reopen: async () => {
        await store.close();
        store = await embeddedReadStore({ folder: folder.path });
        return store;
      },
      dispose: async () => {
        await store.close();
        await folder.remove();
      },
    };
  },
});

describe('the embedded read models', () => {
  let folder: TempFolder;
  let store: ReadStore;
  beforeEach(async () => {
    folder = await tempFolder();
    store = await embeddedReadStore({ folder: folder.path });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });
  const documents: readonly Document[] = [
    { org: 1, v: 'text', deep: { v: 'é"\'' } },
    { org: 1, v: 7, deep: { v: -0.5 } },
    { org: 1, v: true, deep: { v: false } },
    { org: 1, v: null, deep: { v: null } },
    { org: 1, v: [1, 'a'], deep: { v: { a: 1 } } },
    { org: 1, deep: 'not an object' },
    { org: 1, v: '', deep: ['a'] },
    { org: 1, v: 1e21 },
  ];
  const write = (collection: string): Promise<void> =>
    store.write(
      collection,
      documents.map((document, i) => ({ key: `k${i}`, document, position: positionOf(i + 1) })),
    );

  it('index the same of a document whether it is written before the index or after', async () => {
    const fields = ['org', 'v', 'deep.v'];
    await store.ensure({ name: 'before_v1', indexes: [{ fields }] });
    await store.ensure({ name: 'after_v1', indexes: [] });
    await Promise.all([write('before_v1'), write('after_v1')]);
    await store.ensure({ name: 'after_v1', indexes: [{ fields }] });
    const db = openDatabase(join(folder.path, 'views.db'), { readOnly: true });
    const columns = (table: string): unknown =>
      statements(db)(`SELECT key, "f:org", "f:v", "f:deep.v" FROM "c_${table}" ORDER BY key`).all();
    const before = columns('before_v1');
    expect(before).toHaveLength(documents.length);
    expect(columns('after_v1')).toEqual(before);
    db.close();
  });

  it('take writes that are under way while an index is added', async () => {
    await store.ensure({ name: 'x_v1', indexes: [] });
    const writing = Array.from({ length: 20 }, (_, i) =>
      store.write('x_v1', [{ key: `k${i}`, document: { n: i }, position: positionOf(i + 1) }]),
    );
    const ensuring = store.ensure({ name: 'x_v1', indexes: [{ fields: ['n'] }] });
    const more = Array.from({ length: 20 }, (_, i) =>
      store.write('x_v1', [{ key: `m${i}`, document: { n: i }, position: positionOf(i + 1) }]),
    );
    await Promise.all([...writing, ensuring, ...more]);
    for (let n = 0; n < 20; n++) expect(await store.count('x_v1', [{ field: 'n', is: n }])).toBe(2);
  });

  it('answer the queries of lists from an index, pages deep and counts from the index alone', async () => {
    const indexes = [{ fields: ['org', 'created_at'] }, { fields: ['org', 'campaign', 'created_at'] }];
    await store.ensure({ name: 'x_v1', indexes });
    const db = openDatabase(join(folder.path, 'views.db'), { readOnly: true });
    const columns = ['org', 'created_at', 'campaign'];
    const plan = ({ text, values }: { text: string; values: readonly unknown[] }): string =>
      (db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[]).map((r) => r.detail).join('; ');
    const sort = { field: 'created_at', descending: true };
    const ofOrganization = [{ field: 'org', is: 1 }];
    const ofCampaign = [...ofOrganization, { field: 'campaign', is: 3 }];
    for (const where of [
      ofOrganization,
      ofCampaign,
      [...ofOrganization, { field: 'created_at', from: '2026', to: '2027' }],
    ]) {
      const list = plan(querySql('x_v1', { where, sort, limit: 50 }, columns, 'document'));
      expect(list).toMatch(/^SEARCH c_x_v1 USING INDEX/);
      expect(list).not.toContain('TEMP B-TREE');
      expect(plan(querySql('x_v1', { where, sort, skip: 5000, limit: 50 }, columns, 'rowid'))).toContain(
        'COVERING INDEX',
      );
      const condition = whereSql(where, columns);
      expect(plan({ ...condition, text: `SELECT count(*) FROM "c_x_v1" ${condition.text}` })).toContain(
        'COVERING INDEX',
      );
    }
    db.close();
  });

  it('refuse a second document where an index is unique, and go on', async () => {
    await store.ensure({ name: 'x_v1', indexes: [{ fields: ['name'], unique: true }] });
    await store.write('x_v1', [{ key: 'a', document: { name: 'n' }, position: positionOf(1) }]);
    const second = store.write('x_v1', [{ key: 'b', document: { name: 'n' }, position: positionOf(2) }]);
    await expect(second).rejects.toThrow('UNIQUE');
    await store.write('x_v1', [{ key: 'b', document: { name: 'm' }, position: positionOf(2) }]);
    expect(await store.count('x_v1', [])).toBe(2);
  });

  it('take no name and no field that is more than letters, digits and underscores', async () => {
    for (const name of ['', 'x-y', 'x"; DROP TABLE settings', 'ä'])
      await expect(store.ensure({ name, indexes: [] })).rejects.toThrow('not a collection name');
    await store.ensure({ name: 'x_v1', indexes: [] });
    for (const field of ['', 'a-b', "a') --", 'a..b', '$.a']) {
      await expect(store.find('x_v1', { where: [{ field, is: 1 }] })).rejects.toThrow('not a field');
      await expect(store.find('x_v1', { where: [], sort: { field, descending: true } })).rejects.toThrow('not a field');
    }
  });

  it('begin anew when the file has the form of another version of this program', async () => {
    await store.ensure({ name: 'x_v1', indexes: [] });
    await store.apply([{ collection: 'x_v1', writes: [], checkpoint: { expected: START, next: positionOf(9) } }]);
    await store.close();
    const db = openDatabase(join(folder.path, 'views.db'));
    db.exec('PRAGMA user_version=1');
    db.close();
    store = await embeddedReadStore({ folder: folder.path });
    expect(await store.collections()).toEqual([]);
    expect(await store.checkpoint('x_v1')).toBe(START);
  });
});
