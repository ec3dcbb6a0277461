/**
 * The auditors' index: where each event lies, by whom and when. No event data, so nothing personal and nothing secret; the event itself is read
 * from the ledger. One document per event of an organization, which costs as much as all other read models together: it is kept where it is asked
 * for (see index.ts).
 */
import { categoryOf } from '../src/core/ids';
import type { Projection } from '../src/engine/projection';

export interface EventDoc {
  readonly organization: number;
  readonly id: string;
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly category: string;
  readonly type: string;
  readonly actor: string;
  readonly at: string;
}

export const eventKey = (org: number, id: string): string => `${org}/${id}`;

export const events: Projection<EventDoc> = {
  name: 'events',
  version: 1,
  categories: [
    'organization',
    'apiKeys',
    'telephony',
    'agent',
    'campaign',
    'contacts',
    'run',
    'dialing',
    'recordings',
    'request',
  ],
  opens: [],
  insertOnly: true,
  indexes: [{ fields: ['organization', 'position'] }],
  keys: (event) => [eventKey(event.org, event.id)],
  evolve: (_doc, event) => ({
    organization: event.org,
    id: event.id,
    position: event.position,
    stream: event.stream,
    revision: event.revision,
    category: categoryOf(event.stream),
    type: event.type,
    actor: event.actor,
    at: event.at,
  }),
};
