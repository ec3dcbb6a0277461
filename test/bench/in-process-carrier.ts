/**
 * A carrier without any wire, so that the dialer alone is measured: every call rings, is answered and ends after `callMs`, half more or
 * less (seeded: real calls do not end all at once). */
import { seeded } from '../../src/demo/contacts';
import type { Carrier, CarrierListener, PlaceCall } from '../../src/ports/carrier';

export interface CarrierProbe {
  readonly carrier: Carrier;
  /** `performance.now()` of every place request. */
  readonly placedAt: number[];
  /** `performance.now()` at which every call's end was told. */
  readonly endedAt: number[];
  open: boolean;
}

export const inProcessCarrier = (callMs: number): CarrierProbe => {
  const placedAt: number[] = [];
  const endedAt: number[] = [];
  const listeners = new Set<CarrierListener>();
  const live = new Set<string>();
  const random = seeded(7);
  const probe: CarrierProbe & { isOpen: boolean } = {
    isOpen: true,
    get open() {
      return probe.isOpen;
    },
    set open(value: boolean) {
      probe.isOpen = value;
      listeners.forEach((l) => l.readinessChanged());
    },
    placedAt,
    endedAt,
    carrier: {
      provider: 'ari',
      connect: (_account, listener) => {
        listeners.add(listener);
        const follow = ({ reference }: PlaceCall): void => {
          const at = new Date().toISOString();
          listener.news({ kind: 'ringing', reference, at });
          listener.news({ kind: 'answered', reference, at, answeredBy: null });
          const lasting = callMs * (0.5 + random());
          setTimeout(() => {
            live.delete(reference);
            endedAt.push(performance.now());
            listener.news({
              kind: 'ended',
              reference,
              at: new Date().toISOString(),
              outcome: 'completed',
              durationSeconds: lasting / 1000,
              evidence: { cause: 16 },
            });
          }, lasting);
        };
        return {
          readiness: () => (probe.isOpen ? { ready: true } : { ready: false, reason: 'not open yet', until: null }),
          place: (call, mayPlace) => {
            if (!mayPlace()) return Promise.resolve({ kind: 'withheld' });
            placedAt.push(performance.now());
            live.add(call.reference);
            setImmediate(() => follow(call));
            return Promise.resolve({ kind: 'placed', carrierCallId: call.reference });
          },
          hangUp: () => Promise.resolve(true),
          ask: (reference) =>
            Promise.resolve(live.has(reference) ? { kind: 'alive', answered: true } : { kind: 'gone' }),
          adopt: () => undefined,
          placing: () => 0,
          close: () => {
            listeners.delete(listener);
            return Promise.resolve();
          },
        };
      },
    },
  };
  return probe;
};
