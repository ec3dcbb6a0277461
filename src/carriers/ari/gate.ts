/** Whether calls may be placed: the events socket must be up and initialised, and no refusal may ask us to wait. */
import type { CarrierReadiness } from '../../ports/carrier';

export interface Gate {
  readiness(): CarrierReadiness;
  /** Whether the socket is up, and why not. */
  setConnected(connected: boolean, reason: string, retryMs: number | null): void;
  /** Shut for so long, whatever the socket does. */
  shut(reason: string, ms: number): void;
  close(): void;
}

interface Shut {
  readonly reason: string;
  /** Epoch ms. */
  readonly until: number | null;
}

const sameReadiness = (a: CarrierReadiness, b: CarrierReadiness): boolean =>
  a.ready ? b.ready : !b.ready && a.reason === b.reason && a.until === b.until;

/** `changed` is called from a later turn of the event loop, once for all changes of one turn. */
export const newGate = (changed: () => void): Gate => {
  let offline: Shut | null = { reason: 'Connecting to Asterisk', until: null };
  let refused: Shut | null = null;
  let timer: NodeJS.Timeout | null = null;
  let announcing: NodeJS.Immediate | null = null;
  let told: CarrierReadiness = { ready: false, ...offline };

  const readiness = (): CarrierReadiness => {
    const shut = refused ?? offline;
    return shut === null ? { ready: true } : { ready: false, ...shut };
  };
  const announce = (): void => {
    announcing ??= setImmediate(() => {
      announcing = null;
      const now = readiness();
      if (sameReadiness(told, now)) return;
      told = now;
      changed();
    });
  };

  return {
    readiness,
    setConnected: (connected, reason, retryMs) => {
      offline = connected ? null : { reason, until: retryMs === null ? null : Math.ceil(Date.now() + retryMs) };
      announce();
    },
    shut: (reason, ms) => {
      refused = { reason, until: Math.ceil(Date.now() + ms) };
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => {
        refused = null;
        announce();
      }, ms);
      announce();
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      if (announcing !== null) clearImmediate(announcing);
      refused = { reason: 'The connection is closed', until: null };
    },
  };
};
