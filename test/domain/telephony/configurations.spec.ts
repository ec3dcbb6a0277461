import { telephonyDecider } from '../../../src/domain/telephony/decider';
import { configurationOf } from '../../../src/domain/telephony/state';
import type { ChangeConfiguration, CreateConfiguration } from '../../../src/domain/telephony/commands';
import { fold, given } from '../../support/given';
import { created, madeDefault, numberAdded, seal, sealedCredentials, trunkAdded } from './fixtures';

const create = (rest: Partial<CreateConfiguration> = {}): CreateConfiguration => ({
  type: 'CreateConfiguration',
  configurationId: 2,
  name: 'Sales',
  provider: 'plivo',
  isDefaultOutbound: false,
  credentials: sealedCredentials('new'),
  ...rest,
});
const change = (rest: Partial<ChangeConfiguration> = {}): ChangeConfiguration => ({
  type: 'ChangeConfiguration',
  configurationId: 1,
  name: null,
  isDefaultOutbound: null,
  config: null,
  ...rest,
});
const replacing = (basedOn: string): NonNullable<ChangeConfiguration['config']> => ({
  provider: 'twilio',
  credentials: sealedCredentials('newer', { accountFingerprint: 'f' }),
  basedOn: seal(basedOn),
});

describe('creating a configuration', () => {
  test('stores what was sealed and what rules need to know of it', () => {
    given(telephonyDecider)
      .when(create({ credentials: sealedCredentials('new', { carrierCheck: { ok: false, message: 'away' } }) }))
      .then([
        {
          type: 'ConfigCreated',
          data: {
            telephony_configuration_id: 2,
            name: 'Sales',
            provider: 'plivo',
            connectivity: 'api',
            is_default_outbound: false,
            credentials: seal('new'),
            account_fingerprint: null,
            fields_set: ['auth_token'],
            carrier_check: { ok: false, message: 'away' },
          },
        },
      ]);
  });

  test('records the application that was made at the carrier', () => {
    const [, second] = given(telephonyDecider)
      .when(
        create({ credentials: sealedCredentials('new', { provisioned: { field: 'application_id', value: '77' } }) }),
      )
      .events();
    expect(second).toEqual({
      type: 'CarrierApplicationProvisioned',
      data: { telephony_configuration_id: 2, field: 'application_id', value: '77' },
    });
  });

  test('as the default takes the default from another one', () => {
    const given1 = [created(1, 'Old', 'twilio', { is_default_outbound: true })];
    const events = given(telephonyDecider, given1)
      .when(create({ isDefaultOutbound: true }))
      .events();
    expect(events[1]).toEqual(madeDefault(2, 1));
    expect(fold(telephonyDecider, [...given1, ...events]).defaultOutbound).toBe(2);
  });

  test('under a taken name is a conflict; names differ by case and blanks', () => {
    const taken = given(telephonyDecider, [created(1, 'Sales')]);
    taken.when(create()).thenFails('conflict', /'Sales'/);
    expect(taken.when(create({ name: 'sales' })).events()).toHaveLength(1);
    expect(taken.when(create({ name: 'Sales ' })).events()).toHaveLength(1);
  });

  test('does not become the default by being the first', () => {
    expect(fold(telephonyDecider, [created(1, 'First')]).defaultOutbound).toBeNull();
  });
});

describe('changing a configuration', () => {
  const one = given(telephonyDecider, [created(1, 'A'), created(2, 'B')]);

  test('to a new name changes the name only', () => {
    one
      .when(change({ name: 'C' }))
      .then([{ type: 'ConfigChanged', data: { telephony_configuration_id: 1, name: 'C' } }]);
  });

  test('to its own name changes nothing, to the name of another is a conflict', () => {
    one.when(change({ name: 'A' })).thenNothing();
    one.when(change({ name: 'B' })).thenFails('conflict');
  });

  test('replaces the credentials whole', () => {
    one.when(change({ config: replacing('of A') })).then([
      {
        type: 'CredentialsReplaced',
        data: {
          telephony_configuration_id: 1,
          credentials: seal('newer'),
          account_fingerprint: 'f',
          fields_set: ['auth_token'],
          carrier_check: null,
        },
      },
    ]);
  });

  test('with masks restored from credentials that are no longer the stored ones is a conflict', () => {
    one.when(change({ config: replacing('of somebody else') })).thenFails('conflict', /meanwhile/);
  });

  test('to another provider is refused', () => {
    one.when(change({ config: { ...replacing('of A'), provider: 'ari' } })).thenFails('rejected', /provider/);
  });

  test('makes it the default, clears the default, and leaves it alone', () => {
    one.when(change({ isDefaultOutbound: true })).then([madeDefault(1, null)]);
    const withDefault = given(telephonyDecider, [created(1, 'A'), madeDefault(1)]);
    withDefault.when(change({ isDefaultOutbound: true })).thenNothing();
    withDefault.when(change({ isDefaultOutbound: null })).thenNothing();
    withDefault.when(change({ isDefaultOutbound: false })).then([madeDefault(null, 1)]);
    given(telephonyDecider, [created(1, 'A'), created(2, 'B'), madeDefault(2)])
      .when(change({ isDefaultOutbound: false }))
      .thenNothing();
  });

  test('that does not exist is not found', () => {
    one.when(change({ configurationId: 9 })).thenFails('not_found');
  });
});

