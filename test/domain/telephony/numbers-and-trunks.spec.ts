import type { AddPhoneNumber, AddTrunk, ChangePhoneNumber } from '../../../src/domain/telephony/commands';
import { telephonyDecider } from '../../../src/domain/telephony/decider';
import { callerNumberOf, configurationOf } from '../../../src/domain/telephony/state';
import type { TelephonyEvent } from '../../../src/domain/telephony/events';
import { fold, given } from '../../support/given';
import { created, numberAdded, trunkAdded } from './fixtures';

const add = (rest: Partial<AddPhoneNumber> = {}): AddPhoneNumber => ({
  type: 'AddPhoneNumber',
  configurationId: 1,
  phoneNumberId: 8,
  address: '+1 (415) 555-0008',
  countryCode: null,
  label: null,
  inboundWorkflowId: null,
  trunkId: null,
  isActive: true,
  isDefaultCallerId: false,
  extraMetadata: {},
  ...rest,
});
const change = (rest: Partial<ChangePhoneNumber> = {}): ChangePhoneNumber => ({
  type: 'ChangePhoneNumber',
  configurationId: 1,
  phoneNumberId: 5,
  label: null,
  inboundWorkflowId: null,
  clearInboundWorkflow: false,
  trunkId: null,
  clearTrunk: false,
  isActive: null,
  countryCode: null,
  extraMetadata: null,
  ...rest,
});
const numbersOf = (events: readonly TelephonyEvent[]) =>
  configurationOf(fold(telephonyDecider, events), 1)?.numbers ?? [];

describe('adding a number', () => {
  test('keeps what was typed beside the form that is compared', () => {
    const [event] = given(telephonyDecider, [created(1, 'A')])
      .when(add())
      .events();
    expect(event?.data).toMatchObject({
      address: '+1 (415) 555-0008',
      address_normalized: '+14155550008',
      address_type: 'pstn',
    });
  });

  test('that the organization has already, in this or another configuration, is a conflict', () => {
    const before: readonly TelephonyEvent[] = [created(1, 'A'), created(2, 'B'), numberAdded(2, 5, '+14155550008')];
    given(telephonyDecider, before)
      .when(add())
      .thenFails('conflict', /\+14155550008/);
    given(telephonyDecider, before)
      .when(add({ address: '4155550008', countryCode: 'us' }))
      .thenFails('conflict');
    const removed: TelephonyEvent = {
      type: 'PhoneNumberRemoved',
      data: { telephony_configuration_id: 2, phone_number_id: 5 },
    };
    expect(
      given(telephonyDecider, [...before, removed])
        .when(add())
        .events(),
    ).toHaveLength(1);
  });

  test('as the default caller takes that from the other number', () => {
    const before = [created(1, 'A'), numberAdded(1, 5, undefined, { is_default_caller_id: true })];
    const events = given(telephonyDecider, before)
      .when(add({ isDefaultCallerId: true }))
      .events();
    expect(events[1]).toEqual({
      type: 'DefaultCallerChanged',
      data: { telephony_configuration_id: 1, phone_number_id: 8 },
    });
    expect(numbersOf([...before, ...events]).map((n) => n.is_default_caller_id)).toEqual([false, true]);
  });

  test('on a trunk that the configuration does not have is not found', () => {
    given(telephonyDecider, [created(1, 'A', 'cloudonix'), created(2, 'B', 'cloudonix'), trunkAdded(2, 6, 'T')])
      .when(add({ trunkId: 6 }))
      .thenFails('not_found', /trunk/);
  });
});

describe('changing a number', () => {
  const before = [created(1, 'A'), numberAdded(1, 5, undefined, { label: 'old', inbound_workflow_id: 3 })];

  test('leaves alone what is null, and changes nothing when nothing differs', () => {
    given(telephonyDecider, before).when(change()).thenNothing();
    given(telephonyDecider, before)
      .when(change({ label: 'old' }))
      .thenNothing();
    const [event] = given(telephonyDecider, before)
      .when(change({ label: 'new' }))
      .events();
    expect(event).toMatchObject({ type: 'PhoneNumberChanged', data: { label: 'new', inbound_workflow_id: 3 } });
  });

  test('clears the agent by its flag, but an id wins over the flag', () => {
    const [cleared] = given(telephonyDecider, before)
      .when(change({ clearInboundWorkflow: true }))
      .events();
    const [replaced] = given(telephonyDecider, before)
      .when(change({ clearInboundWorkflow: true, inboundWorkflowId: 4 }))
      .events();
    expect(cleared?.data).toMatchObject({ inbound_workflow_id: null });
    expect(replaced?.data).toMatchObject({ inbound_workflow_id: 4 });
  });

  test('that does not exist, or on a trunk that does not, is not found', () => {
    given(telephonyDecider, before)
      .when(change({ phoneNumberId: 9 }))
      .thenFails('not_found', /number/);
    given(telephonyDecider, before)
      .when(change({ trunkId: 9 }))
      .thenFails('not_found', /trunk/);
  });
});

