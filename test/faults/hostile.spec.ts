/**
 * Generated hostile requests against the program itself, pipelined over several connections. 5,000 in `npm test`; FAULTS=full sends 100,000.
 * HOSTILE_REQUESTS and HOSTILE_SEED say otherwise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedEventStore } from '../../src/adapters/embedded/event-store';
import { ACCOUNT_CARRIERS } from '../../src/carriers/accounts';
import { START } from '../../src/core/position';
import { accountsPeer, type AccountsPeer } from '../carriers/accounts-peer';
import { furnish, makeCampaign } from '../http/furnish';
import { hostileRequests } from '../http/hostile-requests';
import { answerOf, type Answer, type Client } from '../support/http';
import { inspectHeap } from '../support/inspector';
import { pipeline } from '../support/pipeline';
import { eventually, freePort, runCli, startPlatform, type Program } from '../support/programs';
import { seeded } from '../support/random';

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? (process.env.FAULTS === 'full' ? 100_000 : 5_000));
const SEED = Number(process.env.HOSTILE_SEED ?? 20260714);
/** Of one request, pipelined requests before it on its connection included, ms. */
const TIMEOUT = 20_000;
/** What the heap may grow by from a tenth of the requests to the end, bytes; what the requests created and is remembered counts too. */
const HEAP_GROWTH = 64 * 1024 * 1024;
const KEY = 'llk_hostile_test_0123456789abcdef';

let folder: string;
let carriers: AccountsPeer;
let program: Program;
let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-hostile-'));
  port = await freePort();
  carriers = await accountsPeer();
  const urls = ACCOUNT_CARRIERS.map((carrier) => [`CARRIER_URL_${carrier.toUpperCase()}`, carriers.url]);
  program = await startPlatform({
    folder,
    port,
    key: KEY,
    env: { NODE_OPTIONS: '--inspect=127.0.0.1:0', LOG_LEVEL: 'error', ...Object.fromEntries(urls) },
  });
}, 60_000);
afterAll(async () => {
  await program?.kill('SIGKILL');
  await carriers?.close();
  await rm(folder, { recursive: true, force: true });
});

const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  answerOf(
    await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'X-API-Key': KEY, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
const client = {
  get: (path) => call('GET', path),
  post: (path, body) => call('POST', path, body),
} as Pick<Client, 'get' | 'post'> as Client;

/** What events of the ledger came from which request. */
const causesInLedger = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const store = await embeddedEventStore({ folder });
  const causes = new Map<string, readonly string[]>();
  for (let after = START, more = true; more;) {
    const batch = await store.readAll({ after, limit: 5000 });
    for (const { type, stream, metadata } of batch.events)
      causes.set(metadata.correlation_id, [...(causes.get(metadata.correlation_id) ?? []), `${stream} ${type}`]);
    after = batch.position;
    more = !batch.caughtUp;
  }
  await store.close();
  return causes;
};

it(
  `${REQUESTS} hostile requests: no 5xx, no hang, flat memory, and what is refused leaves no trace (seed ${SEED})`,
  async () => {
    const ground = await furnish(client);
    const campaign = await makeCampaign(client, ground);
    const document = (await client.get('/api/v1/openapi.json')).body;
    const texts = ['csv', ground.source, '+14155550100', 'UTC', '09:00', 'a.csv', 'active'];
    const make = hostileRequests(
      document,
      { key: KEY, ids: [campaign, ground.agent, ground.config, 1, 2, 3], texts },
      seeded(SEED),
    );
    const inspector = /Debugger listening on (ws:\S+)/.exec(program.output())?.[1] ?? '';
    const heap = await inspectHeap(inspector);

    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    const refused = new Map<string, string>();
    const accepted = new Set<string>();
    const send = async (count: number): Promise<number> => {
      let left = count;
      const begun = performance.now();
      await pipeline({
        port,
        connections: 8,
        depth: 8,
        timeoutMs: TIMEOUT,
        next: () => (left-- > 0 ? make() : null),
        answered: (request, { status, headers, body }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          const said = `${request.method} ${request.target} ${request.body?.slice(0, 500) ?? ''}`;
          if (status >= 500) wrong.push(`${said} answered ${status} ${body.slice(0, 300)}`);
          if (status < 400) accepted.add(headers.get('x-request-id') ?? '');
          else {
            refused.set(
              headers.get('x-request-id') ?? '',
              `${status} ${said} ${JSON.stringify(request.headers)} ${body}`,
            );
            try {
              JSON.parse(body);
            } catch {
              wrong.push(`${said} answered ${status} without JSON: ${body.slice(0, 300)}`);
            }
          }
        },
      });
      return performance.now() - begun;
    };

    const first = await send(Math.ceil(REQUESTS / 10));
    const early = await heap.usedHeap();
    const rest = await send(REQUESTS - Math.ceil(REQUESTS / 10));
    const late = await heap.usedHeap();
    heap.close();
    const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
    process.stderr.write(
      `${REQUESTS} hostile requests: ${Math.round((REQUESTS / (first + rest)) * 1000)}/s; heap ${megabytes(early)} MiB at a tenth, ` +
        `${megabytes(late)} MiB at the end; ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}\n`,
    );

    expect(wrong.slice(0, 20)).toEqual([]);
    expect([...statuses.values()].reduce((sum, n) => sum + n, 0)).toBe(REQUESTS);
    // Both kinds of answers were among them.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404, 422]));
    expect(late - early).toBeLessThan(HEAP_GROWTH);
    expect((await client.get('/api/v1/workflow/count')).status).toBe(200);
    await eventually('the read models', 60_000, async () =>
      (await client.get('/ready')).status === 200 ? true : null,
    );
    expect(program.exited()).toBe(false);
    await program.kill('SIGTERM');

    const causes = await causesInLedger();
    expect([...accepted].filter((id) => causes.has(id)).length).toBeGreaterThan(REQUESTS / 200);
    /** What an overtaken request may leave: a key claimed and given back. */
    const isOvertaken = (traces: readonly string[]): boolean =>
      traces.map((trace) => trace.replace(/.* /, '')).join(' ') === 'RequestClaimed RequestReleased';
    const traces = [...refused].flatMap(([id, said]) => {
      const left = causes.get(id);
      return left === undefined || isOvertaken(left) ? [] : [[said.slice(0, 600), left]];
    });
    expect(traces).toEqual([]);
    const verified = await runCli(['verify', '--data-dir', folder]);
    expect([verified.code, verified.output]).toEqual([0, expect.any(String)]);
  },
  120_000 + REQUESTS * 20,
);
