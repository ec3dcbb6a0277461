import { decode, type Codec } from '../../../src/core/codec';
import type { Fault } from '../../../src/core/failure';
import { campaignEvents } from '../../../src/domain/campaign/events';
import { isValidData } from '../../../src/core/event-types';
import { newCampaign } from '../../../src/domain/campaign/new-campaign';
import {
  CampaignCreate,
  CampaignRedial,
  CampaignUpdate,
  changesOf,
  settingsOf,
} from '../../../src/domain/campaign/requests';
import { warnings } from '../../../src/domain/campaign/warnings';

const BODY = { name: 'Spring', source_type: 'csv', source_id: 'campaigns/1/list.csv', workflow_id: 7 };
const slot = (changes: object = {}) => ({ day_of_week: 0, start_time: '09:00', end_time: '17:00', ...changes });
const schedule = (...slots: readonly object[]) => ({ schedule_config: { timezone: 'UTC', slots } });
const split = (...variants: readonly object[]) => ({ workflow_id: undefined, traffic_split: { variants } });
const half = (workflow_id: number, changes: object = {}) => ({ workflow_id, weight: 50, ...changes });

const accepted = <A>(codec: Codec<A>, body: object): A => {
  const decoded = decode(codec, body, ['body']);
  if (decoded._tag === 'Left') throw new Error(JSON.stringify(decoded.left));
  return decoded.right;
};
const faults = <A>(codec: Codec<A>, body: unknown): readonly Fault[] => {
  const decoded = decode(codec, body, ['body']);
  if (decoded._tag === 'Right') throw new Error(`accepted: ${JSON.stringify(decoded.right)}`);
  return decoded.left;
};
const create = (changes: object = {}) => accepted(CampaignCreate, { ...BODY, ...changes });