test('a number is removed once', () => {
  const remove = { type: 'RemovePhoneNumber', configurationId: 1, phoneNumberId: 5 } as const;
  const before = [created(1, 'A'), numberAdded(1, 5)];
  const events = given(telephonyDecider, before).when(remove).events();
  given(telephonyDecider, [...before, ...events])
    .when(remove)
    .thenFails('not_found');
});

test('calls show the default caller if it is active, else the first active number', () => {
  const shown = (events: readonly TelephonyEvent[]) => {
    const configuration = configurationOf(fold(telephonyDecider, events), 1);
    return configuration === undefined ? undefined : callerNumberOf(configuration)?.id;
  };
  const two = [created(1, 'A'), numberAdded(1, 5), numberAdded(1, 6)];
  const setDefault = given(telephonyDecider, two)
    .when({ type: 'SetDefaultCaller', configurationId: 1, phoneNumberId: 6 })
    .events();
  expect(shown(two)).toBe(5);
  expect(shown([...two, ...setDefault])).toBe(6);
  const off = given(telephonyDecider, [...two, ...setDefault])
    .when(change({ phoneNumberId: 6, isActive: false }))
    .events();
  expect(shown([...two, ...setDefault, ...off])).toBe(5);
  expect(shown([created(1, 'A')])).toBeUndefined();
  given(telephonyDecider, [...two, ...setDefault])
    .when({ type: 'SetDefaultCaller', configurationId: 1, phoneNumberId: 6 })
    .thenNothing();
});

describe('trunks', () => {
  const cloudonix = [created(1, 'A', 'cloudonix'), trunkAdded(1, 6, 'Main')];
  const addTrunk = (rest: Partial<AddTrunk> = {}): AddTrunk => ({
    type: 'AddTrunk',
    configurationId: 1,
    trunkId: 7,
    name: 'Second',
    enabled: true,
    settings: { region: 'uae', sip_domain: ' pbx.example.com ' },
    ...rest,
  });

  test('belong to Cloudonix alone', () => {
    given(telephonyDecider, [created(1, 'A', 'twilio')])
      .when(addTrunk())
      .thenFails('rejected', /Twilio/);
    given(telephonyDecider, [created(1, 'A', 'ari')])
      .when({ type: 'RemoveTrunk', configurationId: 1, trunkId: 7 })
      .thenFails('rejected', /trunk/);
  });

  test('are stored with the region in its usual spelling', () => {
    const [event] = given(telephonyDecider, cloudonix).when(addTrunk()).events();
    expect(event?.data).toMatchObject({ settings: { region: 'UAE', sip_domain: 'pbx.example.com' } });
  });

  test('with bad settings name every fault below body.settings', () => {
    const decided = telephonyDecider.decide(
      addTrunk({ settings: { region: 'Mars' } }),
      fold(telephonyDecider, cloudonix),
      { now: 0 },
    );
    expect(decided).toMatchObject({
      left: {
        kind: 'invalid',
        faults: [
          { loc: ['body', 'settings', 'region'], type: 'value_error' },
          { loc: ['body', 'settings', 'sip_domain'], type: 'missing' },
        ],
      },
    });
  });

  test('have names of their own', () => {
    given(telephonyDecider, cloudonix)
      .when(addTrunk({ name: 'Main' }))
      .thenFails('conflict', /Main/);
    const two = [...cloudonix, trunkAdded(1, 7, 'Second')];
    const rename = { type: 'ChangeTrunk', configurationId: 1, trunkId: 7, enabled: null, settings: null } as const;
    given(telephonyDecider, two)
      .when({ ...rename, name: 'Main' })
      .thenFails('conflict');
    given(telephonyDecider, two)
      .when({ ...rename, name: 'Second' })
      .thenNothing();
    const [event] = given(telephonyDecider, two)
      .when({ ...rename, name: null, enabled: false })
      .events();
    expect(event?.data).toMatchObject({ name: 'Second', enabled: false, settings: { region: 'India' } });
  });

  test('that numbers dial out by are not removed', () => {
    const remove = { type: 'RemoveTrunk', configurationId: 1, trunkId: 6 } as const;
    given(telephonyDecider, [...cloudonix, numberAdded(1, 5, undefined, { telephony_trunk_id: 6 })])
      .when(remove)
      .thenFails('conflict', /1 phone number dials/);
    given(telephonyDecider, cloudonix)
      .when(remove)
      .then([{ type: 'TrunkRemoved', data: { telephony_configuration_id: 1, trunk_id: 6 } }]);
    given(telephonyDecider, cloudonix)
      .when({ ...remove, trunkId: 9 })
      .thenFails('not_found');
  });
});
