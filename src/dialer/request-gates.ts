/**
 * The gates of a test call. It belongs to no campaign, so neither window nor breaker nor a campaign's limits hold for it; those of the organization
 * and of its telephony configuration do.
 */
import type { Capacity } from './capacity';
import { carrierOf, open, organizationConcurrency, organizationRate, organizationRoom, shut, type Gate } from './gates';
import type { AgentVersion, OrganizationState, RequestedCall } from './model';

export interface RequestInput {
  readonly org: OrganizationState;
  readonly request: RequestedCall;
  readonly now: number;
  readonly capacity: Capacity;
}

/** The version that a test call uses, a draft too; null: it is not there. */
export const requestedVersion = (org: OrganizationState, { ref }: RequestedCall): AgentVersion | null =>
  org.agents.get(ref.workflow_id)?.versions.get(ref.definition_id) ?? null;

const requestedAgent = ({ org, request }: RequestInput): Gate => {
  const { workflow_id } = request.ref;
  if (requestedVersion(org, request) === null)
    return shut('agent', `agent ${workflow_id} has no such version to call with`);
  return org.agents.get(workflow_id)?.archived === true
    ? shut('agent', `agent ${workflow_id} is archived`)
    : open('agent');
};

const requestedCarrier = ({ org, request, capacity }: RequestInput): Gate => {
  const gate = carrierOf(org, request.configuration, capacity);
  if (!gate.open || request.caller === null) return gate;
  const numbers = org.configurations.get(request.configuration)?.numbers ?? [];
  return numbers.some((n) => n.id === request.caller && n.active)
    ? gate
    : shut('carrier', 'the number that the call was to show is not there, or not active, any more');
};

const requestedOwnership = ({ capacity }: RequestInput): Gate =>
  capacity.owned ? open('ownership') : shut('ownership', 'another process dials for this organization');

const first = (input: RequestInput, asked: readonly ((input: RequestInput) => Gate)[]): Gate | null => {
  for (const gate of asked) {
    const answer = gate(input);
    if (!answer.open) return answer;
  }
  return null;
};

/** Of a test call: the first gate that is shut; null: it may be claimed. A campaign's own gates do not hold for it. */
export const firstShutForRequest = (input: RequestInput): Gate | null =>
  first(input, [requestedOwnership, requestedAgent, requestedCarrier, organizationConcurrency, organizationRate]);

/** `shutSinceClaim` for a test call. */
export const requestShutSinceClaim = (input: RequestInput): Gate | null =>
  first(input, [requestedOwnership, requestedAgent, requestedCarrier]) ??
  (organizationRoom(input.org, input.now, input.capacity) < 0
    ? shut('organization_concurrency', 'the limit was lowered')
    : null);
