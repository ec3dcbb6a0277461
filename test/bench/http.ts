/** `npm run bench -- http`: GETs as fast as they go beside an empty Koa app, then GETs and commands at fixed rates; the platform is a program of its own. */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { restClient } from '../../src/demo/client';
import { startChild } from '../../src/demo/children';
import { pipeline } from '../support/pipeline';
import { listOf } from './measures';
import { setUp } from './platform';
import { percentile, type Figure } from './report';
import { secondsSince } from './yardsticks';

const KEY = 'llk_bench_0123456789abcdef';
const LISTENS = /listens on (\S+)/;
const CONNECTIONS = 32;

/** GETs per second over 32 connections, one under way on each. Rejects on any answer but 200. */
const rateOf = async (url: string, path: string, count: number): Promise<number> => {
  const asked = { method: 'GET', target: path, headers: { 'X-API-Key': KEY }, body: null };
  let left = count;
  const start = performance.now();
  await pipeline({
    port: Number(new URL(url).port),
    connections: CONNECTIONS,
    depth: 1,
    timeoutMs: 10_000,
    next: () => (left-- > 0 ? asked : null),
    answered: (_request, { status }) => {
      if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
    },
  });
  return count / secondsSince(start);
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** Latencies, ms, of requests sent at a fixed rate whatever the answers do: each counted from when it was due. */
const latencies = async (
  url: string,
  perSecond: number,
  seconds: number,
  sent: (i: number) => Sent,
): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const found: number[] = [];
  const one = (i: number, due: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const { method, path, body } = sent(i);
      const headers = { 'X-API-Key': KEY, ...(body === null ? {} : { 'Content-Type': 'application/json' }) };
      const asked = request(`${url}${path}`, { method, agent, headers }, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode !== 200) return reject(new Error(`${method} ${path} answered ${answer.statusCode}`));
          found.push(performance.now() - due);
          resolve();
        });
      });
      asked.on('error', reject);
      asked.end(body ?? undefined);
    });
  const start = performance.now();
  const all: Promise<void>[] = [];
  for (let i = 0; i < perSecond * seconds;) {
    for (const now = performance.now(); i < perSecond * seconds && start + (i * 1000) / perSecond <= now; i++)
      all.push(one(i, start + (i * 1000) / perSecond));
    await new Promise((next) => setTimeout(next, 1));
  }
  await Promise.all(all);
  agent.destroy();
  return found;
};

export const benchHttp = async (folder: string, quick: boolean, tell: (figure: Figure) => void): Promise<void> => {
  const file = await listOf({ folder, contacts: 10 });
  const koa = await startChild([join(__dirname, 'empty-koa.js')], {}, LISTENS);
  const cli = join(__dirname, '..', '..', 'src', 'cli.js');
  const platform = await startChild(
    [cli, 'serve', '--port', '0', '--data-dir', join(folder, 'http')],
    { LEDGERLINE_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'warn', HOST: '127.0.0.1' },
    LISTENS,
  );
  try {
    const url = platform.announced[1] as string;
    const empty = koa.announced[1] as string;
    const campaign = await setUp(restClient(url, KEY), file, {});
    const path = `/api/v1/campaign/${campaign}`;
    const [count, seconds] = quick ? [10_000, 5] : [60_000, 20];

    await rateOf(url, path, 2000);
    await rateOf(empty, '/', 2000);
    const bare = await rateOf(empty, '/', count);
    const gets = await rateOf(url, path, count);
    tell({
      name: 'GET of one campaign, authenticated',
      value: gets,
      unit: 'requests/s',
      bar: { text: `at least half of an empty Koa app; is ${(gets / bare).toFixed(2)} ×`, met: gets >= bare / 2 },
      yardstick: `empty Koa app ${Math.round(bare)} requests/s`,
    });

    const get = percentile(await latencies(url, 1000, seconds, () => ({ method: 'GET', path, body: null })), 0.99);
    tell({
      name: '  p99 at 1,000 GETs/s',
      value: get,
      unit: 'ms',
      bar: { text: 'under 20 ms', met: get < 20 },
      yardstick: null,
    });
    const renamed = (i: number): Sent => ({ method: 'PATCH', path, body: JSON.stringify({ name: `Bench ${i}` }) });
    const command = percentile(await latencies(url, 200, seconds, renamed), 0.99);
    tell({
      name: '  p99 at 200 commands/s, each read back',
      value: command,
      unit: 'ms',
      bar: { text: 'under 50 ms', met: command < 50 },
      yardstick: null,
    });
  } finally {
    await Promise.all([platform.stop(), koa.stop()]);
  }
};
