/** Rules about the trunks of a configuration; Cloudonix alone has trunks. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { decode } from '../../core/codec';
import type { JsonObject } from '../../core/event';
import { conflict, invalid, notFound, rejected, type Failure } from '../../core/failure';
import { sameJson } from '../../core/same-json';
import type { AddTrunk, ChangeTrunk, RemoveTrunk } from './commands';
import type { Provider, TelephonyEvent } from './events';
import { providerMetadata } from './provider-metadata';
import { TrunkSettings } from './requests';
import type { Configuration } from './state';

export const supportsTrunks = (provider: Provider): boolean => provider === 'cloudonix';

const settingsOf = (settings: JsonObject): Either<Failure, JsonObject> => {
  const decoded = decode(TrunkSettings, settings, ['body', 'settings']);
  return isLeft(decoded) ? left(invalid(decoded.left)) : right(decoded.right);
};

const nameTaken = (known: Configuration, name: string, but: number | null): Either<Failure, never> | null =>
  known.trunks.some((t) => t.name === name && t.id !== but)
    ? left(conflict(`This configuration already has a trunk named '${name}'.`))
    : null;

export const decideTrunk = (
  command: AddTrunk | ChangeTrunk | RemoveTrunk,
  known: Configuration,
): Either<Failure, readonly TelephonyEvent[]> => {
  if (!supportsTrunks(known.provider))
    return left(
      rejected(
        `${providerMetadata[known.provider].display_name} configurations have no trunks: calls go through the carrier's account itself.`,
      ),
    );
  const ref = { telephony_configuration_id: known.id, trunk_id: command.trunkId };
  if (command.type === 'AddTrunk') {
    const taken = nameTaken(known, command.name, null);
    if (taken !== null) return taken;
    const settings = settingsOf(command.settings);
    return isLeft(settings)
      ? settings
      : right([
          {
            type: 'TrunkAdded',
            data: { ...ref, name: command.name, enabled: command.enabled, settings: settings.right },
          },
        ]);
  }
  const trunk = known.trunks.find((t) => t.id === command.trunkId);
  if (trunk === undefined) return left(notFound('Trunk not found'));
  if (command.type === 'ChangeTrunk') {
    const name = command.name ?? trunk.name;
    const taken = nameTaken(known, name, trunk.id);
    if (taken !== null) return taken;
    const settings = command.settings === null ? right(trunk.settings) : settingsOf(command.settings);
    if (isLeft(settings)) return settings;
    const after = { name, enabled: command.enabled ?? trunk.enabled, settings: settings.right };
    const before = { name: trunk.name, enabled: trunk.enabled, settings: trunk.settings };
    return right(sameJson(before, after) ? [] : [{ type: 'TrunkChanged', data: { ...ref, ...after } }]);
  }
  const users = known.numbers.filter((n) => n.telephony_trunk_id === trunk.id).length;
  return users > 0
    ? left(
        conflict(
          `${users} phone number${users === 1 ? ' dials' : 's dial'} out by '${trunk.name}'; give them another trunk before you delete it.`,
        ),
      )
    : right([{ type: 'TrunkRemoved', data: ref }]);
};
