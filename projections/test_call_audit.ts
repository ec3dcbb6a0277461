/**
 * Test calls counted apart from the fold: every one is in the read model, as far along as the log says; none is called without having been asked for,
 * or called again after it was over.
 */
import type { RunEvent } from '../src/domain/run/events';
import type { Audit, Projected } from '../src/engine/projection';
import type { RunDoc } from './runs';

interface Tally {
  readonly org: number;
  readonly run: number;
  requested: boolean;
  /** Claims that were not withdrawn. */
  claims: number;
  ended: number;
}

const count = (tally: Tally, { type }: RunEvent, claimed: boolean): void => {
  if (type === 'CallRequested') tally.requested = true;
  if (type === 'CallAttempted') tally.claims += 1;
  if (type === 'CallWithdrawn' && claimed) tally.claims -= 1;
  if (type === 'RunCompleted') tally.ended += 1;
};

const disagreements = (tally: Tally, doc: RunDoc | null): readonly string[] => {
  const key = `${tally.org}/${tally.run}`;
  const found: string[] = [];
  if (!tally.requested) found.push(`run ${key} belongs to no campaign and nobody asked for it`);
  if (tally.claims > 1) found.push(`test call ${key} was claimed ${tally.claims} times`);
  if (tally.ended > 1) found.push(`test call ${key} ended ${tally.ended} times`);
  if (doc === null) return [...found, `test call ${key} is in the log and not in the read model`];
  if (doc.attempts.length !== tally.claims)
    found.push(`test call ${key} shows ${doc.attempts.length} attempts, the log says ${tally.claims}`);
  if (doc.is_completed !== tally.ended > 0)
    found.push(`test call ${key} is shown as ${doc.is_completed ? 'over' : 'not over'}, unlike in the log`);
  return found;
};

export const testCallAudit = (): Audit => {
  const tallies = new Map<string, Tally>();
  /** `<key>/<attempt>` of claims: a turn whose claim never came is withdrawn too. */
  const claims = new Set<string>();
  return {
    see: (projected) => {
      const event = projected as unknown as Projected<RunEvent>;
      if (event.data.campaign_id !== null) return;
      const key = `${event.org}/${event.data.run_id}`;
      const claim = `${key}/${event.data.attempt}`;
      let tally = tallies.get(key);
      if (tally === undefined) {
        tally = { org: event.org, run: event.data.run_id, requested: false, claims: 0, ended: 0 };
        tallies.set(key, tally);
      }
      count(tally, event, claims.has(claim));
      if (event.type === 'CallAttempted') claims.add(claim);
    },
    compare: async (folded) => {
      const found: string[] = [];
      for (const [key, tally] of tallies)
        found.push(...disagreements(tally, (await folded.get('runs', key)) as unknown as RunDoc | null));
      return found;
    },
  };
};
