/**
 * Leases over a key-value bucket whose entries expire. Who should have a partition is agreed by rendezvous hashing over the processes heard of
 * lately (Thaler and Ravishankar, 1998): every process finds the same answer by itself, and a process that comes or goes moves only its share.
 * Who has it is an entry of the bucket, which only its maker can renew: by the revision, which also fences off one that lost it.
 * While the bus is away nobody can take anything, so a holder keeps what it has; a second owner is harmless by the rules of the ledger.
 */
import { createHash, randomUUID } from 'node:crypto';
import { PARTITIONS } from '../../core/ids';
import type { Logger } from '../../engine/telemetry';
import type { LeaseChange, Leases } from '../../ports/leases';
import { natsBus, NatsError, StorageType, type KV, type NatsConnection } from './nats-driver';
import { within } from '../../engine/within';
import { pause } from './waiting';

export interface NatsLeasesOptions {
  readonly url: string;
  readonly log: Logger;
  /** Name of this process among the others (default: random). */
  readonly id?: string;
  /** First word of the bucket's name (default `ledger`). */
  readonly name?: string;
  /** A partition whose owner died is free after this, ms (default 3000): found so, and taken over, within 4 s. */
  readonly ttl?: number;
}

/** Wrong last sequence: somebody else has written the entry. */
const WRONG_SEQUENCE = 10_071;
const isTaken = (error: unknown): boolean => error instanceof NatsError && error.api_error?.err_code === WRONG_SEQUENCE;

const weight = (member: string, partition: number): bigint =>
  createHash('sha256').update(`${member}/${partition}`).digest().readBigUInt64BE();

/** Partitions that `member` should have among all of `members`. */
export const shareOf = (member: string, members: readonly string[]): ReadonlySet<number> => {
  const share = new Set<number>();
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const [first] = members
      .map((one) => ({ one, weight: weight(one, partition) }))
      .sort((a, b) => (a.weight < b.weight ? 1 : a.weight > b.weight ? -1 : a.one < b.one ? -1 : 1));
    if (first?.one === member) share.add(partition);
  }
  return share;
};

interface Greeting {
  readonly id: string;
  readonly kind: 'here' | 'new' | 'gone';
}

