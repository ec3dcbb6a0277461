/** Nothing of a contact and no credential can be read in the ledger, the vault or the logs; only the read models hold what GET shows. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/programs';
import { startWorld, type World } from '../support/world';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--by-digit', '--time-scale', '0.1']);
});
afterAll(() => world?.dispose());

const filesUnder = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = await Promise.all(
    entries.map((e) => (e.isDirectory() ? filesUnder(join(folder, e.name)) : e.isFile() ? [join(folder, e.name)] : [])),
  );
  return nested.flat();
};

it('seals credentials, numbers and variables', async () => {
  const { api } = world;
  const secrets = { password: 'Zx9-very-secret-password', variable: 'Quintessential-Name', number: '+15557654320' };
  const config = await api.post<{ id: number }>('/api/v1/organizations/telephony-configs', {
    name: 'Sealed PBX',
    config: {
      provider: 'ari',
      ari_endpoint: world.simulator.url,
      app_name: 'ledgerline',
      app_password: secrets.password,
    },
  });
  // Its password is wrong on purpose: the carrier's refusals must not show it either.
  await api.get(`/api/v1/organizations/telephony-configs/${config.id}`);
  await api.put(`/api/v1/organizations/telephony-configs/${config.id}`, {
    config: {
      provider: 'ari',
      ari_endpoint: world.simulator.url,
      app_name: 'ledgerline',
      app_password: 'secret',
      dial_string_template: 'PJSIP/{number}@trunk',
    },
  });
  const agent = await api.post<{ id: number }>('/api/v1/workflow/create/template', {
    use_case: 'reminder',
    activity_description: 'say hello',
  });
  const csv = `phone_number,customer\n${secrets.number},${secrets.variable}\n`;
  const upload = await api.post<{ upload_url: string; file_key: string }>('/api/v1/s3/presigned-upload-url', {
    file_name: 'c.csv',
    file_size: csv.length,
    content_type: 'text/csv',
  });
  await fetch(upload.upload_url, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: csv });
  const campaign = await api.post<{ id: number }>('/api/v1/campaign/create', {
    name: 'C',
    source_type: 'csv',
    source_id: upload.file_key,
    workflow_id: agent.id,
    telephony_configuration_id: config.id,
  });
  await api.post(`/api/v1/campaign/${campaign.id}/start`);
  await eventually('the campaign completes', 30_000, async () =>
    (await api.get<{ state: string }>(`/api/v1/campaign/${campaign.id}`)).state === 'completed' ? true : null,
  );

  const runs = await api.get<{ runs: { initial_context: Record<string, string> }[] }>(
    `/api/v1/campaign/${campaign.id}/runs`,
  );
  expect(runs.runs[0]?.initial_context.customer).toBe(secrets.variable);
  await world.platform.kill('SIGTERM');

  const all = await filesUnder(world.folder);
  // Read models are what GET shows.
  const files = all.filter((f) => !/views\.db/.test(f));
  expect(files.some((f) => f.startsWith(join(world.folder, 'objects', 'campaigns')))).toBe(true);
  expect(files.some((f) => f.endsWith('ledger.db'))).toBe(true);
  expect(files.some((f) => f.endsWith('vault.db'))).toBe(true);
  for (const file of files) {
    const bytes = await readFile(file);
    for (const [what, secret] of Object.entries({ ...secrets, digits: secrets.number.slice(1), key: world.key })) {
      expect({ file, what, found: bytes.includes(secret) }).toEqual({ file, what, found: false });
    }
  }
  const views = await Promise.all(all.filter((f) => /views\.db/.test(f)).map((f) => readFile(f)));
  expect(views.some((v) => v.includes(secrets.variable))).toBe(true);
  expect(views.some((v) => v.includes(secrets.password))).toBe(false);
  for (const secret of [...Object.values(secrets), world.key]) expect(world.platform.output()).not.toContain(secret);
}, 60_000);
