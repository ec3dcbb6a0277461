import { dialingDecider } from '../../../src/domain/dialing/decider';
import type { DialingEvent } from '../../../src/domain/dialing/events';
import { given } from '../../support/given';

const claims = [{ campaign_id: 5, run_id: 31, attempt: 1 }];
const turn = (owner: string): DialingEvent => ({ type: 'TurnTaken', data: { owner, claims } });
const fence: DialingEvent = { type: 'DialingFenced', data: { stream: 'campaign-1_5', revision: 3 } };

describe('turns of an organization', () => {
  it('the first is taken on an empty stream', () =>
    given(dialingDecider)
      .when({ type: 'TakeTurn', owner: 'a', claims, expected: -1 })
      .then([turn('a')]));
  it('the next is taken by whoever has folded the last', () =>
    given(dialingDecider, [turn('a')])
      .when({ type: 'TakeTurn', owner: 'b', claims, expected: 0 })
      .then([turn('b')]));
  it('is lost by an owner who has not folded the turn of another', () =>
    given(dialingDecider, [turn('a')])
      .when({ type: 'TakeTurn', owner: 'b', claims, expected: -1 })
      .thenFails('conflict', /revision -1.* at 0/));
  it('is lost by an owner who has not folded a fence', () =>
    given(dialingDecider, [turn('a'), fence])
      .when({ type: 'TakeTurn', owner: 'a', claims, expected: 0 })
      .thenFails('conflict'));
  it('a fence is appended whatever came before', () =>
    given(dialingDecider, [turn('a')])
      .when({ type: 'Fence', stream: 'campaign-1_5', revision: 3 })
      .then([fence]));
});
