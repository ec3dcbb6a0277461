/**
 * A ledger, a telephone network and any number of dialer processes on one virtual clock. A process can be killed at any moment: what it was
 * writing may still be stored, and it never hears of it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import { virtualClock, type VirtualClock } from '../../src/adapters/embedded/clock';
import { embeddedFeed } from '../../src/adapters/embedded/feed';
import type { Decider } from '../../src/core/decider';
import type { DomainEvent, RecordedEvent } from '../../src/core/event';
import { describeFailure } from '../../src/core/failure';
import {
  agentStream,
  campaignStream,
  dialingStream,
  organizationStream,
  PARTITIONS,
  runStream,
  telephonyStream,
} from '../../src/core/ids';
import type { Position } from '../../src/core/position';
import { createDialer, type DialerHandle, type DialerOptions } from '../../src/dialer';
import type { CampaignCommand } from '../../src/domain/campaign/commands';
import { campaignDecider } from '../../src/domain/campaign/decider';
import type { CampaignEvent } from '../../src/domain/campaign/events';
import { sealHere } from '../../src/dialer/sealer';
import { runDecider } from '../../src/domain/run/decider';
import { dialingDecider } from '../../src/domain/dialing/decider';
import { eventCatalog } from '../../src/domain/event-catalog';
import type { Limits } from '../../src/domain/organization/events';
import { chain, NO_HASH } from '../../src/engine/envelope';
import { executor, type Executor } from '../../src/engine/execute';
import type { Platform } from '../../src/engine/platform';
import { progress } from '../../src/engine/progress';
import { CONTACT_FIELD, contactKeyId, opener, sealForOrganization } from '../../src/engine/seal';
import { sequences } from '../../src/engine/sequence';
import { metricsRegistry, silentLogger, type Logger } from '../../src/engine/telemetry';
import type { Clock } from '../../src/ports/clock';
import type { EventStore } from '../../src/ports/event-store';
import type { Leases } from '../../src/ports/leases';
import { fakeNetwork, type FakeNetwork, type NetworkOptions } from './fake-carrier';
import { memoryObjects, memoryVault } from './memory-engines';
import { memoryEventStore, type MemoryStoreOptions } from './memory-event-store';

export const ORG = 7;
export const CONFIG = 3;
export const AGENT = 5;
/** 2026-03-02T12:00:00Z, a Monday. */
export const WORLD_START = Date.UTC(2026, 2, 2, 12);

export interface WorldOptions {
  readonly network?: Omit<NetworkOptions, 'clock'>;
  readonly store?: Omit<MemoryStoreOptions, 'clock'>;
  readonly limits?: Limits;
  readonly log?: Logger;
  readonly startAt?: number;
  /** ms by which the feed is behind. */
  readonly feedLag?: () => number;
}

export interface DialerProcess {
  readonly dialer: DialerHandle;
  /** No graceful end: from this moment on (or from when its next event of type `after` is stored) it does nothing. */
  kill(after?: string): void;
  /** It stands still for so long, and then goes on as if nothing had been. */
  freeze(ms: number, after?: string): void;
  /** Positions from which it has followed the feed. */
  readFrom(): readonly Position[];
}

type Created = Extract<CampaignEvent, { type: 'CampaignCreated' }>['data'];

export interface World {
  readonly clock: VirtualClock;
  readonly network: FakeNetwork;
  readonly ledger: EventStore & { readonly all: readonly RecordedEvent[] };
  readonly execute: Executor;
  readonly vault: Platform['vault'];
  readonly objects: ReturnType<typeof memoryObjects>;
  /** Stores these events at the end of the stream. */
  write(stream: string, ...events: readonly DomainEvent[]): Promise<Position>;
  /** Makes and starts a campaign of so many contacts; answers its id. */
  campaign(contacts: number, settings?: Partial<Created>): Promise<number>;
  /** Asks for a test call that may be placed within so many ms (default 60,000); answers its run. */
  testCall(phone: string, withinMs?: number): Promise<number>;
  command(campaign: number, command: CampaignCommand): Promise<Position>;
  /** As an HTTP handler does it: the event, then the fence. Answers the position of the event. */
  fenced(campaign: number, command: CampaignCommand): Promise<Position>;
  process(options?: Partial<DialerOptions>): Promise<DialerProcess>;
  /** Lets time pass until `reached`, at most so many ms of it. */
  until(reached: () => boolean, ms: number, what: string): Promise<void>;
  events<T extends string>(type: T): readonly RecordedEvent[];
  /** Data of the events of a type. */
  data(type: string): readonly Readonly<Record<string, unknown>>[];
}

const always: Leases = {
  owned: () => new Set(Array.from({ length: PARTITIONS }, (_, i) => i)),
  start: async (onChange) => onChange({ owned: new Set(Array.from({ length: PARTITIONS }, (_, i) => i)) }),
  release: async () => undefined,
};

/** A life that can end, or stand still for a while like that of a suspended machine. */
interface Life {
  dead: boolean;
  frozen: Promise<void> | null;
  /** Sprung when an event of this type has been stored, before the process hears of it. */
  trap: { readonly type: string; readonly spring: () => void } | null;
}

