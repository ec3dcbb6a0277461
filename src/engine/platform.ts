/** What every role of the program works with; built once by main.ts. */
import type { Registry } from 'prom-client';
import type { Clock } from '../ports/clock';
import type { EventStore } from '../ports/event-store';
import type { ObjectStore } from '../ports/object-store';
import type { ReadStore } from '../ports/read-store';
import type { Vault } from '../ports/vault';
import type { Executor } from './execute';
import type { Progress } from './progress';
import type { Views } from './projection';
import type { Sequences } from './sequence';
import type { opener } from './seal';
import type { Logger } from './telemetry';

export interface Platform {
  readonly events: EventStore;
  readonly reads: ReadStore;
  readonly views: Views;
  readonly objects: ObjectStore;
  readonly vault: Vault;
  readonly seals: ReturnType<typeof opener>;
  readonly clock: Clock;
  readonly execute: Executor;
  readonly sequences: Sequences;
  readonly progress: Progress;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Random id of this installation, 12 hex digits, the same for all its processes. */
  readonly installation: string;
}
