/** The steps around saving a configuration's credentials: fields of our own, the carrier's word, the seal. */
import { createHmac } from 'node:crypto';
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Json, JsonObject } from '../core/event';
import type { Sealed } from '../core/event-types';
import { rejected, type Failure } from '../core/failure';
import type { OrganizationId } from '../core/ids';
import { sameJson } from '../core/same-json';
import type { SealedCredentials } from '../domain/telephony/commands';
import {
  accountFieldOf,
  accountOf,
  applicationFieldOf,
  credentialsOf,
  fieldsSetOf,
  type ConfigRequest,
} from '../domain/telephony/config';
import type { CarrierCheck, Provider } from '../domain/telephony/events';
import { restoreMasked } from '../domain/telephony/mask';
import { providerMetadata } from '../domain/telephony/provider-metadata';
import { sealForOrganization } from '../engine/seal';
import type { AccountFailure } from '../ports/carrier-accounts';
import type { Api } from './api';

const FIELD = 'telephony.credentials';

/** The Stasis application of an ARI configuration; the carrier's adapter registers it under the same name. */
export const stasisAppName = (installation: string, configId: number): string =>
  `ledgerline_${installation.replace(/[^A-Za-z0-9-]/g, '')}_${configId}`;

/** Credentials that are stored, readable; null where their key is gone. */
export const openCredentials = async (api: Api, org: OrganizationId, sealed: Sealed): Promise<JsonObject> =>
  ((await api.platform.seals.open(org, sealed)) ?? {}) as JsonObject;

/** Sealed before the carrier was asked: for asking the decider whether the rest of a command would do. */
export const blankCredentials: SealedCredentials = {
  sealed: { $sealed: '', key: '', field: FIELD },
  fieldsSet: [],
  accountFingerprint: null,
  carrierCheck: null,
  provisioned: null,
};

const carrierName = (provider: Provider): string => providerMetadata[provider].display_name;

/** What a client is told of a carrier that did not answer. */
export const unreached = (provider: Provider, reason: string): string =>
  `${carrierName(provider)} could not be reached: ${reason}`;

const checked = (provider: Provider, answer: Either<AccountFailure, unknown>): Either<Failure, CarrierCheck> => {
  if (!isLeft(answer)) return right({ ok: true, message: null });
  const { kind, message } = answer.left;
  return kind === 'refused'
    ? left(rejected(`${carrierName(provider)} refused the credentials: ${message}`))
    : right({ ok: false, message: unreached(provider, message) });
};

/** What of an earlier save stays in force although the request does not name it; nothing where it was another account's. */
const carriedOver = ({ provider }: ConfigRequest, fields: JsonObject, stored: JsonObject): JsonObject => {
  const field = applicationFieldOf(provider);
  const account = accountFieldOf(provider);
  // A Telnyx key does not tell whose it is: its account is known by the application.
  if (account !== null && account !== field && fields[account] !== stored[account]) return {};
  const kept = field === null || (fields[field] ?? null) !== null ? {} : { [field]: stored[field] ?? null };
  const { domain_uuid } = stored;
  return domain_uuid === undefined ? kept : { ...kept, domain_uuid };
};

/** What is to be sealed, after the carrier was asked. */
export interface PreparedCredentials {
  readonly config: ConfigRequest;
  readonly fields: JsonObject;
  readonly carrierCheck: CarrierCheck | null;
  readonly provisioned: SealedCredentials['provisioned'];
}

/**
 * Asks the carrier about what a request wants to store. `stored`: the credentials in force, whose masks the request may send back. Stores
 * nothing; an application that is made stays at the carrier.
 */
export const prepareCredentials = async (
  api: Api,
  config: ConfigRequest,
  stored: JsonObject | null,
): Promise<Either<Failure, PreparedCredentials>> => {
  const { carrierAccounts } = api;
  const { provider } = config;
  const name = carrierName(provider);
  const sent = credentialsOf(config);
  const restored = stored === null ? sent : restoreMasked(provider, sent, stored);
  let fields: JsonObject = { ...restored, ...(stored === null ? {} : carriedOver(config, restored, stored)) };

  let carrierCheck: CarrierCheck | null = null;
  if (carrierAccounts !== null && provider !== 'ari') {
    const told = await carrierAccounts.check({ provider, credentials: fields });
    const answer = checked(provider, told);
    if (isLeft(answer)) return answer;
    carrierCheck = answer.right;
    if (!isLeft(told)) fields = { ...fields, ...told.right };
  }

  const field = applicationFieldOf(provider);
  if (field === null || (fields[field] ?? null) !== null)
    return right({ config, fields, carrierCheck, provisioned: null });
  const made = await carrierAccounts?.createApplication({ provider, credentials: fields });
  if (made !== undefined && !isLeft(made))
    return right({
      config,
      fields: { ...fields, [field]: made.right },
      carrierCheck,
      provisioned: { field, value: made.right },
    });
  const reason = made?.left.message ?? 'this installation has no connection to the carrier';
  return left(
    made?.left.kind === 'refused'
      ? rejected(`${name} refused to create an application: ${reason}`)
      : {
          kind: 'peer_failed',
          message: `${name} could not be reached to create an application (${reason}). Give ${field} yourself, or try again.`,
        },
  );
};

/** Whether they are what is stored already, the carrier's word included: then there is nothing to replace. */
export const inForce = (
  { fields, carrierCheck }: PreparedCredentials,
  stored: JsonObject,
  checkedBefore: CarrierCheck | null,
): boolean =>
  sameJson(carrierCheck, checkedBefore) &&
  Object.entries(fields).every(([name, value]) => sameJson(value, stored[name] ?? null));

/** Seals them for the configuration; ARI's get the name of the application that our connection registers. */
export const sealCredentials = async (
  api: Api,
  org: OrganizationId,
  configId: number,
  { config, fields: asked, carrierCheck, provisioned }: PreparedCredentials,
): Promise<SealedCredentials> => {
  const { platform } = api;
  const { provider } = config;
  const fields: JsonObject =
    provider === 'ari' ? { ...asked, stasis_app_name: stasisAppName(platform.installation, configId) } : asked;
  const account = accountOf({ ...config, ...fields } as ConfigRequest);
  const secret = await platform.vault.secret('account-fingerprints');
  return {
    sealed: await sealForOrganization(platform.vault, org, FIELD, fields as Json),
    fieldsSet: fieldsSetOf(fields),
    accountFingerprint:
      account === null || account === ''
        ? null
        : createHmac('sha256', secret).update(`${provider}|${account}`).digest('hex'),
    carrierCheck,
    provisioned,
  };
};
