/** Commands about whole campaigns: complete, trip, and the end of those that will not be called any more. */
import { isLeft } from 'fp-ts/Either';
import { describeFailure } from '../core/failure';
import { campaignStream, runStream } from '../core/ids';
import { campaignDecider } from '../domain/campaign/decider';
import { runDecider } from '../domain/run/decider';
import { untilAnswered } from './commands';
import { fence } from './dialing';
import type { OrganizationState } from './model';
import type { Action } from './next-actions';
import type { Shell } from './shell';
import { unclaimedRef } from './turns';

type CampaignAction = Extract<Action, { type: 'complete' | 'trip' | 'cancel' }>;

export interface Campaigns {
  /** Resolves when it is durable; never rejects. */
  carryOut(org: OrganizationState, action: CampaignAction): Promise<void>;
}

export const campaignCommands = (shell: Shell): Campaigns => {
  const { execute, clock, log } = shell.platform;
  const by = { actor: 'dialer' };

  const trip = async (org: OrganizationState, action: Extract<CampaignAction, { type: 'trip' }>): Promise<void> => {
    const stream = campaignStream(org.id, action.campaign);
    const { stats, resumes } = action;
    const tripped = await untilAnswered(clock, shell.signal, () =>
      execute.run(campaignDecider, stream, { type: 'TripBreaker', stats, resumes }, by),
    );
    if (isLeft(tripped)) return log.error({ stream }, describeFailure(tripped.left));
    if (tripped.right.events.length === 0) return;
    log.warn({ org: org.id, campaign: action.campaign, rate: stats.failure_rate }, 'the circuit breaker tripped');
    // Another process that believes to be the owner takes no turn before it has seen this.
    await fence(shell, org, stream, tripped.right.revision);
  };

  const complete = async (org: OrganizationState, campaign: number): Promise<void> => {
    const stream = campaignStream(org.id, campaign);
    const done = await untilAnswered(clock, shell.signal, () =>
      execute.run(campaignDecider, stream, { type: 'CompleteCampaign' }, by),
    );
    if (isLeft(done) && !shell.signal.aborted) log.error({ stream }, describeFailure(done.left));
  };

  const cancel = async (org: OrganizationState, action: Extract<CampaignAction, { type: 'cancel' }>): Promise<void> => {
    const campaign = org.campaigns.get(action.campaign);
    if (campaign === undefined) return;
    await Promise.all(
      action.contacts.map((contact) =>
        untilAnswered(clock, shell.signal, () =>
          execute.run(
            runDecider,
            runStream(org.id, contact.run),
            { type: 'CancelRun', call: unclaimedRef(org, campaign, contact) },
            by,
            { assumeNew: contact.attempt === 1 },
          ),
        ),
      ),
    );
  };

  return {
    carryOut: async (org, action) => {
      const { busy } = shell.org(org.id);
      const key = `${action.type}/${action.campaign}`;
      busy.add(key);
      try {
        if (action.type === 'trip') await trip(org, action);
        else if (action.type === 'complete') await complete(org, action.campaign);
        else await cancel(org, action);
      } finally {
        // The fold may not show it yet; repeating is harmless, but is left for a moment.
        clock.after(100, () => {
          busy.delete(key);
          shell.poke(org.id);
        });
      }
    },
  };
};
