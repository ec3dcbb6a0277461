/** Telephony configurations of the caller's organization. */
import { isLeft, left, type Either } from 'fp-ts/Either';
import {
  configOf,
  telephonyConfigDetail,
  telephonyConfigList,
  type TelephonyRules,
} from '../../../projections/telephony_views';
import { integerText, object, required } from '../../core/codec';
import { conflict, type Failure } from '../../core/failure';
import { telephonyStream, type OrganizationId } from '../../core/ids';
import { parsePosition } from '../../core/position';
import {
  SECRET_FIELDS,
  TelephonyConfigCreate,
  TelephonyConfigUpdate,
  type TelephonyConfigCreate as CreateBody,
  type TelephonyConfigUpdate as UpdateBody,
} from '../../domain/telephony/config';
import type { TelephonyCommand } from '../../domain/telephony/commands';
import { telephonyDecider } from '../../domain/telephony/decider';
import type { TelephonyEvent } from '../../domain/telephony/events';
import { providers } from '../../domain/telephony/provider-metadata';
import { setupChecklist } from '../../domain/telephony/setup-checklist';
import { sipConnectivity } from '../../domain/telephony/sip-connectivity';
import { configurationOf, type Configuration, type TelephonyState } from '../../domain/telephony/state';
import { campaigns } from '../../../projections/campaigns';
import type { Executed } from '../../engine/execute';
import { shown, visible, type Api } from '../api';
import { blankCredentials, inForce, openCredentials, prepareCredentials, sealCredentials } from '../credentials';
import { ifConfigMatch } from '../conditional';
import { numberClaims } from '../number-claims';
import { tooLate } from '../reservations';
import { configNotFound, findTelephony } from '../resources';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { Message } from '../shapes/values';
import { ProviderList, TelephonyConfigDetail, TelephonyConfigList, TelephonyWarnings } from '../shapes/telephony';

export const ConfigPath = object('TelephonyConfigPath', { config_id: required(integerText()) });
type OnConfig<B> = KeyedRequest<{ readonly config_id: number }, undefined, B>;

const BASE = '/api/v1/organizations/telephony-configs';
const ONE = `${BASE}/{config_id}`;

const changedMeanwhile: Failure = conflict('The configuration was changed by another request meanwhile; try again.');

const rules: TelephonyRules<ReturnType<typeof setupChecklist>, ReturnType<typeof sipConnectivity>> = {
  setupChecklist,
  sipConnectivity,
};

