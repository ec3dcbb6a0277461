import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, runCli, startPlatform, type Program } from '../support/programs';

let folder: string;
let first: Program;
const key = 'llk_folder_test_0123456789abcdef';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-folder-'));
  first = await startPlatform({ folder, port: await freePort(), key, env: { ROLE: 'all' } });
});
afterAll(async () => {
  await first?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it('refuses a second process on one embedded folder, and says who has it', async () => {
  const second = await runCli(['serve', '--role', 'dialer', '--port', '0', '--data-dir', folder]);
  expect(second.code).toBe(1);
  expect(second.output).toContain(folder);
  expect(second.output).toMatch(/process \d+|pid \d+/);
}, 30_000);

it('creates organizations and keys while the server runs, and the new key works at once', async () => {
  const created = await runCli(['org', 'create', '--name', 'Second', '--data-dir', folder]);
  expect(created.code).toBe(0);
  const organization = JSON.parse(created.output) as { organization_id: number; name: string; api_key: string };
  expect(organization).toMatchObject({
    name: 'Second',
    api_key: expect.stringMatching(/^llk_[A-Za-z0-9_-]{43}$/) as string,
  });
  const answer = await fetch(`${first.url}/api/v1/workflow/count`, { headers: { 'X-API-Key': organization.api_key } });
  expect(await answer.json()).toEqual({ total: 0, active: 0, archived: 0 });

  const key2 = await runCli([
    'key',
    'create',
    '--org',
    String(organization.organization_id),
    '--name',
    'reader',
    '--scopes',
    'read',
    '--data-dir',
    folder,
  ]);
  const { api_key: reader } = JSON.parse(key2.output) as { api_key: string };
  const refused = await fetch(`${first.url}/api/v1/workflow/create/definition`, {
    method: 'POST',
    headers: { 'X-API-Key': reader, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'x', workflow_definition: {} }),
  });
  expect(refused.status).toBe(403);
}, 30_000);

it('creates them on the folder itself when no server runs', async () => {
  await first.kill('SIGTERM');
  const created = await runCli(['org', 'create', '--name', 'Third', '--data-dir', folder]);
  expect(created.code).toBe(0);
  const organization = JSON.parse(created.output) as { api_key: string };
  first = await startPlatform({ folder, port: await freePort(), key });
  const answer = await fetch(`${first.url}/api/v1/workflow/count`, { headers: { 'X-API-Key': organization.api_key } });
  expect(answer.status).toBe(200);
}, 30_000);

it('lists every mistake of the environment and exits with 2', async () => {
  const started = await runCli(['serve', '--data-dir', folder], {
    PORT: 'many',
    ROLE: 'cook',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'ftp://x',
  });
  expect(started.code).toBe(2);
  for (const name of ['PORT', 'ROLE', 'LOG_LEVEL', 'PUBLIC_URL']) expect(started.output).toContain(name);
}, 30_000);
