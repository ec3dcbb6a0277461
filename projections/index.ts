/** Every read model. */
import type { StreamCategory } from '../src/core/ids';
import { untyped, type Projection } from '../src/engine/projection';
import { agentVersions } from './agent_versions';
import { agents } from './agents';
import { apiKeys } from './api_keys';
import { campaigns } from './campaigns';
import { events } from './events';
import { organizations } from './organizations';
import { runs } from './runs';
import { telephonyConfigs } from './telephony_configs';
import { trafficStats } from './traffic_stats';

export const projections: readonly Projection[] = [
  untyped(organizations),
  untyped(apiKeys),
  untyped(telephonyConfigs),
  untyped(agents),
  untyped(agentVersions),
  untyped(campaigns),
  untyped(runs),
  untyped(trafficStats),
  untyped(events),
];

/** Names of the read models that show what an event of a category says; the auditors' index, which shows them all, is not waited for. */
export const readersOf = (category: StreamCategory): readonly string[] =>
  projections.filter((p) => p.name !== events.name && p.categories.includes(category)).map((p) => p.name);

export { runProjections, type ProjectionRunner, type ProjectionStatus } from './run';
export { rebuild, type Rebuilt } from './rebuild';
