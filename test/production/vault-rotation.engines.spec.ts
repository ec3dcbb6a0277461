/** `ledgerline vault rotate`: killed in the middle, run again, and what it says where it can't. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { masterKey } from '../../src/adapters/production/master-key';
import { mongoVault } from '../../src/adapters/production/mongodb-vault';
import { closing } from '../adapters/production/closing';
import { withEngine } from '../support/engines';
import { eventually, runCli } from '../support/programs';

const cli = join(__dirname, '..', '..', 'dist', 'src', 'cli.js');
const newKey = (): string => randomBytes(32).toString('hex');

const PAGES = 2000;

withEngine('mongo', {}, (engine) => {
  const afterwards = closing();

  /** A vault full of pages under a key, and how many of its documents each master key wraps. */
  const filled = async (count: number) => {
    const at = new URL(engine().url);
    at.pathname = `/rotation-${randomBytes(5).toString('hex')}`;
    const url = at.toString();
    const old = newKey();
    const vault = mongoVault({ url, masterKey: masterKey(old) });
    await eventually('the server answers', 30_000, () => vault.ping().then(() => true));
    const pages = Array.from({ length: count }, () => ({ id: randomUUID(), keys: [randomBytes(32), randomBytes(32)] }));
    for (let i = 0; i < count; i += 200)
      await Promise.all(pages.slice(i, i + 200).map(({ id, keys }) => vault.createPage(1, id, keys)));
    const organizationKey = await vault.organizationKey(1);
    const secret = await vault.secret('installation');
    const raw = new MongoClient(url);
    const wrappedBy = async (key: string): Promise<number> => {
      const db = raw.db(`${at.pathname.slice(1)}_vault`);
      const names = ['pages', 'secrets', 'organization_keys'];
      const counts = names.map((name) => db.collection(name).countDocuments({ master: masterKey(key).id }));
      return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
    };
    afterwards(vault.close);
    afterwards(() => raw.close());
    return { url, old, pages, organizationKey, secret, wrappedBy };
  };
  const settings = (url: string, current: string, previous: string): Readonly<Record<string, string>> => ({
    MONGO_URL: url,
    VAULT_MASTER_KEY: current,
    VAULT_PREVIOUS_MASTER_KEYS: previous,
  });

  it('wraps every key anew, also when it is killed in the middle and run again, and shows how far it is', async () => {
    const { url, old, pages, organizationKey, secret, wrappedBy } = await filled(PAGES);
    const next = newKey();
    const all = PAGES + 2;
    const child = spawn(process.execPath, [cli, 'vault', 'rotate'], {
      env: { ...process.env, ...settings(url, next, old) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const gone = new Promise<void>((done) => child.once('exit', () => done()));
    await eventually(
      'some keys are wrapped anew',
      60_000,
      async () => ((await wrappedBy(next)) > 100 ? true : null),
      5,
    );
    child.kill('SIGKILL');
    await gone;
    // The server may still carry out what it was asked last.
    const left = await eventually('nothing moves any more', 20_000, async () => {
      const [older, newer] = [await wrappedBy(old), await wrappedBy(next)];
      return older + newer === all ? older : null;
    });
    expect(left).toBeGreaterThan(0);
    expect(output).toContain(`0 keys wrapped anew, ${all} to go`);

    // Whoever knows both keys notices nothing.
    const both = mongoVault({ url, masterKey: masterKey(next), previousMasterKeys: [masterKey(old)] });
    afterwards(both.close);
    for (const page of [pages[0], pages[PAGES - 1]]) expect(await both.page(1, page?.id ?? '')).toEqual(page);

    const again = await runCli(['vault', 'rotate'], settings(url, next, old));
    expect(again.output).toContain(`${left} keys wrapped anew, 0 left`);
    expect(again.output).toContain('VAULT_PREVIOUS_MASTER_KEYS may be forgotten');
    expect(again.code).toBe(0);
    expect(await wrappedBy(next)).toBe(all);

    const renewed = mongoVault({ url, masterKey: masterKey(next) });
    afterwards(renewed.close);
    for (const page of pages.slice(0, 500)) expect(await renewed.page(1, page.id)).toEqual(page);
    expect(await renewed.organizationKey(1)).toEqual(organizationKey);
    expect(await renewed.secret('installation')).toEqual(secret);
  }, 120_000);

  it('changes nothing, and says why, when a key is wrapped by a master key that it was not given', async () => {
    const { url, old, wrappedBy } = await filled(3);
    const refused = await runCli(['vault', 'rotate'], settings(url, newKey(), newKey()));
    expect(refused.output).toContain('which is not the one given');
    expect(refused.output).not.toContain(old);
    expect(refused.code).toBe(1);
    expect(await wrappedBy(old)).toBe(5);
  }, 120_000);
});

it('says that the embedded vault has no master key', async () => {
  const none = await runCli(['vault', 'rotate'], { MONGO_URL: '', VAULT_MASTER_KEY: '' });
  expect(none.output).toContain('nothing to rotate');
  expect(none.code).toBe(2);
});
