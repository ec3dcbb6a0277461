/**
 * Idempotency-Key on POST, one key per organization, method and path. The key is claimed once the resource's decider has accepted the command;
 * the claim holds the ids that the request took, so that a repeat after a crash carries the very same work on. Only a 2xx is remembered.
 */
import { createHash, createHmac } from 'node:crypto';
import { isLeft, right, type Either } from 'fp-ts/Either';
import type { Decider } from '../core/decider';
import type { DomainEvent, Json } from '../core/event';
import { describeFailure, type Failure } from '../core/failure';
import { requestStream, type OrganizationId } from '../core/ids';
import { parsePosition } from '../core/position';
import { requestDecider, type ClaimedRequest } from '../domain/request/decider';
import type { CommandContext, Executed } from '../engine/execute';
import { pause } from '../engine/pause';
import type { Platform } from '../engine/platform';
import { sealForOrganization } from '../engine/seal';
import { plainCommands, type Commands } from './commands';
import type { Handled, Reply } from './route';

export interface IdempotentRequest {
  readonly org: OrganizationId;
  readonly context: CommandContext;
  readonly method: string;
  readonly path: string;
  /** The header's value, one that is allowed. */
  readonly key: string;
  /** The body's text. */
  readonly body: string;
  /** What of a good answer may be told again. */
  readonly remembered?: ((body: unknown) => unknown) | undefined;
}

const FIELD = 'request.answer';
/** How long a claim of another process is taken to be at work, ms. */
const AT_WORK_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/** Another process claimed the key while this one was deciding. */
class ClaimedElsewhere extends Error {}

