/** The dialer's state: what a fold of the feed leaves in memory. Mutable inside for speed; only the fold changes it. */
import type { Sealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { BreakerStats, BreakerWindow } from '../domain/campaign/breaker';
import type { Settings, TrafficSplit } from '../domain/campaign/events';
import type { Limits } from '../domain/organization/events';
import type { CallRef, RetryReason } from '../domain/run/events';
import type { Cursor } from './cursor';
import type { WaitingHeap } from './heap';

/**
 * Where a call stands. `turn`: a turn names it, its claim is not seen yet; `claimed`: it may be placed any moment; `uncertain`: the request
 * may have left and no answer is known.
 */
export type CallPhase = 'turn' | 'claimed' | 'uncertain' | 'placed' | 'ringing' | 'answered';

/** A call that holds a slot. */
export interface InFlightCall {
  readonly run: number;
  /** null: a test call. */
  readonly campaign: number | null;
  readonly row: number;
  readonly attempt: number;
  readonly retry: number;
  readonly reason: RetryReason | null;
  /** Whose turn it was; null: claimed without one. */
  readonly owner: string | null;
  phase: CallPhase;
  /** Epoch ms of the event that brought it into its phase. */
  since: number;
  /** Epoch ms of the claim; of the turn before. */
  claimedAt: number;
  answered: boolean;
  erased: boolean;
  /** What the claim fixed; null in phase `turn`. */
  claim: CallClaim | null;
}

export interface CallClaim {
  readonly reference: string;
  readonly configuration: number;
  readonly ringSeconds: number;
  readonly talkSeconds: number;
  readonly variant: Pick<CallRef, 'variant_id' | 'workflow_id' | 'definition_id' | 'version_number'>;
}

/** A call closed in the ledger while its carrier could not be asked: its slot is held until it can't live any more. */
export interface Lingering {
  readonly run: number;
  readonly campaign: number | null;
  readonly reference: string;
  readonly configuration: number;
  /** Epoch ms. */
  readonly until: number;
}

export interface AgentVersion {
  readonly definition: number;
  readonly number: number;
  status: 'draft' | 'published' | 'archived';
  /** `max_call_duration` of its configurations. */
  talkSeconds: number;
}
export interface AgentState {
  archived: boolean;
  /** By definition id. */
  readonly versions: Map<number, AgentVersion>;
  /** Definition id of the published version. */
  published: number | null;
}

export interface CallerNumber {
  readonly id: number;
  readonly address: string;
  readonly active: boolean;
}
export interface ConfigurationState {
  readonly provider: string;
  /** Why it is inactive; null: it is active. */
  inactive: string | null;
  deleted: boolean;
  credentials: Sealed;
  numbers: readonly CallerNumber[];
}

export type CampaignStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed';

/** One call without a campaign, from its request to its end. While it is no call in flight it waits to be claimed. */
export interface RequestedCall {
  /** Names the attempt before the next one: 0 at first. */
  readonly ref: CallRef;
  readonly configuration: number;
  /** Id of our number that it shows; null: the carrier decides. */
  readonly caller: number | null;
  /** Not claimed by then (epoch ms) it fails. */
  readonly until: number;
}

export interface CampaignState {
  readonly id: number;
  status: CampaignStatus;
  settings: Settings;
  split: TrafficSplit | null;
  workflow: number;
  readonly configuration: number;
  /** What is imported: a CSV, or of a redial the list of its parent's runs. */
  readonly sourceKey: string;
  readonly sourceSha256: string;
  readonly e164Only: boolean;
  /** The campaign whose contacts `sourceKey` names; null: it is a CSV. */
  readonly redialOf: number | null;
  firstRun: number;
  /** Contacts of the list. */
  contacts: number;
  imported: 'waiting' | 'complete' | 'failed';
  /** Row that each batch begins with, by batch number. */
  batches: number[];
  /** Hash of the last batch's event, which the next one is chained to. */
  contactsHash: string;
  /** Contacts queued so far: rows 0 … queued - 1. */
  queued: number;
  cursor: Cursor;
  waiting: WaitingHeap;
  /** Calls in flight, turns included. */
  inFlight: number;
  /** Calls claimed so far, to share capacity. */
  served: number;
  /** Contacts that have ended. */
  ended: number;
  breaker: BreakerWindow;
  tripped: BreakerStats | null;
  /** How often it was resumed: a trip is about one stretch of running. */
  resumes: number;
}

export interface OrganizationState {
  readonly id: OrganizationId;
  limits: Limits;
  /** Revision of the last event of `dialing-<org>` folded; -1: none. */
  dialingRevision: number;
  /** Its hash, which the next turn is chained to. */
  dialingHash: string;
  /** Who took the last turn. */
  lastOwner: string | null;
  readonly configurations: Map<number, ConfigurationState>;
  readonly agents: Map<number, AgentState>;
  /** Those that are neither completed nor deleted, nor failed with nothing left to cancel. */
  readonly campaigns: Map<number, CampaignState>;
  /** Test calls that are not over, by run id. */
  readonly requests: Map<number, RequestedCall>;
  /** By run id. */
  readonly calls: Map<number, InFlightCall>;
  /** Run id by carrier reference, of the calls in flight. */
  readonly references: Map<string, number>;
  lingering: Lingering[];
}

export interface DialerState {
  readonly organizations: Map<OrganizationId, OrganizationState>;
  /** Everything up to here is folded. */
  position: Position;
  /** By partition: position of its last event folded. */
  readonly lastEvents: Position[];
  /** By partition: events up to here came with its snapshot and are not folded again. */
  readonly restored: Position[];
}
