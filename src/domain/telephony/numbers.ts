/** Rules about the phone numbers of a configuration. */
import { left, right, type Either } from 'fp-ts/Either';
import { conflict, notFound, type Failure } from '../../core/failure';
import { normalizeAddress } from './address';
import type { AddPhoneNumber, ChangePhoneNumber, RemovePhoneNumber, SetDefaultCaller } from './commands';
import type { TelephonyEvent } from './events';
import { sameJson } from '../../core/same-json';
import type { Configuration, TelephonyState } from './state';

type Answer = Either<Failure, readonly TelephonyEvent[]>;
type NumberCommand = AddPhoneNumber | ChangePhoneNumber | RemovePhoneNumber | SetDefaultCaller;

const noNumber = left(notFound('Phone number not found'));
const noTrunk = left(notFound('This telephony configuration has no such trunk'));

const hasTrunk = (known: Configuration, trunk: number | null): boolean =>
  trunk === null || known.trunks.some((t) => t.id === trunk);

const add = (command: AddPhoneNumber, known: Configuration, state: TelephonyState): Answer => {
  if (!hasTrunk(known, command.trunkId)) return noTrunk;
  if (command.reservedUnder !== undefined && command.reservedUnder !== known.accountFingerprint)
    return left(conflict('The credentials were changed by another request meanwhile; try again.'));
  const address = normalizeAddress(command.address, command.countryCode);
  const taken = state.configurations.some((c) =>
    c.numbers.some((n) => n.address_normalized === address.address_normalized),
  );
  if (taken) return left(conflict(`This organization already has the phone number ${address.address_normalized}.`));
  const ref = { telephony_configuration_id: known.id, phone_number_id: command.phoneNumberId };
  const added: TelephonyEvent = {
    type: 'PhoneNumberAdded',
    data: {
      ...ref,
      address: command.address,
      ...address,
      country_code: command.countryCode,
      label: command.label,
      inbound_workflow_id: command.inboundWorkflowId,
      telephony_trunk_id: command.trunkId,
      is_active: command.isActive,
      is_default_caller_id: command.isDefaultCallerId,
      extra_metadata: command.extraMetadata,
    },
  };
  return right(command.isDefaultCallerId ? [added, { type: 'DefaultCallerChanged', data: ref }] : [added]);
};

const change = (command: ChangePhoneNumber, known: Configuration): Answer => {
  const number = known.numbers.find((n) => n.id === command.phoneNumberId);
  if (number === undefined) return noNumber;
  if (!hasTrunk(known, command.trunkId)) return noTrunk;
  const before = {
    label: number.label,
    inbound_workflow_id: number.inbound_workflow_id,
    telephony_trunk_id: number.telephony_trunk_id,
    country_code: number.country_code,
    is_active: number.is_active,
    extra_metadata: number.extra_metadata,
  };
  const after = {
    label: command.label ?? before.label,
    inbound_workflow_id:
      command.inboundWorkflowId ?? (command.clearInboundWorkflow ? null : before.inbound_workflow_id),
    telephony_trunk_id: command.trunkId ?? (command.clearTrunk ? null : before.telephony_trunk_id),
    country_code: command.countryCode ?? before.country_code,
    is_active: command.isActive ?? before.is_active,
    extra_metadata: command.extraMetadata ?? before.extra_metadata,
  };
  return right(
    sameJson(before, after)
      ? []
      : [
          {
            type: 'PhoneNumberChanged',
            data: { telephony_configuration_id: known.id, phone_number_id: number.id, ...after },
          },
        ],
  );
};

export const decideNumber = (command: NumberCommand, known: Configuration, state: TelephonyState): Answer => {
  if (command.type === 'AddPhoneNumber') return add(command, known, state);
  if (command.type === 'ChangePhoneNumber') return change(command, known);
  const number = known.numbers.find((n) => n.id === command.phoneNumberId);
  if (number === undefined) return noNumber;
  const ref = { telephony_configuration_id: known.id, phone_number_id: number.id };
  if (command.type === 'RemovePhoneNumber') return right([{ type: 'PhoneNumberRemoved', data: ref }]);
  return right(number.is_default_caller_id ? [] : [{ type: 'DefaultCallerChanged', data: ref }]);
};
