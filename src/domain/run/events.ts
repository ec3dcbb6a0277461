import * as t from 'io-ts';
import { eventType, JsonRecord, orNull, Sealed, type EventOf } from '../../core/event-types';

/** `uncertain`: it may or may not have reached the person. On the wire: failed. */
export const Outcome = t.keyof({
  completed: null,
  busy: null,
  no_answer: null,
  voicemail: null,
  failed: null,
  canceled: null,
  uncertain: null,
});
export type Outcome = t.TypeOf<typeof Outcome>;

/** Which call an event is about; on every event of a run, so that no reader needs another one. */
export const CallRef = t.type({
  run_id: t.number,
  /** null: a test call. */
  campaign_id: orNull(t.number),
  /** 1, 2, 3 …; never used again, withdrawn ones included. */
  attempt: t.number,
  /** How much of the retry budget was used before this attempt: 0 for a first call. */
  retry: t.number,
  /** Variant, agent and version that this attempt used. */
  variant_id: t.string,
  workflow_id: t.number,
  definition_id: t.number,
  version_number: t.number,
});
export type CallRef = t.TypeOf<typeof CallRef>;

const Evidence = t.partial({
  cause: t.number,
  cause_txt: t.string,
  tech_cause: t.number,
  state: t.string,
  dial_status: t.string,
  detail: t.string,
});

const RetryReason = t.keyof({ busy: null, no_answer: null, voicemail: null });
export type RetryReason = t.TypeOf<typeof RetryReason>;

export const runEvents = {
  /**
   * One call without a campaign is asked for: the first event of its run. `attempt` is 0; agent and version are those that it will use, a draft
   * too. Whoever dials claims it; not claimed by `place_until`, it fails.
   */
  CallRequested: eventType(
    t.intersection([
      CallRef,
      t.type({
        telephony_configuration_id: t.number,
        provider: t.string,
        /** Our number shown to the person called; null: the carrier decides. */
        caller_phone_number_id: orNull(t.number),
        place_until: t.string,
        /** Number and variables (a ContactData), under a key of its own. */
        contact: Sealed,
      }),
    ]),
  ),
  /** The claim: durable before the carrier hears of the call. */
  CallAttempted: eventType(
    t.intersection([
      CallRef,
      t.type({
        /** The carrier reference: 32 random hex digits, new for each attempt. */
        reference: t.string,
        telephony_configuration_id: t.number,
        provider: t.string,
        /** Our number shown to the person called; null: the carrier decides. */
        caller_phone_number_id: orNull(t.number),
        split_revision: t.number,
        weight: t.number,
        ring_seconds: t.number,
        talk_seconds: t.number,
        /** 0-based place of the contact in the list. */
        row: t.number,
        /** Why this is a retry; null for a first call. */
        retry_reason: orNull(RetryReason),
        /** The contact's number and variables (a ContactData), under the contact's own key. */
        contact: Sealed,
      }),
    ]),
  ),
  /** Claimed and never sent: contact and budget are given back. As a first event of a run: the turn whose claim never came. */
  CallWithdrawn: eventType(t.intersection([CallRef, t.type({ reason: t.string })])),
  CallPlaced: eventType(t.intersection([CallRef, t.type({ carrier_call_id: orNull(t.string) })])),
  /** The carrier refused this call; followed by RunCompleted. */
  CallRefused: eventType(t.intersection([CallRef, t.type({ code: t.string, message: t.string })])),
  /** It may have left; it is asked for, never repeated. */
  CallUncertain: eventType(t.intersection([CallRef, t.type({ reason: t.string })])),
  CallRinging: eventType(t.intersection([CallRef, t.type({ occurred_at: t.string })])),
  CallAnswered: eventType(
    t.intersection([
      CallRef,
      t.type({ occurred_at: t.string, answered_by: orNull(t.keyof({ human: null, machine: null })) }),
    ]),
  ),
  CallEnded: eventType(
    t.intersection([
      CallRef,
      t.type({
        outcome: Outcome,
        occurred_at: t.string,
        /** Seconds from answer to end; null when never answered. */
        duration_seconds: orNull(t.number),
        evidence: orNull(Evidence),
      }),
    ]),
  ),
  RetryScheduled: eventType(t.intersection([CallRef, t.type({ due_at: t.string, reason: RetryReason })])),
  /** The contact's terminal event. `attempt` 0: it was never called. */
  RunCompleted: eventType(
    t.intersection([
      CallRef,
      t.type({ outcome: Outcome }),
      /** Why a call that was asked for was never made. */
      t.partial({ reason: t.string }),
    ]),
  ),
  TranscriptStored: eventType(t.intersection([CallRef, t.type({ key: t.string })])),
  RecordingStored: eventType(
    t.intersection([CallRef, t.type({ key: t.string, track: t.keyof({ mixed: null, user: null, bot: null }) })]),
  ),
  PersonalDataErased: eventType(t.intersection([CallRef, t.type({ request: JsonRecord })])),
};
export type RunEvent = EventOf<typeof runEvents>;