describe('If-Match', () => {
  const history = [created(1, 'A'), created(2, 'B'), numberAdded(1, 5)];

  test('holds for the revision of the last event that changed this configuration', () => {
    const since = given(telephonyDecider, history);
    since
      .when(change({ name: 'C', ifRevision: 2 }))
      .then([{ type: 'ConfigChanged', data: { telephony_configuration_id: 1, name: 'C' } }]);
    since.when(change({ name: 'C', ifRevision: 0 })).thenFails('stale');
    since
      .when({ type: 'DeleteConfiguration', configurationId: 2, referenced: false, ifRevision: 1 })
      .then([{ type: 'ConfigDeleted', data: { telephony_configuration_id: 2 } }]);
  });

  test('sees a configuration that lost the default as changed', () => {
    const state = fold(telephonyDecider, [created(1, 'A'), madeDefault(1), created(2, 'B'), madeDefault(2, 1)]);
    expect(configurationOf(state, 1)?.revision).toBe(3);
    expect(configurationOf(state, 2)?.revision).toBe(3);
  });
});

describe('deleting a configuration', () => {
  test('that a campaign refers to is a conflict', () => {
    given(telephonyDecider, [created(1, 'A')])
      .when({ type: 'DeleteConfiguration', configurationId: 1, referenced: true })
      .thenFails('conflict', /campaign/);
  });

  test('takes its numbers and trunks along and leaves no default', () => {
    const before = [created(1, 'A', 'cloudonix'), madeDefault(1), numberAdded(1, 5), trunkAdded(1, 6, 'T')];
    const events = given(telephonyDecider, before)
      .when({ type: 'DeleteConfiguration', configurationId: 1, referenced: false })
      .events();
    expect(fold(telephonyDecider, [...before, ...events])).toMatchObject({ configurations: [], defaultOutbound: null });
    given(telephonyDecider, [...before, ...events, created(2, 'A')])
      .when({
        type: 'AddPhoneNumber',
        configurationId: 2,
        phoneNumberId: 7,
        address: '+14155550005',
        countryCode: null,
        label: null,
        inboundWorkflowId: null,
        trunkId: null,
        isActive: true,
        isDefaultCallerId: false,
        extraMetadata: {},
      })
      .events();
  });
});

describe('a configuration', () => {
  test('is made the default once', () => {
    given(telephonyDecider, [created(1, 'A')])
      .when({ type: 'SetDefaultOutbound', configurationId: 1 })
      .then([madeDefault(1, null)]);
    given(telephonyDecider, [created(1, 'A'), madeDefault(1)])
      .when({ type: 'SetDefaultOutbound', configurationId: 1 })
      .thenNothing();
  });

  test('is inactivated with a reason of at most 255 characters, and reactivated', () => {
    const inactivate = { type: 'InactivateConfiguration', configurationId: 1, reason: 'x'.repeat(300) } as const;
    const reactivate = { type: 'ReactivateConfiguration', configurationId: 1 } as const;
    const inactivated = {
      type: 'ConfigInactivated',
      data: { telephony_configuration_id: 1, reason: 'x'.repeat(255) },
    } as const;
    given(telephonyDecider, [created(1, 'A')])
      .when(inactivate)
      .then([inactivated]);
    given(telephonyDecider, [created(1, 'A'), inactivated])
      .when(inactivate)
      .thenNothing();
    given(telephonyDecider, [created(1, 'A')])
      .when(reactivate)
      .thenNothing();
    given(telephonyDecider, [created(1, 'A'), inactivated])
      .when(reactivate)
      .then([{ type: 'ConfigReactivated', data: { telephony_configuration_id: 1 } }]);
  });
});
