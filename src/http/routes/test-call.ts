/** One call without a campaign, to try an agent out. */
import { randomBytes, randomUUID } from 'node:crypto';
import { isLeft, left } from 'fp-ts/Either';
import { campaigns } from '../../../projections/campaigns';
import { runs } from '../../../projections/runs';
import { testCallName } from '../../../projections/run_views';
import type { Sealed } from '../../core/event-types';
import { agentStream, organizationStream, runStream, telephonyStream, type OrganizationId } from '../../core/ids';
import { object, required } from '../../core/codec';
import { agentDecider } from '../../domain/agent/decider';
import type { ContactData } from '../../domain/campaign/events';
import { organizationDecider } from '../../domain/organization/decider';
import { runDecider } from '../../domain/run/decider';
import { decideTestCall, InitiateCall, type InitiateCall as Body } from '../../domain/run/test-call';
import { telephonyDecider } from '../../domain/telephony/decider';
import { associatedData, CONTACT_FIELD, contactKeyId, sealBytes } from '../../engine/seal';
import { visible, type Api } from '../api';
import { ok, route, type Handled, type KeyedRequest, type Route } from '../route';
import { int, string } from '../shapes/values';

/** How long a test call may wait for the dialer, the carrier and a free slot before it fails, ms. Nobody sits at the phone for longer. */
const WAIT_MS = 60_000;
/** More test calls at once than any organization's limit. */
const ENOUGH = 10_000;

/**
 * Calls that the read models show as in flight; a moment old, which is why the dialer asks its own gates again. A campaign that failed may still
 * have calls to end.
 */
const callsInFlight = async ({ platform: { views } }: Api, org: OrganizationId): Promise<number> => {
  const ofOrganization = { field: 'organization', is: org };
  const [dialed, tested] = await Promise.all([
    views.find(campaigns, {
      where: [ofOrganization, { field: 'state', in: ['running', 'paused', 'failed'] }],
    }),
    views.find(runs, {
      where: [ofOrganization, { field: 'campaign_id', is: null }, { field: 'state', in: ['initialized', 'running'] }],
      limit: ENOUGH,
    }),
  ]);
  return dialed.reduce((sum, { in_flight }) => sum + in_flight.length, tested.length);
};

const CallInitiated = object('CallInitiated', {
  message: required(string),
  workflow_run_id: required(int),
  workflow_run_name: required(string),
});

export const testCallRoutes = (api: Api): readonly Route[] => {
  const { clock, execute, vault } = api.platform;

  /** The number under a key of its own, durable before the event that names it. */
  const sealed = async (org: OrganizationId, contact: ContactData): Promise<Sealed> => {
    const page = randomUUID();
    const secret = randomBytes(32);
    await vault.createPage(org, page, [secret]);
    const key = contactKeyId(page, 0);
    const bytes = sealBytes(secret, Buffer.from(JSON.stringify(contact)), associatedData(org, CONTACT_FIELD, key));
    return { $sealed: bytes.toString('base64'), key, field: CONTACT_FIELD };
  };

  const limitOf = async (org: OrganizationId): Promise<number> =>
    (await execute.load(organizationDecider, organizationStream(org))).state?.limits.concurrent_calls ?? 0;

  const initiate = async ({ org, body, commands }: KeyedRequest<undefined, undefined, Body>): Promise<Handled> => {
    const named = body.workflow_run_id;
    const [telephony, agent, run] = await Promise.all([
      execute.load(telephonyDecider, telephonyStream(org)),
      execute.load(agentDecider, agentStream(org, body.workflow_id)),
      named === null ? null : execute.load(runDecider, runStream(org, named)),
    ]);
    const decided = decideTestCall(body, {
      telephony: telephony.state,
      agent: agent.state,
      run: run?.state ?? null,
    });
    if (isLeft(decided)) return decided;
    const { version, configuration, caller, phone } = decided.right;
    if ((await callsInFlight(api, org)) >= (await limitOf(org)))
      return left({ kind: 'too_many', message: 'Concurrent call limit reached' });
    const id = await commands.id('run');
    if (isLeft(id)) return id;
    const stream = runStream(org, id.right);
    const done = await commands.run(
      runDecider,
      stream,
      {
        type: 'RequestCall',
        call: {
          run_id: id.right,
          campaign_id: null,
          attempt: 0,
          retry: 0,
          variant_id: `${body.workflow_id}:${version.definition_id}`,
          workflow_id: body.workflow_id,
          definition_id: version.definition_id,
          version_number: version.version_number,
          telephony_configuration_id: configuration.id,
          provider: configuration.provider,
          caller_phone_number_id: caller,
          place_until: new Date(clock.now() + WAIT_MS).toISOString(),
          contact: await sealed(org, { phone_number: phone, variables: {} }),
        },
      },
      { assumeNew: true },
    );
    if (isLeft(done)) return done;
    await visible(api, stream, done.right);
    const name = testCallName(id.right);
    return ok({
      message: `Call initiated successfully with run name ${name}`,
      workflow_run_id: id.right,
      workflow_run_name: name,
    });
  };

  return [
    route({
      method: 'POST',
      path: '/api/v1/telephony/initiate-call',
      scope: 'write',
      tag: 'runs',
      summary: 'Make one call with an agent, without a campaign',
      description:
        'The draft of the agent is used where there is one. The answer comes as soon as the call is asked for; the run tells what became of it. Where all ' +
        'slots of the organization are taken the answer is 429; a call that finds none later, or no way to its carrier, within a minute fails. Several faults of a request are listed in `errors`.',
      body: InitiateCall,
      example: { workflow_id: 1, phone_number: '+14155550100' },
      response: { schema: CallInitiated.schema },
      failures: [400, 404, 409, 429],
      handle: initiate,
    }),
  ];
};
