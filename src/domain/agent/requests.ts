/** Bodies of the requests about agents. */
import {
  closed,
  freeObject,
  nullable,
  object,
  oneOf,
  optional,
  required,
  text,
  withDefault,
  type Decoded,
} from '../../core/codec';
import { WorkflowConfigurations } from './configurations';

/** Body of POST /workflow/create/definition. */
export const AgentCreate = object('AgentCreate', {
  name: required(text()),
  workflow_definition: required(freeObject),
});
export type AgentCreate = Decoded<typeof AgentCreate>;

/** Body of POST /workflow/create/template. */
export const AgentFromTemplate = object('AgentFromTemplate', {
  call_type: withDefault(oneOf(['inbound', 'outbound']), 'outbound'),
  use_case: required(text()),
  activity_description: required(text()),
});
export type AgentFromTemplate = Decoded<typeof AgentFromTemplate>;

/** Body of PUT /workflow/{workflow_id}: null or left out stays as it is. */
export const AgentUpdate = object('AgentUpdate', {
  name: optional(nullable(text())),
  workflow_definition: optional(nullable(freeObject)),
  template_context_variables: optional(nullable(freeObject)),
  workflow_configurations: optional(nullable(WorkflowConfigurations)),
});
export type AgentUpdate = Decoded<typeof AgentUpdate>;

/** Body of PUT /workflow/{workflow_id}/status. */
export const AgentStatusChange = object('AgentStatusChange', { status: required(oneOf(['active', 'archived'])) });
export type AgentStatusChange = Decoded<typeof AgentStatusChange>;

const versionName = optional(nullable(text({ min: 1, max: 100 })));
const changeDescription = optional(nullable(text({ min: 1, max: 500 })));

/** Body of POST /workflow/{workflow_id}/publish; the whole body may be left out. */
export const VersionPublish = object('VersionPublish', {
  version_name: versionName,
  change_description: changeDescription,
});
export type VersionPublish = Decoded<typeof VersionPublish>;

/** Body of PATCH …/versions/{definition_id}/metadata: left out stays, null clears, other fields are refused. */
export const VersionMetadata = closed(
  object('VersionMetadata', { version_name: versionName, change_description: changeDescription }),
  ['version_name', 'change_description'],
);
export type VersionMetadata = Decoded<typeof VersionMetadata>;
