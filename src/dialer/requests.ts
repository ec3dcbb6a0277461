/** The end of test calls that could not be made in time. */
import { isLeft } from 'fp-ts/Either';
import { describeFailure } from '../core/failure';
import { runStream } from '../core/ids';
import { runDecider } from '../domain/run/decider';
import { untilAnswered } from './commands';
import type { OrganizationState } from './model';
import type { Action } from './next-actions';
import type { Shell } from './shell';

/** The fold may not show it at once; repeating is harmless, but is left for a moment, ms. */
const SHOWN_MS = 100;

/** Resolves when it is durable; never rejects. */
export const failRequest = async (
  shell: Shell,
  org: OrganizationState,
  { request, reason }: Extract<Action, { type: 'fail_request' }>,
): Promise<void> => {
  const { execute, clock, log } = shell.platform;
  const { busy } = shell.org(org.id);
  const run = request.ref.run_id;
  const key = `fail_request/${run}`;
  busy.add(key);
  const done = await untilAnswered(clock, shell.signal, () =>
    execute.run(
      runDecider,
      runStream(org.id, run),
      { type: 'FailRequest', call: request.ref, reason },
      { actor: 'dialer' },
    ),
  );
  if (isLeft(done) && !shell.signal.aborted) log.error({ org: org.id, run }, describeFailure(done.left));
  clock.after(SHOWN_MS, () => {
    busy.delete(key);
    shell.poke(org.id);
  });
};
