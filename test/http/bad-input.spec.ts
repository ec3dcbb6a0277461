import { startHttp, type Client, type HttpWorld } from '../support/http';
import { ARI, CONFIGS, definition, furnish, upload, type Furnished } from './furnish';

let world: HttpWorld;
let client: Client;
let ground: Furnished;
beforeAll(async () => {
  world = await startHttp();
  client = await world.client();
  ground = await furnish(client);
});
afterAll(() => world.close());

/** Sends, and holds the ledger to where it was. */
const refused = async (method: string, path: string, body: unknown) => {
  const before = await world.head();
  const answer = await client.request(method, path, body);
  expect(await world.head()).toBe(before);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  return answer;
};

/** Faults as `place: type`, in their order. */
const faults = (body: { readonly detail: readonly { readonly loc: readonly unknown[]; readonly type: string }[] }) =>
  body.detail.map((f) => `${f.loc.join('.')}: ${f.type}`);

const BIG = 'x'.repeat(300);
const DEEP = JSON.parse(`${'{"a":'.repeat(110)}1${'}'.repeat(110)}`) as unknown;

describe('a telephony configuration', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, ['body.name: missing', 'body.config: missing']],
    ['no provider', { name: 'a', config: {} }, ['body.config: union_tag_not_found']],
    ['an unknown provider', { name: 'a', config: { provider: 'acme' } }, ['body.config: union_tag_invalid']],
    ['a provider that is no text', { name: 'a', config: { provider: 7 } }, ['body.config: union_tag_invalid']],
    ['a config that is none', { name: 'a', config: 'ari' }, ['body.config: model_attributes_type']],
    ['null for a config', { name: 'a', config: null }, ['body.config: model_attributes_type']],
    ['an empty name', { name: '', config: ARI }, ['body.name: string_too_short']],
    ['a long name', { name: 'n'.repeat(65), config: ARI }, ['body.name: string_too_long']],
    ['a number for a name', { name: 5, config: ARI }, ['body.name: string_type']],
    [
      'text for a truth',
      { name: 'a', is_default_outbound: 'maybe', config: ARI },
      ['body.is_default_outbound: bool_parsing'],
    ],
    [
      'every field wrong',
      { name: '', is_default_outbound: 3, config: { provider: 'ari', ari_endpoint: 5, app_password: null } },
      [
        'body.name: string_too_short',
        'body.is_default_outbound: bool_parsing',
        'body.config.ari.ari_endpoint: string_type',
        'body.config.ari.app_name: missing',
        'body.config.ari.app_password: string_type',
      ],
    ],
    [
      'a carrier without credentials',
      { name: 'a', config: { provider: 'twilio' } },
      ['body.config.twilio.account_sid: missing', 'body.config.twilio.auth_token: missing'],
    ],
    [
      'a PBX out of bounds',
      {
        name: 'a',
        config: { ...ARI, external_pbx: { agent_api: { url: '', username: '', password: 'p' }, timeout_seconds: 31 } },
      },
      [
        'body.config.ari.external_pbx.agent_api.url: string_too_short',
        'body.config.ari.external_pbx.agent_api.username: string_too_short',
        'body.config.ari.external_pbx.timeout_seconds: less_than_equal',
      ],
    ],
    [
      'a template without its number',
      { name: 'a', config: { ...ARI, dial_string_template: 'PJSIP/trunk' } },
      ['body.config.ari.dial_string_template: value_error'],
    ],
  ])('with %s is 422', async (_name, body, expected) => {
    const answer = await refused('POST', CONFIGS, body);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });

  it('with faults never shows its secrets', async () => {
    const answer = await refused('POST', CONFIGS, {
      name: '',
      config: { provider: 'twilio', account_sid: 'AC-secret-sid', auth_token: { nested: 'secret-token' } },
    });
    expect(answer.text).not.toContain('secret');
  });

  it('of a taken name is 409', async () => {
    await client.post(CONFIGS, { name: 'Taken', config: ARI });
    const answer = await refused('POST', CONFIGS, { name: 'Taken', config: ARI });
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining("'Taken'")]);
  });

  it('whose carrier cannot be reached to make an application is 502, and nothing is stored', async () => {
    const before = await world.head();
    const answer = await client.post(CONFIGS, {
      name: 'P',
      config: { provider: 'plivo', auth_id: 'a', auth_token: 't' },
    });
    expect([answer.status, answer.body.detail]).toEqual([502, expect.stringContaining('Plivo')]);
    expect(await world.head()).toBe(before);
  });

  it.each<[string, string, number]>([
    ['unknown', '999999', 404],
    ['no number', 'abc', 422],
    ['a fraction', '1.5', 422],
    ['negative', '-1', 404],
    ['beyond any integer', '9'.repeat(30), 422],
  ])('whose id is %s', async (_name, id, status) => {
    expect((await refused('GET', `${CONFIGS}/${id}`, undefined)).status).toBe(status);
    expect((await refused('PUT', `${CONFIGS}/${id}`, { name: 'x' })).status).toBe(status);
    expect((await refused('DELETE', `${CONFIGS}/${id}`, undefined)).status).toBe(status);
  });
});

