/**
 * Turns and claims. A turn names its calls at the revision that is folded, so that of two dialers one loses it and folds first; then each call is
 * claimed in its run's stream, and only a durable claim goes on to be placed.
 */
import { randomBytes } from 'node:crypto';
import { isLeft, left } from 'fp-ts/Either';
import { runStream } from '../core/ids';
import { chooseVariant, plainVariant } from '../domain/campaign/traffic-split';
import { runDecider } from '../domain/run/decider';
import type { CallRef, RunEvent } from '../domain/run/events';
import type { AppendFailure } from '../ports/event-store';
import { untilAnswered } from './commands';
import type { Contacts } from './contacts';
import { appendToDialing } from './dialing';
import type { CampaignState, CallerNumber, ConfigurationState, OrganizationState, RequestedCall } from './model';
import type { Claim } from './next-actions';
import type { Placing } from './placing';
import { requestedVersion } from './request-gates';
import { letGo, takeInHand, type InHand, type OrganizationShell, type Shell } from './shell';
import { versionFor, variantsOf } from './versions';

type Attempt = Extract<RunEvent, { type: 'CallAttempted' }>['data'];

/** What may be claimed; a text: why there can be no call now; null: the contact's key is gone. */
type Ready = { readonly data: Attempt; readonly phone: string; readonly callerId: string | null } | string | null;

type Subject =
  | { readonly kind: 'contact'; readonly campaign: CampaignState; readonly ref: CallRef }
  | { readonly kind: 'request'; readonly request: RequestedCall; readonly ref: CallRef };

export interface Turns {
  /** Takes a turn for these calls and carries it out. Resolves when the turn is taken, or lost; never rejects. */
  take(org: OrganizationState, claims: readonly Claim[]): Promise<void>;
}

/** Pause after a turn that could not be written. */
const AWAY_PAUSE = 100;
/** Pause after contacts could not be read (ledger or vault are away). */
const UNREADABLE_PAUSE = 1000;
/** Pause after a turn lost to another: the feed brings its event before. */
const LOST_PAUSE = 20;

/** A reference to an attempt that was never claimed: it names what the campaign would mostly use. */
export const unclaimedRef = (
  org: OrganizationState,
  campaign: CampaignState,
  claim: Pick<Claim, 'run' | 'attempt' | 'retry'>,
): CallRef => {
  const variant = variantsOf(campaign).reduce((best, each) => (each.weight > best.weight ? each : best));
  const version = versionFor(org, variant);
  return {
    run_id: claim.run,
    campaign_id: campaign.id,
    attempt: claim.attempt,
    retry: claim.retry,
    variant_id: variant.id,
    workflow_id: variant.workflow_id,
    definition_id: version?.definition ?? variant.workflow_definition_id ?? 0,
    version_number: version?.number ?? 0,
  };
};

/** What an attempt of a test call that was never claimed is told of. */
export const requestRef = (request: RequestedCall, attempt: number): CallRef => ({ ...request.ref, attempt });

/** The configuration's active numbers, one after the other. */
const nextCaller = (own: OrganizationShell, id: number, config: ConfigurationState): CallerNumber | null => {
  const active = config.numbers.filter((n) => n.active).sort((a, b) => (a.address < b.address ? -1 : 1));
  const distinct = active.filter((n, i) => n.address !== active[i - 1]?.address);
  const turn = own.rotation.get(id) ?? 0;
  own.rotation.set(id, turn + 1);
  return distinct[turn % distinct.length] ?? null;
};

