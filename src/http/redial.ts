/** The contact list of a redial: those contacts of a campaign whose latest call ended in a way that was chosen, as a CSV of its own. */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { RunDoc } from '../../projections/runs';
import type { Json } from '../core/event';
import type { OrganizationId } from '../core/ids';
import type { CampaignRedial } from '../domain/campaign/requests';
import type { Api } from './api';
import { everyRun } from './every-run';
import { csvRow } from './report';
import { campaignPrefix } from './routes/uploads';

export interface RedialSource {
  readonly key: string;
  readonly sha256: string;
  /** Contacts. */
  readonly rows: number;
}

const GREETING = ['greeting_override_type', 'greeting_override_text', 'greeting_override_recording_id'];

const greetingCells = (greeting: Json | undefined): readonly unknown[] => {
  const { type, text, recording_id } = (greeting ?? {}) as { type?: string; text?: string; recording_id?: string };
  return [type, text, recording_id];
};

/** The dispositions that a request selects. */
const dispositions = (wanted: CampaignRedial): readonly string[] => [
  ...(wanted.retry_on_busy ? ['busy'] : []),
  ...(wanted.retry_on_no_answer ? ['no-answer'] : []),
  ...(wanted.retry_on_voicemail ? ['voicemail_detected'] : []),
];

/** Writes the list. Erased contacts are not in it. `rows` 0: nobody matches, and nothing was written. */
export const writeRedialSource = async (
  api: Api,
  org: OrganizationId,
  parent: number,
  wanted: CampaignRedial,
): Promise<RedialSource> => {
  const { objects } = api.platform;
  const key = `${campaignPrefix(org)}${randomUUID()}_redial_of_${parent}.csv`;
  const hash = createHash('sha256');
  let rows = 0;
  let columns: readonly string[] | null = null;

  const lines = (docs: readonly RunDoc[]): string => {
    const contacts = docs.flatMap((doc) => (doc.contact === null ? [] : [doc.contact]));
    const head = columns === null && contacts[0] !== undefined ? Object.keys(contacts[0].variables) : null;
    if (head !== null) columns = head.filter((name) => name !== 'greeting_override' && !GREETING.includes(name));
    const names = columns ?? [];
    rows += contacts.length;
    return [
      ...(head === null ? [] : [csvRow(['phone_number', ...names, ...GREETING])]),
      ...contacts.map(({ phone_number, variables }) =>
        csvRow([phone_number, ...names.map((n) => variables[n]), ...greetingCells(variables['greeting_override'])]),
      ),
    ].join('');
  };
  async function* body(): AsyncGenerator<Buffer, void> {
    const where = [
      { field: 'organization', is: org },
      { field: 'campaign_id', is: parent },
      { field: 'is_completed', is: true },
      { field: 'disposition', in: dispositions(wanted) },
    ];
    for await (const page of everyRun(api, where, false)) {
      const chunk = Buffer.from(lines(page));
      hash.update(chunk);
      if (chunk.length > 0) yield chunk;
    }
  }

  await objects.put(key, Readable.from(body(), { objectMode: false }), 'text/csv');
  if (rows === 0) await objects.remove(key);
  return { key, sha256: hash.digest('hex'), rows };
};
