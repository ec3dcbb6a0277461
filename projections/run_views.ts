/** Runs as the API shows them. */
import type { Json, JsonObject } from '../src/core/event';
import type { AttemptDoc, RunDoc } from './runs';

/** What a run's answer shows of other resources. */
export interface RunNames {
  /** Names of agents by id. */
  readonly workflows: ReadonlyMap<number, string>;
  /** Our numbers by phone number id. */
  readonly callers: ReadonlyMap<number, string>;
}

/** What a run's answer shows of its latest call, or of a test call that is not claimed yet: of what was asked for. */
type Latest = Pick<
  AttemptDoc,
  | 'retry'
  | 'retry_reason'
  | 'definition_id'
  | 'version_number'
  | 'telephony_configuration_id'
  | 'provider'
  | 'caller_phone_number_id'
  | 'answered_by'
  | 'error'
> & { readonly call_id: string | null };

const latestOf = (doc: RunDoc): Latest => {
  const attempt = doc.attempts.at(-1);
  if (attempt !== undefined) return { ...attempt, call_id: attempt.carrier_call_id ?? attempt.reference };
  if (doc.request === undefined) throw new Error(`run ${doc.id} has neither an attempt nor a request`);
  return { ...doc.request, call_id: null, retry: 0, retry_reason: null, answered_by: null };
};

export const testCallName = (run: number): string => `WR-TEL-OUT-${String(run).padStart(8, '0')}`;

const runName = (doc: RunDoc): string =>
  doc.campaign_id === null ? testCallName(doc.id) : `WR-CAMPAIGN-${doc.campaign_id}-${doc.id}`;

/** The contact's row in its list, and which retry of it: what a template sees as `source_uuid`. */
const sourceId = (doc: RunDoc, attempt: Latest): string =>
  `csv_${doc.campaign_id ?? 0}_row_${doc.row + 1}${attempt.retry === 0 ? '' : `_retry_${attempt.retry}`}`;

/** The contact's variables and what every call gets besides; these win over columns of the same name. */
const initialContext = (doc: RunDoc, names: RunNames): JsonObject => {
  const attempt = latestOf(doc);
  const number = doc.contact?.phone_number;
  return {
    ...(doc.contact?.variables as JsonObject | undefined),
    ...(doc.campaign_id === null ? {} : { campaign_id: doc.campaign_id, source_uuid: sourceId(doc, attempt) }),
    provider: attempt.provider,
    direction: 'outbound',
    telephony_configuration_id: attempt.telephony_configuration_id,
    caller_number:
      attempt.caller_phone_number_id === null ? null : (names.callers.get(attempt.caller_phone_number_id) ?? null),
    ...(number === undefined ? {} : { called_number: number, phone_number: number }),
    ...(attempt.retry === 0
      ? {}
      : { is_retry: true, retry_attempt: attempt.retry, retry_reason: attempt.retry_reason }),
  };
};

const callTags = (doc: RunDoc, attempt: Latest): readonly string[] => {
  const tags: string[] = [];
  if (doc.disposition !== null && doc.disposition !== 'completed') {
    if (doc.disposition === 'voicemail_detected') tags.push('voicemail_detected');
    else tags.push('not_connected', `telephony_${doc.disposition}`);
  }
  if (attempt.retry > 0) tags.push('retry', `retry_reason_${attempt.retry_reason ?? 'unknown'}`);
  return tags;
};

const gatheredContext = (doc: RunDoc): JsonObject => {
  const attempt = latestOf(doc);
  const number = doc.contact?.phone_number;
  return {
    call_id: attempt.call_id,
    provider: attempt.provider,
    call_tags: callTags(doc, attempt),
    ...(doc.disposition === null
      ? {}
      : { call_disposition: doc.disposition, mapped_call_disposition: doc.disposition }),
    ...(attempt.answered_by === null ? {} : { answered_by: attempt.answered_by }),
    ...(number === undefined ? {} : { customer_phone_number: number }),
    ...(attempt.error === null ? {} : { error: attempt.error }),
    extracted_variables: {},
  };
};

/** The story of one attempt as carriers tell it: status by status. */
const callbacks = (a: AttemptDoc): readonly JsonObject[] => {
  const call_id = a.carrier_call_id ?? a.reference;
  const status = (word: string, timestamp: string | null, more: JsonObject = {}): readonly JsonObject[] =>
    timestamp === null ? [] : [{ status: word, timestamp, call_id, attempt: a.attempt, ...more }];
  return [
    ...status('initiated', a.placed_at),
    ...status('ringing', a.ringing_at),
    ...status('in-progress', a.answered_at, a.answered_by === null ? {} : { answered_by: a.answered_by }),
    ...(a.outcome === null
      ? []
      : status(a.outcome, a.ended_at, {
          duration: a.duration_seconds,
          ...(a.evidence === null ? {} : { evidence: a.evidence }),
          ...(a.error === null ? {} : { error: a.error }),
        })),
  ];
};

const dispatched = (a: AttemptDoc): JsonObject => ({
  attempt: a.attempt,
  retry: a.retry,
  retry_reason: a.retry_reason,
  variant_id: a.variant_id,
  revision: a.split_revision,
  weight: a.weight,
  workflow_id: a.workflow_id,
  workflow_definition_id: a.definition_id,
  version_number: a.version_number,
  reference: a.reference,
  attempted_at: a.attempted_at,
  uncertain: a.uncertain as Json,
  outcome: a.outcome,
  retry_due_at: a.retry_due_at,
});

/** The whole record. Links that anybody may open are the caller's to add: they carry rights of their own. */
export const runRecord = (doc: RunDoc, names: RunNames) => {
  const attempt = latestOf(doc);
  return {
    id: doc.id,
    workflow_id: doc.workflow_id,
    workflow_name: names.workflows.get(doc.workflow_id) ?? null,
    version_number: attempt.version_number,
    name: runName(doc),
    mode: attempt.provider,
    created_at: doc.created_at,
    is_completed: doc.is_completed,
    state: doc.state,
    campaign_id: doc.campaign_id,
    transcript_url: doc.transcript_key,
    recording_url: doc.recordings.mixed,
    user_recording_url: doc.recordings.user,
    bot_recording_url: doc.recordings.bot,
    transcript_public_url: null as string | null,
    recording_public_url: null as string | null,
    user_recording_public_url: null as string | null,
    bot_recording_public_url: null as string | null,
    public_access_token: null as string | null,
    cost_info:
      doc.duration === null ? null : { dograh_token_usage: 0, call_duration_seconds: Math.round(doc.duration) },
    usage_info: doc.duration === null ? null : { llm: {}, tts: {}, stt: {}, call_duration_seconds: doc.duration },
    definition_id: attempt.definition_id,
    initial_context: initialContext(doc, names),
    gathered_context: gatheredContext(doc),
    call_type: 'outbound' as const,
    logs: {
      telephony_status_callbacks: doc.attempts.flatMap(callbacks),
      campaign_dispatch: doc.attempts.map(dispatched),
    },
    annotations: null,
  };
};

/** Ids of the agents, and of our numbers, that the answers for these runs show. */
export const namesNeeded = (
  docs: readonly RunDoc[],
): { readonly workflows: readonly number[]; readonly callers: readonly number[] } => ({
  workflows: [...new Set(docs.map((d) => d.workflow_id))],
  callers: [...new Set(docs.flatMap((d) => latestOf(d).caller_phone_number_id ?? []))],
});
