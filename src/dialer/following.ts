/** Carrier news of calls that this process follows, as commands of their runs. */
import type { OrganizationId } from '../core/ids';
import type { RunCommand } from '../domain/run/commands';
import type { CallNews, KnownCall } from '../ports/carrier';
import { knownCall } from './recovery';
import type { FollowedCall, Shell } from './shell';

const commandOf = (shell: Shell, call: FollowedCall, news: CallNews): RunCommand => {
  const { attempt } = call;
  switch (news.kind) {
    case 'ringing':
      return { type: 'RecordRinging', attempt, at: news.at };
    case 'answered':
      return { type: 'RecordAnswered', attempt, at: news.at, answeredBy: news.answeredBy };
    case 'ended': {
      const campaign =
        call.campaign === null ? undefined : shell.state.organizations.get(call.org)?.campaigns.get(call.campaign);
      return {
        type: 'RecordEnded',
        attempt,
        outcome: news.outcome,
        at: news.at,
        durationSeconds: news.durationSeconds,
        evidence: news.evidence,
        // As the campaign's rules are when the call ends, not when it began.
        retry: campaign?.settings.retry_config ?? null,
      };
    }
  }
};

/** The call that a reference means: placed or adopted by this process, or else known from the fold. */
const find = (shell: Shell, org: OrganizationId, reference: string): FollowedCall | null => {
  const followed = shell.following.get(reference);
  if (followed !== undefined) return followed;
  const folded = shell.state.organizations.get(org);
  const call = folded?.calls.get(folded.references.get(reference) ?? -1);
  if (folded === undefined || call === undefined || call.claim === null) return null;
  return {
    org,
    run: call.run,
    attempt: call.attempt,
    campaign: call.campaign,
    reference,
    provider: folded.configurations.get(call.claim.configuration)?.provider ?? 'unknown',
  };
};

export const writeNews = (shell: Shell, org: OrganizationId, news: CallNews): void => {
  const call = find(shell, org, news.reference);
  if (call === null) return shell.platform.log.debug({ org, kind: news.kind }, 'news of a call that is not in flight');
  void shell.news.write(org, call.run, commandOf(shell, call, news), `carrier:${call.provider}`);
};

/** The calls of one configuration that are with its carrier as far as the fold knows, for a new connection to follow. */
export const followedCalls = (shell: Shell, org: OrganizationId, configuration: number): readonly KnownCall[] => {
  const folded = shell.state.organizations.get(org);
  if (folded === undefined) return [];
  return [...folded.calls.values()].flatMap((call) => {
    if (call.claim?.configuration !== configuration || !shell.following.has(call.claim.reference)) return [];
    return knownCall(call, call.campaign === null ? undefined : folded.campaigns.get(call.campaign)) ?? [];
  });
};
