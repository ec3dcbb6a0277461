import { defaultTimes, type Capacity } from '../../src/dialer/capacity';
import { nextActions } from '../../src/dialer/next-actions';
import { capacity, ledger, NOW, type Ledger } from './given';

const HOUR = 3_600_000;
const given = (): Ledger => ledger().basics().campaign(1, 100, 1).at(NOW);
const reviewed = (state: Ledger, but: Partial<Capacity> = {}, now = NOW) =>
  nextActions(state.fold(), now, capacity(but), defaultTimes).filter((a) => a.type !== 'wake');
const stranger: Partial<Capacity> = { followed: () => false };

describe('a turn whose claim never came', () => {
  const state = given().turn(1, 'other', [100, 1]);
  it('is left alone for as long as its owner may still claim', () => {
    expect(reviewed(state, { ...stranger, seenFor: () => defaultTimes.abandonedMs - 1 })).toEqual([]);
  });
  it('is withdrawn after that, whatever the clock on the wall says', () => {
    expect(reviewed(state, { ...stranger, seenFor: () => 0 }, NOW + HOUR)).toEqual([]);
    expect(reviewed(state, { ...stranger, seenFor: () => defaultTimes.abandonedMs })).toMatchObject([
      { type: 'withdraw', call: { run: 100, attempt: 1 } },
    ]);
  });
  it('is not touched while this process has it in hand', () => {
    expect(reviewed(state, { inHand: () => true, seenFor: () => HOUR })).toEqual([]);
  });
});

describe('a claim without an answer', () => {
  const state = given().turn(1, 'other', [100, 1]).claimed(1, 100);
  it('of another process becomes uncertain, and is never withdrawn', () => {
    expect(reviewed(state, { ...stranger, seenFor: () => defaultTimes.abandonedMs - 1 })).toEqual([]);
    expect(reviewed(state, { ...stranger, seenFor: () => HOUR })).toMatchObject([{ type: 'mark_uncertain' }]);
  });
  it('of this process is waited for longer', () => {
    expect(reviewed(state, { seenFor: () => defaultTimes.abandonedMs })).toEqual([]);
    expect(reviewed(state, { seenFor: () => defaultTimes.answerMs })).toMatchObject([{ type: 'mark_uncertain' }]);
  });
});

describe('a call with its carrier', () => {
  const placed = given().placed(1, 100);
  it('is adopted when nobody here follows it', () => {
    expect(reviewed(placed, stranger)).toMatchObject([{ type: 'adopt', call: { run: 100 } }]);
    const uncertain = given().claimed(1, 100).run('CallUncertain', 1, 100, { reason: 'x' });
    expect(reviewed(uncertain, stranger)).toMatchObject([{ type: 'adopt' }]);
  });
  it('is left alone within its ring time', () => {
    expect(reviewed(placed, {}, NOW + 45_000 + defaultTimes.askMs - 1)).toEqual([]);
  });
  it('is asked about after it, again and again, and not given up while it may live', () => {
    const late = NOW + 45_000 + defaultTimes.askMs;
    expect(reviewed(placed, {}, late)).toMatchObject([{ type: 'ask', unreachable: 'wait', alive: 'placed' }]);
    expect(reviewed(placed, { askedFor: () => defaultTimes.askMs - 1 }, late)).toEqual([]);
  });
  it('is closed, or hung up, once it has outlived ring and talk time', () => {
    const past = NOW + 345_000 + 30_000;
    expect(reviewed(placed, {}, past)).toMatchObject([{ type: 'ask', unreachable: 'close', alive: 'hang_up' }]);
  });
  it('that was answered is asked about after its talk time', () => {
    const answered = placed.run('CallAnswered', 1, 100, { occurred_at: '', answered_by: null });
    expect(reviewed(answered, {}, NOW + 300_000)).toEqual([]);
    expect(reviewed(answered, {}, NOW + 300_000 + defaultTimes.askMs)).toMatchObject([{ type: 'ask' }]);
  });
  it('that is uncertain is closed at the limit', () => {
    const uncertain = given().claimed(1, 100).run('CallUncertain', 1, 100, { reason: 'x' });
    expect(reviewed(uncertain, {}, NOW + defaultTimes.uncertainLimitMs - 1)).toEqual([]);
    expect(reviewed(uncertain, {}, NOW + defaultTimes.uncertainLimitMs)).toMatchObject([
      { type: 'ask', unreachable: 'close', alive: 'placed' },
    ]);
  });
});