/** Connects lazily. `start` answers at once; partitions are held as soon as the bus can be reached. */
export const natsLeases = (options: NatsLeasesOptions): Leases & { readonly ping: () => Promise<void> } => {
  const { log, ttl = 3000, id = randomUUID(), name = 'ledger' } = options;
  const bus = natsBus(options.url, 'leases');
  const subject = `${name}_leases.members`;
  const beat = Math.max(100, Math.floor(ttl / 8));
  /** A process not heard of for so long gets no share; what it holds is free a little later. */
  const silence = ttl * 0.75;
  /** Our entry of each partition held: its revision, and when it was written, on the monotonic clock. */
  const held = new Map<number, { readonly revision: number; readonly at: number }>();
  /** When each process was heard of last, on the monotonic clock. */
  const heard = new Map<string, number>();
  const stopping = new AbortController();
  let owned: ReadonlySet<number> = new Set();
  let tell: (change: LeaseChange) => void = () => undefined;
  let running: Promise<void> | null = null;
  let nudge: AbortController = new AbortController();

  const publishChange = (): void => {
    if (owned.size === held.size && [...held.keys()].every((p) => owned.has(p))) return;
    owned = new Set(held.keys());
    tell({ owned });
  };
  const greet = (nc: NatsConnection, kind: Greeting['kind']): void => {
    if (!nc.isClosed()) nc.publish(subject, JSON.stringify({ id, kind } satisfies Greeting));
  };

  const listen = (nc: NatsConnection): void => {
    nc.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        let greeting: Greeting;
        try {
          greeting = message.json<Greeting>();
        } catch {
          return;
        }
        if (greeting.id === id || typeof greeting.id !== 'string') return;
        const isNew = !heard.has(greeting.id);
        if (greeting.kind === 'gone') heard.delete(greeting.id);
        else heard.set(greeting.id, performance.now());
        // Whoever comes is answered at once, and whoever goes is succeeded at once.
        if (greeting.kind === 'new') greet(nc, 'here');
        if (isNew || greeting.kind === 'gone') nudge.abort();
      },
    });
  };

  const hold = (partition: number, revision: number): void => {
    held.set(partition, { revision, at: performance.now() });
  };

  /** One entry made, renewed or given back. What can't be done now is met again on the next beat. */
  const acquire = async (kv: KV, partition: number): Promise<void> => {
    try {
      hold(partition, await kv.create(String(partition), id));
    } catch (error) {
      if (!isTaken(error)) throw error;
      held.delete(partition);
    }
  };
  const renew = async (kv: KV, partition: number, revision: number): Promise<void> => {
    try {
      hold(partition, await kv.update(String(partition), id, revision));
    } catch (error) {
      if (!isTaken(error)) throw error;
      // The answer to our own last renewal was lost (the entry still names us), the server lost the entry, or somebody else has it.
      const entry = await kv.get(String(partition));
      if (entry?.operation === 'PUT' && entry.string() === id) hold(partition, entry.revision);
      else await acquire(kv, partition);
    }
  };
  const giveBack = async (kv: KV, partition: number, revision: number): Promise<void> => {
    await kv.delete(String(partition), { previousSeq: revision }).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
  };

  const balance = async (kv: KV): Promise<void> => {
    const now = performance.now();
    for (const [member, at] of heard) if (now - at > silence) heard.delete(member);
    const share = shareOf(id, [id, ...heard.keys()]);
    const toGive = [...held].filter(([partition]) => !share.has(partition));
    // First nobody works on them here any more, then they are free.
    for (const [partition] of toGive) held.delete(partition);
    publishChange();
    const work = toGive.map(([partition, { revision }]) => giveBack(kv, partition, revision));
    for (const partition of share) {
      const entry = held.get(partition);
      if (entry === undefined) work.push(acquire(kv, partition));
      else if (now - entry.at > ttl / 4) work.push(renew(kv, partition, entry.revision));
    }
    const done = await Promise.allSettled(work);
    publishChange();
    const failed = done.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };

  const openBucket = (nc: NatsConnection): Promise<KV> =>
    within(
      ttl,
      'the leases',
      nc.jetstream({ timeout: ttl / 2 }).views.kv(`${name}_leases`, { ttl, history: 1, storage: StorageType.File }),
    );

  const run = async (): Promise<void> => {
    let kv: KV | null = null;
    let listening: NatsConnection | null = null;
    let isAway = false;
    while (!stopping.signal.aborted) {
      try {
        const nc = await bus.connection();
        if (nc !== listening) {
          listening = nc;
          kv = null;
          listen(nc);
          greet(nc, 'new');
          // Those who are there answer, so that a newcomer does not grasp at everything first.
          await pause(Math.min(300, beat), stopping.signal);
        }
        kv ??= await openBucket(nc);
        greet(nc, 'here');
        nudge = new AbortController();
        await balance(kv);
        if (isAway) log.info({ partitions: held.size }, 'leases are renewed again');
        isAway = false;
      } catch (error) {
        // The bucket may be gone with the server's store: it is made again.
        kv = null;
        if (!isAway && !stopping.signal.aborted)
          log.warn(
            { reason: (error as Error).message, partitions: held.size },
            'leases can not be renewed; what is held is kept',
          );
        isAway = true;
      }
      await pause(beat, AbortSignal.any([stopping.signal, nudge.signal]));
    }
    try {
      const nc = await bus.connection();
      const bucket = kv ?? (await openBucket(nc));
      await within(ttl, 'the leases', Promise.all([...held].map(([p, { revision }]) => giveBack(bucket, p, revision))));
      greet(nc, 'gone');
      await within(1000, 'the leases', nc.flush());
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'leases could not be handed back; they expire');
    }
    held.clear();
  };

  return {
    owned: () => owned,
    ping: bus.ping,
    start: async (onChange) => {
      tell = onChange;
      running ??= run();
    },
    release: async () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      owned = new Set();
      tell({ owned });
      await running;
      await bus.close();
    },
  };
};