describe('a phone number', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, ['body.address: missing']],
    ['an empty address', { address: '' }, ['body.address: string_too_short']],
    ['a long address', { address: BIG }, ['body.address: string_too_long']],
    ['bare digits of no country', { address: '4155550100' }, ['body: value_error']],
    [
      'all of it wrong',
      { address: 5, country_code: 'USA', label: 'l'.repeat(65), is_active: 'x', extra_metadata: [] },
      [
        'body.address: string_type',
        'body.country_code: string_too_long',
        'body.label: string_too_long',
        'body.is_active: bool_parsing',
        'body.extra_metadata: dict_type',
      ],
    ],
    [
      'metadata nested too deep',
      { address: '+14155550100', extra_metadata: DEEP },
      ['body.extra_metadata: string_unicode'],
    ],
  ])('with %s is 422', async (_name, body, expected) => {
    const answer = await refused('POST', `${CONFIGS}/${ground.config}/phone-numbers`, body);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });

  it('for an unknown agent, trunk or configuration is 404', async () => {
    const at = `${CONFIGS}/${ground.config}/phone-numbers`;
    expect((await refused('POST', at, { address: '+14155550188', inbound_workflow_id: 999999 })).status).toBe(404);
    expect((await refused('POST', at, { address: '+14155550188', telephony_trunk_id: 999999 })).status).toBe(404);
    expect((await refused('POST', `${CONFIGS}/999999/phone-numbers`, { address: '+14155550188' })).status).toBe(404);
  });
});

describe('an upload', () => {
  const at = '/api/v1/s3/presigned-upload-url';
  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, ['body.file_name: missing', 'body.file_size: missing']],
    ['another kind of file', { file_name: 'c.xlsx', file_size: 5 }, ['body.file_name: string_pattern_mismatch']],
    ['no bytes', { file_name: 'c.csv', file_size: 0 }, ['body.file_size: greater_than']],
    ['too many bytes', { file_name: 'c.csv', file_size: 10_485_761 }, ['body.file_size: less_than_equal']],
    ['a size as text', { file_name: 'c.csv', file_size: '5' }, ['body.file_size: int_parsing']],
    ['half a byte', { file_name: 'c.csv', file_size: 1.5 }, ['body.file_size: int_from_float']],
    ['a size that is true', { file_name: 'c.csv', file_size: true }, ['body.file_size: int_type']],
    ['no type', { file_name: 'c.csv', file_size: 5, content_type: '' }, ['body.content_type: string_pattern_mismatch']],
    [
      'a type that no header can hold',
      { file_name: 'c.csv', file_size: 5, content_type: 'text/csv\r\nX: y' },
      ['body.content_type: string_pattern_mismatch'],
    ],
    ['an endless size', '{"file_name":"c.csv","file_size":1e999}', ['body.file_size: finite_number']],
  ])('of %s is 422', async (_name, body, expected) => {
    const answer = await refused('POST', at, body);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });

  it.each(['text/csv', 'text/csv; charset=utf-8', 'application/vnd.ms-excel'])('may be of %s', async (content_type) => {
    const { upload_url } = (await client.post(at, { file_name: 'c.csv', file_size: 5, content_type })).body;
    const put = await fetch(upload_url, { method: 'PUT', headers: { 'Content-Type': content_type }, body: 'a' });
    expect(put.status).toBe(200);
  });

  it.each(['/api/v1/s3/signed-url', '/api/v1/s3/file-metadata'])(
    'under a key that is none is 422 at %s',
    async (path) => {
      for (const key of ['', 'x'.repeat(1025), 'é'.repeat(513), 'campaigns/1/a\u0000.csv'])
        expect((await client.get(`${path}?key=${encodeURIComponent(key)}`)).status).toBe(422);
    },
  );

  it('is taken only at its own URL, with its own type, whole and not too large', async () => {
    const { upload_url, file_key } = (await client.post(at, { file_name: 'ä ö.csv', file_size: 10 })).body;
    expect(file_key).toMatch(/^campaigns\/\d+\/[0-9a-f-]{36}____\.csv$/);
    const put = (url: string, type: string, body = 'phone_number\n') =>
      fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body });
    expect((await put(upload_url, 'text/plain')).status).toBe(403);
    expect((await put(upload_url.replace('.csv', 'x.csv'), 'text/csv')).status).toBe(403);
    expect((await put(upload_url.replace(/signature=.{5}/, 'signature=AAAAA'), 'text/csv')).status).toBe(403);
    expect((await fetch(upload_url)).status).toBe(403);
    const large = await put(upload_url, 'text/csv', 'x'.repeat(10_485_761));
    expect([large.status, await large.json()]).toEqual([
      413,
      { detail: 'The request body is larger than 10485760 bytes' },
    ]);
    expect(await world.platform.objects.head(file_key)).toBeNull();
    expect((await put(upload_url, 'text/csv')).status).toBe(200);
  });
});

