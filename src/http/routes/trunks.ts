/** Trunks of a telephony configuration; Cloudonix alone has them. */
import { isLeft, left } from 'fp-ts/Either';
import { configOf, trunkRecord, trunkRecords } from '../../../projections/telephony_views';
import { integerText, object, required, boolean } from '../../core/codec';
import { notFound } from '../../core/failure';
import { telephonyStream, type OrganizationId } from '../../core/ids';
import { parsePosition } from '../../core/position';
import { telephonyDecider } from '../../domain/telephony/decider';
import { TrunkCreate, TrunkUpdate } from '../../domain/telephony/requests';
import { shown, visible, type Api } from '../api';
import { ifConfigMatch } from '../conditional';
import { configNotFound, findTelephony } from '../resources';
import { ok, route, type Handled, type Route } from '../route';
import { Trunk, TrunkList } from '../shapes/telephony';
import { ConfigPath } from './telephony-configs';

const TrunkPath = object('TrunkPath', { config_id: required(integerText()), trunk_id: required(integerText()) });
const Success = object('Success', { success: required(boolean) });

const BASE = '/api/v1/organizations/telephony-configs/{config_id}/trunks';
const ONE = `${BASE}/{trunk_id}`;

export const trunkRoutes = (api: Api): readonly Route[] => {
  const show = async (from: Api, org: OrganizationId, configId: number, id: number): Promise<Handled> => {
    const config = configOf(await findTelephony(from, org), configId);
    if (config === null) return left(configNotFound());
    const trunk = config.trunks.find((t) => t.id === id);
    return trunk === undefined
      ? left(notFound('Trunk not found'))
      : ok(trunkRecord(config, trunk), parsePosition(config.etag) ?? undefined);
  };

  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'read',
      tag: 'trunks',
      summary: 'List the trunks of a configuration',
      params: ConfigPath,
      response: { schema: TrunkList.schema },
      failures: [404],
      handle: async ({ org, params }) => {
        const config = configOf(await findTelephony(api, org), params.config_id);
        return config === null ? left(configNotFound()) : ok({ trunks: trunkRecords(config) });
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'write',
      tag: 'trunks',
      summary: 'Add a trunk',
      params: ConfigPath,
      body: TrunkCreate,
      example: { name: 'Mumbai', settings: { region: 'India', sip_domain: 'sip.example.com' } },
      response: { schema: Trunk.schema },
      failures: [400, 404, 409],
      handle: async ({ org, params, body, commands }) => {
        const stream = telephonyStream(org);
        const command = {
          type: 'AddTrunk',
          configurationId: params.config_id,
          trunkId: 0,
          name: body.name,
          enabled: body.enabled,
          settings: body.settings as never,
        } as const;
        const possible = await commands.probe(telephonyDecider, stream, command);
        if (isLeft(possible)) return possible;
        const id = await commands.id('trunk');
        if (isLeft(id)) return id;
        const done = await commands.run(telephonyDecider, stream, { ...command, trunkId: id.right });
        return isLeft(done)
          ? done
          : shown(api, stream, done.right, (now) => show(now, org, params.config_id, id.right));
      },
    }),
    route({
      method: 'PUT',
      path: ONE,
      scope: 'write',
      tag: 'trunks',
      summary: 'Change a trunk',
      params: TrunkPath,
      body: TrunkUpdate,
      example: { enabled: false },
      conditional: true,
      response: { schema: Trunk.schema },
      failures: [400, 404, 409, 412],
      handle: async ({ org, params, body, commands, koa }) => {
        const stream = telephonyStream(org);
        const expected = await ifConfigMatch(api, koa, org, params.config_id);
        if (isLeft(expected)) return expected;
        const done = await commands.run(telephonyDecider, stream, {
          type: 'ChangeTrunk',
          configurationId: params.config_id,
          trunkId: params.trunk_id,
          name: body.name ?? null,
          enabled: body.enabled ?? null,
          settings: (body.settings ?? null) as never,
          ...expected.right,
        });
        return isLeft(done)
          ? done
          : shown(api, stream, done.right, (now) => show(now, org, params.config_id, params.trunk_id));
      },
    }),
    route({
      method: 'DELETE',
      path: ONE,
      scope: 'write',
      tag: 'trunks',
      summary: 'Delete a trunk that no number uses',
      params: TrunkPath,
      conditional: true,
      response: { schema: Success.schema },
      failures: [400, 404, 409, 412],
      handle: async ({ org, params, commands, koa }) => {
        const stream = telephonyStream(org);
        const expected = await ifConfigMatch(api, koa, org, params.config_id);
        if (isLeft(expected)) return expected;
        const done = await commands.run(telephonyDecider, stream, {
          type: 'RemoveTrunk',
          configurationId: params.config_id,
          trunkId: params.trunk_id,
          ...expected.right,
        });
        if (isLeft(done)) return done;
        await visible(api, stream, done.right);
        return ok({ success: true });
      },
    }),
  ];
};
