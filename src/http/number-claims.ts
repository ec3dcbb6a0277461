/**
 * A number of a carrier account is in one configuration only, over all organizations: else an inbound call could not be told to be whose. ARI has no
 * accounts, so its numbers are free.
 */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { conflict, type Failure } from '../core/failure';
import { telephonyStream, type OrganizationId } from '../core/ids';
import { telephonyDecider } from '../domain/telephony/decider';
import { configurationOf } from '../domain/telephony/state';
import type { Platform } from '../engine/platform';
import { reservations, reserveAll, type ReservedValue } from './reservations';

/** Of a configuration: which carrier account (null: none), and the numbers in normal form. */
export interface AccountNumbers {
  readonly accountFingerprint: string | null;
  readonly addresses: readonly string[];
}

const always = (): boolean => true;

export const numberClaims = (platform: Platform) => {
  const reserved = reservations(platform);

  const valuesOf = ({ accountFingerprint, addresses }: AccountNumbers): readonly ReservedValue[] =>
    accountFingerprint === null
      ? []
      : addresses.map((address) => ({
          kind: 'phone_number',
          within: null,
          value: `${accountFingerprint}|${address}`,
          isHeld: async ({ organization, holder }) => {
            const { state } = await platform.execute.load(telephonyDecider, telephonyStream(organization));
            const known = configurationOf(state, holder);
            return (
              known?.accountFingerprint === accountFingerprint &&
              known.numbers.some((n) => n.address_normalized === address)
            );
          },
        }));

  const taken = (address: string): Failure =>
    conflict(
      `The phone number ${address} is registered already under a configuration of another organization with the same carrier account; inbound calls could not be told apart.`,
    );

  const holderOf = (organization: OrganizationId, configuration: number) => ({ organization, holder: configuration });

  return {
    /** 409 for the first number that somebody else has. Asked before an id is taken or the carrier is bothered. */
    free: async (
      org: OrganizationId,
      configuration: number,
      wanted: AccountNumbers,
    ): Promise<Either<Failure, null>> => {
      for (const [i, one] of valuesOf(wanted).entries())
        if (await reserved.isTaken(one, holderOf(org, configuration))) return left(taken(wanted.addresses[i] ?? ''));
      return right(null);
    },

    /** Reserves them for the configuration. Right: false, asked right before the append, when it would come too late. */
    claim: async (
      org: OrganizationId,
      configuration: number,
      wanted: AccountNumbers,
    ): Promise<Either<Failure, () => boolean>> => {
      const values = valuesOf(wanted);
      if (values.length === 0) return right(always);
      const done = await reserveAll(reserved, values, holderOf(org, configuration));
      if (!isLeft(done)) return done;
      const { failure, value } = done.left;
      return left(failure.kind === 'conflict' ? taken(value.slice(value.indexOf('|') + 1)) : failure);
    },

    /** Looked at before the command that gives them up; the answer gives them back after it. */
    releasing: async (
      org: OrganizationId,
      configuration: number,
      given: AccountNumbers,
    ): Promise<() => Promise<void>> => {
      const seen = await Promise.all(valuesOf(given).map((one) => reserved.seen(one, holderOf(org, configuration))));
      return async () => {
        await Promise.all(seen.map(reserved.release));
      };
    },
  };
};