describe('a request to create a campaign', () => {
  it('fills in what was left out', () =>
    expect(settingsOf(create())).toEqual({
      name: 'Spring',
      retry_config: {
        enabled: true,
        max_retries: 1,
        retry_delay_seconds: 120,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: false,
      },
      max_concurrency: null,
      rate_limit_per_second: 1,
      schedule_config: null,
      circuit_breaker: null,
    }));
  it('tells retries left out from an empty object', () =>
    expect(settingsOf(create({ retry_config: {} })).retry_config).toEqual({
      enabled: true,
      max_retries: 2,
      retry_delay_seconds: 120,
      retry_on_busy: true,
      retry_on_no_answer: true,
      retry_on_voicemail: true,
    }));
  it('has a circuit breaker only when one is given, on by default', () =>
    expect(settingsOf(create({ circuit_breaker: {} })).circuit_breaker).toEqual({
      enabled: true,
      failure_threshold: 0.5,
      window_seconds: 120,
      min_calls_in_window: 5,
    }));
  it('takes 24:00 as an end, 1.0 as an integer, and ignores unknown fields', () => {
    expect(create(schedule(slot({ start_time: '00:00', end_time: '24:00' }))).schedule_config?.slots).toEqual([
      slot({ start_time: '00:00', end_time: '24:00' }),
    ]);
    expect(create({ max_concurrency: 3.0, nonsense: true }).max_concurrency).toBe(3);
  });
  it('takes null wherever it means left out', () =>
    expect(
      create({
        traffic_split: null,
        retry_config: null,
        schedule_config: null,
        circuit_breaker: null,
        telephony_configuration_id: null,
        max_concurrency: null,
      }),
    ).toMatchObject({ workflow_id: 7, retry_config: null }));

  it.each([
    ['a name that is empty', { name: '' }, ['name'], 'string_too_short', 'String should have at least 1 character'],
    [
      'a name of 256',
      { name: 'x'.repeat(256) },
      ['name'],
      'string_too_long',
      'String should have at most 255 characters',
    ],
    ['no name', { name: undefined }, ['name'], 'missing', 'Field required'],
    [
      'a source that is no CSV',
      { source_type: 'sheet' },
      ['source_type'],
      'string_pattern_mismatch',
      "String should match pattern '^csv$'",
    ],
    ['an agent 0', { workflow_id: 0 }, ['workflow_id'], 'greater_than', 'Input should be greater than 0'],
    [
      'an agent as text',
      { workflow_id: '7' },
      ['workflow_id'],
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    ['an agent as truth value', { workflow_id: true }, ['workflow_id'], 'int_type', 'Input should be a valid integer'],
    [
      'concurrency 0',
      { max_concurrency: 0 },
      ['max_concurrency'],
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'a fraction of concurrency',
      { max_concurrency: 1.5 },
      ['max_concurrency'],
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    [
      'rate 0',
      { rate_limit_per_second: 0 },
      ['rate_limit_per_second'],
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'rate 1.5',
      { rate_limit_per_second: 1.5 },
      ['rate_limit_per_second'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      'rate as text',
      { rate_limit_per_second: '2' },
      ['rate_limit_per_second'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      'rate true',
      { rate_limit_per_second: true },
      ['rate_limit_per_second'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      '11 retries',
      { retry_config: { max_retries: 11 } },
      ['retry_config', 'max_retries'],
      'less_than_equal',
      'Input should be less than or equal to 10',
    ],
    [
      'a delay of 29',
      { retry_config: { retry_delay_seconds: 29 } },
      ['retry_config', 'retry_delay_seconds'],
      'greater_than_equal',
      'Input should be greater than or equal to 30',
    ],
    [
      'a flag as text',
      { retry_config: { enabled: 'maybe' } },
      ['retry_config', 'enabled'],
      'bool_parsing',
      'Input should be a valid boolean, unable to interpret input',
    ],
    [
      'retries as text',
      { retry_config: 'no' },
      ['retry_config'],
      'model_attributes_type',
      'Input should be a valid dictionary or object to extract fields from',
    ],
    [
      'a threshold above 1',
      { circuit_breaker: { failure_threshold: 1.1 } },
      ['circuit_breaker', 'failure_threshold'],
      'less_than_equal',
      'Input should be less than or equal to 1',
    ],
    [
      'a window of 601',
      { circuit_breaker: { window_seconds: 601 } },
      ['circuit_breaker', 'window_seconds'],
      'less_than_equal',
      'Input should be less than or equal to 600',
    ],
    [
      '101 minimal calls',
      { circuit_breaker: { min_calls_in_window: 101 } },
      ['circuit_breaker', 'min_calls_in_window'],
      'less_than_equal',
      'Input should be less than or equal to 100',
    ],
    ['a schedule without slots', { schedule_config: {} }, ['schedule_config', 'slots'], 'missing', 'Field required'],
    [
      '0 slots',
      schedule(),
      ['schedule_config', 'slots'],
      'too_short',
      'List should have at least 1 item after validation, not 0',
    ],
    [
      '51 slots',
      schedule(...Array.from({ length: 51 }, () => slot())),
      ['schedule_config', 'slots'],
      'too_long',
      'List should have at most 50 items after validation, not 51',
    ],
    [
      'day 7',
      schedule(slot({ day_of_week: 7 })),
      ['schedule_config', 'slots', 0, 'day_of_week'],
      'less_than_equal',
      'Input should be less than or equal to 6',
    ],
    [
      'day -1',
      schedule(slot({ day_of_week: -1 })),
      ['schedule_config', 'slots', 0, 'day_of_week'],
      'greater_than_equal',
      'Input should be greater than or equal to 0',
    ],
    [
      'a night in one slot',
      schedule(slot({ start_time: '22:00', end_time: '06:00' })),
      ['schedule_config', 'slots', 0],
      'value_error',
      'Value error, start_time must be before end_time',
    ],
    [
      'an empty slot',
      schedule(slot(), slot({ end_time: '09:00' })),
      ['schedule_config', 'slots', 1],
      'value_error',
      'Value error, start_time must be before end_time',
    ],
    [
      'an unknown zone',
      { schedule_config: { timezone: 'Mars/Olympus', slots: [slot()] } },
      ['schedule_config', 'timezone'],
      'value_error',
      'Value error, Invalid timezone: Mars/Olympus',
    ],
    [
      'weights of 99',
      split(half(1), half(2, { weight: 49 })),
      ['traffic_split'],
      'value_error',
      'Value error, Traffic split weights must add up to 100',
    ],
    [
      'a pair twice',
      split(half(1), half(1, { workflow_definition_id: null })),
      ['traffic_split'],
      'value_error',
      'Value error, Each agent/version pair must be unique',
    ],
    [
      'a weight of 0',
      split(half(1, { weight: 0 }), half(2, { weight: 100 })),
      ['traffic_split', 'variants', 0, 'weight'],
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'a weight of true',
      split({ workflow_id: 1, weight: true }),
      ['traffic_split', 'variants', 0, 'weight'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      'a weight as text',
      split({ workflow_id: 1, weight: '100' }),
      ['traffic_split', 'variants', 0, 'weight'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      'a version 0',
      split({ workflow_id: 1, weight: 100, workflow_definition_id: 0 }),
      ['traffic_split', 'variants', 0, 'workflow_definition_id'],
      'greater_than',
      'Input should be greater than 0',
    ],
    [
      'no variants',
      split(),
      ['traffic_split', 'variants'],
      'too_short',
      'List should have at least 1 item after validation, not 0',
    ],
    [
      'six variants',
      split(...[1, 2, 3, 4, 5, 6].map((id) => half(id))),
      ['traffic_split', 'variants'],
      'too_long',
      'List should have at most 5 items after validation, not 6',
    ],
    [
      'neither agent nor split',
      { workflow_id: undefined },
      [],
      'value_error',
      'Value error, Provide exactly one of workflow_id or traffic_split',
    ],
    [
      'agent and split',
      { traffic_split: { variants: [half(1), half(2)] } },
      [],
      'value_error',
      'Value error, Provide exactly one of workflow_id or traffic_split',
    ],
  ])('refuses %s', (_, changes, loc, type, msg) => {
    const [fault, ...more] = faults(CampaignCreate, { ...BODY, ...changes });
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ loc: ['body', ...loc], type, msg });
  });

  it.each(['9:00', '99:99', '24:00', '09:60', '09:00:00', 'nine', ''])(
    'refuses a slot that starts at %j',
    (start_time) =>
      expect(faults(CampaignCreate, { ...BODY, ...schedule(slot({ start_time })) })[0]).toMatchObject({
        loc: ['body', 'schedule_config', 'slots', 0, 'start_time'],
        type: 'string_pattern_mismatch',
      }),
  );
  it.each(['24:01', '25:00', '7:00', '17:00 '])('refuses a slot that ends at %j', (end_time) =>
    expect(faults(CampaignCreate, { ...BODY, ...schedule(slot({ end_time })) })[0]).toMatchObject({
      loc: ['body', 'schedule_config', 'slots', 0, 'end_time'],
      type: 'string_pattern_mismatch',
    }),
  );
  it('names every fault at once', () =>
    expect(faults(CampaignCreate, { name: '', rate_limit_per_second: 0 }).map((f) => f.loc.join('.'))).toEqual([
      'body.name',
      'body.source_type',
      'body.source_id',
      'body.rate_limit_per_second',
    ]));
  it.each([[null], [[]], ['text'], [7]])('refuses %j as a body', (body) =>
    expect(faults(CampaignCreate, body)[0]).toMatchObject({ loc: ['body'], type: 'model_attributes_type' }),
  );
});

describe('a new campaign', () => {
  const ground = {
    campaignId: 5,
    seed: 'ab'.repeat(16),
    sha256: 'cd'.repeat(32),
    rows: 500,
    telephonyConfigurationId: 2,
    e164Only: true,
  };
  it('without a split dials its agent', () =>
    expect(newCampaign(create(), ground)).toMatchObject({ workflow_id: 7, traffic_split: null, total_rows: 500 }));
  it('with a split is named after the heaviest agent and gets the seed', () => {
    const data = newCampaign(create(split(half(3, { weight: 40 }), half(4, { weight: 60 }))), ground);
    expect(data.workflow_id).toBe(4);
    expect(data.traffic_split).toMatchObject({
      seed: ground.seed,
      revision: 1,
      variants: [{ id: '3:latest' }, { id: '4:latest' }],
    });
  });
  it('is storable as its event, with every setting', () =>
    expect(
      isValidData(
        campaignEvents,
        'CampaignCreated',
        newCampaign(create({ ...schedule(slot()), circuit_breaker: {} }), ground),
      ),
    ).toBe(true));
});

describe('a request to change a campaign', () => {
  const changes = (body: object) => changesOf(accepted(CampaignUpdate, body));
  it('changes nothing by what is left out or null', () => {
    expect(changes({})).toEqual({});
    expect(
      changes({
        name: null,
        retry_config: null,
        rate_limit_per_second: null,
        schedule_config: null,
        circuit_breaker: null,
        traffic_split: null,
      }),
    ).toEqual({});
  });
  it('clears the concurrency by null', () =>
    expect(changes({ max_concurrency: null })).toEqual({ max_concurrency: null }));
  it('replaces whole objects, defaults filled in', () =>
    expect(changes({ retry_config: { max_retries: 0 } })).toEqual({
      retry_config: {
        enabled: true,
        max_retries: 0,
        retry_delay_seconds: 120,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: true,
      },
    }));
  it.each([0, -1, 1.5, true, '3'])('refuses rate %j', (rate_limit_per_second) =>
    expect(faults(CampaignUpdate, { rate_limit_per_second })).toHaveLength(1),
  );
});

describe('a request to redial', () => {
  it('may be empty', () =>
    expect(accepted(CampaignRedial, {})).toEqual({
      name: null,
      retry_on_voicemail: true,
      retry_on_no_answer: true,
      retry_on_busy: true,
      retry_config: null,
    }));
  it('asks for at least one outcome', () =>
    expect(
      faults(CampaignRedial, { retry_on_voicemail: false, retry_on_no_answer: false, retry_on_busy: false })[0],
    ).toMatchObject({
      loc: ['body'],
      msg: 'Value error, At least one of retry_on_voicemail, retry_on_no_answer, retry_on_busy must be true',
    }));
});

describe('warnings', () => {
  const limits = { concurrent_calls: 100, calls_per_second: 50 };
  const of = (max_concurrency: number | null, rate_limit_per_second: number, callerIds: number) =>
    warnings({ max_concurrency, rate_limit_per_second }, limits, callerIds);
  it('are none within the limits', () => {
    expect(of(null, 1, 2)).toEqual([]);
    expect(of(100, 50, 0)).toEqual([]);
  });
  it('name the values in force', () => {
    expect(of(200, 1, 0)).toEqual([expect.stringMatching(/\(200\).* 100 calls/)]);
    expect(of(null, 60, 0)).toEqual([expect.stringMatching(/\(60\).* 50 calls/)]);
  });
  it('tell that caller ids are shared', () =>
    expect(of(20, 1, 2)).toEqual([
      'max_concurrency (20) is above the 2 caller ID(s) configured. Caller IDs rotate and may be reused on simultaneous calls.',
    ]));
});
