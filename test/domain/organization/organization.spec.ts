import { DEFAULT_LIMITS, organizationDecider } from '../../../src/domain/organization/decider';
import type { OrganizationEvent } from '../../../src/domain/organization/events';
import { fold, given } from '../../support/given';

const created: OrganizationEvent = {
  type: 'OrganizationCreated',
  data: { organization_id: 1, name: 'Acme', limits: { concurrent_calls: 100, calls_per_second: 100 } },
};
const create = { type: 'CreateOrganization', organizationId: 1, name: ' Acme ' } as const;
const limit = (concurrentCalls: number | null, callsPerSecond: number | null) =>
  ({ type: 'ChangeLimits', concurrentCalls, callsPerSecond }) as const;

test('an organization starts with 100 concurrent calls and 100 calls a second', () => {
  given(organizationDecider).when(create).then([created]);
  expect(DEFAULT_LIMITS).toEqual({ concurrent_calls: 100, calls_per_second: 100 });
});

test('an organization is created once, and has a name', () => {
  given(organizationDecider, [created]).when(create).thenNothing();
  given(organizationDecider, [created])
    .when({ ...create, name: 'Other' })
    .thenFails('conflict');
  given(organizationDecider)
    .when({ ...create, name: '  ' })
    .thenFails('rejected');
});

test('limits change each on their own', () => {
  const events = given(organizationDecider, [created]).when(limit(20, null)).events();
  expect(events).toEqual([
    { type: 'LimitsChanged', data: { organization_id: 1, limits: { concurrent_calls: 20, calls_per_second: 100 } } },
  ]);
  expect(fold(organizationDecider, [created, ...events])?.limits).toEqual({
    concurrent_calls: 20,
    calls_per_second: 100,
  });
  given(organizationDecider, [created, ...events])
    .when(limit(20, 100))
    .thenNothing();
});

test.each([0, -1, 1.5, NaN])('%d is no limit', (n) => {
  given(organizationDecider, [created]).when(limit(n, null)).thenFails('rejected');
  given(organizationDecider, [created]).when(limit(null, n)).thenFails('rejected');
});

test('an organization that does not exist has no limits', () => {
  given(organizationDecider).when(limit(1, 1)).thenFails('not_found');
});
