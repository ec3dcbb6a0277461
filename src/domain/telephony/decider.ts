/** The rules of an organization's telephony configurations: one stream, so that 'name unique' and 'one default' are plain rules. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../../core/decider';
import { conflict, notFound, rejected, type Failure } from '../../core/failure';
import type { ChangeConfiguration, CreateConfiguration, SealedCredentials, TelephonyCommand } from './commands';
import type { TelephonyEvent } from './events';
import { decideNumber } from './numbers';
import { providerMetadata } from './provider-metadata';
import { configurationOf, evolveTelephony, initialTelephony, type Configuration, type TelephonyState } from './state';
import { decideTrunk } from './trunks';

type Answer = Either<Failure, readonly TelephonyEvent[]>;

/** Longest reason that a configuration keeps for being inactive, characters. */
const REASON_LENGTH = 255;

const nameTaken = (name: string): Failure =>
  conflict(`This organization already has a telephony configuration named '${name}'; choose another name.`);

const stored = (credentials: SealedCredentials) => ({
  credentials: credentials.sealed,
  account_fingerprint: credentials.accountFingerprint,
  fields_set: credentials.fieldsSet,
  carrier_check: credentials.carrierCheck,
});

const provisioned = (id: number, credentials: SealedCredentials): readonly TelephonyEvent[] =>
  credentials.provisioned === null
    ? []
    : [
        {
          type: 'CarrierApplicationProvisioned',
          data: { telephony_configuration_id: id, ...credentials.provisioned },
        },
      ];

const defaultChanged = (id: number | null, previous: number | null): TelephonyEvent => ({
  type: 'DefaultOutboundChanged',
  data: { telephony_configuration_id: id, previous_telephony_configuration_id: previous },
});

const create = (command: CreateConfiguration, state: TelephonyState): Answer => {
  if (state.configurations.some((c) => c.name === command.name)) return left(nameTaken(command.name));
  const id = command.configurationId;
  return right([
    {
      type: 'ConfigCreated',
      data: {
        telephony_configuration_id: id,
        name: command.name,
        provider: command.provider,
        connectivity: providerMetadata[command.provider].connectivity,
        is_default_outbound: command.isDefaultOutbound,
        ...stored(command.credentials),
      },
    },
    ...provisioned(id, command.credentials),
    ...(command.isDefaultOutbound ? [defaultChanged(id, state.defaultOutbound)] : []),
  ]);
};

const change = (command: ChangeConfiguration, known: Configuration, state: TelephonyState): Answer => {
  const { name, config, isDefaultOutbound } = command;
  const id = known.id;
  if (config !== null && config.provider !== known.provider)
    return left(rejected('The provider of a configuration cannot be changed; create a new configuration instead.'));
  if (name !== null && state.configurations.some((c) => c.name === name && c.id !== id)) return left(nameTaken(name));
  if (config !== null && config.basedOn.$sealed !== known.credentials.$sealed)
    return left(conflict('The credentials were changed by another request meanwhile; try again.'));
  const events: TelephonyEvent[] = [];
  if (name !== null && name !== known.name)
    events.push({ type: 'ConfigChanged', data: { telephony_configuration_id: id, name } });
  if (config !== null)
    events.push(
      { type: 'CredentialsReplaced', data: { telephony_configuration_id: id, ...stored(config.credentials) } },
      ...provisioned(id, config.credentials),
    );
  if (isDefaultOutbound === true && state.defaultOutbound !== id)
    events.push(defaultChanged(id, state.defaultOutbound));
  if (isDefaultOutbound === false && state.defaultOutbound === id) events.push(defaultChanged(null, id));
  return right(events);
};

const decideOn = (
  command: Exclude<TelephonyCommand, CreateConfiguration>,
  known: Configuration,
  state: TelephonyState,
): Answer => {
  const ref = { telephony_configuration_id: known.id };
  switch (command.type) {
    case 'ChangeConfiguration':
      return change(command, known, state);
    case 'DeleteConfiguration':
      return command.referenced
        ? left(conflict(`Telephony configuration ${known.id} belongs to one or more campaigns and cannot be deleted.`))
        : right([{ type: 'ConfigDeleted', data: ref }]);
    case 'SetDefaultOutbound':
      return right(state.defaultOutbound === known.id ? [] : [defaultChanged(known.id, state.defaultOutbound)]);
    case 'InactivateConfiguration':
      return right(
        known.inactive !== null
          ? []
          : [
              {
                type: 'ConfigInactivated',
                data: { ...ref, reason: [...command.reason].slice(0, REASON_LENGTH).join('') },
              },
            ],
      );
    case 'ReactivateConfiguration':
      return right(known.inactive === null ? [] : [{ type: 'ConfigReactivated', data: ref }]);
    case 'AddPhoneNumber':
    case 'ChangePhoneNumber':
    case 'RemovePhoneNumber':
    case 'SetDefaultCaller':
      return decideNumber(command, known, state);
    case 'AddTrunk':
    case 'ChangeTrunk':
    case 'RemoveTrunk':
      return decideTrunk(command, known);
  }
};

const stale = (command: { readonly ifRevision?: number }, known: Configuration): Either<Failure, null> =>
  command.ifRevision === undefined || command.ifRevision === known.revision
    ? right(null)
    : left({ kind: 'stale', message: 'The configuration was changed since; read it again.' });

export const telephonyDecider: Decider<TelephonyState, TelephonyCommand, TelephonyEvent> = {
  name: 'telephony',
  initial: initialTelephony,
  decide: (command, state) => {
    if (command.type === 'CreateConfiguration') return create(command, state);
    const known = configurationOf(state, command.configurationId);
    if (known === undefined) return left(notFound('Telephony configuration not found'));
    const current = stale(command, known);
    return isLeft(current) ? current : decideOn(command, known, state);
  },
  evolve: evolveTelephony,
};
