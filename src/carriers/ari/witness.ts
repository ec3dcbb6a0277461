/**
 * The durable witness: a hangup handler in the dialplan that leaves `<state>/<cause>` of each call in a global variable, readable after the
 * end of the call and after a lost events socket, until Asterisk restarts.
 */
import type { CallState } from './call-state';
import { sawState } from './call-state';
import { witnessVariable } from './originate';
import type { RestClient } from './rest';
import { variableValue } from './wire';

/** What the handler stored, folded into the state; null: nothing there, or nothing readable. */
export const readWitness = async (
  rest: RestClient,
  reference: string,
  state: CallState,
  timeoutMs: number,
): Promise<CallState | null> => {
  const reply = await rest.request({
    method: 'GET',
    path: `/asterisk/variable?variable=${witnessVariable(reference)}`,
    timeoutMs,
  });
  if (reply.kind !== 'reply' || reply.status !== 200) return null;
  const [, last, cause] = /^(\w+)\/(\d+)$/.exec(variableValue(reply.body) ?? '') ?? [];
  if (last === undefined || cause === undefined) return null;
  const at = new Date().toISOString();
  return {
    ...sawState(state, last, at),
    destroyed: { cause: Number(cause), causeText: null, techCause: null, at },
  };
};

/** Empties the variable; a failure leaves a small string in Asterisk's memory until it restarts. */
export const clearWitness = async (rest: RestClient, reference: string, timeoutMs: number): Promise<void> => {
  await rest.request({
    method: 'POST',
    path: '/asterisk/variable',
    body: { variable: witnessVariable(reference), value: '' },
    timeoutMs,
  });
};
