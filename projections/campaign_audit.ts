/**
 * Counts of campaigns made along the log by other means than the read models' fold: for `verify`. Contacts that were queued and not ended in a
 * completed campaign are found here too.
 */
import type { RunEvent } from '../src/domain/run/events';
import type { CampaignEvent, ContactsEvent } from '../src/domain/campaign/events';
import type { Audit, FoldedDocuments, Projected } from '../src/engine/projection';
import type { CampaignDoc } from './campaigns';
import type { TrafficStatsDoc } from './traffic_stats';

type Event = Projected<CampaignEvent> | Projected<ContactsEvent> | Projected<RunEvent>;

interface Tally {
  readonly org: number;
  readonly id: number;
  queued: number;
  retries: number;
  /** Claims that were not withdrawn, of first calls and of retries. */
  first: number;
  again: number;
  over: number;
  ended: number;
  failed: number;
  completed: boolean;
  deleted: boolean;
  /** Claims whose call is not over: run and attempt. */
  readonly open: Map<number, number>;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const count = (tally: Tally, event: Event): void => {
  switch (event.type) {
    case 'ContactsQueued':
      tally.queued += event.data.contacts.length;
      return;
    case 'CampaignCompleted':
      tally.completed = true;
      return;
    case 'CampaignDeleted':
      tally.deleted = true;
      return;
    case 'CallAttempted':
      tally.open.set(event.data.run_id, event.data.attempt);
      if (event.data.retry === 0) tally.first += 1;
      else tally.again += 1;
      return;
    case 'CallWithdrawn':
      if (tally.open.get(event.data.run_id) !== event.data.attempt) return;
      tally.open.delete(event.data.run_id);
      if (event.data.retry === 0) tally.first -= 1;
      else tally.again -= 1;
      return;
    case 'CallEnded':
    case 'CallRefused':
      tally.over += 1;
      tally.open.delete(event.data.run_id);
      return;
    case 'RetryScheduled':
      tally.retries += 1;
      return;
    case 'RunCompleted':
      tally.ended += 1;
      if (!['completed', 'voicemail', 'canceled'].includes(event.data.outcome)) tally.failed += 1;
      return;
    default:
  }
};

type Same = (what: string, shown: number, log: number) => void;

const compareCampaign = (doc: CampaignDoc, tally: Tally, same: Same): void => {
  same('executed_count', doc.executed_count, tally.first + tally.again);
  same('processed_rows', doc.processed_rows, tally.first);
  same('failed_rows', doc.failed_rows, tally.failed);
  same('contacts ended', doc.contacts_ended, tally.ended);
  same('total_queued_count', doc.contacts_queued + doc.retries_scheduled, tally.queued + tally.retries);
  same('calls in flight', doc.in_flight.length, tally.open.size);
};

const compareTraffic = (doc: TrafficStatsDoc | null, tally: Tally, same: Same): void => {
  const variants = doc?.variants ?? [];
  const attempts = tally.first + tally.again;
  same('attempts by variant', sum(variants.map((v) => v.attempts)), attempts);
  same('attempts by version', sum(variants.flatMap((v) => v.definitions.map((d) => d.attempts))), attempts);
  same('attempts that are over', sum(variants.map((v) => v.completed)), tally.over);
  same('outcomes', sum(variants.flatMap((v) => Object.values(v.outcomes))), tally.over);
};

const disagreements = async (tally: Tally, folded: FoldedDocuments): Promise<readonly string[]> => {
  const key = `${tally.org}/${tally.id}`;
  const found: string[] = [];
  const same: Same = (what, shown, log) => {
    if (shown !== log) found.push(`campaign ${key} shows ${what} ${shown}, the log says ${log}`);
  };
  const doc = await folded.get('campaigns', key);
  if (doc !== null) compareCampaign(doc as unknown as CampaignDoc, tally, same);
  else if (!tally.deleted) found.push(`campaign ${key} is in the log and not in the read model`);
  if (folded.has('traffic_stats'))
    compareTraffic((await folded.get('traffic_stats', key)) as unknown as TrafficStatsDoc | null, tally, same);
  if (folded.has('runs')) {
    const ofCampaign = [
      { field: 'organization', is: tally.org },
      { field: 'campaign_id', is: tally.id },
    ];
    same('runs', await folded.count('runs', ofCampaign), tally.first);
  }
  if (tally.first + tally.again !== tally.over + tally.open.size)
    found.push(`campaign ${key}: attempts and their ends do not add up`);
  if (tally.completed && tally.ended !== tally.queued)
    found.push(`campaign ${key} is completed with ${tally.ended} of ${tally.queued} contacts ended`);
  return found;
};

export const campaignAudit = (): Audit => {
  const tallies = new Map<string, Tally>();
  return {
    see: (projected) => {
      const event = projected as unknown as Event;
      const id = event.data.campaign_id;
      if (id === null) return;
      const key = `${event.org}/${id}`;
      let tally = tallies.get(key);
      if (tally === undefined) {
        const zero = { queued: 0, retries: 0, first: 0, again: 0, over: 0, ended: 0, failed: 0 };
        tally = { org: event.org, id, ...zero, completed: false, deleted: false, open: new Map() };
        tallies.set(key, tally);
      }
      count(tally, event);
    },
    compare: async (folded) => {
      const found: string[] = [];
      for (const tally of tallies.values()) found.push(...(await disagreements(tally, folded)));
      return found;
    },
  };
};
