/** `workflow_configurations`: how an agent behaves on a call. Stored sparsely, as sent; keys that we do not know are kept. */
import {
  boolean,
  freeObject,
  integer,
  list,
  number,
  object,
  oneOf,
  required,
  sparseObject,
  text,
  nullable,
} from '../../core/codec';
import type { JsonObject } from '../../core/event';

const CallDisposition = object('CallDisposition', {
  code: required(text({ min: 1, max: 64, pattern: '^[A-Za-z][A-Za-z0-9_-]*$' })),
  description: required(text({ min: 1, max: 1000 })),
});

const FieldMapping = object('ExternalPbxFieldMapping', {
  context_path: required(text({ min: 1, max: 255 })),
  destination_field: required(text({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' })),
});

export const WorkflowConfigurations = sparseObject('WorkflowConfigurations', {
  ambient_noise_configuration: sparseObject('AmbientNoise', { enabled: boolean, volume: number() }),
  max_call_duration: integer({ ge: 1, le: 1200, description: 'Seconds; 300 where it is left out' }),
  max_user_idle_timeout: number({ description: 'Seconds; 10 where it is left out' }),
  smart_turn_stop_secs: number({ description: 'Seconds; 2 where it is left out' }),
  turn_start_strategy: oneOf(['default', 'min_words']),
  turn_start_min_words: integer({ ge: 1 }),
  turn_stop_strategy: oneOf(['transcription', 'turn_analyzer']),
  dictionary: text(),
  context_compaction_enabled: boolean,
  text_chat_inactivity_timeout_seconds: integer({ ge: 60, le: 10500 }),
  external_pbx_field_mappings: list(FieldMapping, { max: 100 }),
  external_pbx_lead_headers: list(text(), { max: 50 }),
  tts_cache_enabled: boolean,
  call_dispositions: list(CallDisposition, { max: 50 }),
  model_overrides: nullable(freeObject),
  model_configuration_v2_override: nullable(freeObject),
});

/** Longest call that an agent takes unless its configuration says otherwise, seconds. */
export const DEFAULT_CALL_SECONDS = 300;

/** How long an answered call may last, whole seconds. */
export const maxCallSeconds = (configurations: JsonObject): number => {
  const seconds = configurations['max_call_duration'];
  return typeof seconds === 'number' && seconds >= 1 ? Math.floor(seconds) : DEFAULT_CALL_SECONDS;
};
