/** Whatever is asked in whatever order, what was promised of an organization's telephony holds after every event. */
import fc from 'fast-check';
import { isLeft } from 'fp-ts/Either';
import type { TelephonyCommand } from '../../../src/domain/telephony/commands';
import { telephonyDecider } from '../../../src/domain/telephony/decider';
import type { TelephonyState } from '../../../src/domain/telephony/state';
import { seal, sealedCredentials } from './fixtures';

const id = fc.constantFrom(1, 2);
const name = fc.constantFrom('A', 'B', 'C');
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
// Only Cloudonix has trunks, so it comes often.
const provider = fc.constantFrom('cloudonix', 'cloudonix', 'twilio', 'ari');
const settings = fc.constantFrom(
  { region: 'India', sip_domain: 'd' },
  { region: 'India', sip_domain: 'e' },
  { region: 'nowhere' },
);
const on = { configurationId: id };
const a = <T extends string>(type: T) => fc.constant(type);

/** New things get ids of their own, counted from the length of the history, as sequences would. */
const command = (fresh: number): fc.Arbitrary<TelephonyCommand> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        type: a('CreateConfiguration'),
        configurationId: fc.constant(fresh),
        name,
        provider,
        isDefaultOutbound: fc.boolean(),
        credentials: fc.constant(sealedCredentials('x')),
      }),
    },
    fc.record({
      type: a('ChangeConfiguration'),
      ...on,
      name: maybe(name),
      isDefaultOutbound: maybe(fc.boolean()),
      config: maybe(
        fc.record({ provider, credentials: fc.constant(sealedCredentials('x')), basedOn: fc.constant(seal('x')) }),
      ),
    }),
    fc.record({ type: a('DeleteConfiguration'), ...on, referenced: fc.boolean() }),
    fc.record({ type: a('SetDefaultOutbound'), ...on }),
    fc.record({ type: a('InactivateConfiguration'), ...on, reason: fc.string() }),
    fc.record({ type: a('ReactivateConfiguration'), ...on }),
    {
      weight: 4,
      arbitrary: fc.record({
        type: a('AddPhoneNumber'),
        ...on,
        phoneNumberId: fc.constant(fresh),
        address: fc.constantFrom('+14155550001', '(415) 555-0001', '+14155550002', 'desk', 'Desk'),
        countryCode: fc.constantFrom(null, 'US'),
        label: fc.constant(null),
        inboundWorkflowId: fc.constant(null),
        trunkId: maybe(id),
        isActive: fc.boolean(),
        isDefaultCallerId: fc.boolean(),
        extraMetadata: fc.constant({}),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: a('ChangePhoneNumber'),
        ...on,
        phoneNumberId: id,
        label: maybe(name),
        inboundWorkflowId: maybe(id),
        clearInboundWorkflow: fc.boolean(),
        trunkId: fc.option(id, { nil: null, freq: 1 }),
        clearTrunk: fc.boolean(),
        isActive: maybe(fc.boolean()),
        countryCode: fc.constant(null),
        extraMetadata: fc.constant(null),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: a('RemovePhoneNumber'), ...on, phoneNumberId: id }) },
    { weight: 3, arbitrary: fc.record({ type: a('SetDefaultCaller'), ...on, phoneNumberId: id }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: a('AddTrunk'),
        ...on,
        trunkId: fc.constant(fresh),
        name,
        enabled: fc.boolean(),
        settings,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: a('ChangeTrunk'),
        ...on,
        trunkId: id,
        name: maybe(name),
        enabled: maybe(fc.boolean()),
        settings: maybe(settings),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: a('RemoveTrunk'), ...on, trunkId: id }) },
  );

/** Asked thousands of times, where `expect` would cost more than what is tested. */
const holds = (what: string, condition: boolean): void => {
  if (!condition) throw new Error(`${what} no longer holds`);
};
const distinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

const check = (state: TelephonyState): void => {
  const { configurations, defaultOutbound } = state;
  holds('unique names', distinct(configurations.map((c) => c.name)));
  holds('a default that exists', defaultOutbound === null || configurations.some((c) => c.id === defaultOutbound));
  holds('unique addresses', distinct(configurations.flatMap((c) => c.numbers.map((n) => n.address_normalized))));
  for (const c of configurations) {
    const trunks = c.trunks.map((t) => t.id);
    holds('a revision that was reached', c.revision <= state.revision);
    holds('one default caller', c.numbers.filter((n) => n.is_default_caller_id).length <= 1);
    holds('unique names of trunks', distinct(c.trunks.map((t) => t.name)));
    holds('trunks of Cloudonix alone', c.provider === 'cloudonix' || trunks.length === 0);
    holds(
      'trunks that exist',
      c.numbers.every((n) => n.telephony_trunk_id === null || trunks.includes(n.telephony_trunk_id)),
    );
  }
};

test('names, addresses and trunk names stay unique, and there is at most one default and one default caller', () => {
  const accepted = new Map<string, number>();
  const commands = fc.tuple(...Array.from({ length: 40 }, (_, i) => command((i % 2) + 1)));
  fc.assert(
    fc.property(commands, (asked) => {
      let state = telephonyDecider.initial;
      for (const one of asked) {
        const taken =
          (one.type === 'CreateConfiguration' && state.configurations.some((c) => c.id === one.configurationId)) ||
          (one.type === 'AddPhoneNumber' &&
            state.configurations.some((c) => c.numbers.some((n) => n.id === one.phoneNumberId))) ||
          (one.type === 'AddTrunk' && state.configurations.some((c) => c.trunks.some((t) => t.id === one.trunkId)));
        if (taken) continue;
        const decided = telephonyDecider.decide(one, state, { now: 0 });
        if (isLeft(decided)) continue;
        if (decided.right.length > 0) accepted.set(one.type, (accepted.get(one.type) ?? 0) + 1);
        for (const event of decided.right) {
          const before: TelephonyState = state;
          state = telephonyDecider.evolve(before, event);
          holds('a revision for each event', state.revision === before.revision + 1);
          check(state);
        }
      }
    }),
    { numRuns: 200 },
  );
  // Every kind of command was carried out at least once, or the test would prove nothing about it.
  expect([...accepted.keys()].sort()).toEqual([
    'AddPhoneNumber',
    'AddTrunk',
    'ChangeConfiguration',
    'ChangePhoneNumber',
    'ChangeTrunk',
    'CreateConfiguration',
    'DeleteConfiguration',
    'InactivateConfiguration',
    'ReactivateConfiguration',
    'RemovePhoneNumber',
    'RemoveTrunk',
    'SetDefaultCaller',
    'SetDefaultOutbound',
  ]);
});
