import type { Capacity } from './capacity';
import { gates, type Gate } from './gates';
import type { OrganizationState } from './model';

/** Every gate of a campaign as it stands now, in the order in which the dialer asks them. A campaign that is over has only the first. */
export const explain = (
  org: OrganizationState,
  campaignId: number,
  now: number,
  capacity: Capacity,
): readonly Gate[] => {
  const campaign = org.campaigns.get(campaignId);
  if (campaign === undefined)
    return [{ gate: 'running', open: false, reason: 'the campaign is over, or there is none', until: null }];
  return gates.map((gate) => gate({ org, campaign, now, capacity }));
};
