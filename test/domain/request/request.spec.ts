import { requestDecider } from '../../../src/domain/request/decider';
import type { RequestEvent } from '../../../src/domain/request/events';
import { fold, given } from '../../support/given';

const body = { $sealed: 'x', key: 'org/1/1', field: 'request.answer' };
const claim = { type: 'ClaimRequest', bodyHash: 'a', reserved: [7] } as const;
const claimed: RequestEvent = { type: 'RequestClaimed', data: { body_hash: 'a', reserved: [7] } };
const answered: RequestEvent = { type: 'RequestAnswered', data: { status: 200, body } };

test('a free key is claimed with the ids that the request took', () => {
  given(requestDecider).when(claim).then([claimed]);
});

test('the same request again finds its claim, and its answer once there is one', () => {
  given(requestDecider, [claimed])
    .when({ ...claim, reserved: [8] })
    .thenNothing();
  expect(fold(requestDecider, [claimed])).toEqual({ bodyHash: 'a', reserved: [7], answer: null });
  expect(fold(requestDecider, [claimed, answered])?.answer).toEqual({ status: 200, body });
});

test('another body under the same key is a fault of the header', () => {
  given(requestDecider, [claimed])
    .when({ ...claim, bodyHash: 'b' })
    .thenFails('invalid', /header\.idempotency-key/);
  given(requestDecider, [claimed, answered])
    .when({ ...claim, bodyHash: 'b' })
    .thenFails('invalid');
});

test('a claim that nothing came of is given back; an answered one is not', () => {
  given(requestDecider, [claimed])
    .when({ type: 'ReleaseRequest' })
    .then([{ type: 'RequestReleased', data: {} }]);
  expect(fold(requestDecider, [claimed, { type: 'RequestReleased', data: {} }])).toBeNull();
  given(requestDecider, [claimed, answered]).when({ type: 'ReleaseRequest' }).thenNothing();
  given(requestDecider).when({ type: 'ReleaseRequest' }).thenNothing();
});

test('the first good answer is kept; others are not remembered', () => {
  const answer = { type: 'AnswerRequest', status: 200, body } as const;
  given(requestDecider, [claimed]).when(answer).then([answered]);
  given(requestDecider, [claimed, answered])
    .when({ ...answer, status: 201 })
    .thenNothing();
  for (const status of [400, 409, 500, 302])
    given(requestDecider, [claimed])
      .when({ ...answer, status })
      .thenNothing();
  given(requestDecider).when(answer).thenFails('conflict');
});
