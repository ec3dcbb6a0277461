import * as t from 'io-ts';
import { eventType, JsonValue, orNull, type EventOf } from '../../core/event-types';

export const RetryConfig = t.type({
  enabled: t.boolean,
  max_retries: t.number,
  retry_delay_seconds: t.number,
  retry_on_busy: t.boolean,
  retry_on_no_answer: t.boolean,
  retry_on_voicemail: t.boolean,
});
export type RetryConfig = t.TypeOf<typeof RetryConfig>;

/** `day_of_week` 0 is Monday; times are `HH:MM` in `timezone`, start inclusive, end exclusive; `24:00` as an end. */
export const ScheduleConfig = t.type({
  enabled: t.boolean,
  timezone: t.string,
  slots: t.readonlyArray(t.type({ day_of_week: t.number, start_time: t.string, end_time: t.string })),
});
export type ScheduleConfig = t.TypeOf<typeof ScheduleConfig>;

export const BreakerConfig = t.type({
  enabled: t.boolean,
  failure_threshold: t.number,
  window_seconds: t.number,
  min_calls_in_window: t.number,
});
export type BreakerConfig = t.TypeOf<typeof BreakerConfig>;

export const Variant = t.type({
  /** `<workflow_id>:<definition_id>` or `<workflow_id>:latest`. */
  id: t.string,
  workflow_id: t.number,
  /** null: the latest published version at dial time. */
  workflow_definition_id: orNull(t.number),
  weight: t.number,
});
export type Variant = t.TypeOf<typeof Variant>;

export const TrafficSplit = t.type({
  /** 32 lower-case hex digits; never shown by the API. */
  seed: t.string,
  revision: t.number,
  variants: t.readonlyArray(Variant),
});
export type TrafficSplit = t.TypeOf<typeof TrafficSplit>;

const CampaignRef = t.type({ campaign_id: t.number });

/** What PATCH may change, each as it is from now on. */
const Settings = t.type({
  name: t.string,
  retry_config: RetryConfig,
  max_concurrency: orNull(t.number),
  rate_limit_per_second: t.number,
  schedule_config: orNull(ScheduleConfig),
  circuit_breaker: orNull(BreakerConfig),
});
export type Settings = t.TypeOf<typeof Settings>;

export const campaignEvents = {
  CampaignCreated: eventType(
    t.intersection([
      CampaignRef,
      Settings,
      t.type({
        source_type: t.literal('csv'),
        source_id: t.string,
        /** SHA-256 (hex) of the CSV, and its data rows that hold a contact. Another content at import is ImportFailed. */
        source_sha256: t.string,
        total_rows: t.number,
        /** The agent of a plain campaign, or the heaviest variant's. */
        workflow_id: t.number,
        /** null: a plain campaign, which dials `workflow_id`, latest. */
        traffic_split: orNull(TrafficSplit),
        telephony_configuration_id: t.number,
        /** Whether contacts must be E.164, by the configuration's carrier. */
        e164_only: t.boolean,
        parent_campaign_id: orNull(t.number),
      }),
      t.partial({
        /**
         * A redial: which of the parent's contacts it calls. Its own `source_id` is the parent's, and is not imported again. Absent: the
         * contacts are those of `source_id`.
         */
        redial: t.type({
          /** The list of the parent's run ids in the object store, and its SHA-256 (hex). */
          list_key: t.string,
          list_sha256: t.string,
          /** Contacts that would have been called and were erased before. */
          erased: t.number,
        }),
      }),
    ]),
  ),
  /** Contact number i (0-based) of the list has the run id `first_run_id + i`. */
  CampaignStarted: eventType(t.intersection([CampaignRef, t.type({ first_run_id: t.number, contacts: t.number })])),
  ImportCompleted: eventType(t.intersection([CampaignRef, t.type({ contacts: t.number, batches: t.number })])),
  ImportFailed: eventType(t.intersection([CampaignRef, t.type({ error: t.string })])),
  /** Only what changed is present. */
  CampaignChanged: eventType(t.intersection([CampaignRef, t.partial(Settings.props)])),
  /** `workflow_id`: the heaviest variant's from now on. */
  TrafficSplitRevised: eventType(
    t.intersection([CampaignRef, t.type({ traffic_split: TrafficSplit, workflow_id: t.number })]),
  ),
  CampaignPaused: eventType(CampaignRef),
  CampaignResumed: eventType(CampaignRef),
  /** The campaign is paused by it. */
  CircuitBreakerTripped: eventType(
    t.intersection([
      CampaignRef,
      t.type({
        failure_rate: t.number,
        failure_count: t.number,
        success_count: t.number,
        threshold: t.number,
        window_seconds: t.number,
        /** Newest first, at most 20. */
        recent_failures: t.readonlyArray(t.type({ workflow_run_id: t.number, reason: t.string, ts: t.string })),
      }),
    ]),
  ),
  CampaignCompleted: eventType(CampaignRef),
  CampaignFailed: eventType(t.intersection([CampaignRef, t.type({ error: t.string })])),
  CampaignRedialed: eventType(
    t.intersection([CampaignRef, t.type({ redialed_campaign_id: t.number, request: JsonValue })]),
  ),
  CampaignDeleted: eventType(CampaignRef),
};
export type CampaignEvent = EventOf<typeof campaignEvents>;

/** Streams `contacts-<org>_<campaign>`: one event a batch, revision = batch number. */
export const contactsEvents = {
  ContactsQueued: eventType(
    t.intersection([
      CampaignRef,
      t.type({
        /** 0, 1, 2 …: equals the revision. */
        batch: t.number,
        /** Run id of the first contact of the batch; the others follow. */
        first_run_id: t.number,
        /** The vault's page with the contacts' keys; contact i is opened by key i. */
        page: t.string,
        /** Per contact base64 of nonce, ciphertext, tag over the JSON of a ContactData. */
        contacts: t.readonlyArray(t.string),
      }),
    ]),
  ),
};
export type ContactsEvent = EventOf<typeof contactsEvents>;

/** What is sealed per contact: readable only with the contact's own key. */
export const ContactData = t.type({
  phone_number: t.string,
  /** The CSV's columns by lower-cased header, greeting override included as an object. */
  variables: t.readonly(t.record(t.string, JsonValue)),
});
export type ContactData = t.TypeOf<typeof ContactData>;
