/** Sequences of ARI events, written the short way. */
import { evolveCall, unseen } from '../../src/carriers/ari/call-state';
import type { CallState } from '../../src/carriers/ari/call-state';
import type { AriEvent } from '../../src/carriers/ari/wire';

const blank: AriEvent = {
  type: '',
  at: '2026-11-21T10:00:00.000Z',
  channelId: 'x',
  state: null,
  dialStatus: null,
  cause: null,
  causeText: null,
  techCause: null,
  soft: false,
  args: [],
};

export type State = 'Down' | 'Ringing' | 'Up';

export const dial = (dialStatus: string, state: State): AriEvent => ({ ...blank, type: 'Dial', dialStatus, state });
export const change = (state: State): AriEvent => ({ ...blank, type: 'ChannelStateChange', state });
export const start = (...args: string[]): AriEvent => ({ ...blank, type: 'StasisStart', state: 'Up', args });
export const leave = (): AriEvent => ({ ...blank, type: 'StasisEnd', state: 'Up' });
export const request = (state: State, cause: number | null, techCause: number | null = null): AriEvent => ({
  ...blank,
  type: 'ChannelHangupRequest',
  state,
  cause,
  techCause,
});
export const soft = (state: State, cause: number): AriEvent => ({ ...request(state, cause), soft: true });
export const destroyed = (state: State, cause: number, techCause: number | null = null): AriEvent => ({
  ...blank,
  type: 'ChannelDestroyed',
  state,
  cause,
  causeText: 'as told',
  techCause,
});

/** Rings, and is refused: request, Dial and end within a millisecond. */
export const refusal = (
  state: 'Down' | 'Ringing',
  status: string,
  cause: number,
  techCause: number | null,
): AriEvent[] => [
  dial('', 'Down'),
  ...(state === 'Ringing' ? [change('Ringing'), dial('RINGING', 'Ringing')] : []),
  request(state, cause, techCause),
  dial(status, state),
  destroyed(state, cause, techCause),
];

export const ringing = [dial('', 'Down'), change('Ringing'), dial('RINGING', 'Ringing')];
export const answered = [...ringing, change('Up'), dial('ANSWER', 'Up'), start('run=1')];

export const fold = (events: readonly AriEvent[]): CallState =>
  events.reduce((state, event) => evolveCall(state, event, '2026-11-21T10:00:09.000Z'), unseen);
