/** Turns and runs: which contacts are taken, in flight, waiting, over. */
import type { DialingEvent } from '../domain/dialing/events';
import type { CallRef, Outcome, RetryReason, RunEvent } from '../domain/run/events';
import { isTripped, record } from '../domain/campaign/breaker';
import { refOf } from '../domain/run/state';
import { dropIfOver } from './campaign-fold';
import { take } from './cursor';
import { push, removeRow, type Waiting } from './heap';
import type { CallPhase, CampaignState, InFlightCall, OrganizationState } from './model';

type Attempted = Extract<RunEvent, { type: 'CallAttempted' }>['data'];
type Ended = Extract<RunEvent, { type: 'CallEnded' }>['data'];

/** `evidence.state` of a call that was closed without its carrier having been heard: it may still live. */
export const UNREACHABLE = 'unreachable';
/** Added to ring and talk time before a call that nobody could ask about counts as gone, ms. */
export const LINGER_MARGIN = 30_000;

const campaignOf = (org: OrganizationState, id: number | null): CampaignState | undefined =>
  id === null ? undefined : org.campaigns.get(id);

/** Takes a contact out of wherever it waits; null when it was fresh or is not known to wait. */
const takeContact = (campaign: CampaignState, row: number): Waiting | null =>
  take(campaign.cursor, row) ? null : removeRow(campaign.waiting, row);

const hold = (org: OrganizationState, campaign: CampaignState | undefined, call: InFlightCall): void => {
  if (!org.calls.has(call.run) && campaign !== undefined) {
    campaign.inFlight += 1;
    campaign.served += 1;
  }
  org.calls.set(call.run, call);
};

const release = (org: OrganizationState, run: number): InFlightCall | null => {
  const call = org.calls.get(run);
  if (call === undefined) return null;
  org.calls.delete(run);
  if (call.claim !== null) org.references.delete(call.claim.reference);
  const campaign = campaignOf(org, call.campaign);
  if (campaign !== undefined) campaign.inFlight -= 1;
  return call;
};

/** `tail`: revision and hash of the event. */
export const foldDialing = (
  org: OrganizationState,
  event: DialingEvent,
  tail: { readonly revision: number; readonly hash: string },
  at: number,
): void => {
  org.dialingRevision = tail.revision;
  org.dialingHash = tail.hash;
  if (event.type === 'DialingFenced') return;
  org.lastOwner = event.data.owner;
  for (const claim of event.data.claims) {
    const campaign = campaignOf(org, claim.campaign_id);
    const known = claim.campaign_id === null ? org.requests.has(claim.run_id) : campaign !== undefined;
    if (!known || org.calls.has(claim.run_id)) continue;
    const row = campaign === undefined ? 0 : claim.run_id - campaign.firstRun;
    const waited = campaign === undefined ? null : takeContact(campaign, row);
    hold(org, campaign, {
      run: claim.run_id,
      campaign: claim.campaign_id,
      row,
      attempt: claim.attempt,
      retry: waited?.retry ?? 0,
      reason: waited?.reason ?? null,
      owner: event.data.owner,
      phase: 'turn',
      since: at,
      claimedAt: at,
      answered: false,
      erased: false,
      claim: null,
    });
  }
};

/** Attempt numbers of a test call are not used again either. */
const attemptUsed = (org: OrganizationState, { run_id, attempt }: CallRef): void => {
  const request = org.requests.get(run_id);
  if (request !== undefined) org.requests.set(run_id, { ...request, ref: { ...request.ref, attempt } });
};

const attempted = (org: OrganizationState, data: Attempted, at: number): void => {
  const campaign = campaignOf(org, data.campaign_id);
  if (campaign !== undefined && !org.calls.has(data.run_id)) takeContact(campaign, data.row);
  attemptUsed(org, data);
  hold(org, campaign, {
    run: data.run_id,
    campaign: data.campaign_id,
    row: data.row,
    attempt: data.attempt,
    retry: data.retry,
    reason: data.retry_reason,
    owner: org.calls.get(data.run_id)?.owner ?? null,
    phase: 'claimed',
    since: at,
    claimedAt: at,
    answered: false,
    erased: false,
    claim: {
      reference: data.reference,
      configuration: data.telephony_configuration_id,
      ringSeconds: data.ring_seconds,
      talkSeconds: data.talk_seconds,
      variant: {
        variant_id: data.variant_id,
        workflow_id: data.workflow_id,
        definition_id: data.definition_id,
        version_number: data.version_number,
      },
    },
  });
  org.references.set(data.reference, data.run_id);
};

