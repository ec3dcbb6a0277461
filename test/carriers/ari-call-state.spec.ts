import fc from 'fast-check';
import type { CallNews } from '../../src/ports/carrier';
import { newCall, tellAbsent, tellEnded, tellProgress } from '../../src/carriers/ari/call';
import { evolveCall, unseen } from '../../src/carriers/ari/call-state';
import type { AriEvent } from '../../src/carriers/ari/wire';
import { isoTime, readEvent } from '../../src/carriers/ari/wire';
import { answered, change, destroyed, dial, fold, leave, refusal, request, ringing, soft, start } from './ari-events';

const now = '2026-11-21T10:00:09.000Z';

const histories: readonly (readonly AriEvent[])[] = [
  [...answered, request('Up', null), leave(), destroyed('Up', 0)],
  [...answered, leave(), start('amd=MACHINE'), soft('Up', 32), leave(), destroyed('Up', 16)],
  refusal('Ringing', 'BUSY', 17, 486),
  refusal('Down', 'NOANSWER', 1, 404),
  [...ringing, destroyed('Ringing', 19, 480)],
];

/** A history as a bad wire delivers it: any subset, some twice, in any order. */
const delivered = fc
  .constantFrom(...histories)
  .chain((history) => fc.array(fc.constantFrom(...history), { maxLength: 2 * history.length }));

const listen = (events: readonly AriEvent[]): readonly CallNews[] => {
  const call = newCall({
    reference: 'x',
    ringMs: 0,
    talkMs: 0,
    startedAt: 0,
    adopted: false,
    placement: 'confirmed',
    unbroken: true,
    detection: 'off',
  });
  const told: CallNews[] = [];
  for (const event of events) {
    call.state = evolveCall(call.state, event, now);
    if (call.state.destroyed !== null) return [...told, ...tellEnded(call, 1)];
    told.push(...tellProgress(call));
  }
  return [...told, ...tellAbsent(call, null, 'gone')];
};

describe('the state of a call', () => {
  it('never moves back, whatever is lost, repeated or reordered', () => {
    fc.assert(
      fc.property(delivered, (events) => {
        const rank = { Down: 0, Ringing: 1, Up: 2 };
        let state = unseen;
        for (const event of events) {
          const next = evolveCall(state, event, now);
          expect(rank[next.reached]).toBeGreaterThanOrEqual(rank[state.reached]);
          if (state.destroyed !== null) expect(next.destroyed).toBe(state.destroyed);
          if (state.upAt !== null) expect(next.upAt).toBe(state.upAt);
          state = next;
        }
      }),
    );
  });

  it('is the same when every event comes twice', () => {
    fc.assert(
      fc.property(delivered, (events) => {
        expect(fold(events.flatMap((event) => [event, event]))).toEqual(fold(events));
      }),
    );
  });

  it('takes Up from any event’s channel, the last one’s included', () => {
    expect(fold([destroyed('Up', 0)]).reached).toBe('Up');
    expect(fold([leave()]).reached).toBe('Up');
  });

  it('keeps the furthest Dial status, not the last that arrived', () => {
    expect(fold([dial('BUSY', 'Ringing'), dial('RINGING', 'Ringing'), dial('', 'Down')]).dialStatus).toBe('BUSY');
  });

  it('prefers a hang-up request with a cause', () => {
    expect(fold([request('Ringing', null), request('Ringing', 17, 486), request('Ringing', 19)]).hangup?.cause).toBe(
      17,
    );
  });

  it('ignores events of kinds that it does not know', () => {
    const strange = { ...change('Down'), type: 'ChannelTalkingStarted' };
    expect(fold([strange])).toEqual({ ...unseen, seen: true });
  });
});

describe('the news of a call', () => {
  it('are told once each, in order, and nothing follows the end', () => {
    const order = ['ringing', 'answered', 'ended'];
    fc.assert(
      fc.property(delivered, (events) => {
        const kinds = listen(events).map(({ kind }) => kind);
        expect(kinds).toEqual([...new Set(kinds)].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
        expect(kinds.at(-1)).toBe('ended');
      }),
    );
  });

  it('tell the answer before the end when only the end was seen', () => {
    expect(listen([destroyed('Up', 16)]).map(({ kind }) => kind)).toEqual(['answered', 'ended']);
  });

  it('hold the answer back until detection is over, and tell it with the verdict', () => {
    const call = newCall({
      reference: 'x',
      ringMs: 0,
      talkMs: 0,
      startedAt: 0,
      adopted: false,
      placement: 'confirmed',
      unbroken: true,
      detection: 'running',
    });
    call.state = fold(answered);
    expect(tellProgress(call)).toEqual([]);
    call.state = evolveCall(call.state, start('amd=HUMAN'), now);
    call.detection = 'off';
    expect(tellProgress(call)).toMatchObject([{ kind: 'answered', answeredBy: 'human' }]);
    expect(tellProgress(call)).toEqual([]);
  });
});

describe('an event of the wire', () => {
  const written = {
    type: 'ChannelDestroyed',
    timestamp: '2026-11-21T10:26:06.260+0000',
    cause: 17,
    cause_txt: 'User busy',
    tech_cause: 486,
    channel: { id: 'abc', state: 'Ringing' },
    application: 'a',
  };

  it('is read', () => {
    expect(readEvent(JSON.stringify(written))).toEqual({
      type: 'ChannelDestroyed',
      at: '2026-11-21T10:26:06.260Z',
      channelId: 'abc',
      state: 'Ringing',
      dialStatus: null,
      cause: 17,
      causeText: 'User busy',
      techCause: 486,
      soft: false,
      args: [],
    });
  });

  it('of a Dial names its channel as the peer', () => {
    const text = JSON.stringify({ type: 'Dial', dialstatus: '', peer: { id: 'abc', state: 'Down' } });
    expect(readEvent(text)).toMatchObject({ channelId: 'abc', dialStatus: '' });
  });

  it('whose fields have other types counts them as absent', () => {
    const text = JSON.stringify({ ...written, cause: '17', tech_cause: null, timestamp: 5, args: [1, 'a'] });
    expect(readEvent(text)).toMatchObject({ cause: null, techCause: null, at: null, args: ['a'] });
  });

  it('that is none is null, and nothing throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const event = readEvent(text);
        expect(event === null || typeof event.type === 'string').toBe(true);
      }),
    );
    expect(readEvent('{')).toBeNull();
    expect(readEvent('[]')).toBeNull();
    expect(readEvent('{"type":1}')).toBeNull();
  });

  it('may have any offset in its time', () => {
    expect(isoTime('2026-11-21T10:26:06.260+0130')).toBe('2026-11-21T08:56:06.260Z');
    expect(isoTime('yesterday')).toBeNull();
  });
});
