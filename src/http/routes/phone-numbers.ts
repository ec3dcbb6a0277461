/** Phone numbers of a telephony configuration. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { TelephonyConfigDoc } from '../../../projections/telephony_configs';
import { configOf, phoneNumberOf, phoneNumberRecord } from '../../../projections/telephony_views';
import { integerText, object, required } from '../../core/codec';
import { notFound, rejected, type Failure } from '../../core/failure';
import { agentStream, telephonyStream, type OrganizationId } from '../../core/ids';
import { parsePosition } from '../../core/position';
import { agentDecider } from '../../domain/agent/decider';
import { normalizeAddress } from '../../domain/telephony/address';
import { telephonyDecider } from '../../domain/telephony/decider';
import { PhoneNumberCreate, PhoneNumberUpdate } from '../../domain/telephony/requests';
import { configurationOf } from '../../domain/telephony/state';
import { shown, visible, type Api } from '../api';
import { openCredentials } from '../credentials';
import { ifMatch } from '../conditional';
import { numberClaims } from '../number-claims';
import { tooLate } from '../reservations';
import { configNotFound, findAgents, findTelephony } from '../resources';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { PhoneNumber, PhoneNumberDeleted, PhoneNumberList } from '../shapes/telephony';
import { ConfigPath } from './telephony-configs';

const NumberPath = object('PhoneNumberPath', {
  config_id: required(integerText()),
  phone_number_id: required(integerText()),
});
type OnNumber<B> = KeyedRequest<{ readonly config_id: number; readonly phone_number_id: number }, undefined, B>;

const BASE = '/api/v1/organizations/telephony-configs/{config_id}/phone-numbers';
const ONE = `${BASE}/{phone_number_id}`;

/** What became of the number at the carrier; null: it was not asked. */
type Sync = { readonly ok: boolean; readonly message: string | null } | null;

const numberNotFound: Failure = notFound('Phone number not found');

