/**
 * What may be asked of an organization's telephony. The decider is pure, so the shell around it does the following first:
 *
 * - Credentials: decode the request (config.ts). On an update open the stored seal, `restoreMasked`, and remember the seal that the masks were
 *   restored from (`basedOn`). Make the carrier's application where its field is empty (`applicationFieldOf`) and put its name or id in; add fields
 *   of our own (ARI's `stasis_app_name`, Cloudonix's `domain_uuid`). Ask the carrier whether the credentials are good: a refusal ends the command
 *   (400), an unreachable carrier becomes `carrierCheck {ok: false}`. Then seal, and note `fieldsSetOf` and the keyed hash of `accountOf`.
 * - Ids come from the sequences `telephony_configuration`, `phone_number`, `trunk`.
 * - Whether an agent exists in the organization (`inbound_workflow_id`), whether the carrier's account owns a number, whether a campaign refers to
 *   a configuration: found out before; the first two end the command, the last goes into it.
 *
 * `ifRevision` (from `If-Match`): the stream revision of the last event that changed the configuration, as the caller saw it; another one is `stale`.
 */
import type { Sealed } from '../../core/event-types';
import type { JsonObject } from '../../core/event';
import type { CarrierCheck, Provider } from './events';

/** Credentials as the decider gets them: sealed, and what rules need to know of them. */
export interface SealedCredentials {
  readonly sealed: Sealed;
  readonly fieldsSet: readonly string[];
  readonly accountFingerprint: string | null;
  readonly carrierCheck: CarrierCheck | null;
  /** The application that was made at the carrier for this save; null: none was. */
  readonly provisioned: { readonly field: string; readonly value: string } | null;
}

interface OnConfiguration {
  readonly configurationId: number;
  readonly ifRevision?: number;
}

export interface CreateConfiguration {
  readonly type: 'CreateConfiguration';
  readonly configurationId: number;
  readonly name: string;
  readonly provider: Provider;
  readonly isDefaultOutbound: boolean;
  readonly credentials: SealedCredentials;
}

/** null: unchanged. `isDefaultOutbound` false clears the default where it is this one. */
export interface ChangeConfiguration extends OnConfiguration {
  readonly type: 'ChangeConfiguration';
  readonly name: string | null;
  readonly isDefaultOutbound: boolean | null;
  readonly config: {
    readonly provider: Provider;
    readonly credentials: SealedCredentials;
    /** The stored seal that masks were restored from; replaced meanwhile: conflict, and the shell may begin again. */
    readonly basedOn: Sealed;
  } | null;
}

export interface DeleteConfiguration extends OnConfiguration {
  readonly type: 'DeleteConfiguration';
  /** Whether a campaign, in whatever state, refers to it. */
  readonly referenced: boolean;
}

export interface SetDefaultOutbound extends OnConfiguration {
  readonly type: 'SetDefaultOutbound';
}

/** `reason` is cut to 255 characters. Inactive already: nothing to do. */
export interface InactivateConfiguration extends OnConfiguration {
  readonly type: 'InactivateConfiguration';
  readonly reason: string;
}

export interface ReactivateConfiguration extends OnConfiguration {
  readonly type: 'ReactivateConfiguration';
}

export interface AddPhoneNumber extends OnConfiguration {
  readonly type: 'AddPhoneNumber';
  readonly phoneNumberId: number;
  readonly address: string;
  readonly countryCode: string | null;
  readonly label: string | null;
  readonly inboundWorkflowId: number | null;
  readonly trunkId: number | null;
  readonly isActive: boolean;
  readonly isDefaultCallerId: boolean;
  readonly extraMetadata: JsonObject;
  /** Fingerprint of the carrier account under which the number was reserved; the configuration has another one meanwhile: conflict. */
  readonly reservedUnder?: string | null;
}

/** null: unchanged; an id wins over the flag that clears it. */
export interface ChangePhoneNumber extends OnConfiguration {
  readonly type: 'ChangePhoneNumber';
  readonly phoneNumberId: number;
  readonly label: string | null;
  readonly inboundWorkflowId: number | null;
  readonly clearInboundWorkflow: boolean;
  readonly trunkId: number | null;
  readonly clearTrunk: boolean;
  readonly isActive: boolean | null;
  readonly countryCode: string | null;
  readonly extraMetadata: JsonObject | null;
}

/** The shell detaches the number at the carrier first. */
export interface RemovePhoneNumber extends OnConfiguration {
  readonly type: 'RemovePhoneNumber';
  readonly phoneNumberId: number;
}

export interface SetDefaultCaller extends OnConfiguration {
  readonly type: 'SetDefaultCaller';
  readonly phoneNumberId: number;
}

/** `settings` as they were sent; the decider checks them by the provider's schema. */
export interface AddTrunk extends OnConfiguration {
  readonly type: 'AddTrunk';
  readonly trunkId: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly settings: JsonObject;
}

/** null: unchanged. */
export interface ChangeTrunk extends OnConfiguration {
  readonly type: 'ChangeTrunk';
  readonly trunkId: number;
  readonly name: string | null;
  readonly enabled: boolean | null;
  readonly settings: JsonObject | null;
}

export interface RemoveTrunk extends OnConfiguration {
  readonly type: 'RemoveTrunk';
  readonly trunkId: number;
}

export type TelephonyCommand =
  | CreateConfiguration
  | ChangeConfiguration
  | DeleteConfiguration
  | SetDefaultOutbound
  | InactivateConfiguration
  | ReactivateConfiguration
  | AddPhoneNumber
  | ChangePhoneNumber
  | RemovePhoneNumber
  | SetDefaultCaller
  | AddTrunk
  | ChangeTrunk
  | RemoveTrunk;
