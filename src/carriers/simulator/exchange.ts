/**
 * The exchange: channels and what happens to them, told as Asterisk 22 tells it. Orders, causes and Dial statuses are those that were
 * measured on a real one with chan_pjsip.
 */
import type { App, Apps } from './apps';
import { timestamp } from './apps';
import { chance } from './chance';
import type { Channel } from './channel';
import { channelJson, shown } from './channel';
import type { SimulatorSettings } from './options';
import type { Phone } from './phones';
import type { CallRecord, RecordRow } from './record';

export interface NewChannel {
  readonly id: string;
  readonly app: string;
  readonly args: readonly string[];
  readonly phone: Phone;
  readonly endpointName: string;
  readonly dialString: string;
  readonly callerId: string | null;
  /** Seconds it may ring; null: for ever. */
  readonly timeoutSeconds: number | null;
  readonly variables: ReadonlyMap<string, string>;
  readonly row: RecordRow;
  /** Its first events come before the reply. */
  readonly early: boolean;
}

/** How a DELETE ends a call that was not answered: as if the far end had given that verdict. */
export interface HangupReason {
  readonly cause: number;
  readonly techCause: number | null;
  readonly dial: string;
}

export interface Exchange {
  get(id: string): Channel | undefined;
  all(): readonly Channel[];
  /** A live channel whose id the new one equals or is a prefix of, ignoring case. */
  conflicts(id: string): boolean;
  create(channel: NewChannel): Channel;
  hangUp(channel: Channel, reason: HangupReason): void;
  /** Leaves the application for the dialplan. */
  continueAt(channel: Channel, context: string): void;
  setAbsolute(channel: Channel, seconds: number): void;
  /** Ends everything as an orderly shutdown does: cause 0, and the Dial status lies once more. */
  shutDown(): void;
  /** Ends everything without a word. */
  vanish(end: string): void;
}

const causeTexts: Readonly<Record<number, string>> = {
  0: 'Unknown',
  1: 'Unallocated (unassigned) number',
  16: 'Normal Clearing',
  17: 'User busy',
  18: 'No user responding',
  19: 'User alerting, no answer',
  21: 'Call Rejected',
  31: 'Normal, unspecified',
  26: 'Answered elsewhere',
  34: 'Circuit/channel congestion',
  127: 'Interworking, unspecified',
};