/** UUID of the n-th command of a request. */
const commandIdOf = (stream: string, n: number): string => {
  const hex = createHash('sha256').update(`${stream}|${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const idempotency = (platform: Platform) => {
  const { clock, execute, events, seals, vault } = platform;
  // Requests of one key in this process go one after the other.
  const queues = new Map<string, Promise<unknown>>();
  // Claims of this process without an answer: with the queue nobody is at work on them when they are looked at.
  const unanswered = new Set<string>();

  const replay = async (org: OrganizationId, answer: NonNullable<ClaimedRequest['answer']>): Promise<Handled> => {
    const opened = answer.body === null ? null : ((await seals.open(org, answer.body)) as Remembered | null);
    return right({
      status: answer.status,
      body: opened?.body ?? null,
      headers: { 'Idempotency-Replayed': 'true' },
      etag: parsePosition(opened?.etag ?? '') ?? undefined,
    });
  };

  /** The claim; while another process seems to be at work on it, its answer is waited for. */
  const look = async (stream: string): Promise<ClaimedRequest | null> => {
    for (;;) {
      const { state } = await execute.load(requestDecider, stream);
      if (state === null || state.answer !== null || unanswered.has(stream)) return state;
      const [claimed] = await events.readStream(stream);
      const age = clock.now() - Date.parse(claimed?.metadata.at ?? '');
      if (!(age < AT_WORK_MS)) return state;
      await pause(clock, LOOK_AGAIN_MS);
    }
  };

  const attempt = async (
    request: IdempotentRequest,
    stream: string,
    bodyHash: string,
    handle: (commands: Commands) => Promise<Handled>,
  ): Promise<Handled> => {
    const { org, context } = request;
    const before = await look(stream);
    const claimAs = (reserved: Json) =>
      execute.run(requestDecider, stream, { type: 'ClaimRequest', bodyHash, reserved }, context);
    if (before !== null && before.bodyHash !== bodyHash) {
      const refused = await claimAs([]);
      return isLeft(refused) ? refused : right({ body: null });
    }
    if (before !== null && before.answer !== null) return replay(org, before.answer);

    const reserved: Json[] = [...((before?.reserved as readonly Json[] | undefined) ?? [])];
    let claimed = before !== null;
    // Whether anything was appended under the claim, now or by an earlier try.
    let carriedOut = before !== null;
    let taken = 0;
    let commands = 0;

    const claim = async (): Promise<Either<Failure, null>> => {
      if (claimed) return right(null);
      const done = await claimAs(reserved);
      if (isLeft(done)) return done;
      if (done.right.events.length === 0) throw new ClaimedElsewhere();
      unanswered.add(stream);
      claimed = true;
      return right(null);
    };
    const take = async <T extends Json>(make: () => Promise<Either<Failure, T>>): Promise<Either<Failure, T>> => {
      const at = taken++;
      if (at < reserved.length) return right(reserved[at] as T);
      const made = await make();
      if (!isLeft(made)) reserved.push(made.right);
      return made;
    };
    /** What an earlier try of this command appended; null: nothing. */
    const doneBefore = async <S, C, E extends DomainEvent>(
      decider: Decider<S, C, E>,
      on: string,
      commandId: string,
    ): Promise<Executed<S, E> | null> => {
      const own = (await events.readStream(on)).filter((e) => e.metadata.command_id === commandId).at(-1);
      if (own === undefined) return null;
      const { state, revision } = await execute.load(decider, on);
      return { events: [], state, revision, position: own.position };
    };

    const plain = plainCommands(platform, context);
    const answer = await handle({
      // What was claimed was accepted, and may be in force already.
      probe: async (decider, on, command) => (claimed ? right(null) : plain.probe(decider, on, command)),
      id: (kind) => take(() => plain.id(kind)),
      ids: (kind, count) => take(() => plain.ids(kind, count)),
      once: (make) => {
        const at = taken++;
        if (at >= reserved.length) reserved.push(make());
        return reserved[at] as never;
      },
      run: async (decider, on, command, options) => {
        const commandId = commandIdOf(stream, commands++);
        if (!claimed) {
          const { state } = await execute.load(decider, on);
          const decided = decider.decide(command, state, { now: clock.now() });
          if (isLeft(decided)) return decided;
          const made = await claim();
          if (isLeft(made)) return made;
        } else {
          const earlier = await doneBefore(decider, on, commandId);
          if (earlier !== null) return right(earlier);
        }
        const done = await execute.run(decider, on, command, { ...context, commandId }, options);
        // What is not known to have left nothing is taken to have left something.
        carriedOut ||= isLeft(done) ? done.left.kind === 'unavailable' : done.right.events.length > 0;
        return done;
      },
    });
    if (isLeft(answer)) {
      if (claimed && !carriedOut) await release(request, stream);
      return answer;
    }
    const made = await claim();
    if (isLeft(made)) return made;
    return remember(request, stream, answer.right);
  };

  /** Another request came between the claim and its work, which was refused for it: the key is free again. */
  const release = async ({ context }: IdempotentRequest, stream: string): Promise<void> => {
    const done = await execute.run(requestDecider, stream, { type: 'ReleaseRequest' }, context);
    if (isLeft(done)) platform.log.warn({ reason: describeFailure(done.left) }, 'a claim could not be released');
    else unanswered.delete(stream);
  };

  const remember = async (request: IdempotentRequest, stream: string, reply: Reply): Promise<Handled> => {
    const kept: Remembered = {
      body: (request.remembered?.(reply.body) ?? reply.body) as Json,
      etag: reply.etag ?? null,
    };
    const body = await sealForOrganization(vault, request.org, FIELD, kept as unknown as Json);
    const status = reply.status ?? 200;
    const done = await execute.run(requestDecider, stream, { type: 'AnswerRequest', status, body }, request.context);
    if (isLeft(done)) {
      // The work is done and stored; a repeat will find it by its claim.
      platform.log.warn({ reason: describeFailure(done.left) }, 'an answer could not be remembered');
      return right(reply);
    }
    unanswered.delete(stream);
    const { state } = done.right;
    // Another process was first: one key has one answer.
    const first = done.right.events.length === 0 ? (state?.answer ?? null) : null;
    return first === null ? right(reply) : replay(request.org, first);
  };

  /** Carries `handle` out at most once for the key, and answers like the first time. */
  return async (request: IdempotentRequest, handle: (commands: Commands) => Promise<Handled>): Promise<Handled> => {
    const stream = requestStream(
      request.org,
      createHash('sha256').update(`${request.method} ${request.path} ${request.key}`).digest('hex').slice(0, 32),
    );
    const bodyHash = createHmac('sha256', await vault.secret('request-bodies'))
      .update(request.body)
      .digest('hex');
    const again = async (): Promise<Handled> => {
      for (;;) {
        try {
          return await attempt(request, stream, bodyHash, handle);
        } catch (error) {
          if (!(error instanceof ClaimedElsewhere)) throw error;
        }
      }
    };
    const turn = (queues.get(stream) ?? Promise.resolve()).then(again);
    const queued = turn
      .catch(() => undefined)
      .then(() => {
        if (queues.get(stream) === queued) queues.delete(stream);
      });
    queues.set(stream, queued);
    return turn;
  };
};
export type Idempotency = ReturnType<typeof idempotency>;

interface Remembered {
  readonly body: Json;
  readonly etag: string | null;
}
