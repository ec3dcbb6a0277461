/**
 * What may be asked of an agent. The shell around the decider does the following first:
 *
 * - Secrets: open the content that a request builds upon (the draft, else the published version), `restoreSecrets`, then `sealSecrets`. The
 *   decider gets content without a readable secret.
 * - Trigger paths: `fillTriggerPaths` with UUIDs (for copies and generated definitions `renewTriggerPaths`), and find out which of
 *   `triggerPathsOf` other agents have.
 * - Ids come from the sequences `agent` and `definition`; `workflowUuid` is a UUID v4.
 *
 * `ifRevision` (from `If-Match`): the stream revision of the last event that changed the agent, as the caller saw it; another one is `stale`.
 */
import type { JsonObject } from '../../core/event';
import type { VersionContent } from './events';

interface OnAgent {
  readonly ifRevision?: number;
}

/** A content that is made a version; every rule holds. */
export interface CreateAgent {
  readonly type: 'CreateAgent';
  readonly workflowId: number;
  readonly definitionId: number;
  readonly workflowUuid: string;
  readonly name: string;
  readonly content: VersionContent;
  /** A copy's draft: saved on top of the published version, by the rules of drafts. */
  readonly draft?: { readonly definitionId: number; readonly content: VersionContent };
  readonly takenTriggerPaths: readonly string[];
}

/** What is null stays. The name changes at once, the rest goes to the draft. */
export interface UpdateAgent extends OnAgent {
  readonly type: 'UpdateAgent';
  readonly name: string | null;
  readonly workflowDefinition: JsonObject | null;
  readonly workflowConfigurations: JsonObject | null;
  readonly templateContextVariables: JsonObject | null;
  /** Id of the draft if there is none yet; null: there was one, so no id was taken. It is gone: `stale`, and the shell begins again. */
  readonly definitionId: number | null;
  readonly takenTriggerPaths: readonly string[];
}

/** A draft with the published content; the one that is there, if there is one. */
export interface CreateDraft extends OnAgent {
  readonly type: 'CreateDraft';
  /** As in UpdateAgent. */
  readonly definitionId: number | null;
}

export interface PublishDraft extends OnAgent {
  readonly type: 'PublishDraft';
  readonly versionName: string | null;
  readonly changeDescription: string | null;
  readonly takenTriggerPaths: readonly string[];
}

/** undefined stays, null clears. */
export interface DescribeVersion extends OnAgent {
  readonly type: 'DescribeVersion';
  readonly definitionId: number;
  readonly versionName?: string | null;
  readonly changeDescription?: string | null;
}

export interface ChangeStatus extends OnAgent {
  readonly type: 'ChangeStatus';
  readonly status: 'active' | 'archived';
}

export type AgentCommand = CreateAgent | UpdateAgent | CreateDraft | PublishDraft | DescribeVersion | ChangeStatus;