export const turnTaker = (shell: Shell, contacts: Contacts, placing: Placing): Turns => {
  const { platform, settings, owner } = shell;
  const { clock, execute, log } = platform;

  /** What a claim is for, as folded; null: it is over. */
  const subjectOf = (org: OrganizationState, claim: Claim): Subject | null => {
    if (claim.campaign === null) {
      const request = org.requests.get(claim.run);
      return request === undefined ? null : { kind: 'request', request, ref: requestRef(request, claim.attempt) };
    }
    const campaign = org.campaigns.get(claim.campaign);
    return campaign === undefined ? null : { kind: 'contact', campaign, ref: unclaimedRef(org, campaign, claim) };
  };

  /** What the claim of a test call fixes: as it was asked for. */
  const requestedAttempt = async (org: OrganizationState, request: RequestedCall, claim: Claim): Promise<Ready> => {
    const contact = await contacts.requested(org.id, claim.run);
    if (contact === null) return null;
    const config = org.configurations.get(request.configuration);
    if (config === undefined) return 'the telephony configuration was deleted';
    const version = requestedVersion(org, request);
    if (version === null) return `agent ${request.ref.workflow_id} can't be used`;
    return {
      phone: contact.phone,
      callerId: config.numbers.find((n) => n.id === request.caller)?.address ?? null,
      data: {
        ...requestRef(request, claim.attempt),
        reference: randomBytes(16).toString('hex'),
        telephony_configuration_id: request.configuration,
        provider: config.provider,
        caller_phone_number_id: request.caller,
        split_revision: 0,
        weight: 100,
        ring_seconds: settings.ringSeconds,
        talk_seconds: version.talkSeconds,
        row: 0,
        retry_reason: null,
        contact: contact.sealed,
      },
    };
  };

  /** Everything that the claim fixes; a text: why there can be no call now; null: the contact's key is gone. */
  const attemptOf = async (
    org: OrganizationState,
    own: OrganizationShell,
    campaign: CampaignState,
    claim: Claim,
  ): Promise<Ready> => {
    const contact = await contacts.open(org.id, campaign, claim.row);
    if (contact === null) return null;
    const config = org.configurations.get(campaign.configuration);
    if (config === undefined) return 'the telephony configuration was deleted';
    const variant =
      campaign.split === null ? plainVariant(campaign.workflow) : chooseVariant(campaign.split, contact.phone);
    const version = versionFor(org, variant);
    if (version === null) return `agent ${variant.workflow_id} can't be used`;
    const caller = nextCaller(own, campaign.configuration, config);
    return {
      phone: contact.phone,
      callerId: caller?.address ?? null,
      data: {
        run_id: claim.run,
        campaign_id: campaign.id,
        attempt: claim.attempt,
        retry: claim.retry,
        variant_id: variant.id,
        workflow_id: variant.workflow_id,
        definition_id: version.definition,
        version_number: version.number,
        reference: randomBytes(16).toString('hex'),
        telephony_configuration_id: campaign.configuration,
        provider: config.provider,
        caller_phone_number_id: caller?.id ?? null,
        split_revision: campaign.split?.revision ?? 0,
        weight: variant.weight,
        ring_seconds: settings.ringSeconds,
        talk_seconds: version.talkSeconds,
        row: claim.row,
        retry_reason: claim.reason,
        contact: contact.sealed,
      },
    };
  };

  const claimOne = async (
    org: OrganizationState,
    own: OrganizationShell,
    claim: Claim,
    hand: InHand,
  ): Promise<void> => {
    const subject = subjectOf(org, claim);
    if (subject === null) return letGo(own, claim.run, hand);
    const unclaimed = { org: org.id, claim, hand, ref: subject.ref };
    let attempt: Ready;
    try {
      attempt =
        subject.kind === 'request'
          ? await requestedAttempt(org, subject.request, claim)
          : await attemptOf(org, own, subject.campaign, claim);
    } catch (error) {
      log.warn({ org: org.id, run: claim.run, err: error }, 'a contact cannot be read');
      own.turnNotBefore = clock.monotonic() + UNREADABLE_PAUSE;
      clock.after(UNREADABLE_PAUSE, () => shell.poke(org.id));
      return placing.withdraw(unclaimed, 'the contact cannot be read');
    }
    if (typeof attempt === 'string') return placing.withdraw(unclaimed, attempt);
    if (attempt === null) {
      await untilAnswered(clock, shell.signal, () =>
        execute.run(
          runDecider,
          runStream(org.id, claim.run),
          { type: 'CancelRun', call: unclaimed.ref },
          { actor: 'dialer' },
        ),
      );
      return letGo(own, claim.run, hand);
    }
    const { data, phone, callerId } = attempt;
    const claimed = await execute.run(
      runDecider,
      runStream(org.id, claim.run),
      { type: 'AttemptCall', call: data },
      { actor: 'dialer' },
      { assumeNew: claim.attempt === 1 && subject.kind === 'contact' },
    );
    if (isLeft(claimed)) {
      // Another was first: the feed will tell. Or the ledger is away, and what became of the claim is not known: it is given back.
      if (claimed.left.kind === 'conflict') return letGo(own, claim.run, hand);
      return placing.withdraw({ ...unclaimed, ref: data }, 'the claim could not be written');
    }
    const { reference } = data;
    placing.add({
      org: org.id,
      claim,
      ref: data,
      configuration: data.telephony_configuration_id,
      hand,
      call: {
        reference,
        to: phone,
        callerId,
        ringSeconds: data.ring_seconds,
        talkSeconds: data.talk_seconds,
        detectMachine: subject.kind === 'contact' && detectsMachines(subject.campaign),
        tags: { run: String(claim.run), attempt: String(claim.attempt) },
      },
      follow: {
        org: org.id,
        run: claim.run,
        attempt: claim.attempt,
        campaign: claim.campaign,
        reference,
        provider: data.provider,
      },
    });
  };

  return {
    take: async (org, claims) => {
      const own = shell.org(org.id);
      const startedAt = clock.monotonic();
      own.turnTaking = true;
      const taken = claims.map((claim) => ({ claim, hand: takeInHand(own, claim.run, claim.campaign, startedAt) }));
      const turn = await appendToDialing(shell, org, {
        type: 'TurnTaken',
        data: {
          owner,
          claims: claims.map(({ campaign, run, attempt }) => ({ campaign_id: campaign, run_id: run, attempt })),
        },
      }).catch((error: unknown) => left<AppendFailure>({ kind: 'unavailable', message: (error as Error).message }));
      own.turnTaking = false;
      // The feed may be faster than the answer: then the fold holds the slots already.
      if (!isLeft(turn) && org.dialingRevision < turn.right.revision)
        for (const { run, campaign } of claims) own.held.set(run, campaign);
      if (isLeft(turn)) {
        for (const { claim, hand } of taken) letGo(own, claim.run, hand);
        const wait = turn.left.kind === 'conflict' ? LOST_PAUSE : AWAY_PAUSE;
        own.turnNotBefore = clock.monotonic() + wait;
        clock.after(wait, () => shell.poke(org.id));
        if (turn.left.kind !== 'conflict') log.warn({ org: org.id, failure: turn.left }, 'a turn could not be written');
        return;
      }
      shell.poke(org.id);
      for (const { claim, hand } of taken)
        void claimOne(org, own, claim, hand).catch((error: unknown) => {
          log.error({ org: org.id, run: claim.run, err: error }, 'a claim failed');
          letGo(own, claim.run, hand);
        });
    },
  };
};

/** Answering machines are looked for where it makes a difference. */
export const detectsMachines = (campaign: CampaignState): boolean =>
  campaign.settings.retry_config.enabled && campaign.settings.retry_config.retry_on_voicemail;