describe('an agent', () => {
  const at = '/api/v1/workflow/create/definition';
  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, ['body.name: missing', 'body.workflow_definition: missing']],
    ['a list for a definition', { name: 'a', workflow_definition: [] }, ['body.workflow_definition: dict_type']],
    ['a name of another type', { name: null, workflow_definition: {} }, ['body.name: string_type']],
    [
      'a definition nested too deep',
      { name: 'a', workflow_definition: DEEP },
      ['body.workflow_definition: string_unicode'],
    ],
  ])('with %s is 422', async (_name, body, expected) => {
    const answer = await refused('POST', at, body);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });

  it('with a definition at fault is 422 with every fault of the graph', async () => {
    const bad = definition();
    const answer = await refused('POST', at, {
      name: 'a',
      workflow_definition: {
        nodes: [
          { ...bad.nodes[0], data: { name: 'Start', prompt: ' ' } },
          { ...bad.nodes[1], type: 'zzz' },
        ],
        edges: [{ id: 'x', source: 's', target: 'nowhere', data: { label: '', condition: '' } }],
      },
    });
    expect([answer.status, answer.body.detail.is_valid]).toEqual([422, false]);
    expect(answer.body.detail.errors.length).toBeGreaterThanOrEqual(5);
  });

  it('with a status of no kind, or an unknown id', async () => {
    const bad = await refused('PUT', `/api/v1/workflow/${ground.agent}/status`, { status: 'sleeping' });
    expect([bad.status, faults(bad.body)]).toEqual([422, ['body.status: enum']]);
    expect((await refused('PUT', '/api/v1/workflow/999999/status', { status: 'archived' })).status).toBe(404);
    expect((await refused('GET', '/api/v1/workflow/fetch/999999', undefined)).status).toBe(404);
    expect(
      (await refused('GET', '/api/v1/workflow/fetch?status=active,asleep', undefined)).body.detail[0],
    ).toMatchObject({
      loc: ['query', 'status'],
      type: 'value_error',
    });
  });
});

