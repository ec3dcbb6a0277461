import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applicationName, ariCarrier } from '../../src/carriers/ari';
import type { RecordRow, Simulator, SimulatorOptions } from '../../src/carriers/simulator';
import { defaultMix, startSimulator } from '../../src/carriers/simulator';
import { chance } from '../../src/carriers/simulator/chance';
import { settingsOf } from '../../src/carriers/simulator/options';
import { phoneAt } from '../../src/carriers/simulator/phones';
import { WebSocket } from '../../src/carriers/websocket';
import type { CarrierConnection } from '../../src/ports/carrier';
import { eventually, newReference } from '../contract/carrier-harness';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const simulate = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const simulator = await startSimulator({ mode: 'by-digit', timeScale: 0.05, ...options });
  opened.push(simulator);
  return simulator;
};

const authorization = (user = 'ledgerline', password = 'secret'): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const ask = async (url: string, method = 'GET', body?: unknown, user?: string): Promise<Response> =>
  fetch(url, {
    method,
    headers: { authorization: authorization(user), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const place = (simulator: Simulator, number: string, more: object = {}): Promise<Response> =>
  ask(`${simulator.url}/ari/channels/${newReference()}`, 'POST', {
    endpoint: `PJSIP/${number}@trunk`,
    app: 'a',
    appArgs: 'run=3,attempt=1',
    ...more,
  });

const recordOf = async (simulator: Simulator, query = ''): Promise<RecordRow[]> =>
  (await (await fetch(`${simulator.url}/simulator/record${query}`)).text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordRow);

describe('the phones of the seeded mode', () => {
  const settings = settingsOf({ seed: 7 });

  it('do the same for the same seed, number and call, and something else for others', () => {
    expect(phoneAt(settings, '+15550100', 1)).toEqual(phoneAt(settings, '+15550100', 1));
    const many = Array.from({ length: 50 }, (_, i) => phoneAt(settings, '+15550100', i + 1));
    expect(new Set(many.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    expect(phoneAt(settingsOf({ seed: 8 }), '+15550100', 1)).not.toEqual(phoneAt(settings, '+15550100', 1));
  });

  it('keep to the mix', () => {
    const counts = new Map<string, number>();
    const total = 20_000;
    for (let i = 0; i < total; i += 1) {
      const { kind } = phoneAt(settings, `+1555${i}`, 1);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const share = (kind: string): number => (counts.get(kind) ?? 0) / total;
    expect(share('person')).toBeCloseTo(defaultMix.completed, 1);
    expect(Math.abs(share('busy') - defaultMix.busy)).toBeLessThan(0.01);
    expect(Math.abs(share('rings for ever') - defaultMix.noAnswer)).toBeLessThan(0.01);
    expect(Math.abs(share('machine') - defaultMix.voicemail)).toBeLessThan(0.01);
    expect(Math.abs(share('declines') - defaultMix.declined)).toBeLessThan(0.01);
    expect(Math.abs(share('unknown') - defaultMix.unallocated)).toBeLessThan(0.01);
  });

  it('draw evenly', () => {
    const draw = chance(1, 'x');
    const mean = Array.from({ length: 10_000 }, draw).reduce((a, b) => a + b, 0) / 10_000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
  });
});

describe('the simulator’s record', () => {
  it('holds every place request with its tags, and what became of it', async () => {
    const simulator = await simulate();
    await place(simulator, '+15550105');
    await place(simulator, '+15550105');
    await place(simulator, '+15550105', { endpoint: 'PJSIP/1@nowhere' });
    await eventually('they are over', 2_000, () => simulator.stats().open === 0);
    const rows = simulator.record();
    expect(rows).toMatchObject([
      {
        n: 1,
        number: '+15550105',
        nth: 1,
        args: ['run=3', 'attempt=1'],
        phone: 'busy',
        status: 200,
        cause: 17,
        end: 'refused',
      },
      { n: 2, number: '+15550105', nth: 2, phone: 'busy', status: 200 },
      { n: 3, nth: 0, phone: null, status: 500, end: null },
    ]);
    expect(rows[1]?.at_ms).toBeGreaterThanOrEqual(rows[0]?.at_ms ?? Infinity);
    expect(simulator.stats()).toMatchObject({ requests: 3, calls: 2, open: 0, by_status: { 200: 2, 500: 1 } });
  });

  it('can be read over HTTP whole and in pages', async () => {
    const simulator = await simulate();
    for (let i = 0; i < 5; i += 1) await place(simulator, '+15550106');
    expect(await recordOf(simulator)).toHaveLength(5);
    expect((await recordOf(simulator, '?after=3&limit=1')).map(({ n }) => n)).toEqual([4]);
    const stats = (await (await fetch(`${simulator.url}/simulator/stats`)).json()) as { max_open: number };
    expect(stats).toMatchObject({ requests: 5, open: 5, max_open: 5, apps: { a: { open: 5, max_open: 5 } } });
  });

  it('can be written to a file as well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
    const recordFile = join(folder, 'record.jsonl');
    const simulator = await startSimulator({ mode: 'by-digit', timeScale: 0.05, recordFile });
    await place(simulator, '+15550109');
    await eventually('it is over', 2_000, () => simulator.stats().open === 0);
    await simulator.close();
    const lines = readFileSync(recordFile, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { what: string }).what)).toEqual(['placed', 'ended']);
    rmSync(folder, { recursive: true });
  });
});

describe('the simulator’s faults', () => {
  it.each([
    ['unavailable', 503, null],
    ['refused', 500, null],
  ] as const)('%s answers %i and makes no call', async (fault, status, phone) => {
    const simulator = await simulate({ faults: { [fault]: 1 } });
    expect((await place(simulator, '+15550104')).status).toBe(status);
    expect(simulator.record()).toMatchObject([{ status, phone }]);
  });

  it.each([
    ['hangPlaced', 1],
    ['hangUnplaced', 0],
    ['resetPlaced', 1],
    ['resetUnplaced', 0],
  ] as const)('%s never answers, with %i calls made', async (fault, calls) => {
    const simulator = await simulate({ faults: { [fault]: 1 } });
    const signal = AbortSignal.timeout(200);
    const url = `${simulator.url}/ari/channels/${newReference()}`;
    const body = JSON.stringify({ endpoint: 'PJSIP/+15550104@trunk', app: 'a' });
    const headers = { authorization: authorization(), 'content-type': 'application/json' };
    await expect(fetch(url, { method: 'POST', headers, body, signal })).rejects.toThrow();
    expect(simulator.stats()).toMatchObject({ requests: 1, calls });
  });

  it('can be changed while it runs, by preset and by knob', async () => {
    const simulator = await simulate();
    const reply = await ask(`${simulator.url}/simulator/faults`, 'POST', { preset: 'lossy', refused: 1 });
    expect(await reply.json()).toMatchObject({ lost: 0.03, refused: 1 });
    expect((await place(simulator, '+15550104')).status).toBe(500);
    await ask(`${simulator.url}/simulator/faults`, 'POST', { preset: 'none' });
    expect((await place(simulator, '+15550104')).status).toBe(200);
    expect((await ask(`${simulator.url}/simulator/faults`, 'POST', { preset: 'nonsense' })).status).toBe(400);
  });
});

describe('the simulator’s restart', () => {
  it('refuses, knows no ARI, boots, and has forgotten its calls', async () => {
    const simulator = await simulate();
    await place(simulator, '+15550106');
    const before = (await (await ask(`${simulator.url}/ari/asterisk/info`)).json()) as {
      status: { startup_time: string };
    };
    expect((await ask(`${simulator.url}/simulator/restart`, 'POST', { down_ms: 150, boot_ms: 200 })).status).toBe(204);
    const seen: string[] = [];
    await eventually('it is up again', 5_000, async () => {
      try {
        const reply = await ask(`${simulator.url}/ari/channels`);
        seen.push(String(reply.status));
        return reply.status === 200 && (await reply.json());
      } catch {
        seen.push('refused');
        return false;
      }
    });
    expect([...new Set(seen)]).toEqual(['refused', '404', '503', '200']);
    expect(await (await ask(`${simulator.url}/ari/channels`)).json()).toEqual([]);
    const after = (await (await ask(`${simulator.url}/ari/asterisk/info`)).json()) as {
      status: { startup_time: string };
    };
    expect(after.status.startup_time > before.status.startup_time).toBe(true);
    expect(simulator.record()).toMatchObject([{ end: 'restart' }]);
  });
});

describe('the simulator’s access', () => {
  it('lets a reader read and listen, and not write', async () => {
    const simulator = await simulate();
    expect((await ask(`${simulator.url}/ari/channels`, 'GET', undefined, 'reader')).status).toBe(200);
    const denied = await ask(
      `${simulator.url}/ari/channels/x`,
      'POST',
      { endpoint: 'PJSIP/1@trunk', app: 'a' },
      'reader',
    );
    expect([denied.status, await denied.json()]).toEqual([403, { message: 'Write access denied' }]);
  });

  it.each([
    ['without a password', '/ari/events?app=a', null, 401],
    ['without an app', '/ari/events', authorization(), 400],
  ])('refuses an events socket %s', async (_what, path, header, status) => {
    const simulator = await simulate();
    const socket = new WebSocket(`${simulator.url.replace('http', 'ws')}${path}`, {
      headers: header === null ? {} : { authorization: header },
    });
    const error = await new Promise<Error>((resolve) => socket.on('error', resolve));
    expect(error.message).toContain(String(status));
  });

  it('makes an adapter that may not place calls wait, with the reason', async () => {
    const simulator = await simulate();
    const connection: CarrierConnection = ariCarrier({ amdContext: null }).connect(
      {
        organizationId: 1,
        configurationId: 1,
        installation: 'i',
        credentials: {
          ari_endpoint: simulator.url,
          app_name: 'reader',
          app_password: 'secret',
          dial_string_template: 'PJSIP/{number}@trunk',
        },
      },
      { news: () => undefined, readinessChanged: () => undefined },
    );
    opened.push(connection);
    // Without the right to write, not even the event filter can be set.
    await expect(eventually('it is ready', 500, () => connection.readiness().ready)).rejects.toThrow();
    expect(connection.readiness()).toMatchObject({ ready: false, reason: expect.stringMatching(/may not/) as string });
    expect(simulator.record()).toEqual([]);
  });
});

describe('an adapter whose configuration cannot be used', () => {
  it.each([
    [{}, /lacks/],
    [{ ari_endpoint: 'ftp://x', app_name: 'a', app_password: 'p' }, /address/],
    [{ ari_endpoint: 'nonsense', app_name: 'a', app_password: 'p' }, /address/],
  ])('%j is never ready and says why', async (credentials, reason) => {
    const connection = ariCarrier({ amdContext: null }).connect(
      { organizationId: 1, configurationId: 1, installation: 'i', credentials },
      { news: () => undefined, readinessChanged: () => undefined },
    );
    opened.push(connection);
    expect(connection.readiness()).toMatchObject({ ready: false, reason: expect.stringMatching(reason) as string });
    const call = {
      reference: newReference(),
      to: '1',
      callerId: null,
      ringSeconds: 1,
      talkSeconds: 1,
      detectMachine: false,
      tags: {},
    };
    expect(await connection.place(call, () => true)).toMatchObject({ kind: 'not_now' });
    expect(await connection.ask(call.reference)).toMatchObject({ kind: 'unreachable' });
  });
});

it('the application’s name is the installation’s and the configuration’s own', () => {
  expect(applicationName({ installation: 'ab-12', configurationId: 7 })).toBe('ledgerline_ab-12_7');
  expect(applicationName({ installation: 'a,b&c/d', configurationId: 7 })).toBe('ledgerline_abcd_7');
});
