/**
 * Runs: one document per contact, from its first attempt on, and per test call, from its request on. Agent, version and outcome are those of the latest attempt. A claim that was
 * withdrawn leaves no trace; when it was the only one, the run is gone until it is attempted again.
 */
import type { Json, JsonObject } from '../src/core/event';
import type { ContactData } from '../src/domain/campaign/events';
import type { RunEvent } from '../src/domain/run/events';
import type { Projected, Projection } from '../src/engine/projection';
import { testCallAudit } from './test_call_audit';
import { disposition } from './wire_words';

export interface AttemptDoc {
  readonly attempt: number;
  readonly retry: number;
  readonly retry_reason: 'busy' | 'no_answer' | 'voicemail' | null;
  readonly variant_id: string;
  readonly split_revision: number;
  readonly weight: number;
  readonly workflow_id: number;
  readonly definition_id: number;
  readonly version_number: number;
  readonly reference: string;
  readonly telephony_configuration_id: number;
  readonly provider: string;
  readonly caller_phone_number_id: number | null;
  readonly attempted_at: string;
  readonly placed_at: string | null;
  readonly carrier_call_id: string | null;
  readonly uncertain: { readonly at: string; readonly reason: string } | null;
  readonly ringing_at: string | null;
  readonly answered_at: string | null;
  readonly answered_by: 'human' | 'machine' | null;
  readonly ended_at: string | null;
  /** In the words of the API; null while the call lives. */
  readonly outcome: string | null;
  readonly duration_seconds: number | null;
  readonly evidence: JsonObject | null;
  /** What the carrier said when it refused the call. */
  readonly error: string | null;
  readonly retry_due_at: string | null;
}

/** `retry_scheduled`: the latest call is over and another will follow. */
export type RunWireState = 'initialized' | 'running' | 'retry_scheduled' | 'completed';

/** A test call as it was asked for. */
export interface RequestDoc {
  readonly workflow_id: number;
  readonly definition_id: number;
  readonly version_number: number;
  readonly variant_id: string;
  readonly telephony_configuration_id: number;
  readonly provider: string;
  readonly caller_phone_number_id: number | null;
  /** Why it was never made. */
  readonly error: string | null;
}

export interface RunDoc {
  readonly organization: number;
  readonly id: number;
  readonly campaign_id: number | null;
  readonly row: number;
  /** Agent of the latest attempt. */
  readonly workflow_id: number;
  readonly state: RunWireState;
  readonly is_completed: boolean;
  /** First attempt. */
  readonly created_at: string;
  /** Of the latest attempt, in the words of the API; null while its call lives. */
  readonly disposition: string | null;
  /** Seconds of the latest attempt, from answer to end; null where it was not answered, or lives. */
  readonly duration: number | null;
  /** null: erased. */
  readonly contact: ContactData | null;
  readonly attempts: readonly AttemptDoc[];
  /** Only of test calls. */
  readonly request?: RequestDoc;
  readonly transcript_key: string | null;
  readonly recordings: {
    readonly mixed: string | null;
    readonly user: string | null;
    readonly bot: string | null;
  };
}

export const runKey = (org: number, run: number): string => `${org}/${run}`;

type Event = Projected<RunEvent>;
type Attempted = Extract<Event, { type: 'CallAttempted' }>;
type Requested = Extract<Event, { type: 'CallRequested' }>;

const attemptOf = (event: Attempted): AttemptDoc => ({
  attempt: event.data.attempt,
  retry: event.data.retry,
  retry_reason: event.data.retry_reason,
  variant_id: event.data.variant_id,
  split_revision: event.data.split_revision,
  weight: event.data.weight,
  workflow_id: event.data.workflow_id,
  definition_id: event.data.definition_id,
  version_number: event.data.version_number,
  reference: event.data.reference,
  telephony_configuration_id: event.data.telephony_configuration_id,
  provider: event.data.provider,
  caller_phone_number_id: event.data.caller_phone_number_id,
  attempted_at: event.at,
  placed_at: null,
  carrier_call_id: null,
  uncertain: null,
  ringing_at: null,
  answered_at: null,
  answered_by: null,
  ended_at: null,
  outcome: null,
  duration_seconds: null,
  evidence: null,
  error: null,
  retry_due_at: null,
});

const begun = (event: Attempted | Requested) => ({
  organization: event.org,
  id: event.data.run_id,
  campaign_id: event.data.campaign_id,
  workflow_id: event.data.workflow_id,
  state: 'initialized' as const,
  is_completed: false,
  created_at: event.at,
  disposition: null,
  duration: null,
  // The runner has opened the seal; null where the contact's key is destroyed.
  contact: event.data.contact as unknown as ContactData | null,
  transcript_key: null,
  recordings: { mixed: null, user: null, bot: null },
});

const requested = (event: Requested): RunDoc => {
  const { workflow_id, definition_id, version_number, variant_id } = event.data;
  const { telephony_configuration_id, provider, caller_phone_number_id } = event.data;
  return {
    ...begun(event),
    row: 0,
    attempts: [],
    request: {
      workflow_id,
      definition_id,
      version_number,
      variant_id,
      telephony_configuration_id,
      provider,
      caller_phone_number_id,
      error: null,
    },
  };
};

