/**
 * A telephone network on a virtual clock, with seeded faults. It outlives the processes that call through it, and keeps the record that judges
 * them: every place request that arrived, and how long each call lived.
 */
import type {
  AskResult,
  CallNews,
  CallOutcome,
  Carrier,
  CarrierConnection,
  CarrierListener,
  CarrierReadiness,
  KnownCall,
  PlaceCall,
  PlaceResult,
} from '../../src/ports/carrier';
import type { Clock } from '../../src/ports/clock';
import { seeded, type Random } from './random';

export interface NetworkFaults {
  /** Share of place requests whose answer is lost, though the call is made. */
  readonly lostAnswer: number;
  /** Share of place requests that never arrive, and are never answered. */
  readonly lostRequest: number;
  readonly refused: number;
  /** Share answered with "not now, wait". */
  readonly notNow: number;
  /** Share of news that never comes (each piece). */
  readonly lostNews: number;
  /** Share of questions that get no proof. */
  readonly unreachable: number;
}
export const noFaults: NetworkFaults = {
  lostAnswer: 0,
  lostRequest: 0,
  refused: 0,
  notNow: 0,
  lostNews: 0,
  unreachable: 0,
};

export interface NetworkOptions {
  readonly clock: Clock;
  readonly seed?: number;
  readonly faults?: Partial<NetworkFaults>;
  /** ms until a request arrives; and until its answer is back. */
  readonly latency?: readonly [number, number];
  /** ms until a request is about to be written, and `mayPlace` asked. */
  readonly writeLatency?: readonly [number, number];
  readonly answerLatency?: readonly [number, number];
  readonly ringMs?: readonly [number, number];
  readonly talkMs?: readonly [number, number];
  /** Calls last longer than they may. */
  readonly ignoresLimits?: boolean;
  /** What becomes of a call (default: a seeded mix). */
  readonly outcome?: (to: string, random: Random) => CallOutcome;
}

/** A call as the network saw it. Times: monotonic ms. */
export interface Seen {
  readonly reference: string;
  readonly to: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly callerId: string | null;
  readonly placedAt: number;
  /** The machine's time of day at that moment, epoch ms. */
  readonly placedAtWall: number;
  readonly outcome: CallOutcome;
  answeredAt: number | null;
  endedAt: number | null;
}

export interface FakeNetwork {
  readonly seen: readonly Seen[];
  /** Requests refused by the network; nothing rang. */
  readonly refusals: number;
  readonly carrier: Carrier;
  /** Faults from now on. */
  setFaults(faults: Partial<NetworkFaults>): void;
  setReadiness(readiness: CarrierReadiness): void;
  /** Calls living now. */
  living(): number;
  /** Connections made so far. */
  connections(): number;
  /** Connections made from now on belong to this process; a dead one's hear nothing more. */
  process(life: Life): Carrier;
}

/** A question about a reference is answered only when no request of before can still arrive. */
const PROOF_MS = 1500;
const ANSWER_LIMIT = 3000;

const usualOutcome = (_to: string, random: Random): CallOutcome => {
  const roll = random.next();
  if (roll < 0.6) return 'completed';
  if (roll < 0.75) return 'busy';
  if (roll < 0.9) return 'no_answer';
  return roll < 0.95 ? 'voicemail' : 'failed';
};

/** Of the process that a connection belongs to. */
export interface Life {
  readonly dead: boolean;
  /** Until it goes on. */
  readonly frozen: Promise<void> | null;
}

interface Following {
  readonly listener: CarrierListener;
  readonly life: Life;
  /** What was told per reference, so that news stays monotone. */
  readonly told: Map<string, 'nothing' | 'ringing' | 'answered' | 'ended'>;
  closed: boolean;
}

