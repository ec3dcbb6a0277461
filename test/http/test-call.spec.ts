import { isLeft } from 'fp-ts/Either';
import { organizationStream, runStream, telephonyStream } from '../../src/core/ids';
import { organizationDecider } from '../../src/domain/organization/decider';
import { telephonyDecider } from '../../src/domain/telephony/decider';
import { runDecider } from '../../src/domain/run/decider';
import type { RunCommand } from '../../src/domain/run/commands';
import type { CallRef } from '../../src/domain/run/events';
import { projections } from '../../projections';
import { eventCatalog } from '../../src/domain/event-catalog';
import { verify } from '../../src/engine/verify';
import { startHttp, type Answer, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, furnish, makeAgent, makeConfig, type Furnished } from './furnish';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

const PATH = '/api/v1/telephony/initiate-call';
const PHONE = '+14155550177';
const call = (more: Readonly<Record<string, unknown>> = {}, headers = {}): Promise<Answer> =>
  client.post(PATH, { workflow_id: ground.agent, phone_number: PHONE, ...more }, headers);

const onRun = async (run: number, command: RunCommand): Promise<void> => {
  const done = await world.platform.execute.run(runDecider, runStream(client.org, run), command, { actor: 'dialer' });
  if (isLeft(done)) throw new Error(JSON.stringify(done.left));
  await world.caughtUp();
};
const requestOf = async (run: number): Promise<CallRef & Record<string, unknown>> =>
  (await world.platform.events.readStream(runStream(client.org, run)))[0]?.data as never;
const runPath = (run: number): string => `/api/v1/workflow/${ground.agent}/runs/${run}`;

/** Claims the call as the dialer would. */
const claim = async (run: number): Promise<void> => {
  const request = await requestOf(run);
  const { place_until: _until, ...asked } = request;
  await onRun(run, {
    type: 'AttemptCall',
    call: {
      ...(asked as never as Extract<RunCommand, { type: 'AttemptCall' }>['call']),
      attempt: 1,
      reference: 'f'.repeat(32),
      split_revision: 0,
      weight: 100,
      ring_seconds: 45,
      talk_seconds: 300,
      row: 0,
      retry_reason: null,
    },
  });
};

