/** What a campaign needs, made through the API. */
import type { Client } from '../support/http';

export const definition = (prompt = 'Greet {{name}}.', more: Readonly<Record<string, unknown>> = {}) => ({
  nodes: [
    { id: 's', type: 'startCall', position: { x: 0, y: 0 }, data: { name: 'Start', prompt, ...more } },
    { id: 'e', type: 'endCall', position: { x: 0, y: 100 }, data: { name: 'End', prompt: 'Say goodbye.' } },
  ],
  edges: [{ id: 'se', source: 's', target: 'e', data: { label: 'done', condition: 'all is said' } }],
});

export const ARI = {
  provider: 'ari',
  ari_endpoint: 'http://localhost:8088',
  app_name: 'asterisk',
  app_password: 'ari-password-1234',
};

const made = (answer: {
  readonly status: number;
  readonly body: { readonly id: number };
  readonly text: string;
}): number => {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.id;
};

let count = 0;
export const CONFIGS = '/api/v1/organizations/telephony-configs';

export const makeConfig = async (
  client: Client,
  config: Readonly<Record<string, unknown>> = ARI,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> => made(await client.post(CONFIGS, { name: `Config ${++count}`, config, ...more }));

export const makeAgent = async (client: Client, prompt?: string): Promise<number> =>
  made(
    await client.post('/api/v1/workflow/create/definition', {
      name: `Agent ${++count}`,
      workflow_definition: definition(prompt),
    }),
  );

/** Uploads a list; answers its key. */
export const upload = async (client: Client, csv: string | Buffer): Promise<string> => {
  const asked = await client.post('/api/v1/s3/presigned-upload-url', {
    file_name: 'contacts.csv',
    file_size: Math.max(1, Buffer.byteLength(csv)),
    content_type: 'text/csv',
  });
  const put = await fetch(asked.body.upload_url, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: csv as string,
  });
  if (!put.ok) throw new Error(`upload answered ${put.status}: ${await put.text()}`);
  return asked.body.file_key;
};

export const CSV = 'phone_number,name\n+14155550100,Ann\n+14155550101,Bob\n';

export interface Furnished {
  readonly config: number;
  readonly agent: number;
  readonly source: string;
  /** A good body of POST /campaign/create. */
  readonly campaign: Readonly<Record<string, unknown>>;
}

export const furnish = async (client: Client): Promise<Furnished> => {
  const [config, agent, source] = await Promise.all([makeConfig(client), makeAgent(client), upload(client, CSV)]);
  return {
    config,
    agent,
    source,
    campaign: {
      name: `Campaign ${++count}`,
      source_type: 'csv',
      source_id: source,
      workflow_id: agent,
      telephony_configuration_id: config,
    },
  };
};

export const makeCampaign = async (
  client: Client,
  furnished: Furnished,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> => made(await client.post('/api/v1/campaign/create', { ...furnished.campaign, ...more }));
