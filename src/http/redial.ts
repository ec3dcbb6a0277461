/** The list of a redial: the runs of those contacts of a completed campaign whose last call ended in a way that was chosen. */
import { createHash, randomUUID } from 'node:crypto';
import { left, right, type Either } from 'fp-ts/Either';
import { runs, type RunDoc } from '../../projections/runs';
import { disposition, outcomeOf } from '../../projections/wire_words';
import type { Failure } from '../core/failure';
import type { OrganizationId } from '../core/ids';
import {
  chooseRedialed,
  redialedOutcomes,
  redialListText,
  type CalledContact,
  type RedialReasons,
} from '../domain/campaign/redial';
import type { Api } from './api';
import { everyRun } from './every-run';

export interface RedialList {
  readonly key: string;
  readonly sha256: string;
  /** Contacts. */
  readonly rows: number;
  /** Contacts that would be among them and were erased. */
  readonly erased: number;
}

/** How long the read model of runs may take to show how the campaign ended, ms. */
const FOLLOW_MS = 5000;

const calledContact = (doc: RunDoc): CalledContact => ({
  run: doc.id,
  completed: doc.is_completed,
  lastOutcome: doc.disposition === null ? null : outcomeOf(doc.disposition),
  erased: doc.contact === null,
});

/**
 * Chooses the contacts and writes the list; it names runs and holds nothing personal. `rows` 0: nobody matches, and nothing was written. Refused
 * while the read model may not show every call of the campaign yet: whoever is missing there would be left out.
 */
export const writeRedialList = async (
  api: Api,
  org: OrganizationId,
  parent: number,
  wanted: RedialReasons,
): Promise<Either<Failure, RedialList>> => {
  const { objects, events, progress } = api.platform;
  if (!(await progress.wait([runs.name], await events.head(), FOLLOW_MS)))
    return left({
      kind: 'unavailable',
      message: 'The calls of the campaign are not all in the read models yet; try again',
      stored: 'no',
    });
  const contacts: CalledContact[] = [];
  const where = [
    { field: 'organization', is: org },
    { field: 'campaign_id', is: parent },
    { field: 'is_completed', is: true },
    { field: 'disposition', in: redialedOutcomes(wanted).map(disposition) },
  ];
  for await (const page of everyRun(api, where, false)) contacts.push(...page.map(calledContact));
  const { runs: chosen, erased } = chooseRedialed(wanted, contacts);
  const text = redialListText(chosen);
  const key = `redials/${org}/${randomUUID()}_of_${parent}.txt`;
  if (chosen.length > 0) await objects.put(key, Buffer.from(text), 'text/plain');
  return right({ key, sha256: createHash('sha256').update(text).digest('hex'), rows: chosen.length, erased });
};
