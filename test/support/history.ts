/**
 * Random histories that can happen: plain events of whole organizations, made from a seed. Runs are driven by their decider, so that every order
 * of calls, retries, withdrawals and late news that the rules allow may occur, and none that they do not.
 */
import { isLeft } from 'fp-ts/Either';
import type { DomainEvent } from '../../src/core/event';
import type { Sealed } from '../../src/core/event-types';
import {
  agentStream,
  apiKeysStream,
  campaignStream,
  contactsStream,
  dialingStream,
  organizationStream,
  organizationOf,
  runStream,
  sequenceStream,
  telephonyStream,
} from '../../src/core/ids';
import type { AgentEvent } from '../../src/domain/agent/events';
import type { ApiKeyEvent } from '../../src/domain/api-key/events';
import type { CampaignEvent, ContactsEvent, RetryConfig, TrafficSplit } from '../../src/domain/campaign/events';
import type { DialingEvent } from '../../src/domain/dialing/events';
import { eventCatalog } from '../../src/domain/event-catalog';
import type { OrganizationEvent } from '../../src/domain/organization/events';
import type { RunCommand } from '../../src/domain/run/commands';
import { runDecider } from '../../src/domain/run/decider';
import type { CallRef, Outcome } from '../../src/domain/run/events';
import type { RunState } from '../../src/domain/run/state';
import type { TelephonyEvent } from '../../src/domain/telephony/events';
import { chain, NO_HASH } from '../../src/engine/envelope';
import { associatedData, CONTACT_FIELD, contactKeyId, sealBytes, sealForOrganization } from '../../src/engine/seal';
import type { EventStore } from '../../src/ports/event-store';
import type { Vault } from '../../src/ports/vault';

export interface HistoryEntry {
  readonly stream: string;
  /** Decided together, appended together. */
  readonly events: readonly DomainEvent[];
  readonly actor: string;
}

export interface HistoryOptions {
  /** Anything; the same seed gives the same history, but for nonces and keys of seals. */
  readonly seed: number;
  readonly organizations?: number;
  readonly campaigns?: number;
  /** Contacts per campaign. */
  readonly contacts?: number;
  /** News, claims and the like per campaign. */
  readonly steps?: number;
}

/** Mulberry32: a small generator that is good enough to choose what happens next. */
const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

type AnyEvent =
  | OrganizationEvent
  | ApiKeyEvent
  | TelephonyEvent
  | AgentEvent
  | CampaignEvent
  | ContactsEvent
  | DialingEvent
  | { readonly type: 'IdsReserved'; readonly data: { readonly first: number; readonly count: number } };

const OUTCOMES: readonly Outcome[] = ['completed', 'busy', 'no_answer', 'voicemail', 'failed', 'canceled', 'uncertain'];

