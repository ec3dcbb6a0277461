/** What the policy may know of this process, read from the shell. */
import type { OrganizationState } from './model';
import type { Capacity } from './capacity';
import type { OrganizationShell, Shell } from './shell';

export type CapacityOf = (org: OrganizationState) => Capacity;

export const capacityOf =
  (shell: Shell): CapacityOf =>
  (org) => {
    const own = shell.org(org.id);
    const { clock } = shell.platform;
    return {
      owner: shell.owner,
      owned: shell.owns(org.id),
      carrier: (configuration) => shell.connections.readiness(org.id, configuration),
      rate: (campaign) => own.rates.room(campaign),
      held: own.held,
      turnFree: !own.turnTaking && !shell.stopping() && clock.monotonic() >= own.turnNotBefore,
      batch: own.batch,
      gone: own.gone,
      busy: (kind, id) => own.busy.has(`${kind}/${id}`),
      inHand: (run) => own.inHand.has(run),
      followed: (reference) => shell.following.has(reference),
      seenFor: (run) => seenFor(own, org, run, clock.monotonic()),
      askedFor: (reference) => clock.monotonic() - (own.asked.get(reference) ?? -Infinity),
    };
  };

/** Counts from when this process first looked at the call in its present phase, so that no clock but its own matters. */
const seenFor = (own: OrganizationShell, org: OrganizationState, run: number, now: number): number => {
  const call = org.calls.get(run);
  if (call === undefined) return 0;
  const state = `${call.attempt} ${call.phase}`;
  const seen = own.seen.get(run);
  if (seen?.state === state) return now - seen.at;
  own.seen.set(run, { state, at: now });
  return 0;
};
