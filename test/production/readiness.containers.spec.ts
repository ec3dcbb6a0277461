/** Several processes on served engines, each engine away for a while: what clients and `/ready` are told, and that everything recovers by itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type Cluster, type Node } from '../support/cluster';
import { urlsOf, withEveryEngine, type Engine } from '../support/engines';
import { eventually } from '../support/programs';

interface Ready {
  readonly status: string;
  readonly engines: Readonly<Record<string, { ok: boolean; reason: string | null; since: string | null }>>;
  readonly consumers: readonly { name: string; lag_seconds: number }[];
}

const ready = async (node: Node): Promise<{ readonly status: number; readonly body: Ready }> => {
  const response = await fetch(`${node.url}/ready`, { signal: AbortSignal.timeout(10_000) });
  return { status: response.status, body: (await response.json()) as Ready };
};

const missing = async (node: Node): Promise<readonly string[]> =>
  Object.entries((await ready(node)).body.engines)
    .filter(([, engine]) => !engine.ok)
    .map(([name]) => name);

withEveryEngine({ mayStop: true }, (engines) => {
  let folder: string;
  let cluster: Cluster;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-ready-'));
    cluster = await startCluster({
      engines: urlsOf(engines()),
      roles: { api: 2, relay: 1, projector: 1, dialer: 1 },
      folder,
    });
  }, 120_000);

  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const node = (role: string): Node => cluster.of(role)[0] as Node;

  const send = async (which: number, method: string, path: string, key = cluster.key, body?: unknown) => {
    const begun = performance.now();
    const response = await fetch(`${cluster.of('api')[which]?.url}${path}`, {
      method,
      headers: { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: JSON.parse(text) as Record<string, unknown>,
      retryAfter: response.headers.get('retry-after'),
      ms: performance.now() - begun,
    };
  };

  const allReady = (): Promise<boolean> =>
    eventually('every role is ready', 45_000, async () => {
      for (const one of cluster.nodes) {
        const { status, body } = await ready(one);
        if (status !== 200) throw new Error(`${one.name}: ${JSON.stringify(body)}`);
      }
      return true;
    });

  const configuration = (name: string) => ({
    name,
    config: { provider: 'ari', ari_endpoint: 'http://127.0.0.1:9', app_name: 'a', app_password: 'b' },
  });

  it('is ready in every role, with the engines that the role needs and the lag of its consumers', async () => {
    await allReady();
    expect(Object.keys((await ready(node('relay'))).body.engines).sort()).toEqual(['bus', 'event_store']);
    expect(Object.keys((await ready(node('api'))).body.engines)).not.toContain('bus');
    const consumers = await Promise.all(
      ['relay', 'projector', 'dialer'].map(async (role) => (await ready(node(role))).body.consumers),
    );
    expect(consumers.map((list) => list[0]?.name)).toEqual(['relay', 'organizations', 'dialer']);
    const figures = await eventually('the dialer owns every partition', 15_000, async () => {
      const text = await (await fetch(`${node('dialer').url}/metrics`)).text();
      return /ledgerline_partitions_owned 64/.test(text) && /engine_up\{engine="bus"\}/.test(text) ? text : null;
    });
    expect(figures).toMatch(/ledgerline_consumer_lag_seconds\{consumer="dialer"\} \d/);
    expect(figures).toMatch(/ledgerline_engine_up\{engine="bus"\} 1/);
  });

  it('shows on one api process at once what was created on the other', async () => {
    const created = await send(0, 'POST', '/api/v1/organizations/telephony-configs', undefined, configuration('seen'));
    expect(created.status).toBe(200);
    const found = await send(1, 'GET', `/api/v1/organizations/telephony-configs/${String(created.body['id'])}`);
    expect(found.status).toBe(200);
  });

  it('refuses a key on one api process from the moment when it was archived on the other', async () => {
    for (let round = 0; round < 20; round++) {
      const made = await send(0, 'POST', '/api/v1/user/api-keys', undefined, { name: `key ${round}` });
      const key = String(made.body['api_key']);
      const path = `/api/v1/user/api-keys/${String(made.body['id'])}`;
      expect((await send(1, 'GET', '/api/v1/campaign/', key)).status).toBe(200);
      expect((await send(0, 'DELETE', path)).status).toBe(200);
      expect((await send(1, 'GET', '/api/v1/campaign/', key)).status).toBe(401);
      expect((await send(1, 'PUT', `${path}/reactivate`)).status).toBe(200);
      expect((await send(0, 'GET', '/api/v1/campaign/', key)).status).toBe(200);
    }
  });

  const outage = async (engine: Engine, how: 'kill' | 'pause', during: () => Promise<void>): Promise<void> => {
    await (how === 'kill' ? engine.kill() : engine.pause());
    try {
      await during();
    } finally {
      await (how === 'kill' ? engine.start() : engine.unpause());
    }
    await allReady();
  };

  it.each(['kill', 'pause'] as const)(
    'answers commands with 503 and Retry-After within 5 s while the ledger is away (%s), and works again afterwards',
    async (how) => {
      await outage(engines().eventstore, how, async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            send(i % 2, 'POST', '/api/v1/organizations/telephony-configs', undefined, configuration(`${how} ${i}`)),
          ),
        );
        for (const answer of answers) {
          expect(answer.status).toBe(503);
          expect(Number(answer.retryAfter)).toBeGreaterThan(0);
          expect(answer.ms).toBeLessThan(5000);
        }
        for (const role of ['api', 'relay', 'projector', 'dialer'])
          expect(await missing(node(role))).toContain('event_store');
        const { body } = await ready(node('relay'));
        expect(Date.parse(body.engines['event_store']?.since ?? '')).toBeLessThan(Date.now());
      });
      const after = await send(
        0,
        'POST',
        '/api/v1/organizations/telephony-configs',
        undefined,
        configuration(`after ${how}`),
      );
      expect(after.status).toBe(200);
    },
    90_000,
  );

  it.each(['kill', 'pause'] as const)(
    'answers requests within 5 s while the read store is away (%s)',
    async (how) => {
      await outage(engines().mongo, how, async () => {
        const answers = await Promise.all([0, 1].map((which) => send(which, 'GET', '/api/v1/campaign/')));
        for (const answer of answers) {
          expect(answer.status).toBe(503);
          expect(answer.ms).toBeLessThan(5000);
        }
        expect(await missing(node('projector'))).toContain('read_store');
        expect(await missing(node('relay'))).toEqual([]);
      });
      expect((await send(0, 'GET', '/api/v1/campaign/')).status).toBe(200);
    },
    90_000,
  );

  it('tells in the roles that use it that the bus is away, and only there', async () => {
    await outage(engines().nats, 'kill', async () => {
      await eventually('the relay misses the bus', 15_000, async () =>
        (await missing(node('relay'))).includes('bus') ? true : null,
      );
      expect(await missing(node('dialer'))).toEqual(['bus']);
      expect(await missing(node('api'))).toEqual([]);
    });
  }, 90_000);

  it('tells that the object store is away', async () => {
    await outage(engines().s3, 'kill', async () => {
      expect(await missing(node('api'))).toEqual(['object_store']);
    });
  }, 90_000);

  it('waits for engines that are not there yet, says for which, and starts when they come', async () => {
    const api = cluster.of('api')[1] as Node;
    await api.kill('SIGTERM');
    await engines().mongo.kill();
    const starting = api.start();
    const told = await eventually('the starting process answers', 15_000, async () => {
      const answer = await ready(api);
      return answer.body.engines['read_store']?.ok === false ? answer : null;
    });
    expect(told.status).toBe(503);
    expect(told.body.engines['read_store']?.since).toMatch(/^20/);
    const refused = await send(1, 'GET', '/api/v1/campaign/');
    expect(refused.status).toBe(503);
    expect(refused.body['detail']).toContain('read store');
    await engines().mongo.start();
    await starting;
    await allReady();
  }, 90_000);
});