/** A platform that stops answering once its process is dead, and answers late while it is frozen. */
const mortal = (platform: Platform, life: Life, feedLag: () => number, followed: Position[]): Platform => {
  const never = new Promise<never>(() => undefined);
  const alive = async (): Promise<void> => {
    while (life.frozen !== null) await life.frozen;
    if (life.dead) await never;
  };
  const living = async <A>(work: Promise<A>): Promise<A> => {
    try {
      const answer = await work;
      await alive();
      return answer;
    } catch (error) {
      await alive();
      throw error;
    }
  };
  const begun = async <A>(work: () => Promise<A>): Promise<A> => {
    await alive();
    return living(work());
  };
  const clock: Clock = {
    now: platform.clock.now,
    monotonic: platform.clock.monotonic,
    after: (ms, f) => {
      let canceled = false;
      const timer = platform.clock.after(ms, () => {
        if (life.frozen === null && !life.dead) return f();
        void alive().then(() => (canceled ? undefined : f()));
      });
      return {
        cancel: () => {
          canceled = true;
          timer.cancel();
        },
      };
    },
  };
  const { events, vault, objects } = platform;
  const store: EventStore = {
    ...events,
    append: (stream, expected, batch) =>
      begun(async () => {
        const answer = await events.append(stream, expected, batch);
        const { trap } = life;
        if (trap !== null && batch.some((event) => event.type === trap.type)) {
          life.trap = null;
          trap.spring();
        }
        return answer;
      }),
    readStream: (stream, from, limit) => begun(() => events.readStream(stream, from, limit)),
    readAll: (read) => begun(() => events.readAll(read)),
    subscribe: async function* (subscription) {
      followed.push(subscription.after);
      for await (const batch of events.subscribe(subscription)) {
        const lag = feedLag();
        if (lag > 0) await new Promise<void>((done) => platform.clock.after(lag, done));
        await alive();
        yield batch;
      }
    },
  };
  const execute = executor({ store, clock, catalog: eventCatalog });
  return {
    ...platform,
    clock,
    events: store,
    execute,
    sequences: sequences(execute),
    vault: { ...vault, createPage: (org, id, keys) => begun(() => vault.createPage(org, id, keys)) },
    objects: { ...objects, put: (key, body, type) => begun(() => objects.put(key, body, type)) },
    metrics: metricsRegistry(false),
  };
};

const when = (life: Life, type: string | undefined, spring: () => void): void => {
  if (type === undefined) spring();
  else life.trap = { type, spring };
};

export const phoneOf = (row: number): string => `+1555${String(1_000_000 + row)}`;