export const newExchange = (
  settings: SimulatorSettings,
  apps: Apps,
  record: CallRecord,
  globals: Map<string, string>,
): Exchange => {
  const channels = new Map<string, Channel>();
  const byLength = new Map<number, number>();
  const scale = settings.timeScale;
  const draw = chance(settings.seed, 'order');

  const after = (channel: Channel, ms: number, then: () => void): void => {
    channel.timers.push(
      setTimeout(() => {
        if (!channel.over) then();
      }, ms * scale),
    );
  };

  const tellOne = (app: App, type: string, fields: string): void =>
    apps.send(app, type, `{"type":"${type}","timestamp":"${timestamp()}",${fields},"asterisk_id":"00:00:5e:00:53:01"`);

  /** Stasis events go to the channel's own app only; a `subscribeAll` app sees the rest. */
  const tell = (channel: Channel, type: string, fields: string): void => {
    for (const app of apps.all())
      if (app.channels.has(channel.key) || (app.subscribeAll && !type.startsWith('Stasis'))) tellOne(app, type, fields);
  };
  const tellChannel = (channel: Channel, type: string, more = ''): void =>
    tell(channel, type, `${more}"channel":${shown(channel)}`);
  const tellDial = (channel: Channel, status: string): void =>
    tell(
      channel,
      'Dial',
      `"dialstatus":"${status}","forward":"","dialstring":${JSON.stringify(channel.dialString)},"peer":${shown(channel)}`,
    );
  const tellVariable = (channel: Channel, name: string, value: string): void =>
    tellChannel(channel, 'ChannelVarset', `"variable":"${name}","value":${JSON.stringify(value)},`);
  const tellHangup = (channel: Channel, cause: number | null, techCause: number | null, soft: boolean): void =>
    tellChannel(
      channel,
      'ChannelHangupRequest',
      `${cause === null ? '' : `"cause":${cause},`}${techCause === null ? '' : `"tech_cause":${techCause},`}${soft ? '"soft":true,' : ''}`,
    );

  const tellDialed = (channel: Channel): void => {
    if (channel.dialed) return;
    channel.dialed = true;
    tellDial(channel, '');
  };

  const forget = (channel: Channel): void => {
    channel.over = true;
    for (const timer of channel.timers) clearTimeout(timer);
    if (channel.absolute !== null) clearTimeout(channel.absolute);
    channel.timers = [];
    channels.delete(channel.key);
    byLength.set(channel.key.length, (byLength.get(channel.key.length) ?? 1) - 1);
  };

  const destroy = (channel: Channel, cause: number, techCause: number | null, end: string): void => {
    if (channel.over) return;
    if (channel.stasis === 'in') {
      tellChannel(channel, 'StasisEnd');
      tellVariable(channel, 'STASISSTATUS', 'SUCCESS');
    }
    tellChannel(
      channel,
      'ChannelDestroyed',
      `"cause":${cause},"cause_txt":"${causeTexts[cause] ?? 'Unknown'}",${techCause === null ? '' : `"tech_cause":${techCause},`}`,
    );
    const handler = channel.variables.get('CHANNEL(hangup_handler_push)')?.split(',')[0];
    if (handler !== undefined && settings.hangupContexts.includes(handler))
      globals.set(`R_${channel.id}`, `${channel.state}/${cause}`);
    forget(channel);
    apps.unfollow(channel.key);
    record.ended(channel.row, channel.state, cause, techCause, end);
  };

  const ring = (channel: Channel): void => {
    if (channel.state !== 'Down') return;
    if (!channel.lateDial) tellDialed(channel);
    if (channel.swapRinging) {
      tellDialed(channel);
      tellDial(channel, 'RINGING');
    }
    channel.state = 'Ringing';
    tellChannel(channel, 'ChannelStateChange');
    tellDialed(channel);
    if (!channel.swapRinging) tellDial(channel, 'RINGING');
  };

  const farEndHangsUp = (channel: Channel): void => {
    for (const name of ['RTPAUDIOQOS', 'RTPAUDIOQOSJITTER', 'RTPAUDIOQOSLOSS', 'RTPAUDIOQOSRTT', 'RTPAUDIOQOSMES'])
      tellVariable(channel, name, 'ssrc=1');
    tellHangup(channel, channel.phone.byeCause === 0 ? null : channel.phone.byeCause, null, false);
    destroy(channel, channel.phone.byeCause, null, 'far_end');
  };

  const answer = (channel: Channel): void => {
    tellDialed(channel);
    for (const timer of channel.timers) clearTimeout(timer);
    channel.timers = [];
    channel.state = 'Up';
    record.answered(channel.row);
    tellChannel(channel, 'ChannelStateChange');
    tellDial(channel, 'ANSWER');
    // Nobody listens: the call is hung up in the same millisecond.
    if (!apps.listens(channel.app)) return destroy(channel, 0, null, 'nobody_listening');
    enter(channel, channel.args);
    const { talkMs } = channel.phone;
    if (talkMs !== null) after(channel, talkMs, () => farEndHangsUp(channel));
  };

  const enter = (channel: Channel, args: readonly string[]): void => {
    channel.stasis = 'in';
    tellVariable(channel, 'STASISSTATUS', '');
    tellChannel(channel, 'StasisStart', `"args":${JSON.stringify(args)},`);
  };

  const refuse = (channel: Channel): void => {
    const { refusal } = channel.phone;
    if (refusal === null) return;
    const atOnce = !channel.dialed && draw() < 0.1;
    if (!atOnce) tellDialed(channel);
    tellHangup(channel, refusal.cause, refusal.techCause, false);
    tellDialed(channel);
    tellDial(channel, refusal.dial);
    destroy(channel, refusal.cause, refusal.techCause, 'refused');
  };

  /** Ring timeout: no Dial, no hang-up request; the end of the channel is its only event. An absolute timeout while ringing is the same. */
  const timeOut = (channel: Channel, end: string): void => {
    if (channel.state === 'Up') destroy(channel, 0, null, end);
    else destroy(channel, 19, 480, end);
  };

  const begin = (channel: Channel): void => {
    if (!channel.lateDial) tellDialed(channel);
    const { phone } = channel;
    if (phone.ringMs !== null) after(channel, phone.ringMs, () => ring(channel));
    if (phone.answerMs !== null) after(channel, phone.answerMs, () => answer(channel));
    if (phone.refusal !== null) after(channel, phone.refusal.afterMs, () => refuse(channel));
  };

  const detect = (channel: Channel): void => {
    const { amd } = channel.phone;
    after(channel, amd.afterMs, () => {
      const { status, cause } = amd;
      channel.variables.set('AMDSTATUS', status);
      channel.variables.set('AMDCAUSE', cause);
      tellVariable(channel, 'AMDSTATUS', status);
      tellVariable(channel, 'AMDCAUSE', cause);
      tellChannel(channel, 'ChannelDialplan', '"dialplan_app":"Stasis","dialplan_app_data":"",');
      const app = channel.variables.get('APP') ?? '';
      if (apps.listens(app)) {
        apps.follow(app, channel.key);
        enter(channel, [`amd=${status}`, `cause=${cause}`]);
      } else destroy(channel, 0, null, 'dialplan');
    });
  };

  return {
    get: (id) => channels.get(id.toLowerCase()),
    all: () => [...channels.values()],
    conflicts: (id) => {
      const key = id.toLowerCase();
      if (channels.has(key)) return true;
      for (const [length, count] of byLength)
        if (count > 0 && length > key.length)
          for (const other of channels.keys()) if (other.startsWith(key)) return true;
      return false;
    },
    create: (fresh) => {
      const key = fresh.id.toLowerCase();
      const channel: Channel = {
        id: fresh.id,
        key,
        app: fresh.app,
        args: fresh.args,
        phone: fresh.phone,
        row: fresh.row,
        dialString: fresh.dialString,
        variables: new Map(fresh.variables),
        state: 'Down',
        stasis: 'before',
        timers: [],
        absolute: null,
        dialed: false,
        swapRinging: draw() < 0.13,
        lateDial: (fresh.phone.ringMs ?? Infinity) < 10 && draw() < 0.07,
        over: false,
        ...channelJson(fresh.id, fresh.endpointName, fresh.callerId),
      };
      channels.set(key, channel);
      byLength.set(key.length, (byLength.get(key.length) ?? 0) + 1);
      apps.follow(fresh.app, key);
      if (fresh.timeoutSeconds !== null)
        after(channel, fresh.timeoutSeconds * 1000, () => timeOut(channel, 'ring_timeout'));
      if (fresh.early) begin(channel);
      else
        setImmediate(() => {
          if (!channel.over) begin(channel);
        });
      return channel;
    },
    // Whatever the reason, the request reads 32, a flag of Asterisk's channels; the reason shows in what follows.
    hangUp: (channel, { cause, techCause, dial }) => {
      tellHangup(channel, 32, null, true);
      if (channel.state !== 'Up') {
        tellDialed(channel);
        tellDial(channel, dial);
      }
      destroy(channel, cause, techCause, 'hung_up');
    },
    continueAt: (channel, context) => {
      channel.stasis = 'detecting';
      tellChannel(channel, 'StasisEnd');
      tellVariable(channel, 'STASISSTATUS', 'SUCCESS');
      if (!settings.amdContexts.includes(context)) {
        setImmediate(() => destroy(channel, 0, null, 'dialplan'));
        return;
      }
      tellChannel(channel, 'ChannelDialplan', '"dialplan_app":"AMD","dialplan_app_data":"",');
      detect(channel);
    },
    setAbsolute: (channel, seconds) => {
      if (channel.absolute !== null) clearTimeout(channel.absolute);
      channel.absolute =
        seconds <= 0
          ? null
          : setTimeout(
              () => destroy(channel, 0, null, 'absolute_timeout'),
              Math.min(seconds * 1000 * scale, 2 ** 31 - 1),
            );
    },
    shutDown: () => {
      for (const channel of [...channels.values()]) {
        tellHangup(channel, 4, null, true);
        if (channel.state !== 'Up') tellDial(channel, 'NOANSWER');
        destroy(channel, 0, null, 'restart');
      }
    },
    vanish: (end) => {
      for (const channel of [...channels.values()]) {
        forget(channel);
        record.ended(channel.row, channel.state, 0, null, end);
      }
    },
  };
};
