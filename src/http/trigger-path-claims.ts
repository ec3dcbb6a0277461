/** Trigger paths are unique over an organization's agents: each path in a published version or a draft is reserved for its agent. */
import { isLeft, left, type Either } from 'fp-ts/Either';
import type { JsonObject } from '../core/event';
import type { Failure } from '../core/failure';
import { agentStream, type OrganizationId } from '../core/ids';
import { agentDecider } from '../domain/agent/decider';
import { heldTriggerPaths, type AgentState } from '../domain/agent/state';
import { takenPathErrors, triggerPathsOf } from '../domain/agent/trigger-paths';
import type { Platform } from '../engine/platform';
import { reservations, reserveAll, type ReservedValue, type SeenReservation } from './reservations';

/** Triggers of one definition: of more than one it is refused. */
const LOOKED_AT = 10;

export const triggerPathClaims = (platform: Platform) => {
  const reserved = reservations(platform);

  const valueOf = (org: OrganizationId, path: string): ReservedValue => ({
    kind: 'trigger_path',
    within: org,
    value: path,
    isHeld: async ({ holder }) => {
      const { state } = await platform.execute.load(agentDecider, agentStream(org, holder));
      return heldTriggerPaths(state).includes(path);
    },
  });
  const valuesOf = (org: OrganizationId, definitions: readonly JsonObject[]): readonly ReservedValue[] =>
    [...new Set(definitions.flatMap(triggerPathsOf))].map((path) => valueOf(org, path));

  return {
    /** Those of the definition's paths that another agent than `own` has; one with more paths than are looked at is refused for that already. */
    taken: async (org: OrganizationId, definition: JsonObject, own: number | null): Promise<readonly string[]> => {
      const who = own === null ? null : { organization: org, holder: own };
      const asked = await Promise.all(
        valuesOf(org, [definition])
          .slice(0, LOOKED_AT)
          .map(async (one) => ((await reserved.isTaken(one, who)) ? [one.value] : [])),
      );
      return asked.flat();
    },

    /** Reserves the paths of the definitions for the agent. Right: false, asked right before the append, when it would come too late. */
    claim: async (
      org: OrganizationId,
      agent: number,
      definitions: readonly JsonObject[],
    ): Promise<Either<Failure, () => boolean>> => {
      const done = await reserveAll(reserved, valuesOf(org, definitions), { organization: org, holder: agent });
      if (!isLeft(done)) return done;
      const { failure, value } = done.left;
      if (failure.kind !== 'conflict') return left(failure);
      const errors = definitions.flatMap((definition) => takenPathErrors(definition, new Set([value])));
      return left({ kind: 'invalid_definition', errors, taken: true });
    },

    /** Looked at before a command that may give paths up; the answer gives back those that the agent does not have after it. */
    releasing: async (
      org: OrganizationId,
      before: AgentState,
      definition: JsonObject | null,
    ): Promise<(after: AgentState) => Promise<void>> => {
      const staying = new Set(definition === null ? [] : triggerPathsOf(definition));
      const seen = await Promise.all(
        heldTriggerPaths(before)
          .filter((path) => !staying.has(path))
          .map(async (path): Promise<readonly [string, SeenReservation | null]> => [
            path,
            await reserved.seen(valueOf(org, path), { organization: org, holder: before?.id ?? 0 }),
          ]),
      );
      return async (after) => {
        const held = new Set(heldTriggerPaths(after));
        await Promise.all(seen.flatMap(([path, one]) => (held.has(path) ? [] : [reserved.release(one)])));
      };
    },
  };
};
