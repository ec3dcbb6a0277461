import * as t from 'io-ts';
import { eventType, type EventOf } from '../../core/event-types';

/** What an organization may do at once. The ledger has the defaults in force written out. */
export const Limits = t.type({ concurrent_calls: t.number, calls_per_second: t.number });
export type Limits = t.TypeOf<typeof Limits>;

export const organizationEvents = {
  OrganizationCreated: eventType(t.type({ organization_id: t.number, name: t.string, limits: Limits })),
  LimitsChanged: eventType(t.type({ organization_id: t.number, limits: Limits })),
};
export type OrganizationEvent = EventOf<typeof organizationEvents>;
