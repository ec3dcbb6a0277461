/** Which configuration a campaign dials with. */
import { left, right, type Either } from 'fp-ts/Either';
import { rejected, type Failure } from '../../core/failure';
import { setupChecklist } from './setup-checklist';
import { configurationOf, type Configuration, type TelephonyState } from './state';

const CODE = 'telephony_configuration_not_found';

const ready = (configuration: Configuration): Either<Failure, Configuration> => {
  const reason = setupChecklist(configuration).outbound_blocked_reason;
  return reason === null
    ? right(configuration)
    : left(rejected(`'${configuration.name}' is not ready for outbound calls. ${reason}`));
};

/**
 * The configuration asked for; asked for none, the default; without a default the first active one, in order of creation, that is ready.
 * An unknown or inactive one that was asked for, and none at all: `telephony_configuration_not_found`. What is named, by id or as the default,
 * and not ready or inactive is refused by name, never passed over.
 */
export const chooseConfiguration = (
  state: TelephonyState,
  requestedId: number | null,
): Either<Failure, Configuration> => {
  if (requestedId !== null) {
    const asked = configurationOf(state, requestedId);
    if (asked === undefined) return left(rejected('The organization has no telephony configuration of this id.', CODE));
    if (asked.inactive !== null) return left(rejected(`Telephony configuration '${asked.name}' is inactive.`, CODE));
    return ready(asked);
  }
  const standard = state.defaultOutbound === null ? undefined : configurationOf(state, state.defaultOutbound);
  if (standard !== undefined)
    return standard.inactive !== null
      ? left(
          rejected(
            `The default telephony configuration '${standard.name}' is inactive (${standard.inactive.reason}); reactivate it or name another one.`,
          ),
        )
      : ready(standard);
  const first = state.configurations.find((c) => c.inactive === null && setupChecklist(c).ready_for_outbound);
  return first === undefined
    ? left(rejected('The organization has no active telephony configuration that is ready for outbound calls.', CODE))
    : right(first);
};
