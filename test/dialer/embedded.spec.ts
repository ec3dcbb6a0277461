/** The dialer on the embedded engines and the machine's clock: durable claims, real files, two processes one after the other. */
import { createHash, randomUUID } from 'node:crypto';
import { isLeft } from 'fp-ts/Either';
import { embeddedFeed } from '../../src/adapters/embedded/feed';
import { embeddedLeases } from '../../src/adapters/embedded/leases';
import type { RecordedEvent } from '../../src/core/event';
import { agentStream, campaignStream, organizationStream, telephonyStream } from '../../src/core/ids';
import { START } from '../../src/core/position';
import { createDialer, type DialerHandle } from '../../src/dialer';
import type { CampaignCommand } from '../../src/domain/campaign/commands';
import { campaignDecider } from '../../src/domain/campaign/decider';
import { chain, NO_HASH } from '../../src/engine/envelope';
import { sealForOrganization } from '../../src/engine/seal';
import type { CallNews, Carrier, CarrierListener } from '../../src/ports/carrier';
import { testPlatform, type TestPlatform } from '../support/platform';

const CONTACTS = 200;

/** Calls last 30 ms; whoever is connected hears of their ends, and who adopts one that ended meanwhile. */
const network = () => {
  const placed: string[] = [];
  const listeners = new Set<CarrierListener>();
  const over = new Set<string>();
  const endOf = (reference: string): CallNews => ({
    kind: 'ended',
    reference,
    at: new Date().toISOString(),
    outcome: 'completed',
    durationSeconds: 1,
    evidence: null,
  });
  const carrier: Carrier = {
    provider: 'ari',
    connect: (_account, listener) => {
      listeners.add(listener);
      return {
        readiness: () => ({ ready: true }),
        place: async (call, mayPlace) => {
          if (!mayPlace()) return { kind: 'withheld' };
          placed.push(call.tags['run'] ?? '');
          const { reference } = call;
          setTimeout(() => {
            over.add(reference);
            for (const l of listeners) l.news(endOf(reference));
          }, 30);
          return { kind: 'placed', carrierCallId: null };
        },
        hangUp: async () => true,
        ask: async () => ({ kind: 'gone' }),
        // A call that ended while nobody listened is told of to who asks after it.
        adopt: (calls) => {
          for (const { reference } of calls)
            if (over.has(reference)) setTimeout(() => listener.news(endOf(reference)), 5);
        },
        placing: () => 0,
        close: async () => void listeners.delete(listener),
      };
    },
  };
  return { carrier, placed };
};

const store = async (p: TestPlatform, stream: string, type: string, data: object): Promise<void> => {
  const by = {
    org: '1',
    actor: 'test',
    correlationId: randomUUID(),
    causationId: randomUUID(),
    commandId: randomUUID(),
  };
  const sealed = chain(stream, { revision: -1, hash: NO_HASH }, [{ type, data, schema: 1 }], {
    ...by,
    at: new Date().toISOString(),
  });
  const answer = await p.events.append(stream, -1, sealed);
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
};

const command = async (p: TestPlatform, asked: CampaignCommand): Promise<void> => {
  const done = await p.execute.run(campaignDecider, campaignStream(1, 1), asked, { actor: 'test' });
  if (isLeft(done)) throw new Error(JSON.stringify(done.left));
};

const prepare = async (p: TestPlatform): Promise<void> => {
  const limits = { concurrent_calls: 40, calls_per_second: 400 };
  const credentials = await sealForOrganization(p.vault, 1, 'telephony.credentials', {});
  const content = { workflow_definition: {}, workflow_configurations: {}, template_context_variables: {} };
  await store(p, organizationStream(1), 'OrganizationCreated', { organization_id: 1, name: 'Acme', limits });
  await store(p, telephonyStream(1), 'ConfigCreated', {
    telephony_configuration_id: 1,
    name: 'main',
    provider: 'ari',
    connectivity: 'api',
    is_default_outbound: true,
    credentials,
    account_fingerprint: null,
  });
  await store(p, agentStream(1, 1), 'AgentCreated', {
    workflow_id: 1,
    definition_id: 1,
    version_number: 1,
    name: 'Agent',
    workflow_uuid: randomUUID(),
    content,
  });
  const csv = ['phone_number', ...Array.from({ length: CONTACTS }, (_, i) => `+1555${1_000_000 + i}`)].join('\n');
  await p.objects.put('list.csv', Buffer.from(csv), 'text/csv');
  await command(p, {
    type: 'CreateCampaign',
    campaign: {
      campaign_id: 1,
      name: 'Campaign',
      source_type: 'csv',
      source_id: 'list.csv',
      source_sha256: createHash('sha256').update(csv).digest('hex'),
      total_rows: CONTACTS,
      workflow_id: 1,
      traffic_split: null,
      telephony_configuration_id: 1,
      e164_only: true,
      parent_campaign_id: null,
      retry_config: {
        enabled: false,
        max_retries: 0,
        retry_delay_seconds: 30,
        retry_on_busy: true,
        retry_on_no_answer: true,
        retry_on_voicemail: true,
      },
      max_concurrency: null,
      rate_limit_per_second: 400,
      schedule_config: null,
      circuit_breaker: null,
    },
  });
  await command(p, { type: 'StartCampaign', firstRunId: 1 });
};

const until = async (reached: () => boolean, what: string): Promise<void> => {
  const end = Date.now() + 20_000;
  while (!reached()) {
    if (Date.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
};

it('carries a campaign through a stop and another start, every claim durable before its call', async () => {
  const p = await testPlatform();
  try {
    await prepare(p);
    const { carrier, placed } = network();
    const start = async (): Promise<DialerHandle> => {
      const dialer = createDialer(p, {
        feed: embeddedFeed(p.events),
        leases: embeddedLeases(),
        carriers: new Map([['ari', carrier]]),
      });
      await dialer.start();
      return dialer;
    };
    const first = await start();
    await until(() => placed.length >= CONTACTS / 4, 'a quarter of the calls');
    await first.stop();
    const before = placed.length;
    const second = await start();
    await until(() => second.explain(1, 1).length === 1, 'completed');
    await second.stop();
    expect(before).toBeLessThan(CONTACTS);
    expect([...placed].sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: CONTACTS }, (_, i) => String(i + 1)),
    );
    const events: RecordedEvent[] = [];
    for (let after = START; ;) {
      const batch = await p.events.readAll({ after });
      events.push(...batch.events);
      after = batch.position;
      if (batch.caughtUp) break;
    }
    const count = (type: string): number => events.filter((e) => e.type === type).length;
    expect([count('RunCompleted'), count('CampaignCompleted'), second.status().callsInFlight]).toEqual([
      CONTACTS,
      1,
      0,
    ]);
  } finally {
    await p.dispose();
  }
}, 60_000);
