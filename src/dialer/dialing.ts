/** Appends to `dialing-<org>` at the revision that is folded, own turns included, without reading that long stream. */
import { randomUUID } from 'node:crypto';
import { isLeft, type Either } from 'fp-ts/Either';
import { dialingStream } from '../core/ids';
import type { Position } from '../core/position';
import { dialingEvents, type DialingEvent } from '../domain/dialing/events';
import { chain } from '../engine/envelope';
import type { Appended, AppendFailure } from '../ports/event-store';
import { pause } from '../engine/pause';
import type { OrganizationState } from './model';
import type { Shell } from './shell';

/** How long an append of unknown outcome is repeated before the feed is left to tell, ms. */
const UNKNOWN_BUDGET = 2000;
const RETRY_MS = 50;
/** Pause after another event came first, until the feed has brought it. */
const LOST_MS = 5;

/** Another's event in between is a conflict: the feed brings it, then it is decided anew. */
export const appendToDialing = async (
  shell: Shell,
  org: OrganizationState,
  event: DialingEvent,
): Promise<Either<AppendFailure, Appended>> => {
  const { clock, events } = shell.platform;
  const own = shell.org(org.id);
  const stream = dialingStream(org.id);
  const tail =
    own.tail !== null && own.tail.revision > org.dialingRevision
      ? own.tail
      : { revision: org.dialingRevision, hash: org.dialingHash };
  const commandId = randomUUID();
  const sealed = chain(stream, tail, [{ ...event, schema: dialingEvents[event.type].schema }], {
    org: String(org.id),
    actor: 'dialer',
    correlationId: commandId,
    causationId: commandId,
    commandId,
    at: new Date(clock.now()).toISOString(),
  });
  const until = clock.monotonic() + UNKNOWN_BUDGET;
  for (;;) {
    const answer = await events.append(stream, tail.revision, sealed);
    if (!isLeft(answer))
      own.tail = { revision: answer.right.revision, hash: sealed.at(-1)?.metadata.hash ?? tail.hash };
    else if (answer.left.kind === 'outcome_unknown' && clock.monotonic() < until && !shell.signal.aborted) {
      await pause(clock, RETRY_MS, shell.signal);
      continue;
    }
    return answer;
  }
};

/**
 * Keeps later turns from being taken before `revision` of `stream` is folded. Tries until it is written (answers its position), or the process
 * ends (null).
 */
export const fence = async (
  shell: Shell,
  org: OrganizationState,
  stream: string,
  revision: number,
): Promise<Position | null> => {
  while (!shell.signal.aborted) {
    const answer = await appendToDialing(shell, org, { type: 'DialingFenced', data: { stream, revision } });
    if (!isLeft(answer)) return answer.right.position;
    if (answer.left.kind === 'refused') return null;
    await pause(shell.platform.clock, answer.left.kind === 'conflict' ? LOST_MS : RETRY_MS, shell.signal);
  }
  return null;
};