/** Events in the order in which they happened. Keys of contacts are put into the vault; some of them are destroyed where the person is erased. */
export const randomHistory = async (vault: Vault, options: HistoryOptions): Promise<readonly HistoryEntry[]> => {
  const random = randomOf(options.seed);
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const history: HistoryEntry[] = [];
  const tell = (stream: string, events: readonly AnyEvent[], actor = 'api-key:1'): void => {
    history.push({ stream, events, actor });
  };
  const uuid = (): string => Array.from({ length: 32 }, () => below(16).toString(16)).join('');

  const organization = async (org: number): Promise<void> => {
    tell(sequenceStream('organization'), [{ type: 'IdsReserved', data: { first: org, count: 1 } }], 'system');
    tell(organizationStream(org), [
      {
        type: 'OrganizationCreated',
        data: { organization_id: org, name: `org ${org}`, limits: { concurrent_calls: 100, calls_per_second: 100 } },
      },
    ]);
    const key = { name: 'key', key_prefix: 'llk_test', scopes: null };
    tell(apiKeysStream(org), [{ type: 'ApiKeyCreated', data: { api_key_id: org, key_hash: uuid() + uuid(), ...key } }]);
    if (below(2) === 0) tell(apiKeysStream(org), [{ type: 'ApiKeyArchived', data: { api_key_id: org } }]);
    const ref = { telephony_configuration_id: org * 10 };
    const seal = (auth_token: string): Promise<Sealed> =>
      sealForOrganization(vault, org, 'telephony.credentials', { account_sid: 'AC0001', auth_token });
    const rest = { account_fingerprint: null, fields_set: ['account_sid', 'auth_token'] };
    tell(telephonyStream(org), [
      {
        type: 'ConfigCreated',
        data: {
          ...ref,
          name: 'main',
          provider: 'twilio',
          connectivity: 'api',
          is_default_outbound: true,
          credentials: await seal('token-one'),
          ...rest,
        },
      },
      { type: 'DefaultOutboundChanged', data: ref },
    ]);
    tell(telephonyStream(org), [
      {
        type: 'PhoneNumberAdded',
        data: {
          ...ref,
          phone_number_id: org * 10 + 1,
          address: '+14155550001',
          address_normalized: '+14155550001',
          address_type: 'pstn',
          is_default_caller_id: true,
          label: null,
          inbound_workflow_id: null,
          telephony_trunk_id: null,
          country_code: null,
          is_active: true,
          extra_metadata: {},
        },
      },
    ]);
    if (below(2) === 0)
      tell(telephonyStream(org), [
        { type: 'CredentialsReplaced', data: { ...ref, credentials: await seal('token-two'), ...rest } },
      ]);
    for (const agent of [1, 2]) await agentStory(org, org * 10 + agent);
  };

  const agentStory = async (org: number, id: number): Promise<void> => {
    const content = async (text: string) => ({
      workflow_definition: {
        nodes: [
          {
            id: 'qa',
            type: 'qa',
            data: { qa_api_key: { ...(await sealForOrganization(vault, org, 'agent.secret', `sk-${text}`)) } },
          },
        ],
        edges: [],
      },
      workflow_configurations: {},
      template_context_variables: { text },
    });
    const version = (n: number) => ({ workflow_id: id, definition_id: id * 10 + n, version_number: n });
    tell(agentStream(org, id), [
      {
        type: 'AgentCreated',
        data: { ...version(1), name: `agent ${id}`, workflow_uuid: uuid(), content: await content('one') },
      },
    ]);
    if (below(2) === 0) return;
    tell(agentStream(org, id), [{ type: 'DraftSaved', data: { ...version(2), content: await content('two') } }]);
    if (below(2) === 0)
      tell(agentStream(org, id), [
        { type: 'VersionPublished', data: { ...version(2), version_name: null, change_description: null } },
      ]);
  };

  const campaign = async (org: number, id: number): Promise<void> => {
    const contacts = options.contacts ?? 8;
    const ref = { campaign_id: id };
    const own = campaignStream(org, id);
    const retry: RetryConfig = {
      enabled: true,
      max_retries: 2,
      retry_delay_seconds: 30,
      retry_on_busy: true,
      retry_on_no_answer: true,
      retry_on_voicemail: below(2) === 0,
    };
    const pinned = (org * 10 + 1) * 10 + 1;
    const split = (revision: number, weight: number): TrafficSplit => ({
      seed: '00112233445566778899aabbccddeeff',
      revision,
      variants: [
        { id: `${org * 10 + 1}:${pinned}`, workflow_id: org * 10 + 1, workflow_definition_id: pinned, weight },
        { id: `${org * 10 + 2}:latest`, workflow_id: org * 10 + 2, workflow_definition_id: null, weight: 100 - weight },
      ],
    });
    tell(own, [
      {
        type: 'CampaignCreated',
        data: {
          ...ref,
          name: `campaign ${id}`,
          retry_config: retry,
          max_concurrency: null,
          rate_limit_per_second: 5,
          schedule_config: null,
          circuit_breaker: null,
          source_type: 'csv',
          source_id: `campaigns/${org}/list.csv`,
          source_sha256: 'a'.repeat(64),
          total_rows: contacts,
          workflow_id: org * 10 + 1,
          traffic_split: below(3) === 0 ? null : split(1, 60),
          telephony_configuration_id: org * 10,
          e164_only: true,
          parent_campaign_id: null,
        },
      },
    ]);
    const firstRun = id * 1000;
    tell(own, [{ type: 'CampaignStarted', data: { ...ref, first_run_id: firstRun, contacts } }]);

    const page = `page-${id}`;
    const keys = Array.from({ length: contacts }, () => Buffer.from(uuid() + uuid(), 'hex'));
    await vault.createPage(org, page, keys);
    const sealed = keys.map((key, i) => {
      const keyId = contactKeyId(page, i);
      const plain = { phone_number: `+1415555${1000 + i}`, variables: { first_name: `Person ${i}`, row: i } };
      const bytes = sealBytes(key, Buffer.from(JSON.stringify(plain)), associatedData(org, CONTACT_FIELD, keyId));
      return { $sealed: bytes.toString('base64'), key: keyId, field: CONTACT_FIELD } satisfies Sealed;
    });
    tell(
      contactsStream(org, id),
      [
        {
          type: 'ContactsQueued',
          data: { ...ref, batch: 0, first_run_id: firstRun, page, contacts: sealed.map((s) => s.$sealed) },
        },
      ],
      'system',
    );
    tell(own, [{ type: 'ImportCompleted', data: { ...ref, contacts, batches: 1 } }], 'system');

    const states: RunState[] = Array.from({ length: contacts }, () => runDecider.initial);
    const command = (i: number): RunCommand => {
      const state = states[i] as RunState;
      const run_id = firstRun + i;
      const at = new Date(Date.UTC(2026, 2, 2, 13) + below(3_600_000)).toISOString();
      const pinnedVariant = below(2) === 0;
      const ref: CallRef = {
        run_id,
        campaign_id: id,
        attempt: state.attempt + 1,
        retry: state.retry,
        variant_id: pinnedVariant ? `${org * 10 + 1}:${pinned}` : `${org * 10 + 2}:latest`,
        workflow_id: pinnedVariant ? org * 10 + 1 : org * 10 + 2,
        definition_id: pinnedVariant ? pinned : (org * 10 + 2) * 10 + 1,
        version_number: 1,
      };
      const attempt = state.attempt;
      const chance = below(100);
      if (chance < 30)
        return {
          type: 'AttemptCall',
          call: {
            ...ref,
            reference: uuid(),
            telephony_configuration_id: org * 10,
            provider: 'twilio',
            caller_phone_number_id: org * 10 + 1,
            split_revision: 1,
            weight: 60,
            ring_seconds: 30,
            talk_seconds: 300,
            row: i,
            retry_reason: state.retry === 0 ? null : 'busy',
            contact: sealed[i] as Sealed,
          },
        };
      if (chance < 35)
        return { type: 'WithdrawCall', call: { ...ref, attempt: state.call?.attempt ?? ref.attempt }, reason: 'late' };
      if (chance < 48) return { type: 'RecordPlaced', attempt, carrierCallId: uuid() };
      if (chance < 51) return { type: 'RecordRefused', attempt, code: '400', message: 'refused' };
      if (chance < 54) return { type: 'RecordUncertain', attempt, reason: 'timeout' };
      if (chance < 64) return { type: 'RecordRinging', attempt, at };
      if (chance < 74) return { type: 'RecordAnswered', attempt, at, answeredBy: oneOf(['human', 'machine', null]) };
      if (chance < 93)
        return {
          type: 'RecordEnded',
          attempt,
          outcome: oneOf(OUTCOMES),
          at,
          durationSeconds: below(2) === 0 ? null : below(300),
          evidence: { cause: 16 },
          retry,
        };
      if (chance < 96) return { type: 'StoreTranscript', call: { ...ref, attempt }, key: `transcripts/${run_id}.txt` };
      if (chance < 98)
        return { type: 'StoreRecording', call: { ...ref, attempt }, key: `recordings/${run_id}.wav`, track: 'mixed' };
      return chance === 98 ? { type: 'CancelRun', call: ref } : { type: 'ErasePersonalData', call: ref, request: {} };
    };

    for (let step = 0; step < (options.steps ?? 120); step++) {
      const i = below(contacts);
      const asked = command(i);
      const decided = runDecider.decide(asked, states[i] as RunState, { now: Date.UTC(2026, 2, 2, 13) });
      if (!isLeft(decided) && decided.right.length > 0) {
        const events = decided.right;
        history.push({ stream: runStream(org, firstRun + i), events, actor: 'dialer' });
        states[i] = events.reduce(runDecider.evolve, states[i] as RunState);
        if (events.some((e) => e.type === 'PersonalDataErased')) await vault.eraseKeys(org, page, [i]);
      }
      const other = below(60);
      if (other === 0)
        tell(own, [
          { type: 'CampaignPaused', data: ref },
          { type: 'CampaignResumed', data: ref },
        ]);
      if (other === 1) tell(own, [{ type: 'CampaignChanged', data: { ...ref, max_concurrency: below(50) + 1 } }]);
      if (other === 2)
        tell(own, [
          {
            type: 'TrafficSplitRevised',
            data: { ...ref, traffic_split: split(2 + step, 10 + below(80)), workflow_id: org * 10 + 1 },
          },
        ]);
      if (other === 3)
        tell(
          dialingStream(org),
          [{ type: 'TurnTaken', data: { owner: 'a', claims: [{ campaign_id: id, run_id: firstRun, attempt: 1 }] } }],
          'dialer',
        );
    }
    if (states.every((s) => s.phase === 'completed')) tell(own, [{ type: 'CampaignCompleted', data: ref }], 'dialer');
    else if (below(5) === 0) tell(own, [{ type: 'CampaignDeleted', data: ref }]);
  };

  const orgs = Array.from({ length: options.organizations ?? 2 }, (_, i) => i + 1);
  for (const org of orgs) await organization(org);
  let nextCampaign = 1;
  for (const org of orgs) for (let c = 0; c < (options.campaigns ?? 2); c++) await campaign(org, nextCampaign++);
  return history;
};