const attempted = (doc: RunDoc | null, event: Attempted): RunDoc => {
  const attempt = attemptOf(event);
  const latest = {
    workflow_id: event.data.workflow_id,
    state: 'initialized' as const,
    disposition: null,
    duration: null,
  };
  if (doc !== null) return { ...doc, ...latest, attempts: [...doc.attempts, attempt] };
  return { ...begun(event), row: event.data.row, attempts: [attempt] };
};

/** Back to the attempt before; null when there was none, but for a test call, which is back to waiting. */
const withdrawn = (doc: RunDoc, attempt: number): RunDoc | null => {
  const attempts = doc.attempts.filter((a) => a.attempt !== attempt);
  const last = attempts.at(-1);
  if (attempts.length === doc.attempts.length) return doc;
  if (last === undefined)
    return doc.request === undefined
      ? null
      : { ...doc, attempts, state: 'initialized', disposition: null, duration: null };
  return {
    ...doc,
    attempts,
    workflow_id: last.workflow_id,
    state: 'retry_scheduled',
    disposition: last.outcome,
    duration: last.duration_seconds,
  };
};

const changeAttempt = (doc: RunDoc, attempt: number, change: Partial<AttemptDoc>): RunDoc => ({
  ...doc,
  attempts: doc.attempts.map((a) => (a.attempt === attempt ? { ...a, ...change } : a)),
});

const over = (doc: RunDoc, attempt: number, change: Partial<AttemptDoc> & { readonly outcome: string }): RunDoc => ({
  ...changeAttempt(doc, attempt, change),
  disposition: change.outcome,
  duration: change.duration_seconds ?? null,
});

const evolveRun = (doc: RunDoc, event: Exclude<Event, Attempted | Requested>): RunDoc | null => {
  const { attempt } = event.data;
  switch (event.type) {
    case 'CallWithdrawn':
      return withdrawn(doc, attempt);
    case 'CallPlaced':
      return changeAttempt(doc, attempt, { placed_at: event.at, carrier_call_id: event.data.carrier_call_id });
    case 'CallUncertain':
      return changeAttempt(doc, attempt, { uncertain: { at: event.at, reason: event.data.reason } });
    case 'CallRinging':
      return changeAttempt(doc, attempt, { ringing_at: event.data.occurred_at });
    case 'CallAnswered': {
      const { occurred_at, answered_by } = event.data;
      return { ...changeAttempt(doc, attempt, { answered_at: occurred_at, answered_by }), state: 'running' };
    }
    case 'CallRefused': {
      const error = `${event.data.code}: ${event.data.message}`;
      return over(doc, attempt, { outcome: disposition('failed'), ended_at: event.at, error });
    }
    case 'CallEnded': {
      const { outcome, occurred_at, duration_seconds, evidence } = event.data;
      return over(doc, attempt, {
        outcome: disposition(outcome),
        ended_at: occurred_at,
        duration_seconds,
        evidence: evidence as JsonObject | null,
      });
    }
    case 'RetryScheduled':
      return { ...changeAttempt(doc, attempt, { retry_due_at: event.data.due_at }), state: 'retry_scheduled' };
    case 'RunCompleted':
      return {
        ...doc,
        state: 'completed',
        is_completed: true,
        ...(doc.request === undefined || doc.attempts.length > 0
          ? {}
          : {
              disposition: disposition(event.data.outcome),
              request: { ...doc.request, error: event.data.reason ?? null },
            }),
      };
    case 'TranscriptStored':
      return { ...doc, transcript_key: event.data.key };
    case 'RecordingStored':
      return { ...doc, recordings: { ...doc.recordings, [event.data.track]: event.data.key } };
    case 'PersonalDataErased':
      return {
        ...doc,
        contact: null,
        transcript_key: null,
        recordings: { mixed: null, user: null, bot: null },
        // What carriers say of a call may quote the number.
        attempts: doc.attempts.map((a) => ({
          ...a,
          evidence: null,
          error: null,
          uncertain: a.uncertain && { ...a.uncertain, reason: '' },
        })),
      };
    default:
      return doc;
  }
};

export const runs: Projection<RunDoc> = {
  name: 'runs',
  version: 1,
  categories: ['run'],
  opens: ['CallAttempted', 'CallRequested'],
  audit: testCallAudit,
  indexes: [
    { fields: ['organization', 'campaign_id', 'created_at'] },
    { fields: ['organization', 'workflow_id', 'created_at'] },
  ],
  keys: (event) => [runKey(event.org, (event.data as { run_id: number } & Record<string, Json>).run_id)],
  evolve: (doc, recorded) => {
    const event = recorded as unknown as Event;
    if (event.type === 'CallRequested') return requested(event);
    if (event.type === 'CallAttempted') return attempted(doc, event);
    // Contacts that end uncalled, and turns whose claim never came, are not listed.
    return doc && evolveRun(doc, event);
  },
};
