/** A channel of the simulated exchange, and its JSON. */
import type { Phone } from './phones';
import type { RecordRow } from './record';

export interface Channel {
  readonly id: string;
  /** Ids compare without case. */
  readonly key: string;
  readonly app: string;
  readonly args: readonly string[];
  readonly phone: Phone;
  readonly row: RecordRow;
  readonly dialString: string;
  readonly variables: Map<string, string>;
  state: 'Down' | 'Ringing' | 'Up';
  /** `in`: commands are accepted; `detecting`: it is in the dialplan's AMD(). */
  stasis: 'before' | 'in' | 'detecting';
  timers: NodeJS.Timeout[];
  absolute: NodeJS.Timeout | null;
  /** The Dial "" event was told. */
  dialed: boolean;
  /** Ringing was told as Dial before it was told as a state, and Dial "" after it: both orders were measured. */
  readonly swapRinging: boolean;
  readonly lateDial: boolean;
  over: boolean;
  /** The JSON before and after the state. */
  readonly head: string;
  readonly tail: string;
}

const partyOf = (callerId: string | null): { readonly name: string; readonly number: string } => {
  if (callerId === null) return { name: '', number: '' };
  const [, name, number] = /^\s*"?([^"<]*?)"?\s*<([^>]*)>\s*$/.exec(callerId) ?? [];
  return number === undefined ? { name: '', number: callerId } : { name: name ?? '', number };
};

let serial = 0;

/** `caller` and `connected` are both our caller id; the dialled number is in no field of a channel. */
export const channelJson = (
  id: string,
  endpoint: string,
  callerId: string | null,
): { readonly head: string; readonly tail: string } => {
  const party = JSON.stringify(partyOf(callerId));
  const n = (serial++).toString(16).padStart(8, '0');
  const created = new Date().toISOString().replace('Z', '+0000');
  return {
    head: `{"id":${JSON.stringify(id)},"name":"PJSIP/${endpoint}-${n}","state":"`,
    tail:
      `","protocol_id":"${n}-sim","caller":${party},"connected":${party},"accountcode":"",` +
      `"dialplan":{"context":"from-trunk","exten":"s","priority":1,"app_name":"AppDial2","app_data":"(Outgoing Line)"},` +
      `"creationtime":"${created}","language":"en"}`,
  };
};

export const shown = (channel: Channel, state: Channel['state'] = channel.state): string =>
  `${channel.head}${state}${channel.tail}`;
