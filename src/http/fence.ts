/** What must keep the very next call from being placed: pause, changed settings, an archived agent. */
import { isLeft } from 'fp-ts/Either';
import { describeFailure } from '../core/failure';
import { dialingStream, type OrganizationId } from '../core/ids';
import { dialingDecider } from '../domain/dialing/decider';
import type { CommandContext, Executed } from '../engine/execute';
import type { Api } from './api';

/** How long an answer waits for the dialer to have seen a fence, ms. */
const SETTLE_MS = 1000;

/**
 * Keeps every later turn of the organization from being taken before what was just appended to `stream` is folded, and waits until the dialer
 * has come so far, or a second. What was appended is stored either way.
 */
export const fence = async <S, E>(
  api: Api,
  org: OrganizationId,
  stream: string,
  done: Executed<S, E>,
  context: CommandContext,
): Promise<void> => {
  // The dialer of this process knows the end of its stream, which may be long; without one the stream is folded here. It appends for as
  // long as it takes, also when this answer does not wait for it any more.
  const late = new Promise<'late'>((settle) => api.platform.clock.after(SETTLE_MS, () => settle('late')));
  const appended = (await Promise.race([api.dialer?.fence?.(org, stream, done.revision) ?? null, late])) ?? null;
  if (appended === 'late') return;
  if (appended !== null) {
    await api.dialer?.settled(org, appended, SETTLE_MS);
    return;
  }
  const fenced = await api.platform.execute.run(
    dialingDecider,
    dialingStream(org),
    { type: 'Fence', stream, revision: done.revision },
    context,
  );
  if (isLeft(fenced)) {
    api.platform.log.error({ org, reason: describeFailure(fenced.left) }, 'a fence could not be appended');
    return;
  }
  if (fenced.right.position !== null) await api.dialer?.settled(org, fenced.right.position, SETTLE_MS);
};