describe('a campaign', () => {
  const at = '/api/v1/campaign/create';
  const create = (more: Readonly<Record<string, unknown>>) => refused('POST', at, { ...ground.campaign, ...more });

  it.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['an empty name', { name: '' }, ['body.name: string_too_short']],
    ['a long name', { name: BIG }, ['body.name: string_too_long']],
    ['another source', { source_type: 'sheet' }, ['body.source_type: string_pattern_mismatch']],
    ['no agent', { workflow_id: null }, ['body: value_error']],
    ['agent zero', { workflow_id: 0 }, ['body.workflow_id: greater_than']],
    ['an agent and a split', { traffic_split: { variants: [{ workflow_id: 1, weight: 100 }] } }, ['body: value_error']],
    ['concurrency zero', { max_concurrency: 0 }, ['body.max_concurrency: greater_than_equal']],
    ['a rate as text', { rate_limit_per_second: '5' }, ['body.rate_limit_per_second: int_type']],
    ['a rate of zero', { rate_limit_per_second: 0 }, ['body.rate_limit_per_second: greater_than_equal']],
    [
      'an empty split',
      { workflow_id: null, traffic_split: { variants: [] } },
      ['body.traffic_split.variants: too_short'],
    ],
    [
      'six variants',
      {
        workflow_id: null,
        traffic_split: { variants: [1, 2, 3, 4, 5, 6].map((n) => ({ workflow_id: n, weight: 10 })) },
      },
      ['body.traffic_split.variants: too_long'],
    ],
    [
      'weights of 99',
      { workflow_id: null, traffic_split: { variants: [{ workflow_id: 1, weight: 99 }] } },
      ['body.traffic_split: value_error'],
    ],
    [
      'the same pair twice',
      { workflow_id: null, traffic_split: { variants: [50, 50].map((weight) => ({ workflow_id: 1, weight })) } },
      ['body.traffic_split: value_error'],
    ],
    [
      'variants of other types',
      {
        workflow_id: null,
        traffic_split: { variants: [{ workflow_id: '1', weight: 1.5, workflow_definition_id: true }, 7] },
      },
      [
        'body.traffic_split.variants.0.workflow_id: int_type',
        'body.traffic_split.variants.0.workflow_definition_id: int_type',
        'body.traffic_split.variants.0.weight: int_type',
        'body.traffic_split.variants.1: model_attributes_type',
      ],
    ],
    [
      'retries out of bounds',
      { retry_config: { max_retries: 11, retry_delay_seconds: 29, retry_on_busy: 'perhaps' } },
      [
        'body.retry_config.max_retries: less_than_equal',
        'body.retry_config.retry_delay_seconds: greater_than_equal',
        'body.retry_config.retry_on_busy: bool_parsing',
      ],
    ],
    [
      'a schedule of no time',
      {
        schedule_config: { timezone: 'Mars/Olympus', slots: [{ day_of_week: 7, start_time: '25:00', end_time: '9' }] },
      },
      [
        'body.schedule_config.timezone: value_error',
        'body.schedule_config.slots.0.day_of_week: less_than_equal',
        'body.schedule_config.slots.0.start_time: string_pattern_mismatch',
        'body.schedule_config.slots.0.end_time: string_pattern_mismatch',
      ],
    ],
    ['a schedule without slots', { schedule_config: { slots: [] } }, ['body.schedule_config.slots: too_short']],
    [
      'a breaker out of bounds',
      { circuit_breaker: { failure_threshold: 1.1, window_seconds: 29, min_calls_in_window: 0 } },
      [
        'body.circuit_breaker.failure_threshold: less_than_equal',
        'body.circuit_breaker.window_seconds: greater_than_equal',
        'body.circuit_breaker.min_calls_in_window: greater_than_equal',
      ],
    ],
  ])('with %s is 422', async (_name, more, expected) => {
    const answer = await create(more);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });

  it('of an unknown agent, configuration or file', async () => {
    expect(await create({ workflow_id: 999999 })).toMatchObject({
      status: 404,
      body: { detail: 'Workflow not found' },
    });
    const variants = [{ workflow_id: 999999, weight: 100 }];
    expect((await create({ workflow_id: null, traffic_split: { variants } })).status).toBe(400);
    expect(await create({ telephony_configuration_id: 999999 })).toMatchObject({
      status: 400,
      body: { detail: 'telephony_configuration_not_found' },
    });
    expect((await create({ source_id: ground.source.replace(/[^/]*$/, 'nothing.csv') })).status).toBe(400);
    const long = await create({ source_id: `campaigns/${client.org}/${'é'.repeat(600)}.csv` });
    expect([long.status, faults(long.body)]).toEqual([422, ['body.source_id: value_error']]);
    for (const source_id of ['campaigns/999999/x.csv', '/etc/passwd', `${ground.source}/../../2/x.csv`, ''])
      expect((await create({ source_id })).status).toBe(403);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'header row'],
    ['only a header', 'phone_number,name\n', 'at least one data row'],
    ['only blank lines', '\n\n\n', 'header row'],
    ['no phone_number column', 'phone,name\n+14155550100,Ann\n', "'phone_number' column"],
    ['no column for a variable', 'phone_number\n+14155550100\n', "missing from the source data: 'name'"],
    ['an empty variable', 'phone_number,name\n+14155550100,\n', "'name' is empty in rows: 2"],
    [
      'a duplicate',
      'phone_number,name\n+14155550100,A\n +14155550100 ,B\n',
      'Duplicate phone numbers found in rows: 3',
    ],
    ['a number with spaces', 'phone_number,name\n+1 415 555,A\n', 'must not contain spaces'],
    ['no number', 'phone_number,name\n,A\n', 'missing in rows: 2'],
    ['an open quote', 'phone_number,name\n"+14155550100,Ann\n', 'Invalid CSV format'],
    ['no text', Buffer.from([0x70, 0x00, 0xff, 0xfe, 0x0a]), 'not UTF-8'],
    ['a cell of 1 MB', `phone_number,name\n+14155550100,${'x'.repeat(1_048_576)}\n`, 'row'],
  ])('of a list with %s is 400', async (_name, csv, text) => {
    const source_id = await upload(client, csv);
    const answer = await create({ source_id });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(text)]);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.body.error_count).toBe(answer.body.errors.length);
  });

  it('names the rows at fault, all kinds together, up to a hundred one by one', async () => {
    const rows = Array.from({ length: 150 }, (_, i) => (i < 3 ? '+14155550100,Ann' : `bad number ${i},`));
    const source_id = await upload(client, `phone_number,name\n${rows.join('\n')}\n`);
    const answer = await create({ source_id });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(/Invalid phone numbers.*Duplicate|Duplicate.*Invalid phone numbers/s);
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.body.error_count).toBe(2 + 147 * 2);
    expect(answer.body.errors[0]).toEqual({ row: 3, column: 'phone_number', message: expect.any(String) });
  });

  it.each<[string, string]>([
    ['a byte order mark', '\ufeffphone_number,name\n+14155550100,Ann\n'],
    ['CR LF', 'phone_number,name\r\n+14155550100,Ann\r\n'],
    ['headers of another case', 'Phone_Number, NAME \n+14155550100,Ann\n'],
    ['quoted line breaks', 'phone_number,name\n+14155550100,"Ann\nMarie, ""the"" one"\n'],
    ['blank rows and short rows', 'phone_number,name,more\n\n+14155550100,Ann\n,,\n+14155550101,Bob,x,y\n'],
  ])('of a list with %s is fine', async (_name, csv) => {
    const answer = await client.post(at, { ...ground.campaign, source_id: await upload(client, csv) });
    expect([answer.status, answer.body.state]).toEqual([200, 'draft']);
  });

  it('of a carrier takes E.164 only', async () => {
    const config = await client.post(CONFIGS, {
      name: 'T',
      config: { provider: 'twilio', account_sid: 'AC1', auth_token: 'token' },
    });
    const unready = await create({ telephony_configuration_id: config.body.id });
    expect([unready.status, unready.body.detail]).toEqual([
      400,
      expect.stringContaining("'T' is not ready for outbound calls"),
    ]);
    await client.post(`${CONFIGS}/${config.body.id}/phone-numbers`, { address: '+14155550177' });
    const source_id = await upload(client, 'phone_number,name\n100,Ann\n+0155,Bob\nsip:a@b,Eve\n');
    const answer = await create({ telephony_configuration_id: config.body.id, source_id });
    expect([answer.status, answer.body.error_count]).toEqual([400, 3]);
    const onAri = await client.post(at, { ...ground.campaign, source_id });
    expect(onAri.status).toBe(200);
  });

  it('that is not there is 404, whatever is asked of it', async () => {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/start', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
      ['GET', '/runs', undefined],
      ['GET', '/progress', undefined],
      ['GET', '/traffic-stats', undefined],
      ['GET', '/source-download-url', undefined],
    ] as const)
      expect(await refused(method, `/api/v1/campaign/999999${rest}`, body)).toMatchObject({
        status: 404,
        body: { detail: 'Campaign not found' },
      });
  });
});

