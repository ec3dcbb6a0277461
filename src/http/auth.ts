/** Who calls: `X-API-Key`, else `Authorization: Bearer <key>`. Keys are found by their SHA-256; nothing else of them is known here. */
import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { Scope } from '../domain/api-key/events';
import { hashKey } from '../domain/api-key/key';
import { within } from '../engine/within';
import { Refusal } from './problem';
import type { Caller } from './route';

/** What is known of a live key. */
export interface KnownKey extends Caller {
  /** Lower-case hex SHA-256 of the key. */
  readonly keyHash: string;
}

export type Authenticate = (ctx: Context, scope: Scope) => Promise<Caller>;

export interface Authentication {
  readonly authenticate: Authenticate;
  /** Forgets what was remembered of keys; a key handler calls it after its change is in the read model. */
  readonly forget: () => void;
}

export interface AuthenticationDeps {
  /** The live (not archived) key of that hash; null: none. Rejects while the read store is away. */
  readonly find: (keyHash: string) => Promise<KnownKey | null>;
  /** Whether the ledger has the key as live: asked for keys seen before, while the read store is away. */
  readonly confirm: (key: KnownKey) => Promise<boolean>;
  /** Told of every accepted use. Never rejects. */
  readonly used: (caller: Caller) => void;
  /** Remember found keys: only where every change of a key passes through this very process. */
  readonly remember: boolean;
}

const REMEMBERED = 10_000;
/** A read store that takes longer, ms, is not waited for where the ledger can tell. */
const SLOW_MS = 1000;

const unauthorized = (message: string): Refusal => new Refusal({ kind: 'unauthorized', message });

/** The key that a request carries; the first non-empty header wins, even when its key is bad. */
const keyOf = (ctx: Context): string => {
  const direct = ctx.get('X-API-Key').trim();
  if (direct !== '') return direct;
  const authorization = ctx.get('Authorization').trim();
  if (authorization === '')
    throw unauthorized('An API key is required: send it as X-API-Key, or as Authorization: Bearer');
  const key = authorization.replace(/^Bearer(\s+|$)/i, '').trim();
  if (key === '') throw unauthorized('The Authorization header carries no key');
  return key;
};

const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export const authentication = (deps: AuthenticationDeps): Authentication => {
  const known = new Map<string, KnownKey>();
  // Keys that were found once: never believed by themselves, but they say where in the ledger to look.
  const seen = new Map<string, KnownKey>();
  // Raised by `forget`, so that a look-up begun before it is not remembered after it.
  let generation = 0;

  const findOrConfirm = async (hash: string): Promise<KnownKey | null> => {
    const before = seen.get(hash);
    if (before === undefined) return deps.find(hash);
    try {
      return await within(SLOW_MS, 'the read store', deps.find(hash));
    } catch {
      return (await deps.confirm(before)) ? before : null;
    }
  };

  const find = async (hash: string): Promise<KnownKey | null> => {
    const remembered = known.get(hash);
    if (remembered !== undefined) return remembered;
    const begun = generation;
    const found = await findOrConfirm(hash);
    if (found === null || !sameHash(found.keyHash, hash)) return null;
    if (seen.size >= REMEMBERED) seen.clear();
    seen.set(hash, found);
    if (deps.remember && begun === generation) {
      if (known.size >= REMEMBERED) known.clear();
      known.set(hash, found);
    }
    return found;
  };

  return {
    authenticate: async (ctx, scope) => {
      const key = await find(hashKey(keyOf(ctx)));
      if (key === null) throw unauthorized('The API key is not valid or has been archived');
      if (key.scopes !== null && !key.scopes.includes(scope))
        throw new Refusal({ kind: 'forbidden', message: `This API key lacks the scope '${scope}'` });
      deps.used(key);
      return key;
    },
    forget: () => {
      generation++;
      known.clear();
    },
  };
};
