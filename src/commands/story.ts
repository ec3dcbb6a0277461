/** What the ledger tells of a campaign's contacts, read straight from its streams. */
import type { RecordedEvent } from '../core/event';
import { campaignStream, runStream } from '../core/ids';
import { START } from '../core/position';
import type { LedgerRun } from '../demo/judge';
import type { CampaignEvent } from '../domain/campaign/events';
import type { RunEvent } from '../domain/run/events';
import type { Platform } from '../engine/platform';

/** The one organization that the demo's ledger has. */
const ORG = 1;

const runEventOf = (event: RecordedEvent): RunEvent => ({ type: event.type, data: event.data }) as unknown as RunEvent;

/** Every contact of a campaign, in the order of the list, also those without any event. */
export const ledgerRuns = async (platform: Platform, campaign: number): Promise<readonly LedgerRun[]> => {
  const campaignEvents = (await platform.events.readStream(campaignStream(ORG, campaign))).map(
    (e) => ({ type: e.type, data: e.data }) as unknown as CampaignEvent,
  );
  const started = campaignEvents.find((e) => e.type === 'CampaignStarted');
  if (started === undefined) return [];
  const { first_run_id: first, contacts } = started.data;
  const runs = Array.from({ length: contacts }, (_, i) => ({
    runId: first + i,
    attempts: [] as { attempt: number; reference: string; variantId: string; withdrawn: boolean }[],
    terminal: 0,
    outcome: null as string | null,
  }));

  for (let after = START; ;) {
    const batch = await platform.events.readAll({ after, categories: ['run'], limit: 5000 });
    for (const recorded of batch.events) {
      const event = runEventOf(recorded);
      const run = runs[event.data.run_id - first];
      if (run === undefined) continue;
      if (event.type === 'CallAttempted')
        run.attempts.push({
          attempt: event.data.attempt,
          reference: event.data.reference,
          variantId: event.data.variant_id,
          withdrawn: false,
        });
      if (event.type === 'CallWithdrawn')
        for (const a of run.attempts) if (a.attempt === event.data.attempt) a.withdrawn = true;
      if (event.type === 'RunCompleted') {
        run.terminal += 1;
        run.outcome = event.data.outcome;
      }
    }
    after = batch.position;
    if (batch.caughtUp) return runs;
  }
};

/** One line per event of a contact; personal data stays sealed. */
export const story = async (platform: Platform, runId: number): Promise<readonly string[]> => {
  const events = await platform.events.readStream(runStream(ORG, runId));
  return events.map(
    (e) =>
      `${e.metadata.at}  #${String(e.revision).padEnd(3)} ${e.type.padEnd(15)} ${detailOf(runEventOf(e))}   ${e.metadata.hash.slice(0, 12)}…`,
  );
};

const detailOf = (event: RunEvent): string => {
  const attempt = `attempt ${event.data.attempt}`;
  switch (event.type) {
    case 'CallRequested':
      return `test call asked for, version ${event.data.version_number}, to be placed until ${event.data.place_until}`;
    case 'CallAttempted':
      return `${attempt}, variant ${event.data.variant_id}, version ${event.data.version_number}, claimed as ${event.data.reference.slice(0, 8)}…`;
    case 'CallWithdrawn':
    case 'CallUncertain':
      return `${attempt}: ${event.data.reason}`;
    case 'CallRefused':
      return `${attempt}: ${event.data.code}`;
    case 'CallEnded':
      return `${attempt}: ${event.data.outcome}${event.data.duration_seconds === null ? '' : ` after ${event.data.duration_seconds} s of talk`}${event.data.evidence?.cause === undefined ? '' : `, cause ${event.data.evidence.cause}`}`;
    case 'RetryScheduled':
      return `${event.data.reason}, due ${event.data.due_at}`;
    case 'RunCompleted':
      return event.data.reason === undefined ? event.data.outcome : `${event.data.outcome}: ${event.data.reason}`;
    default:
      return attempt;
  }
};