const withdrawn = (org: OrganizationState, data: CallRef): void => {
  const call = release(org, data.run_id);
  attemptUsed(org, data);
  const campaign = campaignOf(org, data.campaign_id);
  if (campaign === undefined) return;
  const row = data.run_id - campaign.firstRun;
  const reason: RetryReason | null = (call ?? takeContact(campaign, row))?.reason ?? null;
  push(campaign.waiting, { due: 0, row, attempt: data.attempt, retry: data.retry, reason });
};

/** The breaker judges failures of carrier and pipeline, while the campaign runs; an unknown outcome is no verdict. */
const judge = (
  campaign: CampaignState | undefined,
  run: number,
  outcome: Outcome,
  reason: string,
  at: number,
): void => {
  if (campaign?.status !== 'running' || outcome === 'uncertain') return;
  const config = campaign.settings.circuit_breaker;
  campaign.breaker = record(campaign.breaker, { runId: run, reason: outcome === 'failed' ? reason : null }, at, config);
  campaign.tripped ??= isTripped(campaign.breaker, at, config);
};

const ended = (org: OrganizationState, data: Ended, at: number): void => {
  const call = release(org, data.run_id);
  if (data.outcome === 'uncertain' && data.evidence?.state === UNREACHABLE && call !== null && call.claim !== null) {
    org.lingering = org.lingering.filter((each) => each.until > at);
    org.lingering.push({
      run: call.run,
      campaign: call.campaign,
      reference: call.claim.reference,
      configuration: call.claim.configuration,
      until: call.claimedAt + (call.claim.ringSeconds + call.claim.talkSeconds) * 1000 + LINGER_MARGIN,
    });
  }
  judge(campaignOf(org, data.campaign_id), data.run_id, data.outcome, data.evidence?.cause_txt ?? 'failed', at);
};

const enter = (org: OrganizationState, data: CallRef, phase: CallPhase, at: number): void => {
  const call = org.calls.get(data.run_id);
  if (call === undefined || call.attempt !== data.attempt) return;
  // The carrier's answer to the place request may be told after the call rang.
  if (phase === 'placed' && (call.phase === 'ringing' || call.phase === 'answered')) return;
  call.phase = phase;
  call.since = at;
  if (phase === 'answered') call.answered = true;
};

/** `at`: epoch ms of the event. */
export const foldRun = (org: OrganizationState, event: RunEvent, at: number): void => {
  const { data } = event;
  switch (event.type) {
    case 'CallRequested':
      org.requests.set(data.run_id, {
        ref: refOf(data),
        configuration: event.data.telephony_configuration_id,
        caller: event.data.caller_phone_number_id,
        until: Date.parse(event.data.place_until),
      });
      return;
    case 'CallAttempted':
      return attempted(org, event.data, at);
    case 'CallWithdrawn':
      return withdrawn(org, data);
    case 'CallPlaced':
      return enter(org, data, 'placed', at);
    case 'CallUncertain':
      return enter(org, data, 'uncertain', at);
    case 'CallRinging':
      return enter(org, data, 'ringing', at);
    case 'CallAnswered':
      return enter(org, data, 'answered', at);
    case 'CallEnded':
      return ended(org, event.data, at);
    case 'CallRefused':
      release(org, data.run_id);
      return judge(campaignOf(org, data.campaign_id), data.run_id, 'failed', event.data.code, at);
    case 'RetryScheduled': {
      const campaign = campaignOf(org, data.campaign_id);
      if (campaign === undefined) return;
      push(campaign.waiting, {
        due: Date.parse(event.data.due_at),
        row: data.run_id - campaign.firstRun,
        attempt: data.attempt,
        retry: data.retry + 1,
        reason: event.data.reason,
      });
      return;
    }
    case 'RunCompleted': {
      release(org, data.run_id);
      org.requests.delete(data.run_id);
      const campaign = campaignOf(org, data.campaign_id);
      if (campaign === undefined) return;
      // Only who was canceled may still be waiting; all others were in flight.
      if (event.data.outcome === 'canceled') takeContact(campaign, data.run_id - campaign.firstRun);
      campaign.ended += 1;
      return dropIfOver(org, campaign);
    }
    case 'PersonalDataErased': {
      const call = org.calls.get(data.run_id);
      if (call !== undefined) call.erased = true;
      return;
    }
    case 'TranscriptStored':
    case 'RecordingStored':
      return;
  }
};
