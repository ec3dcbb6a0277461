import type { Json } from '../../core/event';
import type { Sealed } from '../../core/event-types';

/**
 * What may be asked of one Idempotency-Key. The stream's name hashes organization, method, path and key. The shell claims once the resource's
 * decider has accepted the command, carries the command out with the reserved ids, and then answers; a claim without an answer is carried on
 * with the ids that it reserved.
 */
export type RequestCommand =
  | {
      readonly type: 'ClaimRequest';
      /** Hash of the request's body. */
      readonly bodyHash: string;
      /** Ids and secrets' names that the first try took, so that a repeat makes the same things. */
      readonly reserved: Json;
    }
  /** Nothing came of the claim: the key is given back. */
  | { readonly type: 'ReleaseRequest' }
  /** `status` 2xx; anything else is not remembered. */
  | { readonly type: 'AnswerRequest'; readonly status: number; readonly body: Sealed | null };
