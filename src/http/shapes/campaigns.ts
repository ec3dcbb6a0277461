/** What campaigns look like when they are read. */
import { boolean, list, nullable, number, object, required } from '../../core/codec';
import { counts, dateTime, int, nullableDateTime, nullableInt, nullableObject, nullableString, string } from './values';

const RetryConfig = object('RetryConfig', {
  enabled: required(boolean),
  max_retries: required(int),
  retry_delay_seconds: required(int),
  retry_on_busy: required(boolean),
  retry_on_no_answer: required(boolean),
  retry_on_voicemail: required(boolean),
});

const ScheduleConfig = object('ScheduleConfig', {
  enabled: required(boolean),
  timezone: required(string),
  slots: required(
    list(
      object('ScheduleSlot', {
        day_of_week: required(int),
        start_time: required(string),
        end_time: required(string),
      }),
    ),
  ),
});

const CircuitBreaker = object('CircuitBreaker', {
  enabled: required(boolean),
  failure_threshold: required(number()),
  window_seconds: required(int),
  min_calls_in_window: required(int),
});

const TrafficSplit = object('TrafficSplit', {
  revision: required(int),
  variants: required(
    list(
      object('TrafficVariant', {
        id: required(string),
        workflow_id: required(int),
        workflow_name: required(string),
        workflow_definition_id: required(nullableInt),
        version_number: required(nullableInt),
        weight: required(int),
      }),
    ),
  ),
});

const LogEntry = object('CampaignLogEntry', {
  ts: required(dateTime),
  level: required(string),
  event: required(string),
  message: required(string),
  details: required(nullableObject),
});

export const CampaignDetail = object('Campaign', {
  id: required(int),
  name: required(string),
  workflow_id: required(int),
  workflow_name: required(string),
  state: required(string),
  source_type: required(string),
  source_id: required(string),
  total_rows: required(nullableInt),
  processed_rows: required(int),
  failed_rows: required(int),
  created_at: required(dateTime),
  started_at: required(nullableDateTime),
  completed_at: required(nullableDateTime),
  retry_config: required(RetryConfig),
  traffic_split: required(nullable(TrafficSplit)),
  max_concurrency: required(nullableInt),
  rate_limit_per_second: required(int),
  schedule_config: required(nullable(ScheduleConfig)),
  circuit_breaker: required(CircuitBreaker),
  executed_count: required(int),
  total_queued_count: required(int),
  parent_campaign_id: required(nullableInt),
  redialed_campaign_id: required(nullableInt),
  telephony_configuration_id: required(nullableInt),
  telephony_configuration_name: required(nullableString),
  logs: required(list(LogEntry)),
  warnings: required(list(string)),
});

export const CampaignList = object('CampaignList', { campaigns: required(list(CampaignDetail)) });

export const CampaignProgress = object('CampaignProgress', {
  campaign_id: required(int),
  state: required(string),
  total_rows: required(int),
  processed_rows: required(int),
  failed_calls: required(int),
  progress_percentage: required(number()),
  calls_in_flight: required(int),
  contacts_ended: required(int),
  source_sync: required(
    object('SourceSync', {
      status: required(string),
      last_synced_at: required(nullableDateTime),
      error: required(nullableString),
    }),
  ),
  rate_limit: required(int),
  started_at: required(nullableDateTime),
  completed_at: required(nullableDateTime),
});

export const TrafficStats = object('TrafficStats', {
  total_attempts: required(int),
  variants: required(
    list(
      object('VariantStats', {
        id: required(string),
        workflow_id: required(int),
        workflow_name: required(string),
        workflow_definition_id: required(nullableInt),
        version_number: required(nullableInt),
        target_weight: required(nullableInt),
        attempts: required(int),
        completed: required(int),
        actual_percentage: required(number()),
        states: required(counts),
        outcomes: required(counts),
        definitions: required(
          list(
            object('VersionAttempts', {
              definition_id: required(nullableInt),
              version_number: required(nullableInt),
              attempts: required(int),
            }),
          ),
        ),
      }),
    ),
  ),
});

export const SourceDownload = object('SourceDownload', { download_url: required(string), expires_in: required(int) });

export const CampaignDefaults = object('CampaignDefaults', {
  concurrent_call_limit: required(int),
  from_numbers_count: required(int),
  default_retry_config: required(RetryConfig),
  last_campaign_settings: required(
    nullable(
      object('LastCampaignSettings', {
        retry_config: required(RetryConfig),
        max_concurrency: required(nullableInt),
        schedule_config: required(nullable(ScheduleConfig)),
        circuit_breaker: required(nullable(CircuitBreaker)),
      }),
    ),
  ),
});

export const CampaignGates = object('CampaignGates', {
  gates: required(
    list(
      object('Gate', {
        gate: required(string),
        open: required(boolean),
        reason: required(nullableString),
        until: required(nullable(number())),
      }),
    ),
  ),
});
