import type { CampaignEvent, Settings } from './events';
import type { RequestedVariant } from './traffic-split';

type DataOf<T extends CampaignEvent['type']> = Extract<CampaignEvent, { type: T }>['data'];

/** `revision` of the campaign's stream as the caller saw it (from `If-Match`); another one is `stale`. */
interface Guarded {
  readonly ifRevision?: number;
}

/**
 * What may be asked of a campaign. Before, the shell has found out what a pure decision cannot: whether agents and versions exist, the
 * telephony configuration, the scan of the CSV, reserved ids.
 */
export type CampaignCommand =
  /** The same id again: nothing to do. */
  | { readonly type: 'CreateCampaign'; readonly campaign: DataOf<'CampaignCreated'> }
  /**
   * From draft: starts with a block of `total_rows` run ids from `firstRunId` on. From paused: resumes. The same `firstRunId` as it was started
   * with is the same request repeated: nothing to do.
   */
  | ({ readonly type: 'StartCampaign'; readonly firstRunId: number } & Guarded)
  | ({ readonly type: 'PauseCampaign' } & Guarded)
  | ({ readonly type: 'ResumeCampaign' } & Guarded)
  /** Settings and split at once, so that a PATCH holds wholly or not at all. `freshSeed` is used by a first split only. */
  | ({
      readonly type: 'ChangeCampaign';
      readonly changes: Partial<Settings>;
      readonly split: { readonly variants: readonly RequestedVariant[]; readonly freshSeed: string } | null;
    } & Guarded)
  | { readonly type: 'CompleteImport'; readonly contacts: number; readonly batches: number }
  /** The campaign fails with it. */
  | { readonly type: 'FailImport'; readonly error: string }
  /**
   * Pauses a running campaign; else nothing. `resumes`: how many resumes the window that tripped has seen, so that a report from before the
   * last one changes nothing; null: whatever it was.
   */
  | {
      readonly type: 'TripBreaker';
      readonly stats: Omit<DataOf<'CircuitBreakerTripped'>, 'campaign_id'>;
      readonly resumes: number | null;
    }
  /** Only a running campaign whose import is complete; else nothing. */
  | { readonly type: 'CompleteCampaign' }
  /** Once per campaign; the same child again: nothing to do. */
  | {
      readonly type: 'RedialCampaign';
      readonly childId: number;
      readonly request: DataOf<'CampaignRedialed'>['request'];
    }
  | ({ readonly type: 'DeleteCampaign' } & Guarded);
