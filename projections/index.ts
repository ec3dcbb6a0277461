/** The read models. */
import type { StreamCategory } from '../src/core/ids';
import { untyped, type Projection } from '../src/engine/projection';
import { agentVersions } from './agent_versions';
import { agents } from './agents';
import { apiKeys } from './api_keys';
import { campaigns } from './campaigns';
import { events } from './events';
import { organizations } from './organizations';
import { recordings } from './recordings';
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
  untyped(recordings),
];

/** The same and the auditors' index, which doubles what folding costs. */
export const projectionsWithAuditIndex: readonly Projection[] = [...projections, untyped(events)];

/** Those that an installation keeps. */
export const projectionsOf = ({ auditIndex }: { readonly auditIndex: boolean }): readonly Projection[] =>
  auditIndex ? projectionsWithAuditIndex : projections;

/** Names of the read models that show what an event of a category says. */
export const readersOf = (category: StreamCategory): readonly string[] =>
  projections.filter((p) => p.categories.includes(category)).map((p) => p.name);

export { runProjections, type ProjectionRunner, type ProjectionStatus } from './run';
export { rebuild, type Rebuilt } from './rebuild';
