/**
 * Calls that nobody seems to look after: of a process that died, or of a carrier that fell silent. None of them is ever dialed again for the
 * same attempt; each is brought to an end that can be known, or closed as uncertain.
 */
import type { Capacity, PolicyTimes } from './capacity';
import type { InFlightCall, Lingering, OrganizationState } from './model';
import { LINGER_MARGIN } from './run-fold';

export type CallAction =
  /** A turn whose claim never came: its attempt number is burnt, so that a late claim loses its append. Never a claim that was made. */
  | { readonly type: 'withdraw'; readonly call: InFlightCall }
  /** A claim whose fate nobody wrote down: it may have left. */
  | { readonly type: 'mark_uncertain'; readonly call: InFlightCall }
  /** A live connection must follow it from now on. */
  | { readonly type: 'adopt'; readonly call: InFlightCall }
  /** Ask the carrier; gone: close. */
  | {
      readonly type: 'ask';
      readonly call: InFlightCall;
      /** The carrier gives no proof: `close` it as uncertain, or `wait`. */
      readonly unreachable: 'close' | 'wait';
      /** It lives: `hang_up` where it outlived every limit, else note that it was `placed`. */
      readonly alive: 'hang_up' | 'placed';
    }
  /** Ask whether a closed call is gone, to free its slot. */
  | { readonly type: 'ask_lingering'; readonly call: Lingering };

/** When a call must be over, whatever was lost: every call carries a ring and a talk limit. Epoch ms. */
const limitOf = (call: InFlightCall): number =>
  call.claim === null
    ? call.since
    : call.claimedAt + (call.claim.ringSeconds + call.claim.talkSeconds) * 1000 + LINGER_MARGIN;

/** When a call is asked about if no news came. */
const overdueAt = (call: InFlightCall, times: PolicyTimes): number => {
  if (call.claim === null) return Infinity;
  if (call.phase === 'uncertain') return call.since + times.uncertainLimitMs;
  return call.answered
    ? call.since + call.claim.talkSeconds * 1000 + times.askMs
    : call.claimedAt + call.claim.ringSeconds * 1000 + times.askMs;
};

const reviewCall = (call: InFlightCall, now: number, capacity: Capacity, times: PolicyTimes): CallAction | null => {
  if (capacity.inHand(call.run) || capacity.busy('call', call.run)) return null;
  if (call.phase === 'turn') return capacity.seenFor(call.run) < times.abandonedMs ? null : { type: 'withdraw', call };
  if (call.claim === null) return null;
  const { reference } = call.claim;
  const followed = capacity.followed(reference);
  if (call.phase === 'claimed')
    return capacity.seenFor(call.run) < (followed ? times.answerMs : times.abandonedMs)
      ? null
      : { type: 'mark_uncertain', call };
  if (!followed) return { type: 'adopt', call };
  if (now < overdueAt(call, times) || capacity.askedFor(reference) < times.askMs) return null;
  const past = now >= limitOf(call);
  return {
    type: 'ask',
    call,
    unreachable: past || call.phase === 'uncertain' ? 'close' : 'wait',
    alive: past ? 'hang_up' : 'placed',
  };
};

export function* reviewCalls(
  org: OrganizationState,
  calls: Iterable<InFlightCall>,
  now: number,
  capacity: Capacity,
  times: PolicyTimes,
): Generator<CallAction> {
  for (const call of calls) {
    const action = reviewCall(call, now, capacity, times);
    if (action !== null) yield action;
  }
  for (const call of org.lingering)
    if (call.until > now && !capacity.gone.has(call.reference) && capacity.askedFor(call.reference) >= times.askMs)
      yield { type: 'ask_lingering', call };
}