/** Appends a history to the end of the streams that it names, in its order; `tails` carries on over several calls. */
export const appendHistory = async (
  events: EventStore,
  history: readonly HistoryEntry[],
  tails: Map<string, { revision: number; hash: string }> = new Map(),
): Promise<void> => {
  let at = Date.UTC(2026, 2, 2, 12);
  let command = 0;
  const appends = history.map((entry) => {
    const { stream } = entry;
    const tail = tails.get(stream) ?? { revision: -1, hash: NO_HASH };
    const org = organizationOf(stream);
    command += 1;
    const commandId = `00000000-0000-4000-8000-${command.toString(16).padStart(12, '0')}`;
    const sealed = chain(
      stream,
      tail,
      entry.events.map((e) => ({
        type: e.type,
        data: e.data,
        schema: eventCatalog[e.type as 'IdsReserved']?.schema ?? 1,
      })),
      {
        org: org === null ? 'system' : String(org),
        actor: entry.actor,
        correlationId: commandId,
        causationId: commandId,
        commandId,
        at: new Date((at += 1000)).toISOString(),
      },
    );
    tails.set(stream, { revision: tail.revision + sealed.length, hash: sealed.at(-1)?.metadata.hash ?? tail.hash });
    return { stream, expected: tail.revision, sealed };
  });
  // The writer takes them in the order in which they are handed to it; one sync serves many.
  for (let i = 0; i < appends.length; i += 200) {
    const answers = await Promise.all(
      appends.slice(i, i + 200).map((a) => events.append(a.stream, a.expected, a.sealed)),
    );
    for (const answer of answers) if (isLeft(answer)) throw new Error(`not appended: ${JSON.stringify(answer.left)}`);
  }
};
