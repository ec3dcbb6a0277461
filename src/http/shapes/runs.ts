/** What runs look like when they are read. Lists carry every field that the record has. */
import { boolean, list, nullable, number, object, oneOf, required } from '../../core/codec';
import { anyObject, dateTime, int, nullableInt, nullableObject, nullableString, string } from './values';

const fields = {
  id: required(int),
  workflow_id: required(int),
  workflow_name: required(nullableString),
  version_number: required(nullableInt),
  name: required(string),
  mode: required(string),
  created_at: required(dateTime),
  is_completed: required(boolean),
  state: required(oneOf(['initialized', 'running', 'retry_scheduled', 'completed'])),
  campaign_id: required(nullableInt),
  transcript_url: required(nullableString),
  recording_url: required(nullableString),
  user_recording_url: required(nullableString),
  bot_recording_url: required(nullableString),
  transcript_public_url: required(nullableString),
  recording_public_url: required(nullableString),
  user_recording_public_url: required(nullableString),
  bot_recording_public_url: required(nullableString),
  public_access_token: required(nullableString),
  cost_info: required(
    nullable(
      object('RunCost', { dograh_token_usage: required(number()), call_duration_seconds: required(nullableInt) }),
    ),
  ),
  usage_info: required(
    nullable(
      object('RunUsage', {
        llm: required(anyObject),
        tts: required(anyObject),
        stt: required(anyObject),
        call_duration_seconds: required(nullable(number())),
      }),
    ),
  ),
  definition_id: required(nullableInt),
  initial_context: required(nullableObject),
  gathered_context: required(nullableObject),
  call_type: required(oneOf(['inbound', 'outbound'])),
  logs: required(nullableObject),
  annotations: required(nullableObject),
};
export const Run = object('Run', fields);

const page = {
  runs: required(list(Run)),
  total_count: required(int),
  page: required(int),
  limit: required(int),
  total_pages: required(int),
};
export const RunList = object('RunList', page);
export const AgentRunList = object('AgentRunList', { ...page, applied_filters: required(nullable(list(anyObject))) });
