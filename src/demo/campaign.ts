/** The demo's part as a REST client: everything that it does, any client could do. */
import type { RestClient } from './client';
import type { Screen, Snapshot } from './show';

export interface SimulatorAccess {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

interface Upload {
  readonly upload_url: string;
  readonly file_key: string;
}
interface Progress {
  readonly state: string;
  readonly total_rows: number;
  readonly processed_rows: number;
  readonly calls_in_flight: number;
  readonly contacts_ended: number;
}
export interface TrafficStats {
  readonly total_attempts: number;
  readonly variants: readonly {
    readonly id: string;
    readonly workflow_name: string;
    readonly version_number: number | null;
    readonly target_weight: number | null;
    readonly attempts: number;
    readonly completed: number;
    readonly actual_percentage: number;
    readonly outcomes: Readonly<Record<string, number>>;
  }[];
}

const node = (id: string, type: string, x: number, data: Readonly<Record<string, unknown>>): unknown => ({
  id,
  type,
  position: { x, y: 0 },
  data,
});

const DEFINITION = {
  nodes: [
    node('start', 'startCall', 0, {
      name: 'Start Call',
      greeting: 'Hello {{first_name}}, this is Riverside Clinic.',
      prompt: 'Greet the patient and ask whether the appointment still suits them.',
    }),
    node('talk', 'agentNode', 300, {
      name: 'Confirm',
      prompt: 'Confirm the appointment, or offer another day. The patient lives in {{city}}.',
    }),
    node('end', 'endCall', 600, { name: 'End Call', prompt: 'Thank the patient and say goodbye.' }),
  ],
  edges: [
    { id: 'e1', source: 'start', target: 'talk', data: { label: 'answered', condition: 'The patient is on the line' } },
    { id: 'e2', source: 'talk', target: 'end', data: { label: 'done', condition: 'The appointment is settled' } },
  ],
};

const merged = (maps: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
  const sum: Record<string, number> = {};
  for (const map of maps) for (const [k, n] of Object.entries(map)) sum[k] = (sum[k] ?? 0) + n;
  return sum;
};

/** Creates all that a campaign needs and starts it; answers its id. */
export const startCampaign = async (
  api: RestClient,
  simulator: SimulatorAccess,
  csv: string,
  contacts: number,
  say: Screen['line'],
  retries = 2,
): Promise<number> => {
  const config = await api.post<{ id: number; name: string }>('/api/v1/organizations/telephony-configs', {
    name: 'Demo PBX',
    is_default_outbound: true,
    config: {
      provider: 'ari',
      ari_endpoint: simulator.url,
      app_name: simulator.username,
      app_password: simulator.password,
      dial_string_template: 'PJSIP/{number}@trunk',
    },
  });
  say(`telephony configuration ${config.id} '${config.name}': ARI at ${simulator.url}`);

  const confirm = await api.post<{ id: number; name: string }>('/api/v1/workflow/create/definition', {
    name: 'Appointment reminder',
    workflow_definition: DEFINITION,
  });
  const survey = await api.post<{ id: number; name: string }>('/api/v1/workflow/create/template', {
    use_case: 'Appointment reminder, friendlier',
    activity_description: 'Call the patient, confirm tomorrow’s appointment in one warm sentence, and say goodbye.',
  });
  say(`agents ${confirm.id} '${confirm.name}' (from a definition) and ${survey.id} '${survey.name}' (from a template)`);

  const upload = await api.post<Upload>('/api/v1/s3/presigned-upload-url', {
    file_name: 'patients.csv',
    file_size: Buffer.byteLength(csv),
    content_type: 'text/csv',
  });
  const put = await fetch(upload.upload_url, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: csv });
  if (!put.ok) throw new Error(`PUT of the contact list answered ${put.status}: ${await put.text()}`);
  say(`${contacts} contacts uploaded`);

  const campaign = await api.post<{ id: number; state: string }>('/api/v1/campaign/create', {
    name: 'Reminders for tomorrow',
    source_type: 'csv',
    source_id: upload.file_key,
    telephony_configuration_id: config.id,
    traffic_split: {
      variants: [
        { workflow_id: confirm.id, weight: 60 },
        { workflow_id: survey.id, weight: 40 },
      ],
    },
    retry_config: { max_retries: retries, retry_delay_seconds: 30 },
    circuit_breaker: { failure_threshold: 0.6, window_seconds: 60, min_calls_in_window: 30 },
    rate_limit_per_second: Math.max(5, Math.min(60, Math.ceil(contacts / 15))),
    max_concurrency: 80,
  });
  await api.post(`/api/v1/campaign/${campaign.id}/start`);
  say(`campaign ${campaign.id} started: split 60/40, up to ${retries} retries after 30 s, circuit breaker on`);
  return campaign.id;
};

/** Shows the campaign until it is completed; revises the split once on the way, resumes if the breaker tripped. */
export const follow = async (
  api: RestClient,
  campaign: number,
  show: Screen,
  timeoutMs: number,
): Promise<TrafficStats> => {
  const until = Date.now() + timeoutMs;
  let revised = false;
  for (;;) {
    const [progress, stats] = await Promise.all([
      api.get<Progress>(`/api/v1/campaign/${campaign}/progress`),
      api.get<TrafficStats>(`/api/v1/campaign/${campaign}/traffic-stats`),
    ]);
    const snapshot: Snapshot = {
      state: progress.state,
      contacts: progress.total_rows,
      contactsDone: progress.contacts_ended,
      inFlight: progress.calls_in_flight,
      attempts: stats.total_attempts,
      outcomes: merged(stats.variants.map((v) => v.outcomes)),
    };
    show.progress(snapshot);
    if (progress.state === 'completed') return stats;
    if (progress.state === 'failed')
      throw new Error(`campaign ${campaign} failed: GET /api/v1/campaign/${campaign} shows why in its logs`);
    if (progress.state === 'paused') {
      show.line('the circuit breaker has paused the campaign; resuming it');
      await api.post(`/api/v1/campaign/${campaign}/resume`);
    }
    if (!revised && progress.processed_rows >= progress.total_rows / 3) {
      revised = true;
      const split = (
        await api.get<{ traffic_split: { variants: readonly { workflow_id: number; weight: number }[] } }>(
          `/api/v1/campaign/${campaign}`,
        )
      ).traffic_split;
      const variants = split.variants.map((v, i) => ({ workflow_id: v.workflow_id, weight: i === 0 ? 30 : 70 }));
      await api.patch(`/api/v1/campaign/${campaign}`, { traffic_split: { variants } });
      show.line(
        'split revised to 30/70 while it runs: calls in flight keep their version, later attempts use the new one',
      );
    }
    if (Date.now() > until)
      throw new Error(`campaign ${campaign} is still ${progress.state} after ${timeoutMs / 1000} s`);
    await new Promise((done) => setTimeout(done, 500));
  }
};
