import { ariCarrier } from '../../src/carriers/ari';
import type { RecordRow } from '../../src/carriers/simulator';
import { faultPresets, startSimulator } from '../../src/carriers/simulator';
import type { CallNews, CallOutcome, CarrierConnection, PlaceResult } from '../../src/ports/carrier';
import { eventually, newReference } from '../contract/carrier-harness';

const calls = 600;

/** What the phone really did. A machine is found out where detection was on and had the time. */
const truth = (row: RecordRow): readonly CallOutcome[] => {
  // A call that never rang until its timeout was not answered by a phone, but by a trunk that is silent.
  if (row.end === 'ring_timeout') return [row.state === 'Ringing' ? 'no_answer' : 'failed'];
  switch (row.phone) {
    case 'person':
      return ['completed'];
    case 'machine':
      return row.end === 'hung_up' ? ['voicemail'] : ['completed', 'voicemail'];
    case 'busy':
      return ['busy'];
    default:
      return ['failed'];
  }
};

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

it('over a wire that loses, repeats, reorders, delays, refuses and hangs, every call ends once, with the truth or as uncertain', async () => {
  const lossy = faultPresets['lossy'];
  expect(lossy?.lost).toBeGreaterThan(0);
  const simulator = await startSimulator({
    seed: 5,
    timeScale: 0.02,
    answerSeconds: 1,
    faults: { ...lossy, lateMs: 150 },
  });
  opened.push(simulator);
  const news = new Map<string, CallNews[]>();
  const connection: CarrierConnection = ariCarrier({
    amdContext: 'amdback',
    timing: {
      placeTimeoutMs: 300,
      askGapMs: 300,
      eventGraceMs: 200,
      ringGraceMs: 200,
      endGraceMs: 200,
      detectionMs: 400,
      upCheckMs: 700,
      bootRetryMs: 20,
    },
  }).connect(
    {
      organizationId: 1,
      configurationId: 1,
      installation: 'lossy',
      credentials: {
        ari_endpoint: simulator.url,
        app_name: simulator.user,
        app_password: simulator.password,
        dial_string_template: 'PJSIP/{number}@trunk',
      },
    },
    {
      news: (each) => news.set(each.reference, [...(news.get(each.reference) ?? []), each]),
      readinessChanged: () => undefined,
    },
  );
  opened.push(connection);
  const results = new Map<string, PlaceResult>();
  const place = async (i: number): Promise<void> => {
    await eventually('it is ready', 10_000, () => connection.readiness().ready);
    const reference = newReference();
    const call = {
      reference,
      callerId: null,
      ringSeconds: 4,
      talkSeconds: 30,
      detectMachine: i % 2 === 0,
      tags: { attempt: String(i) },
    };
    const result = await connection.place({ ...call, to: `+1555${10_000 + i}` }, () => true);
    if (result.kind !== 'not_now') {
      results.set(reference, result);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, result.retryAfterMs));
    return place(i);
  };
  const workers = Array.from({ length: 20 }, async (_, worker) => {
    for (let i = worker; i < calls; i += 20) await place(i);
  });
  await Promise.all(workers);
  const followed = [...results]
    .filter(([, { kind }]) => kind === 'placed' || kind === 'unknown')
    .map(([reference]) => reference);
  await eventually('all calls ended', 20_000, () =>
    followed.every((reference) => news.get(reference)?.at(-1)?.kind === 'ended'),
  );

  const order = ['ringing', 'answered', 'ended'];
  for (const [reference, told] of news) {
    const kinds = told.map(({ kind }) => kind);
    expect([reference, kinds]).toEqual([
      reference,
      [...new Set(kinds)].sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    ]);
  }
  for (const [reference, result] of results)
    if (result.kind === 'refused') expect([reference, news.has(reference)]).toEqual([reference, false]);

  const rows = new Map(simulator.record().map((row) => [row.channel_id, row]));
  expect(rows.size).toBe(simulator.record().length);
  expect(results.size).toBe(calls);
  const ends = new Set([...news.values()].map((told) => (told.at(-1) as { outcome?: string }).outcome));
  const wrong: unknown[] = [];
  let sure = 0;
  for (const reference of followed) {
    const end = news.get(reference)?.at(-1);
    const row = rows.get(reference);
    const outcome = end?.kind === 'ended' ? end.outcome : 'none';
    const possible = row === undefined || row.phone === null ? [] : truth(row);
    if (outcome === 'uncertain') continue;
    sure += 1;
    if ((row?.answered_ms ?? null) !== null)
      expect([row, ['completed', 'voicemail']]).toEqual([row, expect.arrayContaining([outcome])]);
    else expect([row, outcome]).not.toEqual([row, 'completed']);
    if (!(possible as readonly string[]).includes(outcome)) wrong.push({ row, told: news.get(reference) });
  }
  // One lost event never changes a verdict; of one call both the end and the request before it may be lost.
  expect(wrong.slice(calls * 0.01)).toEqual([]);
  expect(sure).toBeGreaterThan(calls * 0.9);
  expect(ends.has('voicemail')).toBe(true);
  expect(simulator.stats().events_lost).toBeGreaterThan(30);
}, 60_000);