describe('a list of runs', () => {
  it.each<[string, readonly string[]]>([
    ['page=0', ['query.page: greater_than_equal']],
    ['page=x&limit=101', ['query.page: int_parsing', 'query.limit: less_than_equal']],
    ['limit=0', ['query.limit: greater_than_equal']],
    ['page=99999999999999999999', ['query.page: int_parsing_size']],
    ['filters={', ['query.filters: value_error']],
    ['filters={}', ['query.filters: list_type']],
    ['filters=5', ['query.filters: list_type']],
    ['filters=[5]', ['query.filters.0: model_attributes_type']],
    ['filters=[{"attribute":"runId"}]', ['query.filters.0: union_tag_invalid']],
    [
      'filters=[{"attribute":"status","type":"radio","value":{"status":"x"}},{"attribute":"duration","value":{}}]',
      ['query.filters.0.status.value.status: enum', 'query.filters.1.duration.type: missing'],
    ],
    [
      'filters=[{"attribute":"dateRange","type":"dateRange","value":{"from":"yesterday"}}]',
      ['query.filters.0.dateRange.value.from: value_error'],
    ],
  ])('with %s is 422', async (query, expected) => {
    const answer = await refused('GET', `/api/v1/workflow/${ground.agent}/runs?${query}`, undefined);
    expect([answer.status, faults(answer.body)]).toEqual([422, expected]);
  });
});
