import { left, right } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import type { Json } from '../../core/event';
import type { Sealed } from '../../core/event-types';
import { conflict, invalid, valueError } from '../../core/failure';
import type { RequestCommand } from './commands';
import type { RequestEvent } from './events';

export interface ClaimedRequest {
  readonly bodyHash: string;
  readonly reserved: Json;
  /** null: claimed and not answered. */
  readonly answer: { readonly status: number; readonly body: Sealed | null } | null;
}
/** null: the key is free. */
export type RequestState = ClaimedRequest | null;

/** Where a fault of the key itself is reported. */
const KEY_LOC = ['header', 'idempotency-key'] as const;

export const requestDecider: Decider<RequestState, RequestCommand, RequestEvent> = {
  name: 'request',
  initial: null,
  decide: (command, state) => {
    if (command.type === 'ClaimRequest') {
      if (state === null)
        return right([{ type: 'RequestClaimed', data: { body_hash: command.bodyHash, reserved: command.reserved } }]);
      return state.bodyHash === command.bodyHash
        ? right([])
        : left(invalid([valueError(KEY_LOC, 'This Idempotency-Key was used with another body; take a new key')]));
    }
    if (command.type === 'ReleaseRequest')
      return right(state === null || state.answer !== null ? [] : [{ type: 'RequestReleased', data: {} }]);
    if (state === null) return left(conflict('The request was answered before it was claimed.'));
    if (state.answer !== null || command.status < 200 || command.status > 299) return right([]);
    return right([{ type: 'RequestAnswered', data: { status: command.status, body: command.body } }]);
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'RequestClaimed':
        return { bodyHash: event.data.body_hash, reserved: event.data.reserved, answer: null };
      case 'RequestReleased':
        return null;
      case 'RequestAnswered':
        return state === null ? null : { ...state, answer: event.data };
    }
  },
  weigh: (state) => state?.answer?.body?.$sealed.length ?? 0,
};
