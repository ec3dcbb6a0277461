/** Organizations: name and limits. One document each. */
import type { OrganizationEvent, Limits } from '../src/domain/organization/events';
import type { Projected, Projection } from '../src/engine/projection';

export interface OrganizationDoc {
  readonly organization: number;
  readonly name: string;
  readonly limits: Limits;
  readonly created_at: string;
}

export const organizationKey = (org: number): string => String(org);

export const organizations: Projection<OrganizationDoc> = {
  name: 'organizations',
  version: 1,
  categories: ['organization'],
  opens: [],
  indexes: [],
  keys: (event) => [organizationKey(event.org)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Projected<OrganizationEvent>;
    switch (event.type) {
      case 'OrganizationCreated':
        return { organization: event.org, name: event.data.name, limits: event.data.limits, created_at: event.at };
      case 'LimitsChanged':
        return doc && { ...doc, limits: event.data.limits };
      default:
        return doc;
    }
  },
};