export const phoneNumberRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const claims = numberClaims(platform);

  const accountFingerprint = async (org: OrganizationId, configId: number): Promise<string | null> => {
    const { state } = await platform.execute.load(telephonyDecider, telephonyStream(org));
    return configurationOf(state, configId)?.accountFingerprint ?? null;
  };

  const findConfig = async (
    from: Api,
    org: OrganizationId,
    id: number,
  ): Promise<Either<Failure, TelephonyConfigDoc>> => {
    const config = configOf(await findTelephony(from, org), id);
    return config === null ? left(configNotFound()) : right(config);
  };

  const agentNames = async (
    from: Api,
    org: OrganizationId,
    config: TelephonyConfigDoc,
  ): Promise<ReadonlyMap<number, string>> => {
    const ids = [...new Set(config.numbers.flatMap((n) => n.inbound_workflow_id ?? []))];
    return new Map([...(await findAgents(from, org, ids))].map(([id, doc]) => [id, doc.name]));
  };

  const show = async (
    from: Api,
    org: OrganizationId,
    configId: number,
    id: number,
    sync: Sync = null,
  ): Promise<Handled> => {
    const config = await findConfig(from, org, configId);
    if (isLeft(config)) return config;
    const number = phoneNumberOf(config.right, id);
    if (number === null) return left(numberNotFound);
    const names = await agentNames(from, org, config.right);
    const name = number.inbound_workflow_id === null ? null : (names.get(number.inbound_workflow_id) ?? null);
    const record = { ...phoneNumberRecord(config.right, number, name), provider_sync: sync };
    return ok(record, parsePosition(config.right.etag) ?? undefined);
  };

  /** The agent that is to answer a number must be the organization's. */
  const agentExists = async (org: OrganizationId, id: number | null): Promise<Failure | null> =>
    id === null || (await platform.execute.load(agentDecider, agentStream(org, id))).state !== null
      ? null
      : notFound('Workflow not found');

  /** Asks the carrier about a number. ARI has no account that could own one. */
  const atCarrier = async (
    org: OrganizationId,
    configId: number,
    ask: 'own' | 'attach' | 'detach',
    address: string,
  ): Promise<Either<Failure, Sync>> => {
    const { state } = await platform.execute.load(telephonyDecider, telephonyStream(org));
    const known = configurationOf(state, configId);
    if (known === undefined) return left(configNotFound());
    if (known.provider === 'ari') return right(null);
    const accounts = api.carrierAccounts;
    if (accounts === null) return right({ ok: false, message: 'This installation has no connection to the carrier' });
    const account = { provider: known.provider, credentials: await openCredentials(api, org, known.credentials) };
    const answer =
      ask === 'own'
        ? await accounts.ownsNumber(account, address)
        : await accounts.routeNumber(account, address, ask === 'attach');
    if (!isLeft(answer)) return right({ ok: true, message: null });
    if (ask === 'own' && answer.left.kind === 'refused') return left(rejected(answer.left.message));
    return right({ ok: false, message: answer.left.message });
  };

  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'read',
      tag: 'phone numbers',
      summary: 'List the numbers of a configuration',
      params: ConfigPath,
      response: { schema: PhoneNumberList.schema },
      failures: [404],
      handle: async ({ org, params }) => {
        const config = await findConfig(api, org, params.config_id);
        if (isLeft(config)) return config;
        const names = await agentNames(api, org, config.right);
        return ok({
          phone_numbers: config.right.numbers.map((n) =>
            phoneNumberRecord(
              config.right,
              n,
              n.inbound_workflow_id === null ? null : (names.get(n.inbound_workflow_id) ?? null),
            ),
          ),
        });
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'write',
      tag: 'phone numbers',
      summary: 'Add a number to a configuration',
      params: ConfigPath,
      body: PhoneNumberCreate,
      example: { address: '+14155551234', label: 'Sales', is_default_caller_id: true },
      response: { schema: PhoneNumber.schema },
      failures: [400, 404, 409, 502],
      handle: async ({ org, params, body, commands }) => {
        const stream = telephonyStream(org);
        const command = {
          type: 'AddPhoneNumber',
          configurationId: params.config_id,
          phoneNumberId: 0,
          address: body.address,
          countryCode: body.country_code,
          label: body.label,
          inboundWorkflowId: body.inbound_workflow_id,
          trunkId: body.telephony_trunk_id,
          isActive: body.is_active,
          isDefaultCallerId: body.is_default_caller_id,
          extraMetadata: body.extra_metadata as never,
        } as const;
        const possible = await commands.probe(telephonyDecider, stream, command);
        if (isLeft(possible)) return possible;
        const noAgent = await agentExists(org, body.inbound_workflow_id);
        if (noAgent !== null) return left(noAgent);
        const { address_normalized } = normalizeAddress(body.address, body.country_code);
        const reservedUnder = await accountFingerprint(org, params.config_id);
        const number = { accountFingerprint: reservedUnder, addresses: [address_normalized] };
        const free = await claims.free(org, params.config_id, number);
        if (isLeft(free)) return free;
        const owned = await atCarrier(org, params.config_id, 'own', address_normalized);
        if (isLeft(owned)) return owned;
        const id = await commands.id('phone_number');
        if (isLeft(id)) return id;
        const claimed = await claims.claim(org, params.config_id, number);
        if (isLeft(claimed)) return claimed;
        if (!claimed.right()) return left(tooLate);
        const done = await commands.run(telephonyDecider, stream, {
          ...command,
          phoneNumberId: id.right,
          reservedUnder,
        });
        if (isLeft(done)) return done;
        let sync = owned.right;
        if (sync?.ok === true && body.inbound_workflow_id !== null) {
          const routed = await atCarrier(org, params.config_id, 'attach', address_normalized);
          sync = isLeft(routed) ? sync : routed.right;
        }
        return shown(api, stream, done.right, (now) => show(now, org, params.config_id, id.right, sync));
      },
    }),
    route({
      method: 'GET',
      path: ONE,
      scope: 'read',
      tag: 'phone numbers',
      summary: 'Get a number',
      params: NumberPath,
      response: { schema: PhoneNumber.schema },
      failures: [404],
      handle: ({ org, params }) => show(api, org, params.config_id, params.phone_number_id),
    }),
    route({
      method: 'PUT',
      path: ONE,
      scope: 'write',
      tag: 'phone numbers',
      summary: 'Change a number; its address stays',
      params: NumberPath,
      body: PhoneNumberUpdate,
      example: { label: 'Support' },
      conditional: true,
      response: { schema: PhoneNumber.schema },
      failures: [404, 412],
      handle: async ({ org, params, body, commands, koa }) => {
        const stream = telephonyStream(org);
        const expected = await ifMatch(koa, async () => configOf(await findTelephony(api, org), params.config_id));
        if (isLeft(expected)) return expected;
        const noAgent = await agentExists(org, body.inbound_workflow_id ?? null);
        if (noAgent !== null) return left(noAgent);
        const done = await commands.run(telephonyDecider, stream, {
          type: 'ChangePhoneNumber',
          configurationId: params.config_id,
          phoneNumberId: params.phone_number_id,
          label: body.label ?? null,
          inboundWorkflowId: body.inbound_workflow_id ?? null,
          clearInboundWorkflow: body.clear_inbound_workflow,
          trunkId: body.telephony_trunk_id ?? null,
          clearTrunk: body.clear_trunk,
          isActive: body.is_active ?? null,
          countryCode: body.country_code ?? null,
          extraMetadata: (body.extra_metadata ?? null) as never,
          ...expected.right,
        });
        if (isLeft(done)) return done;
        const number = configurationOf(done.right.state, params.config_id)?.numbers.find(
          (n) => n.id === params.phone_number_id,
        );
        const ask = (number?.inbound_workflow_id ?? null) === null ? 'detach' : 'attach';
        const synced = await atCarrier(org, params.config_id, ask, number?.address_normalized ?? '');
        const sync = isLeft(synced) ? null : synced.right;
        return shown(api, stream, done.right, (now) => show(now, org, params.config_id, params.phone_number_id, sync));
      },
    }),
    route({
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      tag: 'phone numbers',
      summary: 'Remove a number',
      params: NumberPath,
      response: { schema: PhoneNumberDeleted.schema },
      failures: [404, 502],
      handle: async ({ org, params, commands }: OnNumber<undefined>) => {
        const config = await findConfig(api, org, params.config_id);
        if (isLeft(config)) return config;
        const number = phoneNumberOf(config.right, params.phone_number_id);
        if (number === null) return left(numberNotFound);
        const attached = number.inbound_workflow_id !== null;
        const synced = attached
          ? await atCarrier(org, params.config_id, 'detach', number.address_normalized)
          : right<Failure, Sync>(null);
        if (isLeft(synced)) return synced;
        if (synced.right?.ok === false && api.carrierAccounts !== null)
          return left({
            kind: 'peer_failed',
            message: synced.right.message ?? 'The carrier did not detach the number',
          });
        const stream = telephonyStream(org);
        const release = await claims.releasing(org, params.config_id, {
          accountFingerprint: await accountFingerprint(org, params.config_id),
          addresses: [number.address_normalized],
        });
        const done = await commands.run(telephonyDecider, stream, {
          type: 'RemovePhoneNumber',
          configurationId: params.config_id,
          phoneNumberId: params.phone_number_id,
        });
        if (isLeft(done)) return done;
        await release();
        await visible(api, stream, done.right);
        return ok({ message: 'Phone number deleted', provider_sync: synced.right });
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/set-default-caller`,
      scope: 'write',
      tag: 'phone numbers',
      summary: 'Make it the number that calls show',
      params: NumberPath,
      response: { schema: PhoneNumber.schema },
      failures: [404],
      handle: async ({ org, params, commands }) => {
        const stream = telephonyStream(org);
        const done = await commands.run(telephonyDecider, stream, {
          type: 'SetDefaultCaller',
          configurationId: params.config_id,
          phoneNumberId: params.phone_number_id,
        });
        return isLeft(done)
          ? done
          : shown(api, stream, done.right, (now) => show(now, org, params.config_id, params.phone_number_id));
      },
    }),
  ];
};
