/** The dialer as the rest of the program sees it. */
import type { OrganizationId } from '../core/ids';
import type { Position } from '../core/position';
import type { Gate } from './gates';

export interface DialerStatus {
  /** Everything stored at the start has been folded: it dials. */
  readonly caughtUp: boolean;
  readonly position: Position;
  /** Why it stands still; null: it does not. */
  readonly problem: string | null;
  readonly callsInFlight: number;
}

export interface DialerHandle {
  /** Reads the snapshots and begins to follow the feed; resolves before it has caught up. */
  start(): Promise<void>;
  /** No new claims; what is under way finishes, within bounds. */
  stop(): Promise<void>;
  /** The gates of a campaign as they stand, in order. */
  explain(org: OrganizationId, campaign: number): readonly Gate[];
  /**
   * true: everything up to `position` is folded, and no place request of this organization written before that is unanswered; so a pause that is
   * stored at `position` keeps any further call from its carrier. false: `timeoutMs` ran out first.
   */
  settled(org: OrganizationId, position: Position, timeoutMs: number): Promise<boolean>;
  /**
   * Keeps later turns of the organization, by whatever process, from being taken before `revision` of `stream` is folded; without reading the long
   * stream of turns. Answers the fence's position; null: the dialer has not folded this organization yet, or ended.
   */
  fence(org: OrganizationId, stream: string, revision: number): Promise<Position | null>;
  status(): DialerStatus;
}
