/** The rules of a test call: which of an organization's things it may use. Every fault is named, the first one is the answer's own. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { integer, nullable, object, required, text, withDefault, type Decoded } from '../../core/codec';
import { conflict, describeFailure, rejected, type Failure } from '../../core/failure';
import { editedOf, usableAgent, type Agent, type AgentState, type AgentVersion } from '../agent/state';
import { numberFault } from '../campaign/contacts';
import { chooseConfiguration } from '../telephony/choose';
import { callerNumberOf, type Configuration, type TelephonyState } from '../telephony/state';
import type { RunState } from './state';

const id = integer();

/** Body of POST /telephony/initiate-call. */
export const InitiateCall = object('InitiateCallRequest', {
  workflow_id: required(id),
  workflow_run_id: withDefault(nullable(id), null),
  phone_number: withDefault(nullable(text()), null),
  telephony_configuration_id: withDefault(nullable(id), null),
  from_phone_number_id: withDefault(nullable(id), null),
});
export type InitiateCall = Decoded<typeof InitiateCall>;

/** What a test call rests on, as found out before. `run`: the one that the request names; null: it names none. */
export interface TestCallGround {
  readonly telephony: TelephonyState;
  readonly agent: AgentState;
  readonly run: RunState | null;
}

export interface TestCall {
  readonly agent: Agent;
  /** The draft, where there is one: what is being tried out. */
  readonly version: AgentVersion;
  readonly configuration: Configuration;
  /** null: the carrier decides. */
  readonly caller: number | null;
  readonly phone: string;
}

const configurationOf = (telephony: TelephonyState, asked: number | null): Either<Failure, Configuration> => {
  const chosen = chooseConfiguration(telephony, asked);
  if (!isLeft(chosen) || asked !== null || chosen.left.kind !== 'rejected' || chosen.left.code === undefined)
    return chosen;
  return left(rejected(chosen.left.message, 'telephony_not_configured'));
};

const phoneOf = (number: string | null, configuration: Configuration | null): Either<Failure, string> => {
  if (number === null || number.trim() === '')
    return left(rejected('Phone number must be provided in request or set in organization preferences'));
  const phone = number.trim();
  const fault = numberFault(phone, configuration !== null && configuration.provider !== 'ari');
  return fault === null ? right(phone) : left(rejected(`The phone number ${fault}`));
};

const callerOf = (body: InitiateCall, configuration: Configuration | null): Either<Failure, number | null> => {
  const { from_phone_number_id: from } = body;
  if (from === null) return right(configuration === null ? null : (callerNumberOf(configuration)?.id ?? null));
  if (body.telephony_configuration_id === null)
    return left(
      rejected(
        'from_phone_number_id names a number of a telephony configuration: name the configuration too.',
        'from_phone_number_id_requires_telephony_configuration',
      ),
    );
  const number = configuration?.numbers.find((n) => n.id === from && n.is_active);
  return configuration === null || number !== undefined
    ? right(from)
    : left(rejected('The telephony configuration has no active number of this id.', 'from_phone_number_not_found'));
};

/** A run is one contact's, or one test call's, whole story: there is no second call in it. */
const runFault = (body: InitiateCall, run: RunState | null): Failure | null => {
  if (body.workflow_run_id === null) return null;
  const call = run?.call ?? run?.ended ?? null;
  if (run === null || (call === null && !run.requested)) return rejected('Workflow run not found');
  if (call !== null && call.workflow_id !== body.workflow_id)
    return rejected('The run belongs to another agent.', 'workflow_run_workflow_mismatch');
  return run.phase === 'completed'
    ? conflict('Workflow run is over; leave workflow_run_id out for a new one')
    : conflict('Workflow run already has an active call');
};

/** Left: every fault of the request; `errors` lists them where there are several. */
export const decideTestCall = (body: InitiateCall, ground: TestCallGround): Either<Failure, TestCall> => {
  const configuration = configurationOf(ground.telephony, body.telephony_configuration_id);
  const known = isLeft(configuration) ? null : configuration.right;
  const phone = phoneOf(body.phone_number, known);
  const agent = usableAgent(ground.agent);
  const caller = callerOf(body, known);
  const run = runFault(body, ground.run);
  const faults = [
    ...(isLeft(configuration) ? [configuration.left] : []),
    ...(isLeft(phone) ? [phone.left] : []),
    ...(isLeft(agent) ? [agent.left] : []),
    ...(isLeft(caller) ? [caller.left] : []),
    ...(run === null ? [] : [run]),
  ];
  if (isLeft(configuration) || isLeft(phone) || isLeft(agent) || isLeft(caller) || run !== null)
    return left(together(faults));
  return right({
    agent: agent.right,
    version: editedOf(agent.right),
    configuration: configuration.right,
    caller: caller.right,
    phone: phone.right,
  });
};

const together = (faults: readonly Failure[]): Failure => {
  const [first] = faults;
  if (first === undefined) throw new Error('there is no fault');
  if (faults.length === 1 || first.kind !== 'rejected') return first;
  return { ...first, errors: faults.map((fault) => ({ message: describeFailure(fault) })), error_count: faults.length };
};
