/** Bodies of the requests about campaigns. */
import {
  boolean,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  refine,
  required,
  text,
  withDefault,
  type Decoded,
} from '../../core/codec';
import { objectKey } from '../../core/object-key';
import type { Settings } from './events';
import { RETRY_WHEN_OMITTED } from './retry';
import { isTimezone } from './schedule';

const RetryConfigRequest = object('RetryConfig', {
  enabled: withDefault(boolean, true),
  max_retries: withDefault(integer({ ge: 0, le: 10 }), 2),
  retry_delay_seconds: withDefault(integer({ ge: 30, le: 3600 }), 120),
  retry_on_busy: withDefault(boolean, true),
  retry_on_no_answer: withDefault(boolean, true),
  retry_on_voicemail: withDefault(boolean, true),
});

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';

const TimeSlotRequest = refine(
  object('TimeSlot', {
    day_of_week: required(integer({ ge: 0, le: 6, description: '0 is Monday' })),
    start_time: required(text({ pattern: `^${CLOCK}$`, description: 'HH:MM, inclusive', example: '09:00' })),
    end_time: required(
      text({ pattern: `^(${CLOCK}|24:00)$`, description: 'HH:MM, exclusive; 24:00 is midnight', example: '17:00' }),
    ),
  }),
  (slot) => (slot.start_time < slot.end_time ? null : 'start_time must be before end_time'),
);

const timezone = refine(text({ description: 'IANA time zone', example: 'America/New_York' }), (name) =>
  isTimezone(name) ? null : `Invalid timezone: ${name}`,
);

const ScheduleConfigRequest = object('ScheduleConfig', {
  enabled: withDefault(boolean, true),
  timezone: withDefault(timezone, 'UTC'),
  slots: required(list(TimeSlotRequest, { min: 1, max: 50 })),
});

const CircuitBreakerRequest = object('CircuitBreakerConfig', {
  enabled: withDefault(boolean, true),
  failure_threshold: withDefault(number({ ge: 0, le: 1 }), 0.5),
  window_seconds: withDefault(integer({ ge: 30, le: 600 }), 120),
  min_calls_in_window: withDefault(integer({ ge: 1, le: 100 }), 5),
});

const VariantRequest = object('TrafficVariantRequest', {
  workflow_id: required(integer({ gt: 0, strict: true })),
  workflow_definition_id: withDefault(
    nullable(
      integer({
        gt: 0,
        strict: true,
        description: 'A published or archived version; null: the latest published when it dials',
      }),
    ),
    null,
  ),
  weight: required(integer({ ge: 1, le: 100, strict: true, description: 'Percent; the weights total 100' })),
});

const TrafficSplitRequest = refine(
  object('TrafficSplitRequest', { variants: required(list(VariantRequest, { min: 1, max: 5 })) }),
  ({ variants }) => {
    if (variants.reduce((sum, v) => sum + v.weight, 0) !== 100) return 'Traffic split weights must add up to 100';
    const pairs = new Set(variants.map((v) => `${v.workflow_id}:${v.workflow_definition_id ?? ''}`));
    return pairs.size === variants.length ? null : 'Each agent/version pair must be unique';
  },
);

const name = text({ min: 1, max: 255 });
const maxConcurrency = nullable(integer({ ge: 1 }));
const rateLimit = integer({ ge: 1, strict: true });

/** Body of POST /campaign/create. */
export const CampaignCreate = refine(
  object('CreateCampaignRequest', {
    name: required(name),
    source_type: required(text({ pattern: '^csv$' })),
    source_id: required(objectKey({ description: 'The file_key of the uploaded CSV' })),
    workflow_id: withDefault(
      nullable(integer({ gt: 0, description: 'Exactly one of workflow_id and traffic_split is given' })),
      null,
    ),
    traffic_split: withDefault(nullable(TrafficSplitRequest), null),
    telephony_configuration_id: withDefault(nullable(integer({ description: 'null: the default one' })), null),
    retry_config: withDefault(nullable(RetryConfigRequest), null),
    max_concurrency: withDefault(maxConcurrency, null),
    rate_limit_per_second: withDefault(rateLimit, 1),
    schedule_config: withDefault(nullable(ScheduleConfigRequest), null),
    circuit_breaker: withDefault(nullable(CircuitBreakerRequest), null),
  }),
  (body) =>
    (body.workflow_id === null) === (body.traffic_split === null)
      ? 'Provide exactly one of workflow_id or traffic_split'
      : null,
);
export type CampaignCreate = Decoded<typeof CampaignCreate>;

/** Body of PATCH /campaign/{campaign_id}. Left out or null: unchanged, but `max_concurrency` null clears it. */
export const CampaignUpdate = object('UpdateCampaignRequest', {
  name: optional(nullable(name)),
  retry_config: optional(nullable(RetryConfigRequest)),
  max_concurrency: optional(maxConcurrency),
  rate_limit_per_second: optional(nullable(rateLimit)),
  schedule_config: optional(nullable(ScheduleConfigRequest)),
  circuit_breaker: optional(nullable(CircuitBreakerRequest)),
  traffic_split: optional(nullable(TrafficSplitRequest)),
});
export type CampaignUpdate = Decoded<typeof CampaignUpdate>;

/** Body of POST /campaign/{campaign_id}/redial. */
export const CampaignRedial = refine(
  object('RedialCampaignRequest', {
    name: withDefault(nullable(name), null),
    retry_on_voicemail: withDefault(boolean, true),
    retry_on_no_answer: withDefault(boolean, true),
    retry_on_busy: withDefault(boolean, true),
    retry_config: withDefault(nullable(RetryConfigRequest), null),
  }),
  (body) =>
    body.retry_on_voicemail || body.retry_on_no_answer || body.retry_on_busy
      ? null
      : 'At least one of retry_on_voicemail, retry_on_no_answer, retry_on_busy must be true',
);
export type CampaignRedial = Decoded<typeof CampaignRedial>;

/** The settings of a new campaign. `retry_config` left out is another thing than `{}`. */
export const settingsOf = (body: CampaignCreate): Settings => ({
  name: body.name,
  retry_config: body.retry_config ?? RETRY_WHEN_OMITTED,
  max_concurrency: body.max_concurrency,
  rate_limit_per_second: body.rate_limit_per_second,
  schedule_config: body.schedule_config,
  circuit_breaker: body.circuit_breaker,
});

/** What a PATCH asks to change, besides the split. */
export const changesOf = (body: CampaignUpdate): Partial<Settings> => ({
  ...(body.max_concurrency === undefined ? {} : { max_concurrency: body.max_concurrency }),
  ...sent('name', body.name),
  ...sent('retry_config', body.retry_config),
  ...sent('rate_limit_per_second', body.rate_limit_per_second),
  ...sent('schedule_config', body.schedule_config),
  ...sent('circuit_breaker', body.circuit_breaker),
});

const sent = <K extends keyof Settings>(key: K, value: Settings[K] | null | undefined): Partial<Settings> =>
  value === undefined || value === null ? {} : { [key]: value };
