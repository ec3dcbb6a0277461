/** Settings of the program that turn something on: seen in what it does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft, left } from 'fp-ts/Either';
import { events } from '../../projections/events';
import { serve } from '../../src/commands/serve';
import { readConfig } from '../../src/config';
import { silentLogger } from '../../src/engine/telemetry';
import { accountsPeer } from '../carriers/accounts-peer';
import { openLedger } from '../support/witnesses';

jest.setTimeout(60_000);
const KEY = 'llk_settings_test_0123456789abcdef';

const withProgram = async (
  settings: Readonly<Record<string, string>>,
  work: (call: (method: string, path: string, body?: unknown) => Promise<Response>) => Promise<void>,
  after: (folder: string) => Promise<void> = async () => undefined,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-settings-'));
  const config = readConfig({
    DATA_DIR: folder,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    LEDGERLINE_BOOTSTRAP_KEY: KEY,
    ...settings,
  });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  const serving = await serve(config.right, silentLogger);
  if (isLeft(serving)) throw new Error(serving.left);
  try {
    await work((method, path, body) =>
      fetch(`${serving.right.url}${path}`, {
        method,
        headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  } finally {
    await serving.right.stop();
  }
  await after(folder);
  await rm(folder, { recursive: true, force: true });
};

const CONFIGS = '/api/v1/organizations/telephony-configs';
const ARI = { provider: 'ari', ari_endpoint: 'http://127.0.0.1:1', app_name: 'a', app_password: 'p' };

const indexed = async (folder: string): Promise<readonly string[]> => {
  const { platform, close } = await openLedger({ DATA_DIR: folder, AUDIT_INDEX: 'on' });
  const found = await platform.views.find(events, {
    where: [{ field: 'organization', is: 1 }],
    sort: { field: 'position', descending: false },
  });
  await close();
  return found.map((e) => e.type);
};

it('AUDIT_INDEX=on keeps every event of an organization in the auditors’ index', () =>
  withProgram(
    { AUDIT_INDEX: 'on' },
    async (call) => expect((await call('POST', CONFIGS, { name: 'Audited', config: ARI })).status).toBe(200),
    async (folder) => expect(await indexed(folder)).toEqual(['OrganizationCreated', 'ApiKeyCreated', 'ConfigCreated']),
  ));

it('without it there is no auditors’ index', () =>
  withProgram(
    {},
    async (call) => expect((await call('POST', CONFIGS, { name: 'Not audited', config: ARI })).status).toBe(200),
    async (folder) => expect(await indexed(folder)).toEqual([]),
  ));

it('CARRIER_URL_PLIVO names where Plivo is asked: an application is made there on save', async () => {
  const peer = await accountsPeer();
  try {
    await withProgram({ CARRIER_URL_PLIVO: peer.url }, async (call) => {
      const config = { provider: 'plivo', auth_id: 'MA1', auth_token: 'plivo-token' };
      const made = await call('POST', CONFIGS, { name: 'Plivo', config });
      expect(made.status).toBe(200);
      expect(((await made.json()) as { credentials: object }).credentials).toMatchObject({ application_id: '77' });
      expect(String(peer.requests.at(-1)?.body['answer_url'])).toMatch(/\/api\/v1\/telephony\/inbound\/run$/);
    });
  } finally {
    await peer.close();
  }
});

it('a wrong value of either is told at the start', () => {
  expect(readConfig({ AUDIT_INDEX: 'perhaps', CARRIER_URL_TWILIO: 'api.twilio.com' })).toEqual(
    left([
      "AUDIT_INDEX must be on or off, not 'perhaps'",
      "CARRIER_URL_TWILIO must be an http:// or https:// URL, not 'api.twilio.com'",
    ]),
  );
});
