/** What agents and their versions look like when they are read. */
import { boolean, list, nullable, object, oneOf, required } from '../../core/codec';
import {
  anyObject,
  dateTime,
  int,
  nullableDateTime,
  nullableInt,
  nullableObject,
  nullableString,
  string,
} from './values';

const status = oneOf(['active', 'archived']);
const versionStatus = oneOf(['draft', 'published', 'archived']);

export const AgentDetail = object('Agent', {
  id: required(int),
  name: required(string),
  status: required(status),
  created_at: required(dateTime),
  workflow_definition: required(anyObject),
  current_definition_id: required(nullableInt),
  template_context_variables: required(nullableObject),
  call_disposition_codes: required(nullable(object('DispositionCodes', { disposition_codes: required(list(string)) }))),
  total_runs: required(nullableInt),
  workflow_configurations: required(nullableObject),
  version_number: required(nullableInt),
  version_status: required(nullable(versionStatus)),
  workflow_uuid: required(nullableString),
});

const AgentItem = object('AgentItem', {
  id: required(int),
  name: required(string),
  status: required(status),
  created_at: required(dateTime),
  total_runs: required(int),
  folder_id: required(nullableInt),
  workflow_uuid: required(nullableString),
  current_definition_id: required(nullableInt),
  version_number: required(nullableInt),
  version_status: required(nullable(versionStatus)),
});
export const AgentList = list(AgentItem);

export const AgentCount = object('AgentCount', {
  total: required(int),
  active: required(int),
  archived: required(int),
});

export const AgentSummaries = list(object('AgentSummary', { id: required(int), name: required(string) }));

export const AgentVersion = object('AgentVersion', {
  id: required(int),
  version_number: required(int),
  status: required(versionStatus),
  created_at: required(dateTime),
  published_at: required(nullableDateTime),
  version_name: required(nullableString),
  change_description: required(nullableString),
  workflow_json: required(anyObject),
  workflow_configurations: required(nullableObject),
  template_context_variables: required(nullableObject),
});
export const AgentVersions = list(AgentVersion);

export const VersionSummary = object('VersionSummary', {
  id: required(int),
  version_number: required(nullableInt),
  status: required(versionStatus),
  published_at: required(nullableDateTime),
});
export const VersionSummaries = list(VersionSummary);

export const VersionMetadata = object('VersionMetadata', {
  id: required(int),
  version_name: required(nullableString),
  change_description: required(nullableString),
});

export const DefinitionValid = object('DefinitionValid', {
  is_valid: required(boolean),
  errors: required(list(anyObject)),
});
