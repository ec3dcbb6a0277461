import * as t from 'io-ts';
import { eventType, JsonRecord, orNull, type EventOf } from '../../core/event-types';

/**
 * Everything that a version fixes. Secret fields of nodes and configurations are `Sealed` objects in place of their text.
 */
export const VersionContent = t.type({
  workflow_definition: JsonRecord,
  workflow_configurations: JsonRecord,
  template_context_variables: JsonRecord,
});
export type VersionContent = t.TypeOf<typeof VersionContent>;

const AgentRef = t.type({ workflow_id: t.number });
const VersionRef = t.type({ workflow_id: t.number, definition_id: t.number, version_number: t.number });

export const agentEvents = {
  /** Made with version 1, published. */
  AgentCreated: eventType(
    t.intersection([VersionRef, t.type({ name: t.string, workflow_uuid: t.string, content: VersionContent })]),
  ),
  /** The one draft, whole; the first of its number makes the draft. */
  DraftSaved: eventType(t.intersection([VersionRef, t.type({ content: VersionContent })])),
  /** The draft becomes the published version; the one before it becomes archived. */
  VersionPublished: eventType(
    t.intersection([VersionRef, t.type({ version_name: orNull(t.string), change_description: orNull(t.string) })]),
  ),
  VersionDescribed: eventType(
    t.intersection([VersionRef, t.type({ version_name: orNull(t.string), change_description: orNull(t.string) })]),
  ),
  AgentRenamed: eventType(t.intersection([AgentRef, t.type({ name: t.string })])),
  AgentArchived: eventType(AgentRef),
  AgentRestored: eventType(AgentRef),
};
export type AgentEvent = EventOf<typeof agentEvents>;
