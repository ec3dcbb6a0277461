/**
 * What an answered call needs: its talk limit, and answering-machine detection.
 *
 * ARI has no detection of its own. The call leaves the application by `continue` into a dialplan context that runs `AMD()` and comes back by
 * `Stasis(${APP},amd=${AMDSTATUS},cause=${AMDCAUSE})`: a second StasisStart, whose arguments carry the verdict. Both variables can be read
 * until the call ends, which replaces a lost StasisStart.
 */
import type { CallNews } from '../../ports/carrier';
import type { Call } from './call';
import { tellProgress } from './call';
import { detectionVerdict } from './call-state';
import type { AriOptions, AriTiming } from './options';
import type { RestClient } from './rest';
import { variableValue } from './wire';

interface CareContext {
  readonly rest: RestClient;
  readonly app: string;
  readonly options: AriOptions;
  readonly timing: AriTiming;
  readonly look: (call: Call, afterMs: number) => void;
  /** Forgets any sooner look: the call is well. */
  readonly lookAtTimeout: (call: Call) => void;
  readonly lives: (call: Call) => boolean;
  readonly tell: (news: readonly CallNews[]) => void;
}

export interface AnsweredCallCare {
  /** It is up. Begins as soon as it is in the application, or when the event that says so is overdue. */
  answered(call: Call): void;
  /** A look found it alive: does what an event should have caused. */
  check(call: Call): Promise<void>;
  /** `state.machine` is known. */
  detected(call: Call): void;
}

export const answeredCallCare = (context: CareContext): AnsweredCallCare => {
  const { rest, app, options, timing, look, lookAtTimeout, lives, tell } = context;
  const timeoutMs = timing.requestTimeoutMs;

  const post = (path: string, body: unknown): ReturnType<RestClient['request']> =>
    rest.request({ method: 'POST', path, body, timeoutMs });

  /**
   * From the answer on, the server itself ends the call at its talk limit; our own timer is the second net. Never later than ring and talk time
   * from its request allow: of a call taken over it is not known when it was answered. True: the server took it, which it does only while the
   * call is in the application.
   */
  const handLimit = async (call: Call): Promise<boolean> => {
    lookAtTimeout(call);
    const now = performance.now();
    const until = Math.min(call.upSince ?? now, call.startedAt + call.ringMs) + call.talkMs;
    const reply = await post(`/channels/${call.reference}/variable`, {
      variable: 'TIMEOUT(absolute)',
      value: String(Math.max(1, Math.round((until - now) / 1000))),
    });
    if (reply.kind === 'reply' && reply.status === 204) return true;
    call.limit = null;
    return false;
  };

  const limitTalk = (call: Call): Promise<boolean> => (call.limit ??= handLimit(call));

  const over = (call: Call): void => {
    call.detection = 'off';
    tell(tellProgress(call));
  };

  const detected = (call: Call): void => {
    const machine = call.detection !== 'off' && call.state.machine === 'MACHINE';
    over(call);
    if (!machine) return;
    look(call, timing.endGraceMs);
    void rest.request({ method: 'DELETE', path: `/channels/${call.reference}?reason=normal`, timeoutMs });
  };

  const startDetection = async (call: Call): Promise<void> => {
    call.detection = 'running';
    call.detectionSince = performance.now();
    // Without the name of the app to come back to, the dialplan would end the call.
    if (call.adopted) await post(`/channels/${call.reference}/variable`, { variable: 'APP', value: app });
    // On two connections the one could overtake the other, and outside the application no limit is taken.
    await limitTalk(call);
    if (!lives(call) || call.detection !== 'running') return;
    const reply = await post(`/channels/${call.reference}/continue`, {
      context: options.amdContext,
      extension: 's',
      priority: 1,
    });
    if (!lives(call) || call.detection !== 'running') return;
    const status = reply.kind === 'reply' ? reply.status : 0;
    // 409: not in the application, so detection runs already. 404: the call is going; its end is on the way.
    if (status === 204 || status === 409 || status === 0) look(call, timing.detectionMs);
    else if (status === 404) look(call, timing.eventGraceMs);
    else over(call);
  };

  const readVariable = async (call: Call, variable: string): Promise<string | null> => {
    const reply = await rest.request({
      method: 'GET',
      path: `/channels/${call.reference}/variable?variable=${variable}`,
      timeoutMs,
    });
    const value = reply.kind === 'reply' && reply.status === 200 ? variableValue(reply.body) : null;
    return value === '' ? null : value;
  };

  /** Reads a verdict that no event brought. True: there was one. */
  const readVerdict = async (call: Call): Promise<boolean> => {
    const status = await readVariable(call, 'AMDSTATUS');
    const cause = status === null ? null : await readVariable(call, 'AMDCAUSE');
    if (!lives(call) || call.detection === 'off') return true;
    if (status === null) return false;
    call.state = { ...call.state, machine: call.state.machine ?? detectionVerdict(status, cause) };
    detected(call);
    return true;
  };

  return {
    answered: (call) => {
      if (!call.state.inStasis) {
        if (call.limit === null || call.detection === 'due') look(call, timing.eventGraceMs);
        return;
      }
      void limitTalk(call);
      if (call.detection === 'due') void startDetection(call);
    },
    check: async (call) => {
      if (!lives(call) || call.state.reached !== 'Up') return;
      void limitTalk(call);
      if (call.detection === 'off' || (await readVerdict(call)) || !lives(call)) return;
      if (call.detection === 'due') return startDetection(call);
      const left = call.detectionSince + timing.detectionMs - performance.now();
      if (left > 0) look(call, left);
      else over(call);
    },
    detected,
  };
};