export const telephonyConfigRoutes = (api: Api): readonly Route[] => {
  const { platform } = api;
  const claims = numberClaims(platform);

  const numbersOf = (known: Configuration, accountFingerprint: string | null) => ({
    accountFingerprint,
    addresses: known.numbers.map((n) => n.address_normalized),
  });

  const show = async (from: Api, org: OrganizationId, id: number): Promise<Handled> => {
    const doc = await findTelephony(from, org);
    const detail = telephonyConfigDetail(doc, id, rules);
    const etag = parsePosition(configOf(doc, id)?.etag ?? '') ?? undefined;
    return detail === null ? left(configNotFound()) : ok(detail, etag);
  };

  const create = async ({ org, body, commands }: KeyedRequest<undefined, undefined, CreateBody>): Promise<Handled> => {
    const stream = telephonyStream(org);
    const command = {
      type: 'CreateConfiguration',
      configurationId: 0,
      name: body.name,
      provider: body.config.provider,
      isDefaultOutbound: body.is_default_outbound,
      credentials: blankCredentials,
    } as const;
    const possible = await commands.probe(telephonyDecider, stream, command);
    if (isLeft(possible)) return possible;
    const prepared = await prepareCredentials(api, body.config, null);
    if (isLeft(prepared)) return prepared;
    const id = await commands.id('telephony_configuration');
    if (isLeft(id)) return id;
    const done = await commands.run(telephonyDecider, stream, {
      ...command,
      configurationId: id.right,
      credentials: await sealCredentials(api, org, id.right, prepared.right),
    });
    if (isLeft(done)) return done;
    return shown(api, stream, done.right, (now) => show(now, org, id.right));
  };

  const update = async ({ org, params, body, commands, koa }: OnConfig<UpdateBody>): Promise<Handled> => {
    const stream = telephonyStream(org);
    const expected = await ifConfigMatch(api, koa, org, params.config_id);
    if (isLeft(expected)) return expected;
    const { state } = await platform.execute.load(telephonyDecider, stream);
    const known = configurationOf(state, params.config_id);
    if (known === undefined) return left(configNotFound());
    const wanted = body.config ?? null;
    const command = {
      type: 'ChangeConfiguration',
      configurationId: known.id,
      name: body.name ?? null,
      isDefaultOutbound: body.is_default_outbound ?? null,
      config: null,
      ...expected.right,
    } as const satisfies TelephonyCommand;
    const withConfig = (credentials: typeof blankCredentials): TelephonyCommand =>
      wanted === null
        ? command
        : { ...command, config: { provider: wanted.provider, credentials, basedOn: known.credentials } };
    const changed = async (done: Either<Failure, Executed<TelephonyState, TelephonyEvent>>): Promise<Handled> =>
      isLeft(done) ? done : shown(api, stream, done.right, (now) => show(now, org, known.id));
    const possible = await commands.probe(telephonyDecider, stream, withConfig(blankCredentials));
    if (isLeft(possible)) return possible;
    const withoutConfig = async () => changed(await commands.run(telephonyDecider, stream, command));
    if (wanted === null) return withoutConfig();
    const stored = await openCredentials(api, org, known.credentials);
    const prepared = await prepareCredentials(api, wanted, stored);
    if (isLeft(prepared)) return prepared;
    if (inForce(prepared.right, stored, known.carrierCheck)) return withoutConfig();
    const credentials = await sealCredentials(api, org, known.id, prepared.right);
    const { accountFingerprint } = credentials;
    if (accountFingerprint === known.accountFingerprint)
      return changed(await commands.run(telephonyDecider, stream, withConfig(credentials)));
    // Its numbers move to another account with it, all or none: a number added meanwhile would be one that nobody reserved there.
    const claimed = await claims.claim(org, known.id, numbersOf(known, accountFingerprint));
    if (isLeft(claimed)) return claimed;
    const release = await claims.releasing(org, known.id, numbersOf(known, known.accountFingerprint));
    if (!claimed.right()) return left(tooLate);
    const done = await commands.run(telephonyDecider, stream, {
      ...withConfig(credentials),
      ifRevision: known.revision,
    });
    if (isLeft(done))
      return done.left.kind === 'stale' && expected.right.ifRevision === undefined ? left(changedMeanwhile) : done;
    await release();
    return changed(done);
  };

  const remove = async ({ org, params, commands, koa }: OnConfig<undefined>): Promise<Handled> => {
    const stream = telephonyStream(org);
    const expected = await ifConfigMatch(api, koa, org, params.config_id);
    if (isLeft(expected)) return expected;
    const references = await platform.views.count(campaigns, [
      { field: 'organization', is: org },
      { field: 'telephony_configuration_id', is: params.config_id },
    ]);
    const { state } = await platform.execute.load(telephonyDecider, stream);
    const known = configurationOf(state, params.config_id);
    const release =
      known === undefined ? null : await claims.releasing(org, known.id, numbersOf(known, known.accountFingerprint));
    const done = await commands.run(telephonyDecider, stream, {
      type: 'DeleteConfiguration',
      configurationId: params.config_id,
      referenced: references > 0,
      ...expected.right,
    });
    if (isLeft(done)) return done;
    await release?.();
    await visible(api, stream, done.right);
    return ok({ message: 'Telephony configuration deleted' });
  };

  const simply =
    (type: 'SetDefaultOutbound' | 'ReactivateConfiguration') =>
    async ({ org, params, commands }: OnConfig<undefined>): Promise<Handled> => {
      const stream = telephonyStream(org);
      const done = await commands.run(telephonyDecider, stream, { type, configurationId: params.config_id });
      return isLeft(done) ? done : shown(api, stream, done.right, (now) => show(now, org, params.config_id));
    };

  const shape = { tag: 'telephony', response: { schema: TelephonyConfigDetail.schema } } as const;
  return [
    route({
      ...shape,
      method: 'POST',
      path: BASE,
      scope: 'write',
      summary: 'Create a telephony configuration',
      description: 'The credentials are sealed; answers show them masked. Phone numbers are added afterwards.',
      body: TelephonyConfigCreate,
      secrets: SECRET_FIELDS,
      example: {
        name: 'Office PBX',
        is_default_outbound: true,
        config: {
          provider: 'ari',
          ari_endpoint: 'http://localhost:8088',
          app_name: 'ledgerline',
          app_password: 'secret',
        },
      },
      failures: [400, 409, 502],
      handle: create,
    }),
    route({
      ...shape,
      method: 'GET',
      path: BASE,
      scope: 'read',
      summary: 'List the telephony configurations',
      response: { schema: TelephonyConfigList.schema },
      handle: async ({ org }) => ok({ configurations: telephonyConfigList(await findTelephony(api, org), rules) }),
    }),
    route({
      ...shape,
      method: 'GET',
      path: ONE,
      scope: 'read',
      summary: 'Get a telephony configuration, its credentials masked',
      params: ConfigPath,
      failures: [404],
      handle: ({ org, params }) => show(api, org, params.config_id),
    }),
    route({
      ...shape,
      method: 'PUT',
      path: ONE,
      scope: 'write',
      summary: 'Change a telephony configuration',
      description:
        'What is left out or null stays. A `config` replaces the credentials; a secret that is sent back as its mask stays what it was.',
      params: ConfigPath,
      body: TelephonyConfigUpdate,
      secrets: SECRET_FIELDS,
      example: { name: 'Office PBX, second floor' },
      conditional: true,
      failures: [400, 404, 409, 412, 502],
      handle: update,
    }),
    route({
      ...shape,
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      summary: 'Delete a telephony configuration with its numbers and trunks',
      params: ConfigPath,
      conditional: true,
      response: { schema: Message.schema },
      failures: [404, 409, 412],
      handle: remove,
    }),
    route({
      ...shape,
      method: 'POST',
      path: `${ONE}/set-default-outbound`,
      scope: 'write',
      summary: 'Make it the default for outbound calls',
      params: ConfigPath,
      failures: [404],
      handle: simply('SetDefaultOutbound'),
    }),
    route({
      ...shape,
      method: 'POST',
      path: `${ONE}/reactivate`,
      scope: 'write',
      summary: 'Use an inactive configuration again',
      params: ConfigPath,
      failures: [404],
      handle: simply('ReactivateConfiguration'),
    }),
    route({
      ...shape,
      method: 'GET',
      path: '/api/v1/organizations/telephony-providers/metadata',
      scope: 'read',
      summary: 'List the carriers and the fields of their credentials',
      response: { schema: ProviderList.schema },
      handle: async () => ok({ providers }),
    }),
    route({
      ...shape,
      method: 'GET',
      path: '/api/v1/organizations/telephony-config-warnings',
      scope: 'read',
      summary: 'Count configurations whose webhooks cannot be verified',
      response: { schema: TelephonyWarnings.schema },
      handle: async ({ org }) => {
        const { configs } = await findTelephony(api, org);
        const lacking = (provider: string, field: string): number =>
          configs.filter((c) => c.provider === provider && !c.fields_set.includes(field)).length;
        return ok({
          telnyx_missing_webhook_public_key_count: lacking('telnyx', 'webhook_public_key'),
          vonage_missing_signature_secret_count: lacking('vonage', 'signature_secret'),
        });
      },
    }),
  ];
};
