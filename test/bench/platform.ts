/** A platform in this process for benchmarks: its settings, what a campaign needs, and how to wait for it. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isLeft } from 'fp-ts/Either';
import { readConfig, type Config } from '../../src/config';
import { serve } from '../../src/commands/serve';
import { restClient, type RestClient } from '../../src/demo/client';
import { silentLogger } from '../../src/engine/telemetry';
import type { CarrierProbe } from './in-process-carrier';

const KEY = 'llk_bench_0123456789abcdef';

/** Environment variables that choose engines; none: the embedded ones. */
export type Settings = Readonly<Record<string, string>>;

export const configOf = (folder: string, settings: Settings = {}): Config => {
  const config = readConfig({
    DATA_DIR: folder,
    PORT: '0',
    HOST: '127.0.0.1',
    LEDGERLINE_BOOTSTRAP_KEY: KEY,
    LOG_LEVEL: 'silent',
    UPLOAD_MAX_BYTES: String(2 ** 30),
    ...settings,
  });
  if (isLeft(config)) throw new Error(config.left.join('; '));
  return config.right;
};

const AGENT = {
  nodes: [
    {
      id: 's',
      type: 'startCall',
      position: { x: 0, y: 0 },
      data: { name: 'Start Call', prompt: 'Say hello to {{first_name}}.' },
    },
    { id: 'e', type: 'endCall', position: { x: 300, y: 0 }, data: { name: 'End Call', prompt: 'Say goodbye.' } },
  ],
  edges: [{ id: 'se', source: 's', target: 'e', data: { label: 'done', condition: 'The call is over' } }],
};

export const until = async (
  what: string,
  done: () => Promise<boolean>,
  everyMs: number,
  timeoutMs = 1_200_000,
): Promise<void> => {
  const end = Date.now() + timeoutMs;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await new Promise((next) => setTimeout(next, everyMs));
  }
};

/** A PBX that nobody asks: the carrier is in this process. */
const NO_PBX = { ari_endpoint: 'http://127.0.0.1:1', app_name: 'bench', app_password: 'bench' };

/** A campaign over the list, not started; answers its id. */
export const setUp = async (
  api: RestClient,
  file: string,
  settings: Readonly<Record<string, unknown>>,
  pbx: Readonly<Record<string, string>> = NO_PBX,
): Promise<number> => {
  const config = await api.post<{ id: number }>('/api/v1/organizations/telephony-configs', {
    name: `PBX ${Math.random()}`,
    config: { provider: 'ari', ...pbx },
  });
  const agent = await api.post<{ id: number }>('/api/v1/workflow/create/definition', {
    name: 'Bench',
    workflow_definition: AGENT,
  });
  const size = (await stat(file)).size;
  const upload = await api.post<{ upload_url: string; file_key: string }>('/api/v1/s3/presigned-upload-url', {
    file_name: 'bench.csv',
    file_size: Math.min(size, 10_485_760),
    content_type: 'text/csv',
  });
  const put = await fetch(upload.upload_url, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv', 'Content-Length': String(size) },
    body: createReadStream(file) as unknown as string,
    duplex: 'half',
  } as RequestInit);
  if (!put.ok) throw new Error(`upload answered ${put.status}: ${await put.text()}`);
  const campaign = await api.post<{ id: number }>('/api/v1/campaign/create', {
    name: 'Bench',
    source_type: 'csv',
    source_id: upload.file_key,
    workflow_id: agent.id,
    telephony_configuration_id: config.id,
    ...settings,
  });
  return campaign.id;
};

export interface Progress {
  readonly state: string;
  readonly source_sync: { readonly status: string };
}

export const withPlatform = async (
  folder: string,
  settings: Settings,
  probe: CarrierProbe,
  work: (api: RestClient) => Promise<void>,
): Promise<void> => {
  const serving = await serve(configOf(folder, settings), silentLogger, new Map([['ari', probe.carrier]]));
  if (isLeft(serving)) throw new Error(serving.left);
  try {
    await work(restClient(serving.right.url, KEY));
  } finally {
    await serving.right.stop();
  }
};
