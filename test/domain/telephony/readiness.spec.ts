import { isRight } from 'fp-ts/Either';
import { chooseConfiguration } from '../../../src/domain/telephony/choose';
import { telephonyDecider } from '../../../src/domain/telephony/decider';
import type { Provider, TelephonyEvent } from '../../../src/domain/telephony/events';
import { providers } from '../../../src/domain/telephony/provider-metadata';
import { setupChecklist, type ChecklistView } from '../../../src/domain/telephony/setup-checklist';
import { fold } from '../../support/given';
import { created, madeDefault, numberAdded } from './fixtures';

const view = (provider: Provider, rest: Partial<ChecklistView> = {}): ChecklistView => ({
  provider,
  fieldsSet: [],
  carrierCheck: null,
  numbers: [],
  trunks: [],
  ...rest,
});
const active = { is_active: true, inbound_workflow_id: null, telephony_trunk_id: null };

describe('a setup checklist', () => {
  test('lets a carrier call only with an active number, and says so in the first blocking step', () => {
    for (const provider of ['exotel', 'plivo', 'telnyx', 'twilio', 'vobiz', 'vonage'] as const) {
      const empty = setupChecklist(view(provider));
      expect(empty.ready_for_outbound).toBe(false);
      expect(empty.steps[0]).toMatchObject({ key: 'caller_id', complete: false, blocks_outbound: true });
      expect(empty.outbound_blocked_reason).toBe(empty.steps[0]?.description);
      expect(setupChecklist(view(provider, { numbers: [{ ...active, is_active: false }] })).ready_for_outbound).toBe(
        false,
      );
      const ready = setupChecklist(view(provider, { numbers: [active] }));
      expect([ready.ready_for_outbound, ready.outbound_blocked_reason]).toEqual([true, null]);
    }
  });

  test('of ARI blocks nothing', () => {
    const checklist = setupChecklist(view('ari'));
    expect(checklist.ready_for_outbound).toBe(true);
    expect(checklist.steps.length).toBeGreaterThan(0);
    expect(checklist.steps.some((s) => s.blocks_outbound)).toBe(false);
  });

  test('of Cloudonix asks for domain and number, and for trunks only as advice', () => {
    const empty = setupChecklist(view('cloudonix'));
    expect(empty.steps.map((s) => [s.key, s.blocks_outbound])).toEqual([
      ['sip_domain', true],
      ['outbound_trunk', false],
      ['caller_id', true],
      ['inbound_routing', false],
    ]);
    const two = setupChecklist(
      view('cloudonix', {
        fieldsSet: ['bearer_token', 'domain_id'],
        trunks: [{ enabled: true }, { enabled: true }],
        numbers: [active],
      }),
    );
    expect(two.ready_for_outbound).toBe(true);
    expect(two.steps.find((s) => s.key === 'trunk_assignment')).toMatchObject({
      complete: false,
      blocks_outbound: false,
    });
  });

  test('shows a carrier that could not be asked as a step that blocks nothing', () => {
    const checklist = setupChecklist(
      view('twilio', { numbers: [active], carrierCheck: { ok: false, message: 'connection refused' } }),
    );
    expect(checklist.ready_for_outbound).toBe(true);
    expect(checklist.steps.find((s) => s.key === 'credentials')).toMatchObject({
      complete: false,
      blocks_outbound: false,
      description: expect.stringContaining('connection refused'),
    });
  });

  test('names the key that verifies webhooks where a carrier has one', () => {
    const step = (provider: Provider, fieldsSet: readonly string[]) =>
      setupChecklist(view(provider, { fieldsSet })).steps.find((s) => s.key === 'webhook_verification')?.complete;
    expect([step('telnyx', []), step('telnyx', ['webhook_public_key'])]).toEqual([false, true]);
    expect([step('vonage', []), step('vonage', ['signature_secret'])]).toEqual([false, true]);
    expect(step('twilio', [])).toBeUndefined();
  });

  test('is never ready while a blocking step is incomplete, and inbound steps never block', () => {
    for (const { provider } of providers)
      for (const numbers of [[], [active], [{ ...active, inbound_workflow_id: 3 }]]) {
        const { steps, ready_for_outbound } = setupChecklist(view(provider, { numbers }));
        expect(ready_for_outbound).toBe(!steps.some((s) => s.blocks_outbound && !s.complete));
        expect(steps.find((s) => s.key === 'inbound_routing')).toMatchObject({
          blocks_outbound: false,
          complete: numbers.some((n) => n.inbound_workflow_id !== null),
        });
      }
  });
});

describe('the configuration of a campaign', () => {
  const choose = (events: readonly TelephonyEvent[], id: number | null = null) => {
    const chosen = chooseConfiguration(fold(telephonyDecider, events), id);
    return isRight(chosen) ? chosen.right.id : chosen.left;
  };
  const inactive = (id: number): TelephonyEvent => ({
    type: 'ConfigInactivated',
    data: { telephony_configuration_id: id, reason: 'AUTH: refused' },
  });
  const NOT_FOUND = { kind: 'rejected', code: 'telephony_configuration_not_found' };

  test('is the one asked for', () => {
    expect(choose([created(1, 'A', 'ari'), created(2, 'B', 'ari')], 2)).toBe(2);
  });

  test('asked for and unknown, or inactive, is not found', () => {
    expect(choose([created(1, 'A', 'ari')], 9)).toMatchObject(NOT_FOUND);
    expect(choose([created(1, 'A', 'ari'), inactive(1)], 1)).toMatchObject(NOT_FOUND);
  });

  test('asked for and not ready is refused by name, never passed over', () => {
    const answer = choose([created(1, 'A', 'twilio'), created(2, 'B', 'ari')], 1);
    expect(answer).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining("'A' is not ready for outbound calls"),
    });
    expect(answer).not.toHaveProperty('code');
  });

  test('without a request is the default, even where another one is ready', () => {
    const events = [created(1, 'A', 'ari'), created(2, 'B', 'twilio'), madeDefault(2)];
    expect(choose([...events, numberAdded(2, 5)])).toBe(2);
    expect(choose(events)).toMatchObject({ kind: 'rejected', message: expect.stringContaining("'B'") });
    expect(choose([...events, numberAdded(2, 5), inactive(2)])).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/'B' is inactive \(AUTH: refused\)/),
    });
  });

  test('without request and default is the first active one that is ready', () => {
    const events = [created(1, 'A', 'twilio'), created(2, 'B', 'ari'), created(3, 'C', 'ari')];
    expect(choose(events)).toBe(2);
    expect(choose([...events, inactive(2)])).toBe(3);
  });

  test('is not found where none is ready', () => {
    expect(choose([])).toMatchObject(NOT_FOUND);
    expect(choose([created(1, 'A', 'twilio')])).toMatchObject(NOT_FOUND);
  });
});