export const world = async (options: WorldOptions = {}): Promise<World> => {
  const clock = virtualClock(options.startAt ?? WORLD_START);
  const ledger = memoryEventStore({ clock, ...options.store });
  const network = fakeNetwork({ clock, ...options.network });
  const vault = memoryVault();
  const objects = memoryObjects();
  const log = options.log ?? silentLogger;
  // The hand of whoever prepares the world is not subject to its faults.
  const execute = executor({ store: ledger, clock, catalog: eventCatalog });
  const platform: Platform = {
    events: ledger,
    reads: undefined as never,
    views: undefined as never,
    objects,
    vault,
    seals: opener(vault),
    clock,
    execute,
    sequences: sequences(execute),
    progress: progress({ clock }),
    log,
    metrics: metricsRegistry(false),
    installation: 'feedfeedfeed',
  };

  /** Carries a promise through whatever timers it waits for. */
  const passing = async <A>(work: Promise<A>): Promise<A> => {
    let done = false;
    const marked = work.finally(() => {
      done = true;
    });
    marked.catch(() => undefined);
    for (let i = 0; !done && i < 10_000; i++) await clock.advance(1);
    return marked;
  };

  const write: World['write'] = (stream, ...events) =>
    passing(
      (async () => {
        const known = ledger.all.filter((e) => e.stream === stream);
        const tail = { revision: known.length - 1, hash: known.at(-1)?.metadata.hash ?? NO_HASH };
        const sealed = chain(
          stream,
          tail,
          events.map((e) => ({ ...e, schema: 1 })),
          {
            org: String(ORG),
            actor: 'system',
            correlationId: randomUUID(),
            causationId: randomUUID(),
            commandId: randomUUID(),
            at: new Date(clock.now()).toISOString(),
          },
        );
        for (;;) {
          const answer = await ledger.append(stream, tail.revision, sealed);
          if (!isLeft(answer)) return answer.right.position;
          if (answer.left.kind === 'conflict' || answer.left.kind === 'refused')
            throw new Error(JSON.stringify(answer.left));
        }
      })(),
    );

  const run = async <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string, command: C) => {
    for (;;) {
      const done = await execute.run(decider, stream, command, { actor: 'test' });
      if (!isLeft(done)) return done.right;
      if (done.left.kind !== 'unavailable') throw new Error(describeFailure(done.left));
      await new Promise<void>((next) => clock.after(20, next));
    }
  };

  const command: World['command'] = (campaign, asked) =>
    passing(
      run(campaignDecider, campaignStream(ORG, campaign), asked).then(
        (done) => done.position ?? (ledger.all.at(-1)?.position as Position),
      ),
    );

  let campaigns = 0;
  let runs = 1;
  const credentials = await sealForOrganization(vault, ORG, 'telephony.credentials', { app: 'x' });
  await write(organizationStream(ORG), {
    type: 'OrganizationCreated',
    data: {
      organization_id: ORG,
      name: 'Acme',
      limits: options.limits ?? { concurrent_calls: 20, calls_per_second: 50 },
    },
  });
  await write(telephonyStream(ORG), {
    type: 'ConfigCreated',
    data: {
      telephony_configuration_id: CONFIG,
      name: 'main',
      provider: 'ari',
      connectivity: 'api',
      is_default_outbound: true,
      credentials,
      account_fingerprint: null,
    },
  });
  await write(agentStream(ORG, AGENT), {
    type: 'AgentCreated',
    data: {
      workflow_id: AGENT,
      definition_id: 50,
      version_number: 1,
      name: 'Agent',
      workflow_uuid: randomUUID(),
      content: {
        workflow_definition: {},
        workflow_configurations: { max_call_duration: 60 },
        template_context_variables: {},
      },
    },
  });

  return {
    clock,
    network,
    ledger,
    execute,
    vault,
    objects,
    write,
    command,
    testCall: async (phone, withinMs = 60_000) => {
      const id = runs++;
      const { page, keys, contacts } = await sealHere.seal(ORG, [{ phone_number: phone, variables: {} }]);
      await vault.createPage(ORG, page, keys);
      const key = contactKeyId(page, 0);
      await passing(
        run(runDecider, runStream(ORG, id), {
          type: 'RequestCall',
          call: {
            run_id: id,
            campaign_id: null,
            attempt: 0,
            retry: 0,
            variant_id: `${AGENT}:50`,
            workflow_id: AGENT,
            definition_id: 50,
            version_number: 1,
            telephony_configuration_id: CONFIG,
            provider: 'ari',
            caller_phone_number_id: null,
            place_until: new Date(clock.now() + withinMs).toISOString(),
            contact: { $sealed: contacts[0] as string, key, field: CONTACT_FIELD },
          },
        }),
      );
      return id;
    },
    fenced: (campaign, asked) =>
      passing(
        (async () => {
          const stream = campaignStream(ORG, campaign);
          const done = await run(campaignDecider, stream, asked);
          await run(dialingDecider, dialingStream(ORG), { type: 'Fence', stream, revision: done.revision });
          return done.position ?? (ledger.all.at(-1)?.position as Position);
        })(),
      ),
    campaign: async (contacts, settings = {}) => {
      const id = (campaigns += 1);
      const csv = [
        'phone_number,first_name',
        ...Array.from({ length: contacts }, (_, i) => `${phoneOf(i + runs)},Name ${i}`),
      ].join('\n');
      const key = `org/${ORG}/${id}.csv`;
      objects.stored.set(key, Buffer.from(csv));
      await command(id, {
        type: 'CreateCampaign',
        campaign: {
          campaign_id: id,
          name: `Campaign ${id}`,
          source_type: 'csv',
          source_id: key,
          source_sha256: createHash('sha256').update(csv).digest('hex'),
          total_rows: contacts,
          workflow_id: AGENT,
          traffic_split: null,
          telephony_configuration_id: CONFIG,
          e164_only: true,
          parent_campaign_id: null,
          retry_config: {
            enabled: true,
            max_retries: 1,
            retry_delay_seconds: 30,
            retry_on_busy: true,
            retry_on_no_answer: true,
            retry_on_voicemail: false,
          },
          max_concurrency: null,
          rate_limit_per_second: 20,
          schedule_config: null,
          circuit_breaker: null,
          ...settings,
        },
      });
      await command(id, { type: 'StartCampaign', firstRunId: runs });
      runs += contacts;
      return id;
    },
    process: async (extra = {}) => {
      const followed: Position[] = [];
      const life: Life = { dead: false, frozen: null, trap: null };
      const own = mortal(platform, life, options.feedLag ?? (() => 0), followed);
      const dialer = createDialer(own, {
        feed: embeddedFeed(own.events),
        leases: always,
        carriers: new Map([['ari', network.process(life)]]),
        ...extra,
      });
      await passing(dialer.start());
      return {
        dialer,
        readFrom: () => followed,
        kill: (after) => when(life, after, () => (life.dead = true)),
        freeze: (ms, after) =>
          when(life, after, () => {
            life.frozen ??= new Promise((thaw) =>
              clock.after(ms, () => {
                life.frozen = null;
                thaw();
              }),
            );
          }),
      };
    },
    until: async (reached, ms, what) => {
      const end = clock.monotonic() + ms;
      while (!reached()) {
        if (clock.monotonic() >= end) throw new Error(`not within ${ms} ms: ${what}`);
        const next = clock.untilNext();
        await clock.advance(Math.max(1, Math.min(next ?? 100, 250)));
      }
    },
    events: (type) => ledger.all.filter((e) => e.type === type),
    data: (type) => ledger.all.filter((e) => e.type === type).map((e) => e.data),
  };
};
