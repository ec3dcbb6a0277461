import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, notFound, rejected } from '../../core/failure';
import type { OrganizationCommand } from './commands';
import type { Limits, OrganizationEvent } from './events';

export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly limits: Limits;
}
/** null: it does not exist. */
export type OrganizationState = Organization | null;

/** What an organization may do at once until `LimitsChanged` says otherwise. */
export const DEFAULT_LIMITS: Limits = { concurrent_calls: 100, calls_per_second: 100 };

const isLimit = (n: number): boolean => Number.isSafeInteger(n) && n >= 1;

export const organizationDecider: Decider<OrganizationState, OrganizationCommand, OrganizationEvent> = {
  name: 'organization',
  initial: null,
  decide: (command, state) => {
    if (command.type === 'CreateOrganization') {
      const name = command.name.trim();
      if (state !== null)
        return state.id === command.organizationId && state.name === name
          ? right([])
          : left(conflict(`Organization ${state.id} exists already.`));
      if (name === '') return left(rejected('An organization needs a name.'));
      return right([
        {
          type: 'OrganizationCreated',
          data: { organization_id: command.organizationId, name, limits: DEFAULT_LIMITS },
        },
      ]);
    }
    if (state === null) return left(notFound('Organization not found'));
    const limits: Limits = {
      concurrent_calls: command.concurrentCalls ?? state.limits.concurrent_calls,
      calls_per_second: command.callsPerSecond ?? state.limits.calls_per_second,
    };
    if (!isLimit(limits.concurrent_calls) || !isLimit(limits.calls_per_second))
      return left(rejected('Limits are whole numbers from 1.'));
    const same =
      limits.concurrent_calls === state.limits.concurrent_calls &&
      limits.calls_per_second === state.limits.calls_per_second;
    return right(same ? [] : [{ type: 'LimitsChanged', data: { organization_id: state.id, limits } }]);
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'OrganizationCreated':
        return { id: event.data.organization_id, name: event.data.name, limits: event.data.limits };
      case 'LimitsChanged':
        return state === null ? null : { ...state, limits: event.data.limits };
    }
  },
};