export const fakeNetwork = (options: NetworkOptions): FakeNetwork => {
  const { clock } = options;
  const random = seeded(options.seed ?? 1);
  let faults: NetworkFaults = { ...noFaults, ...options.faults };
  let readiness: CarrierReadiness = { ready: true };
  const seen: Seen[] = [];
  const calls = new Map<string, Seen>();
  const followers = new Set<Following>();
  let refusals = 0;
  let connections = 0;
  const between = ([low, high]: readonly [number, number]): number => random.int(low, high);
  const outcomeOf = options.outcome ?? usualOutcome;
  const iso = (): string => new Date(clock.now()).toISOString();

  /** A process that stands still hears it when it goes on. */
  const hear = (follower: Following, tellIt: () => void): void => {
    const { life } = follower;
    if (life.frozen === null) return tellIt();
    void life.frozen.then(() => (life.dead ? undefined : hear(follower, tellIt)));
  };

  const RANK = { nothing: 0, ringing: 1, answered: 2, ended: 3 } as const;
  const tell = (news: CallNews, only?: Following): void => {
    for (const follower of only === undefined ? [...followers] : [only]) {
      const told = follower.told.get(news.reference);
      if (told === undefined || follower.closed || follower.life.dead) continue;
      if (RANK[told] >= RANK[news.kind] || random.chance(faults.lostNews)) continue;
      follower.told.set(news.reference, news.kind);
      hear(follower, () => follower.listener.news(news));
    }
  };

  const end = (call: Seen): void => {
    if (call.endedAt !== null) return;
    call.endedAt = clock.monotonic();
    tell({
      kind: 'ended',
      reference: call.reference,
      at: iso(),
      outcome: call.outcome,
      durationSeconds: call.answeredAt === null ? null : Math.round((call.endedAt - call.answeredAt) / 1000),
      evidence: null,
    });
  };

  /** The request arrives: from here on a telephone rings. */
  const arrive = (request: PlaceCall): void => {
    const call: Seen = {
      reference: request.reference,
      to: request.to,
      tags: request.tags,
      callerId: request.callerId,
      placedAt: clock.monotonic(),
      placedAtWall: clock.now(),
      outcome: outcomeOf(request.to, random),
      answeredAt: null,
      endedAt: null,
    };
    seen.push(call);
    calls.set(call.reference, call);
    const ring = Math.min(between(options.ringMs ?? [500, 3000]), request.ringSeconds * 1000);
    const talk = Math.min(
      between(options.talkMs ?? [1000, 8000]),
      options.ignoresLimits === true ? Infinity : request.talkSeconds * 1000,
    );
    clock.after(between([5, 200]), () => tell({ kind: 'ringing', reference: call.reference, at: iso() }));
    const answers = call.outcome === 'completed' || call.outcome === 'voicemail';
    if (!answers) return void clock.after(ring, () => end(call));
    clock.after(ring, () => {
      if (call.endedAt !== null) return;
      call.answeredAt = clock.monotonic();
      const answeredBy = call.outcome === 'voicemail' ? 'machine' : 'human';
      tell({ kind: 'answered', reference: call.reference, at: iso(), answeredBy });
      clock.after(talk, () => end(call));
    });
  };

  const wait = (ms: number): Promise<void> => new Promise((done) => clock.after(ms, done));

  const connect = (listener: CarrierListener, life: Life): CarrierConnection => {
    const follower: Following = { listener, life, told: new Map(), closed: false };
    followers.add(follower);
    connections += 1;
    let placing = 0;
    const uncertain = (reference: string): void =>
      tell(
        { kind: 'ended', reference, at: iso(), outcome: 'uncertain', durationSeconds: null, evidence: null },
        follower,
      );

    const answerTo = async (request: PlaceCall): Promise<PlaceResult> => {
      const fate = random.next();
      const cut = (share: number, before: number): boolean => fate >= before && fate < before + share;
      const f = faults;
      if (cut(f.refused, 0)) {
        await wait(between(options.answerLatency ?? [2, 40]));
        refusals += 1;
        follower.told.delete(request.reference);
        return { kind: 'refused', code: '400', message: 'bad destination' };
      }
      if (cut(f.notNow, f.refused)) {
        await wait(between(options.answerLatency ?? [2, 40]));
        follower.told.delete(request.reference);
        return { kind: 'not_now', code: '429', message: 'too many requests', retryAfterMs: 500 };
      }
      const arrives = !cut(f.lostRequest, f.refused + f.notNow);
      const answered = arrives && !cut(f.lostAnswer, f.refused + f.notNow + f.lostRequest);
      if (arrives) {
        await wait(between(options.latency ?? [1, 15]));
        arrive(request);
      }
      if (answered) {
        await wait(between(options.answerLatency ?? [2, 40]));
        return { kind: 'placed', carrierCallId: `c-${request.reference.slice(0, 8)}` };
      }
      await wait(ANSWER_LIMIT);
      // As the port promises: it asks by itself, and reports a call that does not live.
      clock.after(PROOF_MS, () => {
        const call = calls.get(request.reference);
        if (call === undefined || call.endedAt !== null) uncertain(request.reference);
      });
      return { kind: 'unknown', message: 'no answer' };
    };

    return {
      readiness: () => (follower.closed ? { ready: false, reason: 'closed', until: null } : readiness),
      place: async (request, mayPlace) => {
        const late = between(options.writeLatency ?? [0, 0]);
        if (late > 0) await wait(late);
        while (life.frozen !== null) await life.frozen;
        if (life.dead || follower.closed || !readiness.ready || !mayPlace()) return { kind: 'withheld' };
        follower.told.set(request.reference, 'nothing');
        placing += 1;
        const result = await answerTo(request);
        while (life.frozen !== null) await life.frozen;
        placing -= 1;
        return life.dead ? new Promise<never>(() => undefined) : result;
      },
      hangUp: async (reference) => {
        const call = calls.get(reference);
        await wait(between([1, 20]));
        if (call !== undefined) end(call);
        return true;
      },
      ask: async (reference): Promise<AskResult> => {
        await wait(PROOF_MS);
        if (random.chance(faults.unreachable)) return { kind: 'unreachable', message: 'no answer' };
        const call = calls.get(reference);
        return call === undefined || call.endedAt !== null
          ? { kind: 'gone' }
          : { kind: 'alive', answered: call.answeredAt !== null };
      },
      adopt: (known: readonly KnownCall[]) => {
        for (const { reference, answered } of known) {
          if (follower.told.has(reference)) continue;
          follower.told.set(reference, answered ? 'answered' : 'nothing');
          clock.after(PROOF_MS, () => {
            const call = calls.get(reference);
            if (call === undefined || call.endedAt !== null) uncertain(reference);
          });
        }
      },
      placing: () => placing,
      close: async () => {
        follower.closed = true;
        followers.delete(follower);
      },
    };
  };

  const process = (life: Life): Carrier => ({
    provider: 'ari',
    connect: (_account, listener) => connect(listener, life),
  });

  return {
    seen,
    get refusals() {
      return refusals;
    },
    carrier: process({ dead: false, frozen: null }),
    setFaults: (next) => {
      faults = { ...noFaults, ...next };
    },
    setReadiness: (next) => {
      readiness = next;
      for (const follower of followers) if (!follower.life.dead) hear(follower, follower.listener.readinessChanged);
    },
    connections: () => connections,
    living: () => seen.filter((call) => call.endedAt === null).length,
    process,
  };
};
