/** What `/ready` and `/metrics` show of one process: the engines that its roles need, and how far its consumers of the ledger are. */
import { Gauge } from 'prom-client';
import type { Role } from '../config';
import type { DialerHandle } from '../dialer';
import type { EngineWatch } from '../engine/engine-watch';
import { lagSeconds } from '../engine/lag';
import type { Platform } from '../engine/platform';
import type { ConsumerReadiness } from '../http/api';
import type { Leases } from '../ports/leases';
import type { Relay } from '../main';
import type { ProjectionRunner } from '../../projections';
import type { Position } from '../core/position';

/** Engines without which a role does not do its work, or does it slower. */
const NEEDS: Readonly<Record<Role, readonly string[]>> = {
  api: ['event_store', 'read_store', 'object_store', 'vault'],
  relay: ['event_store', 'bus'],
  projector: ['event_store', 'read_store', 'vault'],
  dialer: ['event_store', 'bus', 'object_store', 'vault'],
};

export const enginesOf = (roles: ReadonlySet<Role>): readonly string[] => [
  ...new Set([...roles].flatMap((role) => NEEDS[role])),
];

/** Consumers of this process; null: its role is not played here. */
export interface Consumers {
  readonly runner: Pick<ProjectionRunner, 'status'> | null;
  readonly dialer: Pick<DialerHandle, 'status'> | null;
  readonly relay: Pick<Relay, 'position'> | null;
}

/** Never rejects: a lag that can't be measured, because the ledger is away, is why the consumer waits. */
export const readinessOf = ({ runner, dialer, relay }: Consumers, platform: Platform) => {
  const standing = async (name: string, position: Position, problem: string | null): Promise<ConsumerReadiness> => {
    try {
      const lag = await lagSeconds(platform.events, platform.clock, position);
      return { name, lagSeconds: lag, stuck: null, waiting: problem };
    } catch (error) {
      return { name, lagSeconds: 0, stuck: null, waiting: problem ?? (error as Error).message };
    }
  };
  return async (): Promise<readonly ConsumerReadiness[]> => {
    const others: Promise<ConsumerReadiness>[] = [];
    if (dialer !== null) {
      const { position, problem, caughtUp } = dialer.status();
      others.push(standing('dialer', position, problem ?? (caughtUp ? null : 'it reads the ledger to its end first')));
    }
    const relayed = relay?.position() ?? null;
    if (relay !== null && relayed === null)
      others.push(
        Promise.resolve({ name: 'relay', lagSeconds: 0, stuck: null, waiting: 'it has not reached the bus yet' }),
      );
    if (relayed !== null) others.push(standing('relay', relayed, null));
    return [...(runner?.status() ?? []), ...(await Promise.all(others))];
  };
};

/** Registers the figures of a process. They are computed when they are asked for. */
export const registerFigures = (
  platform: Platform,
  watch: EngineWatch,
  readiness: () => Promise<readonly ConsumerReadiness[]>,
  { dialer }: Consumers,
  leases: Pick<Leases, 'owned'>,
): void => {
  const registers = [platform.metrics];
  new Gauge({
    name: 'ledgerline_consumer_lag_seconds',
    help: 'Age of the oldest event that a consumer of the ledger has not handled yet; 0: none',
    labelNames: ['consumer'],
    registers,
    async collect() {
      for (const { name, lagSeconds: lag } of await readiness()) this.set({ consumer: name }, lag);
    },
  });
  new Gauge({
    name: 'ledgerline_engine_up',
    help: 'Whether an engine answered when it was last asked (every 2 s)',
    labelNames: ['engine'],
    registers,
    collect() {
      for (const { name, reason } of watch.known()) this.set({ engine: name }, reason === null ? 1 : 0);
    },
  });
  if (dialer === null) return;
  new Gauge({
    name: 'ledgerline_calls_in_flight',
    help: 'Calls that hold a slot, over the organizations that this process knows',
    registers,
    collect() {
      this.set(dialer.status().callsInFlight);
    },
  });
  new Gauge({
    name: 'ledgerline_partitions_owned',
    help: 'Partitions of organizations whose calls this process drives',
    registers,
    collect() {
      this.set(leases.owned().size);
    },
  });
};