describe('a test call', () => {
  it('is an event on a run of its own, and shows in the agent’s runs at once', async () => {
    const answer = await call();
    const { workflow_run_id: run, workflow_run_name: name } = answer.body;
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        message: `Call initiated successfully with run name ${name}`,
        workflow_run_id: run,
        workflow_run_name: expect.stringMatching(/^WR-TEL-OUT-\d{8}$/),
      },
    ]);
    const events = await world.platform.events.readStream(runStream(client.org, run));
    expect(events.map((e) => e.type)).toEqual(['CallRequested']);
    expect(JSON.stringify(events)).not.toContain(PHONE);
    expect((await client.get(`/api/v1/workflow/${ground.agent}/runs`)).body.runs[0]).toMatchObject({
      id: run,
      name,
      campaign_id: null,
      state: 'initialized',
      is_completed: false,
      mode: 'ari',
    });
    expect((await client.get(runPath(run))).body).toMatchObject({
      version_number: 1,
      initial_context: { phone_number: PHONE, called_number: PHONE, direction: 'outbound', provider: 'ari' },
      gathered_context: { call_id: null, customer_phone_number: PHONE },
    });
  });

  it('goes on to its outcome, and is back to waiting where its claim is given back', async () => {
    const { workflow_run_id: run } = (await call()).body;
    await claim(run);
    expect((await client.get(runPath(run))).body.gathered_context.call_id).toBe('f'.repeat(32));
    await onRun(run, { type: 'WithdrawCall', call: { ...(await requestOf(run)), attempt: 1 }, reason: 'not now' });
    expect((await client.get(runPath(run))).body).toMatchObject({ state: 'initialized', is_completed: false });
    const { place_until: _until, ...asked } = await requestOf(run);
    const again = { ...(asked as never as Extract<RunCommand, { type: 'AttemptCall' }>['call']), attempt: 2 };
    await onRun(run, {
      type: 'AttemptCall',
      call: {
        ...again,
        reference: 'e'.repeat(32),
        split_revision: 0,
        weight: 100,
        ring_seconds: 45,
        talk_seconds: 300,
        row: 0,
        retry_reason: null,
      },
    });
    const at = new Date(0).toISOString();
    const ended = { outcome: 'busy', at, durationSeconds: null, evidence: null, retry: null } as const;
    await onRun(run, { type: 'RecordEnded', attempt: 2, ...ended });
    expect((await client.get(runPath(run))).body).toMatchObject({
      state: 'completed',
      is_completed: true,
      gathered_context: { call_disposition: 'busy', call_tags: ['not_connected', 'telephony_busy'] },
    });
  });

  it('that could not be made in time is over as failed, and says why', async () => {
    const { workflow_run_id: run } = (await call()).body;
    await onRun(run, { type: 'FailRequest', call: await requestOf(run), reason: 'not connected to the carrier yet' });
    expect((await client.get(runPath(run))).body).toMatchObject({
      state: 'completed',
      is_completed: true,
      gathered_context: { call_disposition: 'failed', error: 'not connected to the carrier yet' },
    });
  });

  it('uses the draft where there is one, else the published version', async () => {
    const agent = await makeAgent(client);
    const saved = await client.put(`/api/v1/workflow/${agent}`, {
      workflow_definition: definition('Try {{name}} out.'),
    });
    expect(saved.status).toBe(200);
    const { workflow_run_id: run } = (await call({ workflow_id: agent })).body;
    expect((await client.get(`/api/v1/workflow/${agent}/runs/${run}`)).body.version_number).toBe(2);
  });

  it('shows the number that is asked for, else the default caller of its configuration', async () => {
    const config = await makeConfig(client, { ...ARI, app_name: 'numbers' });
    const add = async (address: string): Promise<number> =>
      (await client.post(`${CONFIGS}/${config}/phone-numbers`, { address })).body.id;
    const [first, second] = [await add('+14155550181'), await add('+14155550182')];
    await client.post(`${CONFIGS}/${config}/phone-numbers/${second}/set-default-caller`);
    const caller = async (more: object): Promise<unknown> =>
      (await requestOf((await call({ telephony_configuration_id: config, ...more })).body.workflow_run_id))[
        'caller_phone_number_id'
      ];
    expect([await caller({}), await caller({ from_phone_number_id: first })]).toEqual([second, first]);
  });

  it('is made once under one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'test-call-once' };
    const [first, again] = [await call({}, headers), await call({}, headers)];
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it('is known to the verification', async () => {
    const report = await verify(world.platform, projections, eventCatalog);
    expect([report.ok, report.faults]).toEqual([true, []]);
  });
});

