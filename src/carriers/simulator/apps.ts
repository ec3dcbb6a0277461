/** Stasis applications and their sockets: who is told what, and what goes wrong on the way. */
import type { WebSocket } from '../websocket';
import { chance } from './chance';
import type { Faults } from './options';

export interface App {
  readonly name: string;
  /** The socket that receives; a replaced one stays open and silent. */
  socket: WebSocket | null;
  subscribeAll: boolean;
  disallowed: ReadonlySet<string>;
  /** Ids of the channels that it follows, lower case. */
  readonly channels: Set<string>;
}

export interface Apps {
  get(name: string): App | undefined;
  all(): readonly App[];
  /** The named app; made when there is none. */
  need(name: string): App;
  /** It listens: a socket is open. */
  listens(name: string): boolean;
  attach(name: string, socket: WebSocket, subscribeAll: boolean): void;
  follow(name: string, channelId: string): void;
  unfollow(channelId: string): void;
  /** `body`: the event's JSON without `application`, open at its end. */
  send(app: App, type: string, body: string): void;
  dropSockets(): void;
  clear(): void;
  setFaults(faults: Faults): void;
  counts(): { readonly sent: number; readonly lost: number };
}

/** ARI's timestamps: no colon in the offset. */
export const timestamp = (): string => new Date().toISOString().replace('Z', '+0000');

export const newApps = (seed: number, initial: Faults): Apps => {
  const apps = new Map<string, App>();
  const draw = chance(seed, 'events');
  let faults = initial;
  let sent = 0;
  let lost = 0;

  const write = (app: App, text: string): void => {
    const { socket } = app;
    if (socket?.readyState !== 1) return;
    sent += 1;
    socket.send(text);
  };

  /** An app lives while it has a socket or follows a channel; its filter dies with it. */
  const release = (app: App): void => {
    if (app.socket === null && app.channels.size === 0) apps.delete(app.name);
  };

  const need = (name: string): App => {
    const known = apps.get(name);
    if (known !== undefined) return known;
    const fresh: App = { name, socket: null, subscribeAll: false, disallowed: new Set(), channels: new Set() };
    apps.set(name, fresh);
    return fresh;
  };

  return {
    get: (name) => apps.get(name),
    all: () => [...apps.values()],
    need,
    listens: (name) => apps.get(name)?.socket?.readyState === 1,
    attach: (name, socket, subscribeAll) => {
      const app = need(name);
      if (app.socket !== null)
        write(app, `{"type":"ApplicationReplaced","timestamp":"${timestamp()}","application":"${name}"}`);
      app.socket = socket;
      app.subscribeAll = subscribeAll;
      socket.on('close', () => {
        if (app.socket !== socket) return;
        app.socket = null;
        app.subscribeAll = false;
        release(app);
      });
    },
    follow: (name, channelId) => {
      need(name).channels.add(channelId);
    },
    unfollow: (channelId) => {
      for (const app of [...apps.values()]) if (app.channels.delete(channelId)) release(app);
    },
    send: (app, type, body) => {
      if (app.socket === null || app.disallowed.has(type)) return;
      const text = `${body},"application":"${app.name}"}`;
      if (draw() < faults.lost) {
        lost += 1;
        return;
      }
      if (faults.duplicated > 0 && draw() < faults.duplicated) setTimeout(() => write(app, text), 1 + 50 * draw());
      if (faults.late > 0 && draw() < faults.late) setTimeout(() => write(app, text), faults.lateMs);
      else if (faults.reordered > 0 && draw() < faults.reordered) setTimeout(() => write(app, text), 1 + 20 * draw());
      else write(app, text);
    },
    dropSockets: () => {
      for (const app of apps.values()) app.socket?.terminate();
    },
    clear: () => {
      for (const app of [...apps.values()]) app.socket?.terminate();
      apps.clear();
    },
    setFaults: (next) => {
      faults = next;
    },
    counts: () => ({ sent, lost }),
  };
};
