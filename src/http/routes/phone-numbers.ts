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
import { configurationOf, type Configuration } from '../../domain/telephony/state';
import type { AccountFailure } from '../../ports/carrier-accounts';
import { shown, visible, type Api } from '../api';
import { openCredentials, unreached } from '../credentials';
import { ifConfigMatch } from '../conditional';
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

const syncOf = (told: Either<AccountFailure, null> | null): Sync =>
  told === null ? null : isLeft(told) ? { ok: false, message: told.left.message } : { ok: true, message: null };

const numberNotFound: Failure = notFound('Phone number not found');

export const phoneNumberRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const claims = numberClaims(platform);

  const configuration = async (org: OrganizationId, configId: number): Promise<Configuration | undefined> =>
    configurationOf((await platform.execute.load(telephonyDecider, telephonyStream(org))).state, configId);

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

  /** Asks the carrier about a number; null: ARI has no account that could own one. */
  const atCarrier = async (
    org: OrganizationId,
    configId: number,
    ask: 'own' | 'attach' | 'detach',
    address: string,
  ): Promise<Either<AccountFailure, null> | null> => {
    const known = await configuration(org, configId);
    if (known === undefined || known.provider === 'ari') return null;
    const accounts = api.carrierAccounts;
    if (accounts === null)
      return left({ kind: 'unreachable', message: 'This installation has no connection to the carrier' });
    const { provider } = known;
    const account = { provider, credentials: await openCredentials(api, org, known.credentials) };
    const answer =
      ask === 'own'
        ? await accounts.ownsNumber(account, address)
        : await accounts.routeNumber(account, address, ask === 'attach');
    return isLeft(answer) && answer.left.kind === 'unreachable'
      ? left({ kind: 'unreachable', message: unreached(provider, answer.left.message) })
      : answer;
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
      failures: [400, 404, 409],
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
        const reservedUnder = (await configuration(org, params.config_id))?.accountFingerprint ?? null;
        const number = { accountFingerprint: reservedUnder, addresses: [address_normalized] };
        const free = await claims.free(org, params.config_id, number);
        if (isLeft(free)) return free;
        const owned = await atCarrier(org, params.config_id, 'own', address_normalized);
        if (owned !== null && isLeft(owned) && owned.left.kind === 'refused') return left(rejected(owned.left.message));
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
        const attaches = owned !== null && !isLeft(owned) && body.inbound_workflow_id !== null;
        const told = attaches ? await atCarrier(org, params.config_id, 'attach', address_normalized) : owned;
        return shown(api, stream, done.right, (now) => show(now, org, params.config_id, id.right, syncOf(told)));
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
        const expected = await ifConfigMatch(api, koa, org, params.config_id);
        if (isLeft(expected)) return expected;
        const command = {
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
        } as const;
        const possible = await commands.probe(telephonyDecider, stream, command);
        if (isLeft(possible)) return possible;
        const noAgent = await agentExists(org, body.inbound_workflow_id ?? null);
        if (noAgent !== null) return left(noAgent);
        const numberIn = (known: Configuration | undefined) =>
          known?.numbers.find((n) => n.id === params.phone_number_id);
        const before = numberIn(await configuration(org, params.config_id));
        const done = await commands.run(telephonyDecider, stream, command);
        if (isLeft(done)) return done;
        const number = numberIn(configurationOf(done.right.state, params.config_id));
        // Where no agent answers nor did, the number's calls are not ours to route.
        const wasOurs = (before?.inbound_workflow_id ?? null) !== null || body.clear_inbound_workflow;
        const ask = (number?.inbound_workflow_id ?? null) !== null ? 'attach' : wasOurs ? 'detach' : 'own';
        const told = await atCarrier(org, params.config_id, ask, number?.address_normalized ?? '');
        return shown(api, stream, done.right, (now) =>
          show(now, org, params.config_id, params.phone_number_id, syncOf(told)),
        );
      },
    }),
    route({
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      tag: 'phone numbers',
      summary: 'Remove a number',
      params: NumberPath,
      conditional: true,
      response: { schema: PhoneNumberDeleted.schema },
      failures: [404, 412, 502],
      handle: async ({ org, params, commands, koa }: OnNumber<undefined>) => {
        const expected = await ifConfigMatch(api, koa, org, params.config_id);
        if (isLeft(expected)) return expected;
        const config = await findConfig(api, org, params.config_id);
        if (isLeft(config)) return config;
        const number = phoneNumberOf(config.right, params.phone_number_id);
        if (number === null) return left(numberNotFound);
        const attached = number.inbound_workflow_id !== null;
        const told = attached ? await atCarrier(org, params.config_id, 'detach', number.address_normalized) : null;
        if (told !== null && isLeft(told) && api.carrierAccounts !== null)
          return left({ kind: 'peer_failed', message: told.left.message });
        const stream = telephonyStream(org);
        const release = await claims.releasing(org, params.config_id, {
          accountFingerprint: (await configuration(org, params.config_id))?.accountFingerprint ?? null,
          addresses: [number.address_normalized],
        });
        const done = await commands.run(telephonyDecider, stream, {
          type: 'RemovePhoneNumber',
          configurationId: params.config_id,
          phoneNumberId: params.phone_number_id,
          ...expected.right,
        });
        if (isLeft(done)) return done;
        await release();
        await visible(api, stream, done.right);
        return ok({ message: 'Phone number deleted', provider_sync: syncOf(told) });
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
