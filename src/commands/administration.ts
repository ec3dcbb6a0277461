/** What an administrator does with an installation: organizations, their limits, their keys. Works on any open platform. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { foldApiKeys } from '../../projections/api_keys';
import { describeFailure, type Failure } from '../core/failure';
import { apiKeysStream, dialingStream, organizationOf, organizationStream } from '../core/ids';
import { START } from '../core/position';
import { apiKeyDecider } from '../domain/api-key/decider';
import { Scope } from '../domain/api-key/events';
import { hashKey, makeKey, prefixOf } from '../domain/api-key/key';
import { dialingDecider } from '../domain/dialing/decider';
import { organizationDecider } from '../domain/organization/decider';
import { pause } from '../engine/pause';
import type { Platform } from '../engine/platform';
import type { ControlReply, ControlRequest } from './control-socket';

const ACTOR = { actor: 'cli' };

interface CreatedKey {
  readonly id: number;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: readonly Scope[] | null;
  readonly api_key: string;
}

const createKey = async (
  platform: Platform,
  org: number,
  name: string,
  scopes: readonly Scope[] | null,
  given: string | null,
): Promise<Either<Failure, CreatedKey>> => {
  const id = await platform.sequences.next('api_key');
  if (isLeft(id)) return id;
  const key = given ?? makeKey();
  const done = await platform.execute.run(
    apiKeyDecider,
    apiKeysStream(org),
    {
      type: 'CreateApiKey',
      apiKeyId: id.right,
      name,
      keyPrefix: prefixOf(key),
      keyHash: hashKey(key),
      scopes,
      creatorScopes: null,
    },
    ACTOR,
  );
  if (isLeft(done)) return done;
  await foldApiKeys(platform, org);
  return right({ id: id.right, name, key_prefix: prefixOf(key), scopes, api_key: key });
};

const createOrganization = async (platform: Platform, name: string): Promise<Either<Failure, number>> => {
  const id = await platform.sequences.next('organization');
  if (isLeft(id)) return id;
  const done = await platform.execute.run(
    organizationDecider,
    organizationStream(id.right),
    { type: 'CreateOrganization', organizationId: id.right, name },
    ACTOR,
  );
  return isLeft(done) ? done : id;
};

const changeLimits = async (
  platform: Platform,
  org: number,
  concurrentCalls: number | null,
  callsPerSecond: number | null,
): Promise<Either<Failure, unknown>> => {
  const stream = organizationStream(org);
  const done = await platform.execute.run(
    organizationDecider,
    stream,
    { type: 'ChangeLimits', concurrentCalls, callsPerSecond },
    ACTOR,
  );
  if (isLeft(done)) return done;
  // No turn is taken on the old limits any more.
  const fenced = await platform.execute.run(
    dialingDecider,
    dialingStream(org),
    { type: 'Fence', stream, revision: done.right.revision },
    ACTOR,
  );
  if (isLeft(fenced)) return fenced;
  return right({ organization_id: org, ...done.right.state?.limits });
};

/** The first organization that the ledger knows; null: none yet. */
const firstOrganization = async (platform: Platform): Promise<number | null> => {
  for (let after = START; ;) {
    const batch = await platform.events.readAll({ after, categories: ['organization'], limit: 10_000 });
    if (batch.events[0] !== undefined) return organizationOf(batch.events[0].stream);
    if (batch.caughtUp) return null;
    after = batch.position;
  }
};

/** How long a process waits for another one that makes the first organization at the same time, ms. */
const RIVAL_MS = 10_000;

/** Makes the first organization. Of several processes that start at once on an empty ledger, the one with the first id does; null: another did. */
const foundOrganization = async (platform: Platform, name: string): Promise<Either<Failure, number | null>> => {
  const id = await platform.sequences.next('organization');
  if (isLeft(id)) return id;
  const until = platform.clock.monotonic() + RIVAL_MS;
  while (id.right !== 1 && platform.clock.monotonic() < until) {
    if ((await firstOrganization(platform)) !== null) return right(null);
    await pause(platform.clock, 200);
  }
  const done = await platform.execute.run(
    organizationDecider,
    organizationStream(id.right),
    { type: 'CreateOrganization', organizationId: id.right, name },
    ACTOR,
  );
  return isLeft(done) ? done : id;
};

/**
 * Makes the first organization and its key where the ledger has none yet. A start that died between the two is carried on.
 * Right(null): there was nothing to do. `apiKey` null: it is the given one.
 */
export const bootstrap = async (
  platform: Platform,
  givenKey: string | null,
): Promise<
  Either<string, { readonly organizationId: number; readonly name: string; readonly apiKey: string | null } | null>
> => {
  const name = 'Default organization';
  const known = await firstOrganization(platform);
  if (known !== null && (await platform.events.readStream(apiKeysStream(known))).length > 0) return right(null);
  const org = known === null ? await foundOrganization(platform, name) : right(known);
  if (isLeft(org)) return left(describeFailure(org.left));
  if (org.right === null) return right(null);
  const key = await createKey(platform, org.right, 'First key', null, givenKey);
  if (isLeft(key)) return left(describeFailure(key.left));
  return right({ organizationId: org.right, name, apiKey: givenKey === null ? key.right.api_key : null });
};

const scopesOf = (value: unknown): readonly Scope[] | null => (Array.isArray(value) ? (value as Scope[]) : null);

const carryOut = async (platform: Platform, { command, args }: ControlRequest): Promise<Either<Failure, unknown>> => {
  const org = Number(args.org);
  switch (command) {
    case 'org create': {
      const name = String(args.name).trim();
      const id = await createOrganization(platform, name);
      if (isLeft(id)) return id;
      const key = await createKey(platform, id.right, 'First key', null, null);
      return isLeft(key) ? key : right({ organization_id: id.right, name, api_key: key.right.api_key });
    }
    case 'org limits':
      return changeLimits(
        platform,
        org,
        args.concurrent_calls as number | null,
        args.calls_per_second as number | null,
      );
    case 'key create': {
      const { state } = await platform.execute.load(organizationDecider, organizationStream(org));
      if (state === null) return left({ kind: 'not_found', message: `there is no organization ${org}` });
      const scopes = scopesOf(args.scopes);
      const unknown = scopes?.filter((s) => !Scope.is(s)) ?? [];
      if (unknown.length > 0)
        return left({ kind: 'rejected', message: `unknown scopes: ${unknown.join(', ')}; known: read, write, audit` });
      return createKey(platform, org, String(args.name), scopes, null);
    }
    default:
      return left({ kind: 'rejected', message: `unknown command '${command}'` });
  }
};

/** Carries out administrative commands. `keysChanged` is told after those that make keys. */
export const administration =
  (platform: Platform, keysChanged: () => void) =>
  async (request: ControlRequest): Promise<ControlReply> => {
    const done = await carryOut(platform, request);
    keysChanged();
    return isLeft(done) ? { ok: false, message: describeFailure(done.left) } : { ok: true, result: done.right };
  };
