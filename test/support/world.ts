/** A platform and a simulator as real processes, and a client: what an end-to-end test begins with. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restClient, type RestClient } from '../../src/demo/client';
import { freePort, startPlatform, startSimulatorProgram, type Program } from './programs';

export interface World {
  readonly folder: string;
  readonly key: string;
  readonly api: RestClient;
  readonly simulator: Program;
  platform: Program;
  /** Starts the platform again on the same folder and port. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

export const startWorld = async (
  simulatorArgs: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-world-'));
  const key = 'llk_end_to_end_0123456789abcdef';
  const port = await freePort();
  const start = (): Promise<Program> => startPlatform({ folder, port, key, env });
  const simulator = await startSimulatorProgram(simulatorArgs);
  const platform = await start().catch(async (error: unknown) => {
    // What runs already would keep the test program from ending.
    await simulator.kill('SIGKILL');
    throw error;
  });
  const world: World = {
    folder,
    key,
    api: restClient(platform.url, key),
    simulator,
    platform,
    restart: async () => {
      world.platform = await start();
    },
    dispose: async () => {
      await world.platform.kill('SIGKILL');
      await simulator.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
};

const AGENT = {
  nodes: [
    { id: 's', type: 'startCall', position: { x: 0, y: 0 }, data: { name: 'Start Call', prompt: 'Say hello.' } },
    { id: 'e', type: 'endCall', position: { x: 300, y: 0 }, data: { name: 'End Call', prompt: 'Say goodbye.' } },
  ],
  edges: [{ id: 'se', source: 's', target: 'e', data: { label: 'done', condition: 'The call is over' } }],
};

export interface CampaignOptions {
  readonly numbers: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly agentConfigurations?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly start?: boolean;
}

/** Configuration, agent, upload, campaign: created, and started unless told otherwise. Answers the campaign's id. */
export const makeCampaign = async (
  api: RestClient,
  simulatorUrl: string,
  options: CampaignOptions,
): Promise<number> => {
  const suffix = Math.random().toString(36).slice(2, 8);
  const config = await api.post<{ id: number }>('/api/v1/organizations/telephony-configs', {
    name: `PBX ${suffix}`,
    config: {
      provider: 'ari',
      ari_endpoint: simulatorUrl,
      app_name: 'ledgerline',
      app_password: 'secret',
      dial_string_template: 'PJSIP/{number}@trunk',
      ...options.config,
    },
  });
  const agent = await api.post<{ id: number }>('/api/v1/workflow/create/definition', {
    name: `Agent ${suffix}`,
    workflow_definition: AGENT,
  });
  if (options.agentConfigurations !== undefined) {
    await api.put(`/api/v1/workflow/${agent.id}`, { workflow_configurations: options.agentConfigurations });
    await api.post(`/api/v1/workflow/${agent.id}/publish`, {});
  }
  const csv = `phone_number\n${options.numbers.join('\n')}\n`;
  const upload = await api.post<{ upload_url: string; file_key: string }>('/api/v1/s3/presigned-upload-url', {
    file_name: 'contacts.csv',
    file_size: Buffer.byteLength(csv),
    content_type: 'text/csv',
  });
  const put = await fetch(upload.upload_url, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: csv });
  if (!put.ok) throw new Error(`upload answered ${put.status}: ${await put.text()}`);
  const campaign = await api.post<{ id: number }>('/api/v1/campaign/create', {
    name: `Campaign ${suffix}`,
    source_type: 'csv',
    source_id: upload.file_key,
    workflow_id: agent.id,
    telephony_configuration_id: config.id,
    ...options.settings,
  });
  if (options.start !== false) await api.post(`/api/v1/campaign/${campaign.id}/start`);
  return campaign.id;
};

/** Different fictitious numbers; `ending` fixes the last digit of each. */
export const numbers = (count: number, ending = ''): readonly string[] =>
  Array.from({ length: count }, (_, i) => `+1555${String(1_000_000 + i).padStart(7, '0')}${ending}`);