describe('a test call is refused', () => {
  const refused = async (more: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const before = await world.head();
    const answer = await call(more);
    expect(await world.head()).toBe(before);
    return answer;
  };
  const detail = async (more: Readonly<Record<string, unknown>>): Promise<readonly [number, unknown]> => {
    const { status, body } = await refused(more);
    return [status, body.detail];
  };

  it('for an unknown agent, and one of another organization', async () => {
    const stranger = await world.client();
    const foreign = await makeAgent(stranger);
    expect(await detail({ workflow_id: 999_999 })).toEqual([404, 'Workflow not found']);
    expect(await detail({ workflow_id: foreign })).toEqual([404, 'Workflow not found']);
  });

  it('for an archived agent', async () => {
    const agent = await makeAgent(client);
    await client.put(`/api/v1/workflow/${agent}/status`, { status: 'archived' });
    expect(await detail({ workflow_id: agent })).toEqual([400, expect.stringMatching(/is archived/)]);
  });

  it.each([
    ['none', null, /must be provided/],
    ['spaces only', '  ', /must be provided/],
    ['spaces within', '+1 415 5550100', /must not contain spaces/],
    ['control characters', 'a\u0001b', /control characters/],
  ])('for a phone number that is %s', async (_name, phone_number, text) => {
    expect(await detail({ phone_number })).toEqual([400, expect.stringMatching(text)]);
  });

  it('for a number without a country over a carrier', async () => {
    const config = await makeConfig(client, {
      provider: 'cloudonix',
      bearer_token: 't',
      domain_id: 'd',
      application_name: 'a',
    });
    const unready = await refused({ telephony_configuration_id: config, phone_number: '200' });
    expect([unready.status, unready.body.detail]).toEqual([400, expect.stringMatching(/not ready for outbound calls/)]);
    await client.post(`${CONFIGS}/${config}/phone-numbers`, { address: '+14155550183' });
    const fault = [400, expect.stringMatching(/country code/)];
    expect(await detail({ telephony_configuration_id: config, phone_number: '200' })).toEqual(fault);
  });

  it('for a configuration that is not there, or inactive', async () => {
    expect(await detail({ telephony_configuration_id: 999_999 })).toEqual([400, 'telephony_configuration_not_found']);
    const stranger = await world.client();
    const foreign = await makeConfig(stranger);
    expect(await detail({ telephony_configuration_id: foreign })).toEqual([400, 'telephony_configuration_not_found']);
    const config = await makeConfig(client, { ...ARI, app_name: 'inactive' });
    const command = {
      type: 'InactivateConfiguration',
      configurationId: config,
      reason: 'the carrier refused it',
    } as const;
    await world.platform.execute.run(telephonyDecider, telephonyStream(client.org), command, { actor: 'dialer' });
    const inactive = await refused({ telephony_configuration_id: config });
    expect([inactive.status, inactive.body]).toEqual([
      400,
      { detail: 'telephony_configuration_not_found', message: expect.stringMatching(/is inactive/) },
    ]);
  });

  it('where the organization has no configuration', async () => {
    const other = await world.client();
    const agent = await makeAgent(other);
    const answer = await other.post(PATH, { workflow_id: agent, phone_number: PHONE });
    expect([answer.status, answer.body.detail]).toEqual([400, 'telephony_not_configured']);
  });

  it('for a number of ours that is not the configuration’s, or without its configuration', async () => {
    expect(await detail({ from_phone_number_id: 999_999 })).toEqual([
      400,
      'from_phone_number_id_requires_telephony_configuration',
    ]);
    expect(await detail({ telephony_configuration_id: ground.config, from_phone_number_id: 999_999 })).toEqual([
      400,
      'from_phone_number_not_found',
    ]);
  });

  it('for a run that is not there, of another agent, in a call, or over', async () => {
    expect(await detail({ workflow_run_id: 999_999 })).toEqual([400, 'Workflow run not found']);
    const { workflow_run_id } = (await call()).body;
    expect(await detail({ workflow_run_id })).toEqual([409, 'Workflow run already has an active call']);
    await claim(workflow_run_id);
    const other = await makeAgent(client);
    expect(await detail({ workflow_run_id, workflow_id: other })).toEqual([400, 'workflow_run_workflow_mismatch']);
    const at = new Date(0).toISOString();
    const ended = { outcome: 'busy', at, durationSeconds: null, evidence: null, retry: null } as const;
    await onRun(workflow_run_id, { type: 'RecordEnded', attempt: 1, ...ended });
    expect(await detail({ workflow_run_id })).toEqual([409, expect.stringMatching(/is over/)]);
  });

  it('where every slot of the organization is taken, until one is free', async () => {
    const other = await world.client();
    const theirs = await furnish(other);
    const limits = { type: 'ChangeLimits', concurrentCalls: 1, callsPerSecond: null } as const;
    const changed = await world.platform.execute.run(organizationDecider, organizationStream(other.org), limits, {
      actor: 'cli',
    });
    if (isLeft(changed)) throw new Error(changed.left.kind);
    const again = () => other.post(PATH, { workflow_id: theirs.agent, phone_number: PHONE });
    const first = await again();
    expect(first.status).toBe(200);
    const second = await again();
    expect([second.status, second.body]).toEqual([429, { detail: 'Concurrent call limit reached' }]);
    const stream = runStream(other.org, first.body.workflow_run_id);
    const [request] = await world.platform.events.readStream(stream);
    const failed = { type: 'FailRequest', call: request?.data as never, reason: 'no free line' } as const;
    await world.platform.execute.run(runDecider, stream, failed, { actor: 'dialer' });
    await world.caughtUp();
    expect((await again()).status).toBe(200);
  });

  it('with every fault of its shape, and with every fault of what it names', async () => {
    const shape = await client.post(PATH, { phone_number: 5, telephony_configuration_id: 'x' });
    expect(shape.body.detail.map((f: { loc: unknown[]; type: string }) => `${f.loc.join('.')}: ${f.type}`)).toEqual([
      'body.workflow_id: missing',
      'body.phone_number: string_type',
      'body.telephony_configuration_id: int_parsing',
    ]);
    const { status, body } = await refused({
      telephony_configuration_id: 999_999,
      phone_number: '',
      workflow_id: 999_999,
    });
    expect([status, body.detail, body.error_count]).toEqual([400, 'telephony_configuration_not_found', 3]);
    expect(body.errors.map((e: { message: string }) => e.message)).toEqual([
      expect.stringContaining('telephony_configuration_not_found'),
      expect.stringContaining('Phone number must be provided'),
      'Workflow not found',
    ]);
  });
});
